"""What is said of a type: constraints in all their spellings, defaults in argument objects, what pydantic alone knows."""

# ruff: noqa: RUF009  # a default may be an argument object

from __future__ import annotations

import dataclasses
import datetime
import decimal
import ipaddress
import pathlib
import re
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Self, TypedDict

import annotated_types as at
import attrs
import fastapi
import msgspec
import pydantic
import pytest
import typing_extensions

import lanner
from lanner.schema import Schema, ValidationError

UTC = datetime.UTC
NOON = datetime.datetime(2024, 1, 1, 12)


class Said:
    """Any object with attributes of these names, such as Query(...)."""

    def __init__(self, **said: Any) -> None:
        self.__dict__.update(said)

    def __repr__(self) -> str:
        return f"Said({self.__dict__})"


def read(tp: Any, value: Any, **options: Any) -> Any:
    """The value; of errors, type and place of the first."""
    schema = Schema(tp, **options)
    try:
        return schema.decode(value) if isinstance(value, bytes) else schema.validate(value)
    except ValidationError as error:
        return (error.errors()[0]["type"], error.errors()[0]["loc"])


def is_even(value: int) -> bool:
    return value % 2 == 0


RULES: list[tuple[Any, Any, str | None]] = [  # a type, a value, the error's type
    (Annotated[int, at.Interval(ge=1, lt=5)], 5, "less_than"),
    (Annotated[int, at.Interval(ge=1, lt=5)], 1, None),
    (Annotated[list[int], at.Len(1, 2)], [], "too_short"),
    (Annotated[int, at.Predicate(is_even)], 3, "predicate_failed"),
    (Annotated[int, at.Predicate(at.Not(is_even))], 2, "predicate_failed"),
    (Annotated[int, at.Not(is_even)], 2, "predicate_failed"),
    (Annotated[int, at.Not(is_even)], 3, None),
    (at.LowerCase[str], "A", "predicate_failed"),
    (at.IsFinite[float], 1.0, None),
    (at.IsNotNan[Annotated[float, Said(allow_inf_nan=True)]], float("nan"), "predicate_failed"),
    (Annotated[Literal["a", "b"], at.Predicate(lambda v: v == "a")], "b", "predicate_failed"),
    (Annotated[tuple[int, int], at.Predicate(lambda v: v[0] < v[1])], [2, 1], "predicate_failed"),
    (Annotated[dict[str, int], at.Predicate(lambda v: "a" in v)], {}, "predicate_failed"),
    (Annotated[datetime.datetime, at.Timezone(None)], NOON.replace(tzinfo=UTC), "timezone_naive"),
    (Annotated[datetime.datetime, at.Timezone(...)], NOON, "timezone_aware"),
    (Annotated[datetime.datetime, at.Timezone(UTC)], NOON.replace(tzinfo=UTC), None),
    (Annotated[datetime.datetime, at.Timezone(UTC)], NOON, "timezone_offset"),
    (Annotated[datetime.datetime, at.Timezone("Europe/Berlin")], NOON.replace(tzinfo=UTC), "timezone_offset"),
    (Annotated[datetime.datetime, at.Timezone("Europe/Berlin")], b'"2024-07-01T12:00:00+02:00"', None),
    (Annotated[datetime.datetime, at.Gt(NOON)], NOON.replace(tzinfo=UTC), "greater_than"),
    (Annotated[datetime.datetime, at.Gt(NOON.replace(tzinfo=UTC))], NOON.replace(hour=13), None),
    (Annotated[datetime.time, at.Lt(datetime.time(12))], datetime.time(12, tzinfo=UTC), "less_than"),
    (Annotated[str, msgspec.Meta(min_length=2, pattern="^a")], "ba", "string_pattern_mismatch"),
    (Annotated[int, fastapi.Query(ge=1, multiple_of=2)], 3, "multiple_of"),
    (Annotated[str, fastapi.Path(min_length=2)], "a", "string_too_short"),
    (pydantic.conint(gt=3), 3, "greater_than"),
    (pydantic.constr(strip_whitespace=True, min_length=2), " a ", "string_too_short"),
    (pydantic.PositiveInt, 0, "greater_than"),
    (Annotated[str, pydantic.Field(pattern=re.compile("^a", re.IGNORECASE))], "Ab", None),
    (Annotated[str, pydantic.Field(pattern=re.compile("^a$", re.MULTILINE))], "b\na\nc", None),
    (Annotated[str, pydantic.Field(pattern=re.compile("^a.b$"))], "a\nb", "string_pattern_mismatch"),
    (Annotated[decimal.Decimal, Said(max_digits=3, decimal_places=1)], decimal.Decimal("12.34"), "decimal_max_digits"),
    (Annotated[list[list[int]], Said(unique=True)], [[1], [1]], "not_unique"),
    (Annotated[int | None, at.Ge(3)], 2, "greater_than_equal"),
    (Annotated[int | None, at.Ge(3)], None, None),
    (Annotated[int | str, at.Ge(3)], 2, "greater_than_equal"),
    (Annotated[int | str, at.Ge(3)], "a", None),
    (Annotated[int | str | None, at.MaxLen(1), at.Ge(3)], "ab", "int_type"),
    (Annotated[int | str, at.Predicate(lambda v: v != "no")], "no", "predicate_failed"),
    (Annotated[bytes, Said(format="binary")], b'"a"', None),
    (Annotated[int, Said(format="int64", max_digits=None, pattern=None, strip_whitespace=False)], 1, None),
]


