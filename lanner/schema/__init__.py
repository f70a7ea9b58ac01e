"""Types as schemas: checks bytes and objects, converts them to typed values, and writes values as JSON, in C++.

from lanner.schema import Schema

cards = Schema(list[Card])
cards.decode(b'[{"name": "Opt"}]')      # -> [Card(name='Opt')], or ValidationError with every error
cards.encode([Card("Opt")])             # -> b'[{"name":"Opt"}]'
"""

from lanner._core import ValidationError
from lanner.json import JSONDecodeError
from lanner.schema._aliases import AliasChoices, AliasPath
from lanner.schema._base64 import Base64
from lanner.schema._definitions import Definitions
from lanner.schema._model import Model
from lanner.schema._registry import OwnType, register_type
from lanner.schema._schema import Schema

__all__ = [
    "AliasChoices",
    "AliasPath",
    "Base64",
    "Definitions",
    "JSONDecodeError",
    "Model",
    "OwnType",
    "Schema",
    "ValidationError",
    "register_type",
]
