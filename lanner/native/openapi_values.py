"""Values as JSON has them, for examples and what else a user says for the documentation."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

Object = dict[str, Any]


def jsonable(value: Any) -> Any:
    """The value as JSON has it: models and dataclasses as objects, an Enum's member as its value, other things as text.

    Example: `jsonable({"day": datetime.date(2024, 1, 2)})` is `{"day": "2024-01-02"}`
    """
    if isinstance(value, enum.Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(jsonable(key)): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(item) for item in value]
    from lanner import json

    return json.loads(json.dumpb(value, default=other))


def other(value: Any) -> Any:
    """What JSON has for a value that it does not know: pydantic's models tell, anything else is text."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def merge(into: Object, said: Mapping[str, Any]) -> None:
    """Adds what openapi_extra= and responses= say: objects are merged at every depth, lists joined."""
    for name, value in said.items():
        here = into.get(name)
        if isinstance(here, dict) and isinstance(value, Mapping):
            merge(here, value)
        elif isinstance(here, list) and isinstance(value, list):
            into[name] = here + value
        else:
            into[name] = value
