"""Types by chance, each with values that fit it, nearly fit it, or do not: hypothesis strategies."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import itertools
import sys
import types
import uuid
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

import annotated_types as at
import attrs
import msgspec
import pydantic
from hypothesis import strategies as st

import lanner

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict  # what pydantic wants there

Values = st.SearchStrategy[Any]
NUMBERS = itertools.count()  # names of classes
FIELDS = ("a", "b", "name", "kind_", "x_y")
DEPTH_MAX = 3


class Made:
    """A type, and values as JSON's reader gives them.

    peers: pydantic knows it, and reads it as we do. text: it is read from a str, and may be a key.
    """

    def __init__(self, tp: Any, values: Values, peers: bool = True, hashable: bool = True, text: bool = False) -> None:
        self.tp, self.values = tp, values
        self.peers, self.hashable, self.text = peers, hashable, text

    def __repr__(self) -> str:
        return f"Made({self.tp})"


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


texts = st.text(st.characters(codec="utf-8"), max_size=5)
integers = st.integers(-3, 12) | st.integers() | st.sampled_from([2**63 - 1, 2**63, -(2**63), 2**64, 10**30])
floats = st.floats(-10, 200).map(lambda x: round(x, 3)) | st.floats(allow_nan=False, allow_infinity=False)
dates = st.dates().map(str) | st.sampled_from(["2024-02-30", "2024-1-1", "20240101"])
moments = st.sampled_from(
    [
        *(
            "2024-01-02T03:04:05Z",
            "2024-01-02 03:04:05.123456+05:30",
            "2024-01-02T03:04",
            "2024-01-02T03:04:05.1234567-00:00",
        ),
        *(
            "2024-01-02T24:00:00Z",
            "2024-01-02T03:04:60Z",
            "2024-01-02T03:04:05+25:00",
            "2024-01-02t03:04:05z",
            "2024-01-02",
        ),
    ]
)
times = st.times().map(str) | st.sampled_from(
    ["03:04", "03:04:05Z", "3:04", "25:00", "03:04:05.1234567", "12:00+01:00"]
)
spans = st.sampled_from(
    ["P1D", "PT1.5S", "-P1DT1H", "P1W", "1 days 01:00:00", "01:00:00", "P", "PT", "P1M", "+PT3M", "P1.5D"]
)
uuids = (
    st.uuids().map(str)
    | st.uuids().map(lambda u: u.hex)
    | st.sampled_from(["{12345678123456781234567812345678}", "1234"])
)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-1000, max_value=1000).map(str)
junk = st.recursive(
    st.none()
    | st.booleans()
    | integers
    | floats
    | texts
    | dates
    | moments
    | times
    | spans
    | st.sampled_from(["1", "1.0", "true"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FIELDS, "kind", "1"]), inner, max_size=4)
    ),
    max_leaves=6,
)

SCALARS: list[Made] = [
    Made(None, st.none()),
    Made(bool, st.booleans()),
    Made(int, integers),
    Made(float, floats | integers),
    Made(str, texts, text=True),
    Made(bytes, texts),
    Made(Any, junk, hashable=False),
    Made(datetime.date, dates, text=True),
    Made(datetime.datetime, moments),
    Made(datetime.time, times),
    Made(datetime.timedelta, spans),
    Made(uuid.UUID, uuids, text=True),
    Made(decimal.Decimal, decimals | integers),
    Made(Color, st.sampled_from(["red", "blue", "green"]), text=True),
    Made(Level, st.sampled_from([1, 2, 3])),
    Made(Literal["red", "blue", 1, None], st.sampled_from(["red", "blue", 1, None, 2])),
]


@st.composite
def constrained(draw: Any) -> Made:
    low, high = sorted((draw(st.integers(-3, 6)), draw(st.integers(-3, 12))))
    size = draw(st.integers(0, 4))
    return draw(
        st.sampled_from(
            [
                Made(Annotated[int, at.Ge(low), at.Lt(high)], integers),
                Made(Annotated[int, at.Gt(low), at.MultipleOf(3)], integers),
                Made(Annotated[float, at.Interval(ge=low, le=high + 0.5)], floats | integers),
                Made(Annotated[str, at.MinLen(size)], texts),
                Made(Annotated[str, at.Len(1, size + 1)], texts),
                Made(Annotated[str, pydantic.Field(pattern="^[a-m]*$")], texts),
                Made(
                    Annotated[str, pydantic.StringConstraints(to_upper=True, strip_whitespace=True, max_length=size)],
                    texts,
                ),
                Made(Annotated[bytes, at.MaxLen(size)], texts),
                Made(Annotated[decimal.Decimal, pydantic.Field(max_digits=4, decimal_places=1)], decimals),
                Made(Annotated[decimal.Decimal, at.Ge(low), at.Le(high)], decimals | integers),
                Made(Annotated[datetime.date, at.Ge(datetime.date(2000, 1, 1))], dates),
                Made(Annotated[datetime.timedelta, at.Lt(datetime.timedelta(hours=30))], spans),
                Made(Annotated[list[int], at.Len(1, size + 1)], st.lists(integers, max_size=5), hashable=False),
                Made(Annotated[set[int], at.MinLen(size)], st.lists(st.integers(0, 4), max_size=5), hashable=False),
                Made(
                    Annotated[dict[str, int], at.MaxLen(size)],
                    st.dictionaries(texts, integers, max_size=5),
                    hashable=False,
                ),
            ]
        )
    )


@st.composite
def array(draw: Any, depth: int) -> Made:
    item: Made = draw(kinds(depth + 1))
    make = draw(
        st.sampled_from([lambda tp: list[tp], lambda tp: tuple[tp, ...], lambda tp: set[tp], lambda tp: frozenset[tp]])
    )
    if not item.hashable:
        make = lambda tp: list[tp]  # noqa: E731
    return Made(make(item.tp), st.lists(mostly(item), max_size=3), item.peers, hashable=False)


@st.composite
def fixed(draw: Any, depth: int) -> Made:
    items: list[Made] = draw(st.lists(kinds(depth + 1), min_size=1, max_size=3))
    values = st.tuples(*(mostly(item) for item in items)).map(list) | st.lists(junk, max_size=4)
    return Made(tuple[tuple(item.tp for item in items)], values, all(item.peers for item in items), hashable=False)


@st.composite
def mapping(draw: Any, depth: int) -> Made:
    key: Made = draw(st.sampled_from([kind for kind in SCALARS if kind.text]))
    value: Made = draw(kinds(depth + 1))
    keys = key.values | texts
    return Made(dict[key.tp, value.tp], st.dictionaries(keys, mostly(value), max_size=3), value.peers, hashable=False)


@st.composite
def optional(draw: Any, depth: int) -> Made:
    inner: Made = draw(kinds(depth + 1))
    return Made(
        inner.tp | None if inner.tp is not None else None, inner.values | st.none(), inner.peers, inner.hashable
    )


@st.composite
def union(draw: Any, depth: int) -> Made:
    """Members that JSON tells apart, and others; where several can take a value pydantic's smart mode has its own mind."""
    apart = [
        Made(int, integers),
        Made(str, texts),
        Made(bool, st.booleans()),
        Made(list[int], st.lists(integers, max_size=3)),
    ]
    apart.append(Made(dict[str, int], st.dictionaries(texts, integers, max_size=3)))
    members: list[Made] = draw(
        st.lists(st.sampled_from(apart), min_size=2, max_size=3, unique_by=lambda made: str(made.tp))
    )
    peers = True
    if draw(st.booleans()):
        members.append(draw(kinds(depth + 1)))
        peers = False
    tp = members[0].tp
    for member in members[1:]:
        tp = tp | member.tp
    return Made(tp, st.one_of(*(mostly(member) for member in members)), peers, hashable=False)


