"""Unions in the compat profile beside pydantic's smart mode: every pair of types, both ways round, against every value."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import itertools
import json
import sys
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Union, get_args

import annotated_types as at
import pydantic
import pytest

from lanner.schema import Schema, ValidationError

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict  # what pydantic wants there


class Level(enum.IntEnum):
    LOW = 1


class Color(enum.Enum):
    RED = "red"
    ONE = 1


class Word(enum.StrEnum):
    A = "a"


@dataclasses.dataclass
class First:
    a: int
    b: int = 0


@dataclasses.dataclass
class Second:
    a: int
    c: int = 0


@dataclasses.dataclass
class Third:
    a: str
    b: str = "x"
    c: int = 0


class FirstKeys(TypedDict):
    a: int


class SecondKeys(TypedDict):
    a: int
    b: NotRequired[int]


class ThirdKeys(TypedDict):
    a: str


TYPES: list[Any] = [
    *(bool, int, float, str, bytes, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, uuid.UUID),
    *(decimal.Decimal, Level, Color, Word, Literal["a"], Literal[1], Any, list[int], list[str], list[Any], set[int]),
    *(frozenset[str], tuple[int, ...], tuple[int, str], dict[str, int], dict[str, str], dict[int, int], None),
    *(First, Second, Third, FirstKeys, SecondKeys, ThirdKeys, list[First], list[Second]),
]
VALUES: list[Any] = [
    *(None, True, 0, 1, 2, 1.0, 1.5, "1", "1.5", "a", "red", "true", "2024-01-02", "2024-01-02T03:04:05", "10:20"),
    *("P1D", str(uuid.UUID(int=5)), [], [1], ["1"], ["a"], [1, "a"], [1.0], [True], {}, {"a": 1}, {"a": "1"}),
    *({"a": "x"}, {"a": 1, "b": 2}, {"a": 1, "c": 2}, {"a": "1", "c": 2}, {"a": 1, "b": 2, "c": 3}, {"1": 1}),
    *([{"a": 1}], [{"a": 1, "c": 2}], [{"a": 1, "b": 2}, {"a": 1, "c": 2}]),
]
OBJECTS: list[Any] = [
    *(b"1", b"a", bytearray(b"1"), (1,), ("1",), (1, "a"), {1}, {"1"}, frozenset(["a"]), frozenset([1]), {1: 1}),
    *(decimal.Decimal(1), decimal.Decimal("1.5"), datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2)),
    *(datetime.datetime(2024, 1, 2, 3), datetime.timedelta(1), datetime.time(1), uuid.UUID(int=5)),
    *(Level.LOW, Color.RED, Color.ONE, Word.A, First(1), First(1, 2), Second(1), Second(1, 2), Third("x")),
    *([First(1)], [Second(1), First(1)]),
]
CHOICES = (Level, Color, Literal[1])


def outcome(read: Callable[[Any], Any], value: Any) -> Any:
    """repr() of the value and its type; None: refused."""
    try:
        found = read(value)
    except (ValidationError, pydantic.ValidationError):
        return None
    return type(found), repr(found).replace("TzInfo(0)", "datetime.timezone.utc")


def known_difference(members: tuple[Any, ...], value: Any, is_json: bool) -> str:
    if any(member in CHOICES for member in members) and isinstance(
        value, bool | int | float | decimal.Decimal | enum.Enum
    ):
        return "only the value itself is a choice"
    if value is Color.RED and int in members:
        return "pydantic takes the value of an Enum's member whatever it is"
    if decimal.Decimal in members and value == 1.0 and is_json:
        return "a Decimal keeps all digits of a JSON number"
    texts = isinstance(value, dict | list) and value != {} and "a" in str(value)
    if (
        is_json
        and (texts or value == ["1"])
        and any(str(member).count("str") or member in (Third, ThirdKeys) for member in members)
    ):
        return "a str within an array or object is as exact as a number, in JSON as well"
    return ""


@pytest.mark.parametrize("one", TYPES, ids=str)
def test_the_member_is_the_one_that_pydantic_takes(one: Any) -> None:
    tried = 0
    for other in TYPES[TYPES.index(one) + 1 :]:
        for tp in (Union[one, other], Union[other, one]):  # noqa: UP007
            members = get_args(tp)
            schema: Schema[Any] = Schema(tp, profile="compat")
            adapter = pydantic.TypeAdapter(tp)
            for value in VALUES:
                document = json.dumps(value).encode()
                found, wanted = outcome(schema.decode, document), outcome(adapter.validate_json, document)
                assert found == wanted or known_difference(members, value, True), (tp, document)
            for value in [*VALUES, *OBJECTS]:
                found, wanted = outcome(schema.validate, value), outcome(adapter.validate_python, value)
                assert found == wanted or known_difference(members, value, False), (tp, value)
                tried += 1
    assert tried > 50 or one is TYPES[-1]


@pytest.mark.parametrize(
    "tp",
    [
        dict[str, First | Second],
        list[First | Second | None],
        tuple[int | str, str | int],
        First | Second | ThirdKeys,
        list[First] | list[Second] | dict[str, First | Second],
        int | str | float | bool,
        Literal["a"] | int | list[int | str],
    ],
    ids=str,
)
def test_unions_within_other_types_are_smart_as_well(tp: Any) -> None:
    schema: Schema[Any] = Schema(tp, profile="compat")
    adapter = pydantic.TypeAdapter(tp)
    inner = [value for value in (*VALUES, *OBJECTS) if value is not Color.RED]
    values = [*inner, *([value] for value in inner), *({"k": value} for value in inner), *itertools.pairwise(inner)]
    for value in values:
        found, wanted = outcome(schema.validate, value), outcome(adapter.validate_python, value)
        assert found == wanted, value


@pytest.mark.parametrize("profile", ["json", "text"])
def test_an_int_that_the_int_refuses_is_no_float(profile: Any) -> None:
    for tp in (
        Annotated[int, at.Ge(10)] | Annotated[float, at.Le(5)],
        Annotated[float, at.Le(5)] | Annotated[int, at.Ge(10)],
        Annotated[int, at.Ge(10)] | Annotated[float, at.Le(5)] | None,
        Annotated[int, at.Ge(10)] | str | float if profile == "json" else Annotated[int, at.Ge(10)] | float,
    ):
        for wrap, form in ((tp, "%s"), (list[tp], "[%s]"), (dict[str, tp], '{"a":%s}')):  # type: ignore[valid-type]
            schema: Schema[Any] = Schema(wrap, profile=profile)
            for text in ("1", '"1"') if profile == "text" else ("1",):
                document = (form % text).encode()
                for read, value in ((schema.decode, document), (schema.validate, json.loads(document))):
                    with pytest.raises(ValidationError) as raised:
                        read(value)
                    assert "greater_than_equal" in [error["type"] for error in raised.value.errors()]
            assert "1.5" in str(schema.decode((form % "1.5").encode()))
            assert "12" in str(schema.decode((form % "12").encode()))
    if profile == "text":
        assert repr(Schema(float | int, profile="text").decode_text(b"1")) == "1"
        assert repr(Schema(float | int, profile="text").decode_text(b"1.0")) == "1.0"
