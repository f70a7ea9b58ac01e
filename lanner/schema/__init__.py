"""Types as schemas: bytes and objects checked, made into typed values, and written as JSON; the work is done in C++.

from lanner.schema import Schema

cards = Schema(list[Card])
cards.decode(b'[{"name": "Opt"}]')      # -> [Card(name='Opt')], or ValidationError with all that is wrong
cards.encode([Card("Opt")])             # -> b'[{"name":"Opt"}]'
"""

from lanner._core import ValidationError
from lanner.json import JSONDecodeError
from lanner.schema._model import Model
from lanner.schema._registry import register_type
from lanner.schema._schema import Schema

__all__ = ["JSONDecodeError", "Model", "Schema", "ValidationError", "register_type"]
