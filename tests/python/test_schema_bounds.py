"""What a document may cost: unions, unique items, equal hashes, long keys; and how many errors there are."""

from __future__ import annotations

import abc
import dataclasses
import datetime
import itertools
import json
import pickle
import uuid
from typing import Annotated, Any

import pytest

from lanner.schema import Schema, ValidationError


@dataclasses.dataclass
class A:
    a: int


@dataclasses.dataclass
class B:
    b: int


@dataclasses.dataclass
class Thing:
    x: Any


class Folded:
    """Equal in any case; not hashable."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folded) and self.text.lower() == other.text.lower()

    __hash__ = None  # type: ignore[assignment]


def slugs(read: Any, value: Any) -> list[str]:
    try:
        read(value)
    except ValidationError as error:
        return [told["type"] for told in error.errors()]
    return []


@pytest.mark.parametrize("profile", ["json", "compat"])
def test_any_number_of_items_may_be_of_a_later_member(profile: Any) -> None:
    union: Schema[Any] = Schema(list[A | B], profile=profile)
    document = b"[" + b",".join([b'{"b":1}'] * 20_000) + b"]"
    assert union.decode(document) == [B(1)] * 20_000
    assert union.validate([{"b": 1}] * 20_000) == [B(1)] * 20_000
    dates: Schema[Any] = Schema(list[datetime.date | str])
    assert dates.decode(b"[" + b",".join([b'"text"'] * 20_000) + b"]") == ["text"] * 20_000


@dataclasses.dataclass
class Left:
    x: Left | Right | int


@dataclasses.dataclass
class Right:
    x: Left | Right | int


@pytest.mark.parametrize("profile", ["json", "compat"])
def test_members_that_all_look_right_are_not_tried_without_end(profile: Any) -> None:
    value: Any = "x"
    for _ in range(60):
        value = {"x": value}
    schema: Schema[Any] = Schema(Left | Right, profile=profile)
    assert "union_retries_exceeded" in slugs(schema.validate, value)
    assert "union_retries_exceeded" in slugs(schema.decode, str(value).replace("'", '"').encode())


UNIQUE: list[tuple[Any, Any, Any]] = [  # items that differ, one that equals the first
    (list[int], [[i] for i in range(20_000)], [0]),
    (dict[str, int], [{"k": i, "m": 1} for i in range(20_000)], {"m": 1, "k": 0}),
    (Thing, [{"x": [i]} for i in range(20_000)], {"x": [0]}),
    (Any, [[{"k": [i]}] for i in range(20_000)], [{"k": [0]}]),
    (tuple[Any, ...], [[[i], 1] for i in range(20_000)], [[0], 1]),
]


@pytest.mark.parametrize(("tp", "values", "equal"), UNIQUE, ids=lambda item: str(item)[:30])
def test_unique_items_that_are_not_hashable_are_compared_in_linear_time(tp: Any, values: Any, equal: Any) -> None:
    schema: Schema[Any] = Schema(Annotated[list[tp], Unique()])
    assert slugs(schema.validate, values) == []
    assert slugs(schema.validate, [*values, equal]) == ["not_unique"]


class Unique:
    unique = True

    def __repr__(self) -> str:
        return "Unique()"


def test_unique_items_with_an_own_eq_are_asked() -> None:
    from lanner.schema import register_type

    register_type(Folded, decode=Folded)
    schema: Schema[Any] = Schema(Annotated[list[Folded], Unique()])
    assert slugs(schema.validate, ["a", "b"]) == []
    assert slugs(schema.validate, ["a", "b", "A"]) == ["not_unique"]
    assert slugs(schema.validate, [str(i) for i in range(1001)]) == ["value_error"]


MERSENNE = 2**61 - 1


@pytest.mark.parametrize(
    ("tp", "items"),
    [
        (set[int], [i * MERSENNE for i in range(20_000)]),
        (frozenset[int], [i * MERSENNE for i in range(20_000)]),
        (Annotated[list[int], Unique()], [i * MERSENNE for i in range(20_000)]),
        (set[tuple[int, ...]], [[i * MERSENNE] for i in range(20_000)]),
        (dict[int, int], {str(i * MERSENNE): 1 for i in range(20_000)}),
        (dict[uuid.UUID, int], {str(uuid.UUID(int=i * MERSENNE)): 1 for i in range(20_000)}),
    ],
    ids=str,
)
def test_values_chosen_for_their_hashes_are_refused(tp: Any, items: Any) -> None:
    schema: Schema[Any] = Schema(tp)
    assert slugs(schema.decode, json.dumps(items)) in (["hash_collisions"], ["value_error"])
    few = dict(itertools.islice(items.items(), 50)) if isinstance(items, dict) else items[:50]
    assert slugs(schema.decode, json.dumps(few)) == []


def test_many_equal_values_are_no_collision() -> None:
    assert Schema(set[int]).decode(b"[" + b",".join([b"7"] * 20_000) + b"]") == {7}
    assert len(Schema(set[int]).decode(str(list(range(20_000))))) == 20_000


def test_a_long_key_is_not_read_for_each_error_behind_it() -> None:
    for unit in ("k", "\\u00e9", "\\ud83d\\ude00", "\u00e9", "\\n", "\U0001f600"):
        key = unit * 2000
        items = ",".join(['{"c":1}'] * 70)
        with pytest.raises(ValidationError) as raised:
            Schema(dict[str, list[A | B]]).decode(f'{{"{key}":[{items}]}}')
        whole = json.loads(f'"{key}"')
        told = raised.value.errors()[0]["loc"][0]
        assert whole.startswith(told)
        assert 240 <= len(told.encode()) <= 256


def test_the_number_of_errors_says_that_there_are_more() -> None:
    schema: Schema[Any] = Schema(list[int])
    with pytest.raises(ValidationError) as exact:
        schema.validate(["x"] * 64)
    assert str(exact.value).startswith("64 errors for list[int]\n")
    with pytest.raises(ValidationError) as more:
        schema.validate(["x"] * 1000)
    assert str(more.value).startswith("64 of at least 65 errors for list[int]\n")
    assert repr(more.value) == "ValidationError(64 of at least 65 errors for list[int])"
    assert more.value.error_count() == 64
    assert repr(pickle.loads(pickle.dumps(more.value))) == repr(more.value)
    with pytest.raises(ValidationError) as one:
        schema.validate(["x"])
    assert repr(one.value) == "ValidationError(1 error for list[int])"
    with pytest.raises(ValidationError) as first:
        Schema(list[int], errors="first").validate(["x"] * 9)
    assert repr(first.value) == "ValidationError(1 error for list[int])"
    # Those of a member that was given up do not count.
    union: Schema[Any] = Schema(tuple[list[int] | list[str], int])
    with pytest.raises(ValidationError) as rolled:
        union.validate([["x"] * 100, "y"])
    assert repr(rolled.value) == "ValidationError(1 error for tuple[list[int] | list[str], int])"


@dataclasses.dataclass
class Ring:
    kids: list[Ring]


def test_a_circle_is_called_one_and_long_places_are_shown_without_their_middle() -> None:
    ring: dict[str, Any] = {}
    ring["kids"] = [ring, ring]
    for tp in (Ring, Ring | int, list[Ring | None] | Ring):
        with pytest.raises(ValidationError) as raised:
            Schema(tp).validate(ring)
        assert [told["type"] for told in raised.value.errors()][-1] == "recursion_loop"
        assert "cyclic" in str(raised.value)
        assert len(str(raised.value)) < 300
    deep: dict[str, Any] = {"kids": []}
    for _ in range(200):
        deep = {"kids": [deep]}
    with pytest.raises(ValidationError) as raised:
        Schema(Ring).validate(deep)
    assert raised.value.errors()[0]["type"] == "recursion_depth_exceeded"
    assert "/..." in str(raised.value)
    assert len(str(raised.value)) < 300


class Raising:
    def __hash__(self) -> int:
        raise TypeError("mine")


class Unequal:
    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise TypeError("mine")


@pytest.mark.parametrize("tp", [set[Any], frozenset[Any], Annotated[list[Any], Unique()]])
def test_a_type_error_of_the_users_own_is_his(tp: Any) -> None:
    schema: Schema[Any] = Schema(tp)
    for items in ([Raising()], [Unequal(), Unequal()]):
        with pytest.raises(TypeError, match="mine"):
            schema.validate(items)
    assert slugs(schema.validate, [[1], [1]])[:1] == [
        "not_unique" if "unique" in str(tp).lower() else "set_item_not_hashable"
    ]


class Abstract(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...


@dataclasses.dataclass
class Shape(Abstract):
    a: int


@dataclasses.dataclass(slots=True)
class SlottedShape(Abstract):
    a: int


def test_an_abstract_dataclass_is_not_made() -> None:
    for cls in (Shape, SlottedShape):
        for read, value in ((Schema(cls).decode, b'{"a":1}'), (Schema(cls).validate, {"a": 1})):
            with pytest.raises(TypeError, match="abstract"):
                read(value)
