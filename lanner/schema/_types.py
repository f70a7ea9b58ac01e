"""Facts about a type before it is compiled: its kind in the engine, its name, its variables."""

from __future__ import annotations

import collections
import collections.abc
import datetime
import decimal
import sys
import types
import typing
import uuid
from typing import Any

LEAVES: dict[Any, tuple[str, str, str]] = {  # type -> (kind, slug of a wrong type, label in a union)
    Any: ("any", "missing", "any"),
    object: ("any", "missing", "any"),
    None: ("none", "none_required", "none"),
    types.NoneType: ("none", "none_required", "none"),
    bool: ("boolean", "bool_type", "bool"),
    int: ("integer", "int_type", "int"),
    float: ("floating", "float_type", "float"),
    str: ("string", "string_type", "str"),
    bytes: ("bytes", "bytes_type", "bytes"),
    datetime.datetime: ("datetime", "datetime_type", "datetime"),
    datetime.date: ("date", "date_type", "date"),
    datetime.time: ("time", "time_type", "time"),
    datetime.timedelta: ("timedelta", "time_delta_type", "timedelta"),
    uuid.UUID: ("uuid", "uuid_type", "uuid"),
    decimal.Decimal: ("decimal", "decimal_type", "decimal"),
    typing.LiteralString: ("string", "string_type", "str"),
}
ABSTRACT: dict[Any, Any] = {
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
    collections.abc.Mapping: dict,
    collections.abc.MutableMapping: dict,
}
MADE_OF = (collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter)
CONTAINERS: dict[type, tuple[str, str]] = {
    list: ("list", "list_type"),
    set: ("set", "set_type"),
    frozenset: ("frozenset", "frozen_set_type"),
}


def type_name(tp: Any) -> str:
    """Box[list[int]], without modules."""
    arguments = typing.get_args(tp)
    origin = typing.get_origin(tp)
    if isinstance(origin, type) and origin not in (typing.Annotated, types.UnionType):
        return f"{origin.__name__}[{', '.join('...' if a is ... else type_name(a) for a in arguments)}]"
    return tp.__name__ if isinstance(tp, type) and not arguments else str(tp).replace("typing.", "")


def is_unset(tp: Any) -> bool:
    """msgspec.UnsetType: of a field that may have no value at all; no document has it."""
    return isinstance(tp, type) and tp.__name__ == "UnsetType" and tp.__module__.startswith("msgspec")


def unset_of(tp: Any) -> Any:
    """What stands for "no value" in a field of this type; None: nothing does."""
    while typing.get_origin(tp) is typing.Annotated:
        tp = tp.__origin__
    return sys.modules["msgspec"].UNSET if any(map(is_unset, typing.get_args(tp))) else None


def is_uniform(tp: Any, arguments: tuple[Any, ...]) -> bool:
    """Of a tuple: items of one type, as many as there are. tuple[()] has none."""
    return tp is tuple or tp is typing.Tuple or (len(arguments) == 2 and arguments[1] is Ellipsis)  # noqa: UP006


def is_starred(argument: Any) -> bool:
    """*tuple[X, ...] among the arguments of a tuple."""
    return isinstance(argument, types.GenericAlias) and argument.__unpacked__


def first_of_each(values: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Without texts that stand for two choices, as in Literal["a", Color.A]: the first counts."""
    kept: list[tuple[Any, Any]] = []
    seen: set[str] = set()
    for value, choice in values:
        if type(value) is not str or value not in seen:
            kept.append((value, choice))
        if type(value) is str:
            seen.add(value)
    return kept
