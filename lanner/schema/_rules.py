"""Constraints in all their spellings, as the rules of a node.

annotated-types objects, `Query()`-style arguments, msgspec's Meta and pydantic's Field use the same attribute names
for the same constraints. They are read by attribute, so that none of these packages is imported.
"""

from __future__ import annotations

import datetime
import decimal
import re
import types
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
PYDANTICS = ("coerce_numbers_to_str", "fail_fast", "union_mode", "ascii_only")  # no schema here does what they ask for
LENGTHS = {"min_length", "max_length"}
CHANGES = {"strip_whitespace", "to_lower", "to_upper"}
MEANINGFUL: dict[str, set[str]] = {  # what may be said of a kind; of one that is not here, nothing
    "string": {*LENGTHS, *CHANGES, "pattern", "format"},
    "bytes": LENGTHS,
    "integer": {*BOUNDS},
    "floating": {*BOUNDS, "allow_inf_nan"},
    "decimal": {*BOUNDS, "allow_inf_nan", "max_digits", "decimal_places"},
    "date": {*BOUNDS},
    "timedelta": {*BOUNDS},
    "datetime": {*BOUNDS, "tz"},
    "time": {*BOUNDS, "tz"},
    "list": {*LENGTHS, "unique"},
    "tuple": {*LENGTHS, "unique"},
    "set": {*LENGTHS, "unique"},
    "frozenset": {*LENGTHS, "unique"},
    "dict": LENGTHS,
}
CONSTRAINTS = {*BOUNDS, *LENGTHS, *CHANGES, "pattern", "tz", "max_digits", "decimal_places", "allow_inf_nan", "unique"}
SIZED = {"bytes", "list", "set", "frozenset", "tuple", "dict"}
COLLECTIONS = {"list": "List", "set": "Set", "frozenset": "Frozenset", "tuple": "Tuple", "dict": "Dictionary"}
FORMATS = {
    "email": r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$",
    "hostname": r"^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x20<>\"{}|\\^`]+$",
    "ipv4": r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$",
    "uuid": r"^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$",
}


NOTES = ("title", "description", "examples", "deprecated", "format", "extra_json_schema")  # for json_schema()


class Function:
    """A function that a union as a whole was given: as annotated_types.Predicate, pydantic's AfterValidator."""

    def __init__(self, what: str, function: Callable[[Any], Any]) -> None:
        self.what = what
        self.func = function


class ForOneMember:
    """Stands in the metadata of a union's member: what means nothing to it may mean something to another.

    used: the constraints that meant something to one of them.
    """

    def __init__(self) -> None:
        self.used: set[str] = set()


def flatten(metadata: Iterable[object]) -> Iterator[object]:
    """Metadata with groups (annotated_types.Interval, pydantic's FieldInfo and StringConstraints) taken apart."""
    for item in metadata:
        if isinstance(item, type) or item is None:
            continue
        inner = getattr(item, "metadata", None)
        if isinstance(inner, list | tuple):
            yield item
            yield from flatten(inner)
        elif getattr(item, "__is_annotated_types_grouped_metadata__", False) and hasattr(item, "__iter__"):
            yield from flatten(item)
        else:
            yield item


def gather(metadata: Iterable[object]) -> dict[str, Any]:
    """All constraints in `metadata`, where later ones win; functions are listed under "functions"."""
    found: dict[str, Any] = {}
    functions: list[tuple[str, Callable[[Any], Any]]] = []
    for item in flatten(metadata):
        if isinstance(item, ForOneMember):
            found["for_one_member"] = item
            continue
        for name in NAMES:
            value = getattr(item, name, None)
            if value is not None and not callable(value) and not is_undefined(value):
                found[name] = value
        for name in PYDANTICS:
            if getattr(item, name, None) and not is_undefined(getattr(item, name)):
                raise TypeError(f"{name}={getattr(item, name)!r} is for pydantic's own models; it means nothing here")
        kind = type(item).__name__
        extra = getattr(item, "json_schema_extra", None)
        if isinstance(extra, dict) or callable(extra):
            found["extra_json_schema"] = extra
        if kind == "Timezone":  # annotated_types: tz=None says naive
            found["tz"] = zone_of(getattr(item, "tz", ...))
        function = item if kind == "Not" else getattr(item, "func", None)
        if callable(function):
            what = "predicate" if kind in ("Predicate", "Not") else "after"
            functions.append((item.what if isinstance(item, Function) else what, function))
    found["functions"] = functions
    return found


def constraints_of(metadata: tuple[Any, ...]) -> tuple[Any, ...]:
    """What of the metadata constrains values, as what a member of a union is given."""
    constraints = gather(metadata)
    kept = {name: constraints[name] for name in (*CONSTRAINTS, "format", "strict") if name in constraints}
    return (types.SimpleNamespace(**kept),) if kept else ()


def union_metadata_of(metadata: tuple[Any, ...]) -> tuple[Any, ...]:
    """What of the metadata is for the union as a whole: notes and functions."""
    constraints = gather(metadata)
    notes = {name: constraints[name] for name in NOTES if name in constraints and name != "format"}
    functions = [Function(what, function) for what, function in constraints["functions"]]
    return (*([types.SimpleNamespace(**notes)] if notes else []), *functions)


def zone_of(tz: Any) -> Any:
    """What annotated_types.Timezone asks for: True (some zone), False (none), or a tzinfo."""
    if tz is None or tz is ...:
        return tz is not None
    if isinstance(tz, datetime.tzinfo):
        return tz
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(tz)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
        raise TypeError(f"Timezone({tz!r}): no such time zone") from error


def is_undefined(value: object) -> bool:
    """pydantic's marker for "not given"."""
    return type(value).__name__ == "PydanticUndefinedType"


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


