"""Values in an answer that JSON can not represent as they are: what is written in their place."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from lanner.json import Raw
from lanner.schema import Schema

CLASSES = 1024  # whose schemas are kept


def plain(value: Any) -> Any:
    """What a schema of its class writes: a pydantic model, timedelta, bytes, a path; otherwise NotImplemented."""
    schema = schema_of_class(type(value))  # type: ignore[arg-type]
    return NotImplemented if schema is None else Raw(schema.encode(value), trusted=True)


def lenient(value: Any) -> Any:
    """As FastAPI's jsonable_encoder: also the items of what can be iterated, and the attributes of any object."""
    made = plain(value)
    if made is not NotImplemented:
        return made
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    attributes = getattr(value, "__dict__", None)
    if attributes is None or isinstance(value, type) or callable(value):
        return NotImplemented
    return {name: part for name, part in attributes.items() if not name.startswith("_sa")}  # SQLAlchemy's own


@functools.lru_cache(CLASSES)
def schema_of_class(cls: type) -> Schema[Any] | None:
    try:
        return Schema(cls)
    except TypeError:
        return None
