"""One schema for each type in the process, and what a parameter needs to know of one."""

from __future__ import annotations

from typing import Any

from lanner.schema import Schema
from lanner.schema._foreign import rows_of

_made: dict[Any, Schema[Any]] = {}
RECORDS = ("record", "dict", "tagged")
ROWS = ("list", "tuple", "set", "frozenset", "fixed")


def schema_of(type: Any, **options: Any) -> Schema[Any]:
    """The schema of a type with these options, made once. Raises TypeError for a type that none can be made of."""
    key = (type, *sorted(options.items()))
    try:
        made = _made.get(key)
    except TypeError:  # a type that can not be hashed: Annotated with a list, say
        return Schema(type, **options)
    if made is None or (
        made.type is not type and repr(made.type) != repr(type)
    ):  # 1 == True: Literal[1], Literal[True]
        made = _made[key] = Schema(type, **options)
    return made


def kinds(schema: Schema[Any], index: int | None = None, seen: frozenset[int] = frozenset()) -> set[str]:
    """The kinds of JSON value that a type may be: "scalar", "row" (a list of scalars), "record", "foreign"."""
    index = schema._root if index is None else index
    if index in seen:
        return set()
    seen |= {index}
    node = schema._nodes[index]
    if "same_as" in node:
        return kinds(schema, node["same_as"], seen)
    kind = node["kind"]
    if kind in RECORDS:
        return {"record"}
    if kind == "union":
        return set().union(*(kinds(schema, child, seen) for child in node["children"]))
    if kind in ROWS:
        inner = set().union(*(kinds(schema, child, seen) for child in node.get("children", ())))
        return {"record"} if inner - {"scalar"} else {"row"}
    if kind == "custom" and node.get("children"):
        return kinds(schema, node["children"][0], seen)
    if kind == "delegate":
        return {"foreign"}
    return {"scalar"}


def wire_names(schema: Schema[Any]) -> list[str]:
    """The names of a record's fields, as they are read."""
    node = schema._nodes[schema._root]
    while "same_as" in node:
        node = schema._nodes[node["same_as"]]
    if node["kind"] == "delegate":
        return [name for name, _ in rows_of(node.get("own_class"))]
    return [field["name"] for field in node.get("fields", ())]


def is_model(type: Any) -> bool:
    """Whether it is a pydantic model, which a schema leaves to pydantic. Does not import pydantic."""
    return isinstance(type, builtin_type) and hasattr(type, "__pydantic_validator__") and hasattr(type, "model_fields")


builtin_type = type
