"""Constraints in all their spellings, as the rules of a node.

annotated-types objects, `Query()`-style arguments, msgspec's Meta and pydantic's Field say the same things under the
same names: they are read by attribute, so none of those packages is imported.
"""

from __future__ import annotations

import datetime
import decimal
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Rule = dict[str, Any]

HOLE = "\x01"  # where the actual length, or the tag, goes
BOUNDS = {
    "ge": ("greater_than_equal", "Input should be greater than or equal to {}"),
    "gt": ("greater_than", "Input should be greater than {}"),
    "le": ("less_than_equal", "Input should be less than or equal to {}"),
    "lt": ("less_than", "Input should be less than {}"),
    "multiple_of": ("multiple_of", "Input should be a multiple of {}"),
}
NAMES = (
    *BOUNDS,
    *("min_length", "max_length", "pattern", "tz", "strict", "alias", "validation_alias", "serialization_alias"),
    *("strip_whitespace", "to_lower", "to_upper", "max_digits", "decimal_places", "allow_inf_nan", "unique", "format"),
    *("discriminator", "title", "description", "examples", "deprecated", "extra_json_schema"),
)
ORDERED = {"integer", "floating", "decimal", "date", "datetime", "time", "timedelta"}
SIZED = {"string", "bytes", "list", "set", "frozenset", "tuple", "dict"}
COLLECTIONS = {"list": "List", "set": "Set", "frozenset": "Frozenset", "tuple": "Tuple", "dict": "Dictionary"}
FORMATS = {
    "email": r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$",
    "hostname": r"^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x20<>\"{}|\\^`]+$",
    "ipv4": r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$",
    "uuid": r"^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$",
}


def flatten(metadata: Iterable[object]) -> Iterator[object]:
    """Metadata with groups (annotated_types.Interval, pydantic's FieldInfo and StringConstraints) taken apart."""
    for item in metadata:
        if isinstance(item, type) or item is None:
            continue
        inner = getattr(item, "metadata", None)
        if isinstance(inner, list | tuple) and type(item).__name__ != "FieldInfo":
            yield from flatten(inner)
        elif isinstance(inner, list | tuple):
            yield item
            yield from flatten(inner)
        elif getattr(item, "__is_annotated_types_grouped_metadata__", False) and hasattr(item, "__iter__"):
            yield from flatten(item)
        else:
            yield item


def gather(metadata: Iterable[object]) -> dict[str, Any]:
    """What all of `metadata` says, the later wins; functions are listed under "functions"."""
    found: dict[str, Any] = {}
    functions: list[tuple[str, Callable[[Any], Any]]] = []
    for item in flatten(metadata):
        for name in NAMES:
            value = getattr(item, name, None)
            if value is not None and not callable(value) and type(value).__name__ != "PydanticUndefinedType":
                found[name] = value
        kind = type(item).__name__
        if kind == "Timezone":  # annotated_types: tz=None says naive
            found["tz"] = getattr(item, "tz", ...) is not None
        elif kind == "FieldInfo" and getattr(item, "extra", None) is not None:
            pass
        function = getattr(item, "func", None)
        if callable(function):
            if kind in ("BeforeValidator", "WrapValidator", "PlainValidator"):
                raise TypeError(
                    f"{kind} is pydantic's own: use it in a pydantic model, or register_type() for the type"
                )
            functions.append(("predicate" if kind == "Predicate" else "after", function))
    found["functions"] = functions
    return found


def show(bound: object) -> str:
    """A bound as pydantic's messages write it: 5.0 is 5, and there is no exponent."""
    if isinstance(bound, float):
        return (
            format(decimal.Decimal(repr(bound)).normalize(), "f")
            if bound == bound and abs(bound) != float("inf")
            else str(bound)
        )
    if isinstance(bound, datetime.date | datetime.time):
        return bound.isoformat()
    return str(bound)


def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def rule(
    demand: str | None, slug: str, message: str, context: dict[str, Any] | None = None, bound: object = None
) -> Rule:
    return {"demand": demand, "slug": slug, "message": message, "context": context, "object": bound}


def length_rule(kind: str, name: str, bound: int) -> Rule:
    most = name == "max_length"
    direction = "at most" if most else "at least"
    if kind in ("string", "bytes"):
        noun, word = ("String", "character") if kind == "string" else ("Data", "byte")
        slug = f"{kind}_too_{'long' if most else 'short'}"
        return rule(name, slug, f"{noun} should have {direction} {plural(bound, word)}", {name: bound}, bound)
    noun = COLLECTIONS[kind]
    message = f"{noun} should have {direction} {plural(bound, 'item')} after validation, not {HOLE}"
    return rule(name, "too_long" if most else "too_short", message, {"field_type": noun, name: bound}, bound)


def too_long(noun: str, count: int) -> Rule:
    message = f"{noun} should have at most {plural(count, 'item')} after validation, not {HOLE}"
    return rule(None, "too_long", message, {"field_type": noun, "max_length": count})


