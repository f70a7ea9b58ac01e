"""Unions: selects the member by the kind of the value or by its tag."""

from __future__ import annotations

import enum
import sys
import typing
from typing import Any

from lanner.schema import _rules

Node = dict[str, Any]

LOOKS = {  # what JSON a kind takes; a kind that is not here may take anything
    "none": ("null",),
    "boolean": ("boolean",),
    "integer": ("integer",),
    "floating": ("integer", "real"),
    "decimal": ("integer", "real", "text"),
    **dict.fromkeys(("string", "bytes", "datetime", "date", "time", "timedelta", "uuid"), ("text",)),
    **dict.fromkeys(("list", "set", "frozenset", "tuple", "fixed"), ("array",)),
    "dict": ("object",),
}
KEYS = {"any", "choice", *(kind for kind, looks in LOOKS.items() if looks[0] not in ("array", "object"))}


def takes(node: Node) -> tuple[str, ...] | None:
    """The kinds of JSON values that a node accepts; None: any."""
    if node["kind"] == "record":
        spec = node["spec"]
        return ("object", "array") if spec.from_array else ("object",)
    if node["kind"] == "choice":
        found = set()
        for value, _ in node["choices"]["values"]:
            if not isinstance(value, str | int | None):
                return None
            found.add(
                "null"
                if value is None
                else "text"
                if isinstance(value, str)
                else "boolean"
                if isinstance(value, bool)
                else "integer"
            )
        return tuple(found)
    return LOOKS.get(node["kind"])


def looks(members: list[Node]) -> dict[str, int]:
    """For each kind of value the only member that accepts it, -2 = several."""
    table: dict[str, int] = {}
    integers = any(member["kind"] == "integer" for member in members)
    for i, member in enumerate(members):
        taken = takes(member)
        nullable = member["nullable"]
        for look in ("null", "boolean", "integer", "real", "text", "array", "object"):
            if taken is not None and look not in taken and not (nullable and look == "null"):
                continue
            if look == "integer" and integers and member["kind"] == "floating":
                continue  # an integer is read as one
            table[look] = -2 if look in table else i
    return table


def tags(nodes: list[Node], discriminator: Any) -> dict[str, Any] | None:
    """The field that tells the members apart: the one named, or one that is a Literal in all."""
    if any(node["kind"] != "record" for node in nodes):
        if discriminator is not None:
            raise TypeError(f"discriminator {discriminator!r}: all members must be dataclasses, TypedDicts or the like")
        return None
    specs = [node["spec"] for node in nodes]
    if all(spec.tag is not None for spec in specs) and len({spec.tag[0] for spec in specs}) == 1:
        taken: dict[str, Any] = {}
        for spec in specs:
            other = taken.setdefault(str(spec.tag[1]), spec)
            if other is not spec:
                raise TypeError(
                    f"{other.cls.__qualname__} and {spec.cls.__qualname__} have the same tag, {spec.tag[1]!r}"
                )
        return tag_table(specs[0].tag[0], specs[0].tag[0], [[spec.tag[1]] for spec in specs])
    candidates = [discriminator] if discriminator is not None else [field.name for field in specs[0].fields]
    for name in candidates:
        fields = [next((f for f in spec.fields if f.attribute == name or f.name == name), None) for spec in specs]
        values = [literal_values(field.type) if field is not None else None for field in fields]
        if all(values):
            flat = [value for some in values if some for value in some]
            if len(set(map(str, flat))) == len(flat) and fields[0] is not None:
                return tag_table(fields[0].name, fields[0].attribute, values)
        if discriminator is not None:
            raise TypeError(f"discriminator {name!r}: it must be a Literal in each member, and no value in two of them")
    return None


def tag_table(key: str, attribute: str, values: list[Any]) -> dict[str, Any]:
    said = ", ".join(repr(value) for some in values for value in some)
    context = {"discriminator": f"'{key}'"}
    missing = f"Unable to extract tag using discriminator '{key}'"
    invalid = f"Input tag '{_rules.HOLE}' found using '{key}' does not match any of the expected tags: {said}"
    return {
        "key": sys.intern(key),
        "attribute": attribute,
        "tags": [(str(value), not isinstance(value, str), i) for i, some in enumerate(values) for value in some],
        "not_found": _rules.rule(None, "union_tag_not_found", missing, context),
        "invalid": _rules.rule(None, "union_tag_invalid", invalid, {**context, "expected_tags": said}),
    }


def literal_values(tp: Any) -> list[Any] | None:
    """The values of a Literal of str and int; None: it is something else."""
    while typing.get_origin(tp) is typing.Annotated:
        tp = tp.__origin__
    if typing.get_origin(tp) is not typing.Literal:
        return None
    values = [value.value if isinstance(value, enum.Enum) else value for value in typing.get_args(tp)]
    return values if all(isinstance(value, str) or type(value) is int for value in values) else None
