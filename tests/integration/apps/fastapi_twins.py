"""The applications of tests/integration/test_native_fastapi.py, for `lanner run fastapi_twins:bodies`."""

from tests.support import fastapi_answers, fastapi_bodies, fastapi_parameters, fastapi_structure
from tests.support.fastapi_twins import build, names_of_lanner

names = names_of_lanner()
parameters = build(names, fastapi_parameters.define)
bodies = build(names, fastapi_bodies.define)
answers = build(names, fastapi_answers.define)
structure = build(names, fastapi_structure.define)
handled = build(names, fastapi_structure.handled)