def pattern_rule(source: str, slug: str, message: str, context: dict[str, Any]) -> Rule:
    """A pattern for RE2; for `re`, with a warning, where RE2 does not know it (look-around, back references)."""
    from lanner import _core

    made = rule("pattern", slug, message, context)
    made["pattern"] = source
    if why := _core.pattern_problem(source):
        compiled = re.compile(source)
        warnings.warn(
            f"pattern {source!r} is matched by Python's re, which can take exponential time: RE2 says {why}",
            stacklevel=2,
        )
        made["pattern"] = None
        made["object"] = compiled.search
    return made


def digits_of(value: decimal.Decimal) -> tuple[int, int]:
    """Digits in all and behind the point, as pydantic counts them."""
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return 0, 0
    if exponent >= 0:
        return len(digits) + exponent, 0
    places = -exponent
    return max(len(digits), places), places


def digit_rules(said: dict[str, Any]) -> Iterator[Rule]:
    most, places = said.get("max_digits"), said.get("decimal_places")
    if most is not None:
        message = f"Decimal input should have no more than {plural(most, 'digit')} in total"
        yield rule("max_digits", "decimal_max_digits", message, {"max_digits": most}, lambda v: digits_of(v)[0] <= most)
    if places is not None:
        message = f"Decimal input should have no more than {plural(places, 'decimal place')}"
        yield rule(
            "decimal_places",
            "decimal_max_places",
            message,
            {"decimal_places": places},
            lambda v: digits_of(v)[1] <= places,
        )
    if most is not None and places is not None:
        whole = most - places
        message = f"Decimal input should have no more than {plural(whole, 'digit')} before the decimal point"
        yield rule(
            "max_digits",
            "decimal_whole_digits",
            message,
            {"whole_digits": whole},
            lambda v: digits_of(v)[0] - digits_of(v)[1] <= whole,
        )


def context_bound(bound: object) -> object:
    return show(bound) if isinstance(bound, datetime.date | datetime.time | datetime.timedelta) else bound


def string_rules(said: dict[str, Any]) -> Iterator[Rule]:
    for name, demand in (("strip_whitespace", "strip"), ("to_lower", "lower"), ("to_upper", "upper")):
        if said.get(name):
            yield rule(demand, "value_error", "")
    for name in ("max_length", "min_length"):
        if said.get(name) is not None:
            yield length_rule("string", name, said[name])
    if said.get("pattern") is not None:
        source = getattr(said["pattern"], "pattern", said["pattern"])
        yield pattern_rule(
            source, "string_pattern_mismatch", f"String should match pattern '{source}'", {"pattern": source}
        )
    if said.get("format") is not None:
        name = said["format"]
        if name == "ipv6":
            yield rule("predicate", "string_format", "String should be a valid ipv6", {"format": name}, is_ipv6)
        elif name in FORMATS:
            yield pattern_rule(FORMATS[name], "string_format", f"String should be a valid {name}", {"format": name})
        else:
            raise TypeError(f"no such format: {name!r}; there are {', '.join(sorted([*FORMATS, 'ipv6']))}")


def is_ipv6(text: str) -> bool:
    import ipaddress

    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def rules_of(kind: str, said: dict[str, Any]) -> list[Rule]:
    """The rules of a node of `kind`; a constraint that means nothing there is a TypeError."""
    made: list[Rule] = []
    if kind == "string":
        made += string_rules(said)
    elif kind in SIZED:
        made += [
            length_rule(kind, name, said[name]) for name in ("max_length", "min_length") if said.get(name) is not None
        ]
    for name in ("multiple_of", "le", "lt", "ge", "gt"):
        bound = said.get(name)
        if bound is None:
            continue
        if kind not in ORDERED:
            raise TypeError(f"{name}={bound!r} means nothing for a {kind}")
        if name == "multiple_of" and not isinstance(bound, datetime.timedelta) and not bound > 0:
            raise TypeError(f"multiple_of={bound!r} means nothing: it must be above 0")
        slug, message = BOUNDS[name]
        made.append(rule(name, slug, message.format(show(bound)), {name: context_bound(bound)}, bound))
    if kind == "decimal":
        made += digit_rules(said)
    if kind in ("datetime", "time") and said.get("tz") is not None:
        aware = bool(said["tz"])
        slug = "timezone_aware" if aware else "timezone_naive"
        message = "Input should have timezone info" if aware else "Input should not have timezone info"
        made.append(rule("tz_aware" if aware else "tz_naive", slug, message))
    if said.get("unique") and kind in ("list", "tuple"):
        made.append(rule("unique", "not_unique", "Items should be unique"))
    for what, function in said["functions"]:
        if what == "predicate":
            name = getattr(function, "__qualname__", repr(function))
            made.append(rule("predicate", "predicate_failed", f"Predicate {name} failed", None, function))
    return made
