"""Types of every kind that docs/schema.md names, and documents of every kind that JSON has: what the tests of schemas share."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import sys
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, TypeVar

import annotated_types as at
import attrs
import msgspec
import pydantic

import lanner

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict  # what pydantic wants there

T = TypeVar("T")


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int
    b: str = "b"


@dataclasses.dataclass
class Plain:
    a: Slotted
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: int


@dataclasses.dataclass
class Checked:
    a: int
    scale: dataclasses.InitVar[int] = 1

    def __post_init__(self, scale: int) -> None:
        if self.a < 0:
            raise ValueError("below zero")


@dataclasses.dataclass
class Tree:
    a: int | None = None
    kids: list[Tree] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Box(Generic[T]):
    a: T


class Movie(TypedDict):
    a: int
    year: NotRequired[int]


class Pair(NamedTuple):
    a: int
    b: str = "b"


class Item(msgspec.Struct):
    a: int
    tags: list[str] = []


class Point(lanner.Model, forbid_extra=True):
    a: int
    b: int = 0


@attrs.define
class Wing:
    a: int


class User(pydantic.BaseModel):
    a: int


class Color(enum.Enum):
    RED = "x"
    ONE = 1


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
    a: int = 0


@dataclasses.dataclass
class Dog:
    kind: Literal["dog", "puppy"]
    a: str = ""


UserId = NewType("UserId", int)
Tagged = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]

SCALARS: list[Any] = [
    *(None, bool, int, float, str, bytes, Any, UserId),
    *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta, uuid.UUID, decimal.Decimal),
    *(Color, Level, Literal["x", 1, None, True], Literal["a"]),
]
CONSTRAINED: list[Any] = [
    Annotated[int, at.Interval(ge=0, lt=10), at.MultipleOf(2)],
    Annotated[float, at.Gt(0.5), at.Le(1e9)],
    Annotated[float, pydantic.Field(allow_inf_nan=True)],
    Annotated[str, at.Len(1, 3), pydantic.StringConstraints(strip_whitespace=True, to_upper=True)],
    Annotated[str, pydantic.Field(pattern="^[a-z]+$")],
    Annotated[bytes, at.MaxLen(1)],
    Annotated[decimal.Decimal, pydantic.Field(max_digits=3, decimal_places=1, ge=0)],
    Annotated[decimal.Decimal, at.MultipleOf(decimal.Decimal("0.5"))],
    Annotated[datetime.date, at.Ge(datetime.date(2020, 1, 1))],
    Annotated[datetime.datetime, at.Timezone(...)],
    Annotated[datetime.timedelta, at.Lt(datetime.timedelta(days=3))],
    Annotated[list[int], at.Len(1, 2)],
    Annotated[set[int], at.MaxLen(1)],
    Annotated[dict[str, int], at.MinLen(1)],
    Annotated[tuple[int, ...], at.MinLen(1)],
]
CONTAINERS: list[Any] = [
    *(list[int], list, set[int], frozenset[str], tuple[int, ...], tuple[int, str], tuple[()], list[list[int]]),
    *(collections.abc.Sequence[int], collections.abc.Mapping[str, int], collections.abc.Set[int]),
    *(dict[str, int], dict[int, float], dict[str, list[int]], dict[Literal["a", "b"], int], dict[datetime.date, Any]),
]
RECORDS: list[Any] = [
    Slotted,
    Plain,
    Frozen,
    Checked,
    Tree,
    Box[int],
    Box[list[Slotted]],
    Movie,
    Pair,
    Item,
    Point,
    Wing,
    User,
]
UNIONS: list[Any] = [
    *(
        int | None,
        int | str,
        int | float,
        int | list[int] | None,
        Slotted | None,
        Slotted | list[Slotted] | str,
        Color | None,
    ),
    *(
        datetime.date | str,
        dict[str, int] | Slotted,
        Tagged,
        Tagged | None,
        list[Tagged],
        int | bool | None,
        Movie | Pair,
    ),
]
TYPES: list[Any] = [*SCALARS, *CONSTRAINED, *CONTAINERS, *RECORDS, *UNIONS]
# pydantic's adapters do not know these.
OWN = (Item, Point, Wing)

DEEP = 100
DOCUMENTS: list[bytes] = [
    *(
        b"null",
        b"true",
        b"false",
        b"0",
        b"-0",
        b"1",
        b"-1",
        b"7",
        b"0.5",
        b"-0.0",
        b"1.0",
        b"1e3",
        b"1e-400",
        b"123456789.125",
    ),
    *(b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1" + b"0" * 400),
    *(
        b'""',
        b'"x"',
        b'"a"',
        b'"1"',
        b'"-1.5"',
        b'" 1 "',
        b'"true"',
        b'"NaN"',
        b'"Infinity"',
        b'"\\u0000"',
        b'"ABCDEFGH"',
    ),
    *(b'"2024-02-29"', b'"2024-02-30"', b'"2024-01-02T03:04:05Z"', b'"2024-01-02T03:04:05"', b'"24:00"', b'"03:04"'),
    *(
        b'"P1DT2S"',
        b'"P"',
        b'"12345678-1234-5678-1234-567812345678"',
        b'"1234"',
        b'"\xf0\x9f\x98\x80"',
        b'"\\ud83d\\ude00"',
    ),
    *(b"[]", b"[1]", b'["x"]', b"[1,2,3]", b"[null]", b"[[1]]", b'[1,"x"]', b'[{"a":1}]', b"[1,1.5,true]"),
    *(
        b"{}",
        b'{"a":1}',
        b'{"a":"x"}',
        b'{"a":null}',
        b'{"a":1,"b":2,"c":3}',
        b'{"a":{"a":1}}',
        b'{"a":[{"a":-1}]}',
        b'{"1":1}',
    ),
    *(
        b'{"":0}',
        b'{"kind":"cat","a":1}',
        b'{"a":"x","kind":"puppy"}',
        b'{"kind":"cow"}',
        b'{"kind":1}',
        b'{"a":1,"a":2}',
    ),
    *(b'{"2024-01-02":[]}', b'{"a":1,"kids":[{"a":2},{"a":"x"}]}', b'{"kids":5}', b'{"a":1,"tags":["x",1]}'),
    *(b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP, b'{"kids":[' * 50 + b"]}" * 50),
]
# What is no JSON (RFC 8259), or more than a double, or deeper than 128.
REFUSED: list[bytes] = [
    *(
        b"",
        b" ",
        b"1e400",
        b"-1e400",
        b"NaN",
        b"Infinity",
        b"01",
        b"+1",
        b".5",
        b"1.",
        b"1e",
        b"-",
        b"tru",
        b"nulL",
        b"'x'",
    ),
    *(
        b'"\\ud800"',
        b'"\\udc00"',
        b'"\\ud800\\u0041"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b'"\x01"',
        b'"\\x"',
        b'"\\u00g0"',
        b'"x',
    ),
    *(
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b'{"a":1,}',
        b'{"a" 1}',
        b"{a:1}",
        b'{"a":1 "b":2}',
        b'{"a"}',
        b"{1:2}",
        b"[1}",
        b"\xef\xbb\xbf1",
    ),
    *(
        b"1 2",
        b"1,",
        b"{}x",
        b"[]]",
        b'"x""y"',
        b"nullnull",
        b"[1]/**/",
        b"\x00",
        b"1\x00",
        b'{"x\xff":1}',
        b'{"z":"\\ud800"}',
    ),
    *(b"[" * 129 + b"]" * 129, b'{"a":' * 129 + b"1" + b"}" * 129, b"[" * 100_000, b"9" * 4301, b"1" * 1_000_000),
]


def name_of(tp: Any) -> str:
    return str(tp).replace("typing.", "").replace("tests.support.schema_types.", "")[:60]
