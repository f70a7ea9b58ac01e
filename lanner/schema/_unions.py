"""Unions: selects the member by the kind of the value or by its tag."""

from __future__ import annotations

import enum
import sys
import typing
from typing import TYPE_CHECKING, Any

from lanner.schema import _rules

if TYPE_CHECKING:
    from lanner.schema._compile import Compiler
    from lanner.schema._records import FieldSpec, RecordSpec

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
    if node["kind"] == "custom" and "spec" in node:
        return takes({**node, "kind": "record"})
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


def tags(compiler: Compiler, children: list[int], discriminator: Any) -> dict[str, Any] | None:
    """The field that tells the members apart: the one named, or one that is a Literal in all."""
    specs = [spec for child in children for spec in specs_of(compiler, child)]
    direct = [compiler.seen_through(child).get("spec") for child in children]
    check_struct_tags([*specs, *filter(None, direct)])
    if len(direct) == len(list(filter(None, direct))) and (table := struct_tags(specs)):
        return table
    if discriminator is None:
        if not all(direct):
            return None
        candidates = [field.name for field in specs[0].fields]
    else:
        if not all(specs_of(compiler, child) for child in children):
            raise TypeError(f"discriminator {discriminator!r}: all members must be dataclasses, TypedDicts or the like")
        candidates = [discriminator]
    for name in candidates:
        values = [values_of(compiler, child, name) for child in children]
        if all(values):
            flat = [value for some in values if some for value in some]
            field = field_of(specs[0], name)
            if len(set(map(str, flat))) == len(flat) and field is not None and not field.paths:
                return tag_table(field.name, field.attribute, values)
    if discriminator is not None:
        raise TypeError(
            f"discriminator {discriminator!r}: it must be a Literal in each member, and no value in two of them"
        )
    return None


def check_struct_tags(specs: list[RecordSpec]) -> None:
    """No two msgspec.Structs of a union have the same tag, whatever else is in it."""
    taken: dict[tuple[str, str], RecordSpec] = {}
    for spec in specs:
        if spec.tag is None:
            continue
        field, tag = spec.tag
        other = taken.setdefault((field, str(tag)), spec)
        if other is not spec:
            raise TypeError(f"{other.cls.__qualname__} and {spec.cls.__qualname__} have the same tag, {tag!r}")


def struct_tags(specs: list[RecordSpec]) -> dict[str, Any] | None:
    """Those of msgspec.Structs, where all have one in the same field."""
    named = [spec.tag for spec in specs if spec.tag is not None]
    if len(named) != len(specs) or len({name for name, _ in named}) != 1:
        return None
    return tag_table(named[0][0], named[0][0], [[tag] for _, tag in named])


def specs_of(compiler: Compiler, child: int) -> list[RecordSpec]:
    """The records that a member of a union may be: itself, or those of a union within; empty: there is more."""
    node = compiler.seen_through(child)
    if node["kind"] in ("union", "tagged"):
        inner = [specs_of(compiler, member) for member in node["children"]]
        return [spec for specs in inner for spec in specs] if all(inner) else []
    return [node["spec"]] if node["kind"] == "record" else []


def field_of(spec: RecordSpec, name: str) -> FieldSpec | None:
    return next((field for field in spec.fields if name in (field.attribute, field.name)), None)


def values_of(compiler: Compiler, child: int, name: str) -> list[Any] | None:
    """What the field may be in a member of a union, each value once; None: it is not there, or is no Literal."""
    found: dict[Any, None] = {}
    for spec in specs_of(compiler, child):
        field = field_of(spec, name)
        values = literal_values(field.type) if field is not None else None
        if not values:
            return None
        found.update(dict.fromkeys(values))
    return list(found) or None


def tag_table(key: str, attribute: str, values: list[Any]) -> dict[str, Any]:
    expected = ", ".join(repr(value) for some in values for value in some)
    context = {"discriminator": f"'{key}'"}
    missing = f"Unable to extract tag using discriminator '{key}'"
    invalid = f"Input tag '{_rules.HOLE}' found using '{key}' does not match any of the expected tags: {expected}"
    return {
        "key": sys.intern(key),
        "attribute": attribute,
        "tags": [(str(value), not isinstance(value, str), i) for i, some in enumerate(values) for value in some],
        "not_found": _rules.rule(None, "union_tag_not_found", missing, context),
        "invalid": _rules.rule(None, "union_tag_invalid", invalid, {**context, "expected_tags": expected}),
    }


def literal_values(tp: Any) -> list[Any] | None:
    """The values of a Literal of str and int; None: it is something else."""
    while typing.get_origin(tp) is typing.Annotated:
        tp = tp.__origin__
    if typing.get_origin(tp) is not typing.Literal:
        return None
    values = [value.value if isinstance(value, enum.Enum) else value for value in typing.get_args(tp)]
    return values if all(isinstance(value, str) or type(value) is int for value in values) else None
