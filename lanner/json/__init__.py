"""JSON text to Python values and back: RFC 8259, exact numbers, SIMD inside.

    >>> from lanner import json
    >>> json.dumpb({"name": "Eleanora", "tags": ["falcon", 3]})
    b'{"name":"Eleanora","tags":["falcon",3]}'
    >>> json.loads(b'{"height": 1.20}')
    {'height': 1.2}

docs/json.md says what is written how, and where this differs from json and orjson.
"""

from lanner._core import Raw
from lanner._core import json_dump_into as dump_into
from lanner._core import json_dumpb as dumpb
from lanner._core import json_dumps as dumps
from lanner._core import json_loads as loads
from lanner.json.errors import JSONDecodeError, JSONEncodeError
from lanner.json.lines import dump_lines, load_lines

__all__ = [
    "JSONDecodeError",
    "JSONEncodeError",
    "Raw",
    "dump_into",
    "dump_lines",
    "dumpb",
    "dumps",
    "load_lines",
    "loads",
]