def or_none(tp: Any) -> Any:
    return None if tp is None else tp | None


def fields_of(draw: Any, depth: int) -> dict[str, tuple[Made, bool]]:
    """name -> (kind, required); the required ones first, as classes want them."""
    names = draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=4, unique=True))
    found = {name: (draw(kinds(depth + 1)), draw(st.booleans())) for name in names}
    return dict(sorted(found.items(), key=lambda row: not row[1][1]))


def record_values(fields: dict[str, tuple[Made, bool]], fixed: dict[str, Any]) -> Values:
    whole = {name: mostly(made) for name, (made, _) in fields.items()} | {name: st.just(v) for name, v in fixed.items()}
    some = st.fixed_dictionaries({}, optional={**whole, "more": junk})
    return (
        st.fixed_dictionaries(whole)
        | st.fixed_dictionaries(whole).flatmap(lambda d: st.permutations(list(d.items())).map(dict))
        | some
    )


def make_record(how: str, fields: dict[str, tuple[Made, bool]], tag: str = "") -> Any:
    name = f"R{next(NUMBERS)}"
    hints: dict[str, Any] = {
        field: made.tp if required else or_none(made.tp) for field, (made, required) in fields.items()
    }
    defaults = {field: None for field, (_, required) in fields.items() if not required}
    if tag:
        hints = {"kind": Literal[tag], **hints}
    namespace = {"__annotations__": hints, "__module__": __name__, **defaults}
    if how in ("dataclass", "slots", "frozen"):
        return dataclasses.dataclass(type(name, (), namespace), slots=how != "dataclass", frozen=how == "frozen")
    if how == "typed_dict":
        return TypedDict(name, {f: NotRequired[hint] if f in defaults else hint for f, hint in hints.items()})  # type: ignore[operator]
    if how == "named_tuple":
        made = types.new_class(name, (NamedTuple,), {}, lambda ns: ns.update(namespace))
        return made
    if how == "attrs":
        return attrs.define(type(name, (), namespace))
    base = {"struct": msgspec.Struct, "model": lanner.Model, "pydantic": pydantic.BaseModel}[how]
    return types.new_class(name, (base,), {}, lambda ns: ns.update(namespace))