def pattern_of(pattern: Any) -> str:
    """The source of a pattern, also of a compiled one, whose flags become a group of RE2 and `re`."""
    if isinstance(pattern, str):
        return pattern
    if not isinstance(pattern, re.Pattern) or not isinstance(pattern.pattern, str):
        raise TypeError(f"pattern={pattern!r}: a pattern is a str, or compiled from one")
    letters = [(re.I, "i"), (re.M, "m"), (re.S, "s"), (re.X, "x"), (re.A, "a")]
    flags = "".join(letter for flag, letter in letters if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


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
    """Digits in all and behind the point, as pydantic counts them: without the zeros at the end of a fraction."""
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return 0, 0
    if not any(digits):
        return 1, 0
    zeros = 0
    while zeros < -exponent and digits[-1 - zeros] == 0:
        zeros += 1
    digits, exponent = digits[: len(digits) - zeros], exponent + zeros
    if exponent >= 0:
        return len(digits) + exponent, 0
    places = -exponent
    return max(len(digits), places), places


def digit_rules(constraints: dict[str, Any]) -> Iterator[Rule]:
    most, places = constraints.get("max_digits"), constraints.get("decimal_places")
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


def bound_for(kind: str, bound: Any) -> Any:
    """The bound as values of the kind are compared with it: 0.1 bounds Decimals at 0.1, not at the nearest double."""
    if kind == "decimal" and isinstance(bound, float):
        return decimal.Decimal(repr(bound))
    if kind == "floating" and isinstance(bound, decimal.Decimal):
        return float(bound)
    if kind == "integer" and isinstance(bound, decimal.Decimal) and bound == bound.to_integral_value():
        return int(bound)
    return bound


def string_rules(constraints: dict[str, Any]) -> Iterator[Rule]:
    for name, demand in (("strip_whitespace", "strip"), ("to_lower", "lower"), ("to_upper", "upper")):
        if constraints.get(name):
            yield rule(demand, "value_error", "")
    for name in ("max_length", "min_length"):
        if constraints.get(name) is not None:
            yield length_rule("string", name, constraints[name])
    if constraints.get("pattern") is not None:
        source = pattern_of(constraints["pattern"])
        yield pattern_rule(
            source, "string_pattern_mismatch", f"String should match pattern '{source}'", {"pattern": source}
        )
    if constraints.get("format") is not None:
        name = constraints["format"]
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


def check_meaning(kind: str, constraints: dict[str, Any]) -> dict[str, Any]:
    """`constraints` without the constraints that do not apply to the kind; outside of unions these are errors."""
    meaningful = MEANINGFUL.get(kind, set())
    member = constraints.get("for_one_member")
    kept = dict(constraints)
    if constraints.get("discriminator") is not None:
        raise TypeError(
            f"discriminator={constraints['discriminator']!r} means nothing for {article(kind)}: it is for unions"
        )
    for name in CONSTRAINTS & constraints.keys():
        value = constraints[name]
        if value is False and name != "tz":
            continue
        if name in meaningful:
            if member is not None:
                member.used.add(name)
        elif member is not None:
            del kept[name]
        else:
            raise TypeError(f"{name}={value!r} means nothing for {article(kind)}")
    return kept


def article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aiu' else 'a'} {kind}"


def zone_rule(kind: str, zone: Any) -> Rule:
    if isinstance(zone, datetime.tzinfo):
        if kind == "time":
            raise TypeError(f"Timezone({zone}): a time of day has no offset that is right on all days; use a datetime")
        text = str(zone)

        def in_zone(value: datetime.datetime) -> bool:
            return value.tzinfo is not None and value.utcoffset() == value.astimezone(zone).utcoffset()

        return rule("predicate", "timezone_offset", f"Timezone {text} required", {"tz_expected": text}, in_zone)
    if zone:
        return rule("tz_aware", "timezone_aware", "Input should have timezone info")
    return rule("tz_naive", "timezone_naive", "Input should not have timezone info")


def predicate_rule(function: Callable[[Any], Any]) -> Rule:
    inner = getattr(function, "func", function) if type(function).__name__ == "Not" else function
    name = getattr(inner, "__qualname__", repr(inner))
    label = f"not {name}" if inner is not function else name
    return rule("predicate", "predicate_failed", f"Predicate {label} failed", None, function)


def rules_of(kind: str, constraints: dict[str, Any]) -> list[Rule]:
    """The rules of a node of `kind`; a constraint that does not apply to it is a TypeError."""
    constraints = check_meaning(kind, constraints)
    made: list[Rule] = []
    if kind == "string":
        made += string_rules(constraints)
    elif kind in SIZED:
        made += [
            length_rule(kind, name, constraints[name])
            for name in ("max_length", "min_length")
            if constraints.get(name) is not None
        ]
    for name in ("multiple_of", "le", "lt", "ge", "gt"):
        bound = constraints.get(name)
        if bound is None:
            continue
        if name == "multiple_of" and not isinstance(bound, datetime.timedelta) and not bound > 0:
            raise TypeError(f"multiple_of={bound!r} means nothing: it must be above 0")
        slug, message = BOUNDS[name]
        compared = bound_for(kind, bound)
        made.append(rule(name, slug, message.format(show(bound)), {name: context_bound(bound)}, compared))
    if kind == "decimal":
        made += digit_rules(constraints)
    if constraints.get("tz") is not None:
        made.append(zone_rule(kind, constraints["tz"]))
    if constraints.get("unique") and kind in ("list", "tuple"):
        made.append(rule("unique", "not_unique", "Items should be unique"))
    made += [predicate_rule(function) for what, function in constraints["functions"] if what == "predicate"]
    return made
