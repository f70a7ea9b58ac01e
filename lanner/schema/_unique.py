"""Whether items that are not hashable differ: in linear time, by a hashable stand-in for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

COMPARED_MAX = 1000  # items of classes that nothing but their own __eq__ knows to compare


class Opaque:
    """Stands for an object whose class has an __eq__ of its own and no __hash__."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and bool(self.value == other.value)


def fields_of(value: Any) -> tuple[Any, ...] | None:
    """What the __eq__ that was generated for the object's class compares; None: it is of another kind."""
    cls = type(value)
    compares = cls.__eq__
    generated = getattr(getattr(compares, "__code__", None), "co_filename", "")
    if dataclasses.is_dataclass(value) and generated == "<string>":
        return tuple(getattr(value, field.name) for field in dataclasses.fields(value) if field.compare)
    if hasattr(cls, "__attrs_attrs__") and generated.startswith("<attrs generated"):
        return tuple(getattr(value, field.name) for field in cls.__attrs_attrs__ if field.eq)
    if hasattr(cls, "__struct_fields__") and "__eq__" not in cls.__dict__:
        return tuple(getattr(value, name) for name in cls.__struct_fields__)
    return None


def stand_in(value: Any, opaque: list[Opaque]) -> Any:
    """A hashable object that equals another one's stand-in where the values are equal."""
    try:
        hash(value)
        return value
    except TypeError:
        pass
    if isinstance(value, list):
        return ("list", *(stand_in(item, opaque) for item in value))
    if isinstance(value, tuple):
        return ("tuple", *(stand_in(item, opaque) for item in value))
    if isinstance(value, dict):
        return ("dict", frozenset((key, stand_in(item, opaque)) for key, item in value.items()))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, bytearray):
        return bytes(value)
    fields = fields_of(value)
    if fields is not None:
        return (type(value), *(stand_in(item, opaque) for item in fields))
    opaque.append(Opaque(value))
    if len(opaque) > COMPARED_MAX:
        raise ValueError(f"over {COMPARED_MAX} items that can only be compared one by one")
    return opaque[-1]


def stand_ins(values: Iterable[Any]) -> list[Any]:
    opaque: list[Opaque] = []
    return [stand_in(value, opaque) for value in values]
