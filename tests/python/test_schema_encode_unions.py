"""Schema.encode: the member of a union that writes a value is the one whose type it has; errors say where."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import json
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, Union

import attrs
import msgspec
import pydantic
import pytest

import lanner
from lanner.json import JSONEncodeError
from lanner.schema import Schema

T = TypeVar("T")


@dataclasses.dataclass
class Animal:
    name: str


@dataclasses.dataclass
class Dog(Animal):
    legs: int = 4


@dataclasses.dataclass
class Puppy(Dog):
    age: int = 0


class Whelp(Puppy):
    """No type of any union: the nearest class writes it."""


@dataclasses.dataclass(slots=True)
class Slot:
    name: str


@dataclasses.dataclass(slots=True)
class LongSlot(Slot):
    age: int = 0


class Point(lanner.Model):
    x: int


class FarPoint(Point):
    y: int


class Item(msgspec.Struct):
    x: int


class LongItem(Item):
    y: int = 0


@attrs.define
class Wing:
    x: int


@attrs.define
class LongWing(Wing):
    y: int = 0


class User(pydantic.BaseModel):
    x: int


class Admin(User):
    y: int = 0


class Keys(TypedDict):
    a: int


class MoreKeys(TypedDict):
    a: int
    b: NotRequired[int]


@dataclasses.dataclass
class Box(Generic[T]):
    value: T


class Level(enum.IntEnum):
    ONE = 1


EXACT: list[tuple[list[Any], Any, Any]] = [  # the members, a value, how it is written
    ([Animal, Dog, Puppy], Puppy("a", 4, 2), {"name": "a", "legs": 4, "age": 2}),
    ([Animal, Dog, Puppy], Dog("a", 3), {"name": "a", "legs": 3}),
    ([Animal, Dog, Puppy], Whelp("a", 4, 2), {"name": "a", "legs": 4, "age": 2}),
    ([Animal, Dog], Puppy("a", 3, 2), {"name": "a", "legs": 3}),
    ([Slot, LongSlot], LongSlot("a", 2), {"name": "a", "age": 2}),
    ([Point, FarPoint], FarPoint(x=1, y=2), {"x": 1, "y": 2}),
    ([Item, LongItem], LongItem(1, 2), {"x": 1, "y": 2}),
    ([Wing, LongWing], LongWing(1, 2), {"x": 1, "y": 2}),
    ([User, Admin], Admin(x=1, y=2), {"x": 1, "y": 2}),
    ([Keys, MoreKeys], {"a": 1, "b": 2}, {"a": 1, "b": 2}),
    ([dict[str, str], Keys], {"a": 1}, {"a": 1}),
    ([float, int], 1, 1),
    ([float, int, bool], True, True),
    ([float, int, str], 1.0, 1.0),
    ([Any, Puppy, Dog], Puppy("a", 4, 2), {"name": "a", "legs": 4, "age": 2}),
    ([float, Literal[1]], 1, 1),
    ([list[int], list[str]], ["a"], ["a"]),
    ([list[float], list[int]], [1, 2], [1, 2]),
    ([list[Dog], list[Puppy]], [Puppy("a", 4, 2)], [{"name": "a", "legs": 4, "age": 2}]),
    ([dict[str, Dog], dict[str, Puppy]], {"k": Puppy("a", 4, 2)}, {"k": {"name": "a", "legs": 4, "age": 2}}),
    ([dict[int, int], dict[str, int]], {"1": 2}, {"1": 2}),
    ([tuple[float, int], tuple[int, float]], (1, 2.5), [1, 2.5]),
    ([set[float], set[int]], {1}, [1]),
    ([Box[int], Box[str]], Box("a"), {"value": "a"}),
    ([Box[list[Dog]], Box[list[Puppy]]], Box([Puppy("a", 4, 2)]), {"value": [{"name": "a", "legs": 4, "age": 2}]}),
    ([list[list[float]], list[list[int]]], [[1], [2]], [[1], [2]]),
    ([list[Box[float] | None], list[Box[int] | None]], [Box(1), None], [{"value": 1}, None]),
]


@pytest.mark.parametrize(("members", "value", "expected"), EXACT, ids=str)
def test_the_exact_type_writes_the_value_in_any_order_and_at_any_depth(members: Any, value: Any, expected: Any) -> None:
    for order in itertools.permutations(members):
        union: Any = Union[tuple(order)]  # noqa: UP007
        for tp, given, written in (
            (union, value, expected),
            (union | None, value, expected),
            (list[union], [value, value], [expected] * 2),
            (dict[str, union], {"k": value}, {"k": expected}),
            (tuple[int, union], (1, value), [1, expected]),
            (list[list[union] | None], [None, [value]], [None, [expected]]),
            (Box[union], Box(value), {"value": expected}),
        ):
            assert repr(json.loads(Schema(tp).encode(given))) == repr(written), tp


def test_the_field_that_does_not_fit_the_exact_type_is_an_error() -> None:
    with pytest.raises(JSONEncodeError, match=r"\$\[1\].age: int expected, not str"):
        Schema(list[Dog | Puppy]).encode([Dog("a"), Puppy("a", 4, "x")])  # type: ignore[arg-type]
    with pytest.raises(JSONEncodeError, match=r"\$.value: int expected, not float"):
        Schema(Box[int] | Box[str]).encode(Box(1.5))


@dataclasses.dataclass
class Node:
    kids: list[Leaf | Node] = dataclasses.field(default_factory=list)
    more: list[Node] | list[Leaf] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Leaf(Node):
    size: int = 1


def test_members_of_deep_unions_are_found_in_bounded_work() -> None:
    value = Leaf()
    for _ in range(40):
        value = Leaf([value, Node([Leaf()])], [Leaf()])
    assert Schema(Node | Leaf).encode(value).count(b'"size"') == 1 + 40 * 3
    wide: Any = [[i, float(i)] for i in range(30_000)]
    assert json.loads(Schema(list[list[float] | list[int]] | list[list[str]]).encode(wide)) == wide


@dataclasses.dataclass
class Plain:
    a: int
    b: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int
    b: Any = None


WRONG: list[tuple[Any, Any, str]] = [
    (list[float], [1, 10**400], r"\$\[1\]: the int is too large for a float"),
    (dict[str, float | None], {"k": 10**400}, r"\$\['k'\]: the int is too large for a float"),
    (list[bytes], [b"a", b"\xff"], r"\$\[1\]: the bytes are no UTF-8"),
    (dict[str, bytes], {"k": b"\xff"}, r"\$\['k'\]: the bytes are no UTF-8"),
    *(
        (list[cls], [cls(1, value)], rf"\$\[0\]\.b{rest}")
        for cls in (Plain, Slotted)
        for value, rest in (
            ("\ud800", ": the str has"),
            ({"k": [1, "\ud800"]}, r"\.k\[1\]: the str has"),
            ({"k": [1, object()]}, r"\.k\[1\]: object has no form"),
            (10**5000, ": the integer has more digits"),
            (b"\xff", ": "),
        )
    ),
    (list[Plain], [Plain(10**5000)], r"\$\[0\]\.a: the integer has more digits"),
]


@pytest.mark.parametrize(("tp", "value", "message"), WRONG, ids=[row[2] for row in WRONG])
def test_what_cannot_be_written_is_an_error_with_its_path(tp: Any, value: Any, message: str) -> None:
    with pytest.raises(JSONEncodeError, match=message):
        Schema(tp).encode(value)
    with pytest.raises(JSONEncodeError, match=message):
        Schema(tp | None).encode(value)


def test_an_attribute_that_is_not_there_is_an_error_with_its_path() -> None:
    for made in (Plain(1), Slotted(1)):
        del made.a
        with pytest.raises(JSONEncodeError, match=r"\$\[0\]\.a: the field has no value"):
            Schema(list[type(made)]).encode([made])


@dataclasses.dataclass
class Ring:
    next: list[Ring]


def test_a_circle_is_called_one_and_its_path_is_short() -> None:
    ring = Ring([])
    ring.next.append(ring)
    with pytest.raises(JSONEncodeError, match="circular") as raised:
        Schema(Ring).encode(ring)
    assert raised.value.path.startswith("$.next[0].next[0]")
    assert "..." in raised.value.path
    assert len(raised.value.path) < 150
    deep = Ring([])
    for _ in range(100):
        deep = Ring([deep])
    with pytest.raises(JSONEncodeError, match="more than 128 deep"):
        Schema(Ring).encode(deep)