OURS = ("struct", "model", "attrs")  # pydantic does not know them
MAKES = ("dataclass", "slots", "frozen", "typed_dict", "named_tuple", "pydantic", *OURS)


@st.composite
def record(draw: Any, depth: int) -> Made:
    how = draw(st.sampled_from(MAKES))
    fields = fields_of(draw, depth)
    if how in OURS or how == "pydantic" or any(made.tp is None for made, _ in fields.values()):
        fields = {name: (made, required) for name, (made, required) in fields.items() if made.tp is not None}
    fields = fields or {"a": (SCALARS[2], True)}
    if how == "pydantic":  # reads by its own rules what it holds: plain parts only
        fields = {name: (SCALARS[4], required) for name, (_, required) in fields.items()}
    values = record_values(fields, {})
    if how == "named_tuple":
        values |= st.tuples(*(mostly(made) for made, _ in fields.values())).map(list)
    peers = how not in OURS and all(made.peers for made, _ in fields.values())
    return Made(make_record(how, fields), values, peers, hashable=False)


@st.composite
def tagged(draw: Any, depth: int) -> Made:
    how = draw(st.sampled_from(["dataclass", "slots", "typed_dict", "struct", "model"]))
    tags = ["cat", "dog", "bird"][: draw(st.integers(2, 3))]
    tp, values, peers = None, [], how not in OURS
    for tag in tags:
        fields = fields_of(draw, depth)
        peers = peers and all(made.peers for made, _ in fields.values())
        made = make_record(how, fields, tag)
        tp = made if tp is None else tp | made
        values.append(record_values(fields, {"kind": draw(st.sampled_from([*tags, "cow"]))}))
    return Made(Annotated[tp, pydantic.Field(discriminator="kind")], st.one_of(*values), peers, hashable=False)


def mostly(made: Made) -> Values:
    return made.values | made.values | made.values | junk


def kinds(depth: int = 0) -> st.SearchStrategy[Made]:
    leaves = st.sampled_from(SCALARS) | constrained()
    if depth >= DEPTH_MAX:
        return leaves
    return (
        leaves
        | array(depth)
        | fixed(depth)
        | mapping(depth)
        | optional(depth)
        | union(depth)
        | record(depth)
        | record(depth)
        | tagged(depth)
    )