@pytest.mark.parametrize(("tp", "value", "kind"), RULES, ids=lambda item: str(item)[:50])
def test_a_rule_is_kept(tp: Any, value: Any, kind: str | None) -> None:
    found = read(tp, value)
    assert (found[0] if isinstance(found, tuple) and kind is not None else None) == kind


FORMATS = {
    "email": (["a@b.co", "a.b+c@sub.example.org"], ["a", "a@b", "a@-b.co", "@b.co", "a b@c.de", "a@b.co\n"]),
    "hostname": (["a", "a-b.example"], ["-a", "a..b", "a_b", "a" * 64, ""]),
    "uri": (["http://a.b/c?d#e", "urn:x:y"], ["a", "http://a b", "://a", "1http://a"]),
    "ipv4": (["0.0.0.0", "255.255.255.255"], ["256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.456"]),
    "ipv6": (["::1", "2001:db8::ff00:42:8329"], ["1::2::3", "g::", "1.2.3.4", ""]),
    "uuid": (["12345678-1234-5678-1234-567812345678"], ["12345678123456781234567812345678", "x"]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_checked(name: str) -> None:
    schema = Schema(Annotated[str, Said(format=name)])
    good, bad = FORMATS[name]
    for text in good:
        assert schema.validate(text) == text
    for text in bad:
        with pytest.raises(ValidationError) as raised:
            schema.validate(text)
        (error,) = raised.value.errors()
        assert (error["type"], error["ctx"]) == ("string_format", {"format": name})


@pytest.mark.parametrize(
    ("tp", "message"),
    [
        (Annotated[int, Said(pattern="a")], "pattern='a' means nothing for an integer"),
        (Annotated[int, at.MinLen(2)], "min_length=2 means nothing"),
        (Annotated[float, Said(max_digits=3)], "max_digits=3 means nothing"),
        (Annotated[datetime.date, Said(tz=True)], "tz=True means nothing"),
        (Annotated[bool, at.Ge(1)], "ge=1 means nothing"),
        (Annotated[Literal["a"], at.MinLen(1)], "min_length=1 means nothing"),
        (Annotated[tuple[int, int], at.MinLen(1)], "min_length=1 means nothing"),
        (Annotated[int | str, Said(tz=True)], "tz=True means nothing for int or str"),
        (Annotated[str, Said(format="color")], "no such format: 'color'; there are email"),
        (Annotated[str, Said(pattern=3)], "a pattern is a str"),
        (Annotated[datetime.datetime, at.Timezone("Mars/Olympus")], "no such time zone"),
        (Annotated[datetime.time, at.Timezone(UTC)], "use a datetime"),
        (tuple[int, *tuple[str, ...]], "items of one type"),
    ],
    ids=str,
)
def test_what_means_nothing_is_refused_when_the_schema_is_made(tp: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Schema(tp)


def test_strict_is_for_the_lax_profile() -> None:
    assert read(Annotated[int, pydantic.Field(strict=True)], "1", profile="compat") == ("int_type", ())
    assert read(Annotated[int, pydantic.Strict()], b"1.0", profile="compat") == ("int_type", ())
    assert read(Annotated[int, pydantic.Field(strict=True)], True, profile="compat") == ("int_type", ())
    assert read(Annotated[list[int], pydantic.Strict()], (1,), profile="compat") == ("list_type", ())
    assert read(int, "1", profile="compat") == 1
    assert read(Annotated[int, pydantic.Field(strict=True)], "1", profile="text") == 1


@dataclasses.dataclass
class Query:
    needed: int = pydantic.Field(gt=0)
    page: int = pydantic.Field(default=3, ge=1, alias="p")
    tags: list[str] = pydantic.Field(default_factory=list, max_length=1)
    size: Annotated[int, fastapi.Query(le=9)] = 5
    kind: Annotated[str, pydantic.Field(default="a")] = "b"


@dataclasses.dataclass(slots=True)
class Slotted:
    needed: int = pydantic.Field(gt=0)
    page: int = fastapi.Query(3, ge=1, alias="p")


class Modelled(lanner.Model):
    needed: int = pydantic.Field(gt=0)
    page: int = pydantic.Field(default=3, ge=1, alias="p")
    tags: list[str] = pydantic.Field(default_factory=list, max_length=1)


class Row(NamedTuple):
    needed: int = pydantic.Field(gt=0)
    page: int = pydantic.Field(default=3, ge=1)


@dataclasses.dataclass
class Called:
    page: int = pydantic.Field(default=3, ge=1)
    seed: dataclasses.InitVar[int] = pydantic.Field(default=1)

    def __post_init__(self, seed: int) -> None:
        self.page += seed


pytestmark = pytest.mark.filterwarnings("ignore:.*made by hand")  # what tests/python/test_schema_messages.py checks


@pytest.mark.parametrize("cls", [Query, Slotted, Modelled, Row], ids=lambda cls: cls.__name__)
def test_a_default_may_be_an_argument_object(cls: Any) -> None:
    value = read(cls, {"needed": 1})
    assert (value.needed, value.page) == (1, 3)
    assert read(cls, {}) == ("missing", ("needed",))
    assert read(cls, {"needed": 0}) == ("greater_than", ("needed",))
    name = "page" if cls is Row else "p"
    assert read(cls, {"needed": 1, name: 0}) == ("greater_than_equal", (name,))
    assert b'"page"' not in Schema(cls).encode(value)


def test_factories_and_annotated_defaults_count() -> None:
    value = read(Query, {"needed": 1})
    assert value == Query(1, 3, [], 5, "b")
    assert value.tags is not read(Query, {"needed": 1}).tags
    assert read(Query, {"needed": 1, "tags": ["a", "b"]}) == ("too_long", ("tags",))
    assert Modelled(needed=1) == read(Modelled, {"needed": 1})
    with pytest.raises(TypeError, match="needs needed="):
        Modelled()
    assert read(Called, {}).page == 4


def test_what_only_pydantic_knows_is_asked_of_pydantic() -> None:
    @dataclasses.dataclass
    class Site:
        url: pydantic.HttpUrl
        at: pydantic.AwareDatetime | None = None
        count: Annotated[int, pydantic.BeforeValidator(lambda v: v + 1)] = 0
        inner: pydantic.Json[list[int]] | None = None

    schema = Schema(Site)
    value = schema.decode(b'{"url":"http://a.example","count":1,"inner":"[1]"}')
    assert (str(value.url), value.count, value.inner) == ("http://a.example/", 2, [1])
    assert schema.encode(value) == b'{"url":"http://a.example/","at":null,"count":2,"inner":[1]}'
    assert read(Site, b'{"url":"x","at":"2024-01-01T00:00:00"}') == ("url_parsing", ("url",))
    assert schema.json_schema()["$defs"]["Site"]["properties"]["url"]["format"] == "uri"


def test_discriminated_pydantic_models_are_told_apart_by_pydantic() -> None:
    class Cat(pydantic.BaseModel):
        kind: Literal["cat"]

    class Dog(pydantic.BaseModel):
        kind: Literal["dog"]
        name: str

    tp = list[Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]]
    value = read(tp, b'[{"kind":"dog","name":"Rex"},{"kind":"cat"}]')
    assert value == [Dog(kind="dog", name="Rex"), Cat(kind="cat")]
    assert Schema(tp).encode(value) == b'[{"kind":"dog","name":"Rex"},{"kind":"cat"}]'
    assert read(tp, b'[{"kind":"bird"}]') == ("union_tag_invalid", (0,))
    assert read(tp, b'[{"kind":"dog"}]') == ("missing", (0, "dog", "name"))


def test_addresses_and_paths_are_types() -> None:
    assert read(ipaddress.IPv4Address, b'"10.0.0.1"') == ipaddress.IPv4Address("10.0.0.1")
    assert read(list[ipaddress.IPv6Network], b'["::/0"]') == [ipaddress.IPv6Network("::/0")]
    assert read(ipaddress.IPv4Address, b'"10.0.0.256"') == ("value_error", ())
    assert read(pathlib.Path, b'"/tmp"') == pathlib.Path("/tmp")
    assert Schema(pathlib.Path).encode(pathlib.Path("/tmp")) == b'"/tmp"'


class Tree(lanner.Model):
    left: Self | None = None


class Sealed(typing_extensions.TypedDict):
    id: typing_extensions.ReadOnly[int]
    name: Annotated[typing_extensions.NotRequired[typing_extensions.ReadOnly[str]], at.MinLen(2)]


class Total(TypedDict, total=False):
    name: NotRequired[Annotated[str, at.MinLen(2)]]


def test_qualifiers_and_self_are_understood() -> None:
    assert read(Tree, b'{"left":{"left":null}}') == Tree(left=Tree())
    assert read(Tree, b'{"left":1}') == ("model_type", ("left",))
    assert read(Sealed, b'{"id":1}') == {"id": 1}
    assert read(Sealed, b'{"id":1,"name":"a"}') == ("string_too_short", ("name",))
    assert read(Total, b'{"name":"a"}') == ("string_too_short", ("name",))


@attrs.define
class Plain:
    x: int
    _y: int = 2
    z: list[int] = attrs.Factory(list)
    w: int = attrs.field(init=False, default=5)


@attrs.define
class Converted:
    x: int
    _y: int = attrs.field(default=1, converter=lambda v: v + 1)
    z: int = attrs.field(init=False, default=3)


@attrs.define(slots=False)
class After:
    x: int
    y: int = attrs.field(default=attrs.Factory(lambda self: self.x + 1, takes_self=True))

    def __attrs_post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("below zero")


@attrs.define
class Failure(Exception):
    x: int


def test_attrs_classes_are_made_as_their_init_makes_them() -> None:
    assert read(Plain, b'{"x":1,"y":3}') == Plain(1, 3)
    assert read(Plain, b'{"x":1}').z is not read(Plain, b'{"x":1}').z
    assert Schema(Plain).encode(Plain(1)) == b'{"x":1,"y":2,"z":[],"w":5}'
    assert read(Converted, b'{"x":1,"y":3}') == Converted(1, 3)
    assert Schema(Converted).encode(Converted(1)) == b'{"x":1,"y":2,"z":3}'
    assert read(After, b'{"x":1}') == After(1, 2)
    assert read(After, b'{"x":-1}') == ("value_error", ())
    assert isinstance(read(Failure, b'{"x":1}'), Failure)


@dataclasses.dataclass
class Seeded:
    x: int
    seed: dataclasses.InitVar[int]
    made: int = dataclasses.field(init=False)

    def __post_init__(self, seed: int) -> None:
        self.made = self.x + seed


def test_what_only_the_call_takes_is_not_written_and_what_it_makes_is() -> None:
    value = read(Seeded, b'{"x":1,"seed":2,"made":9}')
    assert value.made == 3
    assert Schema(Seeded).encode(value) == b'{"x":1,"made":3}'
    assert read(Seeded, b'{"x":1}') == ("missing", ("seed",))


@dataclasses.dataclass
class Lists:
    a: int | None = None
    b: list[int] = dataclasses.field(default_factory=list)
    c: Annotated[list[int], pydantic.Field(default_factory=lambda: [1])] = dataclasses.field(default_factory=list)


def test_defaults_out_of_factories_can_be_left_out_as_pydantic_does() -> None:
    for value in (Lists(), Lists(b=[1]), Lists(1, [], [1])):
        expected = pydantic.TypeAdapter(Lists).dump_json(value, exclude_defaults=True)
        assert Schema(Lists).encode(value, exclude_defaults=True) == expected
    assert Schema(Seeded).encode(read(Seeded, b'{"x":1,"seed":2}'), exclude_defaults=True) == b'{"x":1,"made":3}'


def test_structs_that_omit_defaults_do() -> None:
    class Item(msgspec.Struct, omit_defaults=True):
        name: str
        cost: int = 0
        tags: list[str] = []

    for value in (Item("a"), Item("a", 1), Item("a", 0, ["x"])):
        assert Schema(list[Item]).encode([value]) == msgspec.json.encode([value])


def test_classes_that_are_closed_refuse_other_keys() -> None:
    @dataclasses.dataclass
    class Strict:
        __pydantic_config__ = pydantic.ConfigDict(extra="forbid")
        x: int

    class Closed(typing_extensions.TypedDict, closed=True):
        x: int

    for tp in (Strict, Closed):
        assert read(tp, b'{"x":1,"y":2}') == ("extra_forbidden", ("y",))
        assert Schema(tp).json_schema()["$defs"][tp.__name__]["additionalProperties"] is False


def test_fields_that_pydantic_would_hide_are_refused() -> None:
    @dataclasses.dataclass
    class Account:
        name: str
        password: Annotated[str, pydantic.Field(exclude=True)]

    with pytest.raises(TypeError, match="exclude=True is for pydantic models"):
        Schema(Account)


def test_an_empty_tuple_is_empty() -> None:
    assert read(tuple[()], b"[]") == ()
    assert read(tuple[()], b"[1]") == ("too_long", ())
    assert read(tuple, b'[1,"a"]') == (1, "a")
