"""json_schema(): valid JSON Schema (draft 2020-12) for every type, which says of documents what decode() says."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

import annotated_types as at
import attrs
import jsonschema
import msgspec
import pydantic
import pytest

import lanner
from lanner.schema import Schema, ValidationError, register_type

T = TypeVar("T")


class Color(enum.Enum):
    """Of a card."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Leaf:
    size: int


@dataclasses.dataclass
class Tree:
    """Grows."""

    value: int
    kids: list[Tree] = dataclasses.field(default_factory=list)
    leaf: Leaf | None = None


@dataclasses.dataclass
class Author:
    books: list[Book]


@dataclasses.dataclass
class Book:
    author: Author | None = None


@dataclasses.dataclass
class Box(Generic[T]):
    item: T


class Movie(TypedDict):
    name: str
    year: NotRequired[int]


class Pair(NamedTuple):
    x: int
    y: str = "y"


class Point(lanner.Model, rename="camel", forbid_extra=True):
    x_axis: int
    y_axis: Annotated[int, at.Ge(0)] = 0


class Put(msgspec.Struct, tag=True):
    key: str


class Get(msgspec.Struct, tag=True):
    key: str


@attrs.define
class Span:
    begin: int
    end: int = 9


class Cat(lanner.Model):
    kind: Literal["cat"]
    lives: int


class Dog(lanner.Model):
    kind: Literal["dog", "puppy"]


class User(pydantic.BaseModel):
    name: str
    friend: User | None = None


@dataclasses.dataclass
class Order:
    at: datetime.datetime
    day: datetime.date = datetime.date(2024, 1, 2)
    color: Color = Color.RED
    total: decimal.Decimal = decimal.Decimal("1.50")
    ids: tuple[int, ...] = (1, 2)
    by_color: dict[Color, int] = dataclasses.field(default_factory=dict)
    note: Annotated[str | None, pydantic.Field(description="What for", max_length=3, examples=["x"])] = None
    span: datetime.timedelta = datetime.timedelta(hours=1)
    made: int = dataclasses.field(default=7, init=False)
    seed: dataclasses.InitVar[int] = 3

    def __post_init__(self, seed: int) -> None:
        self.made = seed


class Version:
    pass


register_type(Version, decode=lambda text: Version(), encode=lambda version: "1", schema={"type": "string"})

MOMENT = b"2024-01-02T03:04:05Z"
# A type, documents of it, and documents that are none: jsonschema and decode() agree on all.
CASES: list[tuple[Any, list[bytes], list[bytes]]] = [
    (None, [b"null"], [b"0"]),
    (bool, [b"true"], [b"1"]),
    (int, [b"1", b"123456789012345678901234567890"], [b"1.5", b'"1"', b"true"]),
    (float, [b"1", b"1.5"], [b'"1"']),
    (str, [b'""'], [b"1"]),
    (bytes, [b'"a"'], [b"1"]),
    (datetime.datetime, [b'"' + MOMENT + b'"'], [b"1", b'"x"']),
    (datetime.date, [b'"2024-01-02"'], [b'"2024-02-30"']),
    (uuid.UUID, [b'"12345678-1234-5678-1234-567812345678"'], [b'"x"']),
    (decimal.Decimal, [b"1.5", b'"1.5"'], [b"true"]),
    (Any, [b"[1]"], []),
    (Color, [b'"red"'], [b'"green"']),
    (Level, [b"2"], [b"3"]),
    (Literal["a", 1, None, True], [b'"a"', b"1", b"null", b"true"], [b"2", b"false"]),
    (list[int], [b"[]", b"[1]"], [b'["a"]', b"{}"]),
    (set[int], [b"[1,2]"], [b'["a"]']),
    (tuple[int, str], [b'[1,"a"]'], [b"[1]", b'[1,"a",2]', b'["a",1]']),
    (tuple[()], [b"[]"], [b"[1]"]),
    (dict[str, int], [b'{"a":1}'], [b'{"a":"x"}', b"[]"]),
    (dict[Color, int], [b'{"red":1}'], [b'{"green":1}']),
    (dict[Annotated[str, at.MinLen(2)], int], [b'{"ab":1}'], [b'{"a":1}']),
    (int | None, [b"null", b"1"], [b'"a"']),
    (int | str, [b"1", b'"a"'], [b"null"]),
    (Annotated[int, at.Ge(1), at.Lt(9), at.MultipleOf(2)], [b"2", b"8"], [b"0", b"9", b"10", b"3"]),
    (Annotated[float, at.Gt(0.5)], [b"1"], [b"0.5"]),
    (Annotated[str, pydantic.Field(min_length=2, max_length=3, pattern="^a")], [b'"ab"'], [b'"a"', b'"abcd"', b'"ba"']),
    (Annotated[list[int], at.Len(1, 2)], [b"[1]"], [b"[]", b"[1,2,3]"]),
    (Annotated[dict[str, int], at.MinLen(1)], [b'{"a":1}'], [b"{}"]),
    (Annotated[str, type("Q", (), {"format": "email"})()], [b'"a@b.co"'], [b'"a"']),
    (Annotated[list[int], type("Q", (), {"unique": True})()], [b"[1,2]"], [b"[1,1]"]),
    (Annotated[decimal.Decimal, at.Ge(1)], [b"1.5"], [b"0.5"]),
    (Tree, [b'{"value":1,"kids":[{"value":2}],"leaf":null}'], [b'{"kids":[]}', b'{"value":1,"kids":[{}]}']),
    (Author, [b'{"books":[{"author":{"books":[]}}]}'], [b'{"books":[{"author":{}}]}']),
    (Box[list[Leaf]], [b'{"item":[{"size":1}]}'], [b'{"item":[{}]}']),
    (Box[Box[int]], [b'{"item":{"item":1}}'], [b'{"item":{"item":"a"}}']),
    (Movie, [b'{"name":"a"}'], [b'{"year":1}']),
    (Pair, [b"[1]", b'[1,"a"]'], [b"[]", b'[1,"a",2]']),
    (Point, [b'{"xAxis":1}'], [b'{"x_axis":1}', b'{"xAxis":1,"yAxis":-1}', b'{"xAxis":1,"z":1}']),
    (Put | Get, [b'{"type":"Put","key":"a"}'], [b'{"type":"Set","key":"a"}', b'{"key":"a"}']),
    (Span, [b'{"begin":1}'], [b"{}"]),
    (Cat | Dog, [b'{"kind":"puppy"}', b'{"kind":"cat","lives":9}'], [b'{"kind":"cat"}', b"{}"]),
    (User, [b'{"name":"a","friend":{"name":"b"}}'], [b'{"friend":null}']),
    (list[User | Tree], [b'[{"name":"a"},{"value":1}]'], [b"[{}]"]),
    (Order, [b'{"at":"' + MOMENT + b'","total":1}'], [b'{"at":"x"}', b'{"at":"' + MOMENT + b'","note":"long"}']),
    (Version, [b'"1"'], [b"1"]),
    (ipaddress.IPv4Address, [b'"10.0.0.1"'], [b'"10.0.0.256"']),
    (pydantic.AwareDatetime, [b'"' + MOMENT + b'"'], [b"true"]),
]


def validator(tp: Any, mode: Any = "validation") -> Any:
    described = Schema(tp).json_schema(mode=mode)
    jsonschema.Draft202012Validator.check_schema(described)
    assert json.loads(json.dumps(described)) == described  # plain JSON
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(described, format_checker=checker)


@pytest.mark.parametrize(("tp", "good", "bad"), CASES, ids=lambda item: str(item)[:40])
def test_a_schema_says_what_decode_says(tp: Any, good: list[bytes], bad: list[bytes]) -> None:
    schema, described, written = Schema(tp), validator(tp), validator(tp, "serialization")
    for document in good:
        value = schema.decode(document)
        described.validate(json.loads(document))
        written.validate(json.loads(schema.encode(value)))
    for document in bad:
        with pytest.raises(ValidationError):
            schema.decode(document)
        # A format without a package to check it stays a note, as in jsonschema itself.
        if not (isinstance(json.loads(document), str | dict) and b"x" in document):
            assert not described.is_valid(json.loads(document)), document


def test_defaults_notes_and_modes_are_described() -> None:
    described = Schema(Order).json_schema()["$defs"]["Order"]
    properties = described["properties"]
    assert described["required"] == ["at"]
    assert properties["note"]["description"] == "What for"
    assert "made" not in properties
    assert "seed" in properties
    written = Schema(Order).json_schema(mode="serialization")["$defs"]["Order"]
    assert "made" in written["properties"]
    assert "seed" not in written["properties"]
    assert written["properties"]["total"] == {"title": "Total", "type": "string", "default": "1.50"}
    assert "color" in written["required"]
    with pytest.raises(ValueError, match="validation or serialization"):
        Schema(Order).json_schema(mode="output")  # type: ignore[arg-type]


def test_defaults_are_written_as_json_has_them() -> None:
    class Job(lanner.Model):
        day: datetime.date = datetime.date(2024, 1, 2)
        color: Color = Color.RED
        ids: tuple[int, ...] = (1, 2)
        odd: int = "not an int"  # type: ignore[assignment]

    properties = Schema(Job).json_schema()["$defs"]["Job"]["properties"]
    assert properties["day"]["default"] == "2024-01-02"
    assert properties["color"] == {"$ref": "#/$defs/Color", "default": "red"}
    assert properties["ids"]["default"] == [1, 2]
    assert "default" not in properties["odd"]


def test_generics_and_equal_names_have_definitions_of_their_own() -> None:
    @dataclasses.dataclass
    class Leaf:  # another one
        color: str

    described = Schema(tuple[Box[Box[int]], Tree, Leaf]).json_schema()
    assert set(described["$defs"]) == {"Box_Box_int", "Box_int", "Tree", "Leaf", "Leaf_2"}
    assert described["$defs"]["Box_Box_int"]["title"] == "Box[Box[int]]"
    assert described["$defs"]["Tree"]["description"] == "Grows."


def test_definitions_of_pydantic_go_beside_ours() -> None:
    @dataclasses.dataclass
    class User:  # not the pydantic one below
        id: int

    theirs = globals()["User"]
    described = Schema(tuple[User, theirs, list[theirs]]).json_schema(ref="#/components/schemas/{}")
    assert set(described["$defs"]) == {"User", "User_2"}
    first, second, third = described["prefixItems"]
    assert first == {"$ref": "#/components/schemas/User"}
    assert second == third["items"] == {"$ref": "#/components/schemas/User_2"}
    friend = described["$defs"]["User_2"]["properties"]["friend"]
    assert friend["anyOf"][0] == {"$ref": "#/components/schemas/User_2"}


def test_nullable_enums_and_unions_of_them_are_described() -> None:
    assert Schema(Color | None).json_schema()["anyOf"] == [{"$ref": "#/$defs/Color"}, {"type": "null"}]
    assert Schema(Color | Level).json_schema()["anyOf"] == [{"$ref": "#/$defs/Color"}, {"$ref": "#/$defs/Level"}]
    assert Schema(Literal["a"] | None).json_schema() == {"anyOf": [{"const": "a", "type": "string"}, {"type": "null"}]}
    assert Schema(Color).json_schema()["$defs"]["Color"]["description"] == "Of a card."


def test_a_discriminator_maps_its_tags() -> None:
    described = Schema(Cat | Dog).json_schema()
    assert described["discriminator"] == {
        "propertyName": "kind",
        "mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog", "puppy": "#/$defs/Dog"},
    }


def test_what_msgspec_and_pydantic_add_is_kept() -> None:
    meta = msgspec.Meta(title="T", description="D", examples=["ab"], extra_json_schema={"x-order": 1})
    assert Schema(Annotated[str, meta]).json_schema() == {
        "type": "string",
        "title": "T",
        "description": "D",
        "examples": ["ab"],
        "x-order": 1,
    }
    told = pydantic.Field(description="D", deprecated=True, json_schema_extra={"x-order": 1})
    assert Schema(Annotated[Leaf, told]).json_schema() == {
        "$ref": "#/$defs/Leaf",
        "description": "D",
        "deprecated": True,
        "x-order": 1,
        "$defs": Schema(Leaf).json_schema()["$defs"],
    }


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


Odd = Literal["a", 2, True]


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        (Size, ["1", "2"], "SMALL"),
        (Odd, ["a", "2", "true"], "b"),
        (Color, ["red"], "green"),
        (Annotated[str, at.MinLen(2)], ["ab"], "a"),
    ],
)
def test_keys_are_described_as_they_are_read_and_written(key: Any, good: list[str], bad: str) -> None:
    schema = Schema(dict[key, int])
    document = json.dumps(dict.fromkeys(good, 1), separators=(",", ":"))
    described, written = schema.json_schema(), schema.json_schema(mode="serialization")
    for one in (described, written):
        jsonschema.Draft202012Validator.check_schema(one)
        jsonschema.validate(json.loads(document), one)
    assert schema.encode(schema.decode(document)) == document.encode()
    with pytest.raises(ValidationError):
        schema.decode(json.dumps({bad: 1}))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({bad: 1}, written)


def test_every_spelling_of_a_key_that_is_read_is_described() -> None:
    schema = Schema(dict[Size, int])
    assert schema.decode(b'{"+01":1}') == {Size.SMALL: 1}
    jsonschema.validate({"+01": 1}, schema.json_schema())


@pytest.mark.parametrize(
    ("tp", "expected"),
    [
        (Annotated[int, at.Gt(decimal.Decimal(1))], {"exclusiveMinimum": 1}),
        (Annotated[float, at.Lt(fractions.Fraction(1, 2))], {"exclusiveMaximum": 0.5}),
        (Annotated[int, at.Ge(Size.LARGE)], {"minimum": 2}),
        (Annotated[float, at.Le(2.0)], {"maximum": 2.0}),
        (Annotated[int, at.MultipleOf(decimal.Decimal("3"))], {"multipleOf": 3}),
        (Annotated[float, at.Gt(float("-inf"))], {}),
    ],
)
def test_bounds_of_all_kinds_of_numbers_are_described(tp: Any, expected: dict[str, Any]) -> None:
    described = Schema(tp).json_schema()
    del described["type"]
    assert described == expected
    assert json.dumps(described) == json.dumps(expected)


def test_the_bound_of_a_decimal_is_described() -> None:
    described = Schema(Annotated[decimal.Decimal, at.Gt(decimal.Decimal("1.5"))]).json_schema()
    assert described["anyOf"][0] == {"type": "number", "exclusiveMinimum": 1.5}


def test_docstrings_are_dedented() -> None:
    @dataclasses.dataclass
    class Told:
        """Of a card.

        Two lines,
            one of them further in.
        """

        x: int

    assert Schema(Told).json_schema()["$defs"]["Told"]["description"] == (
        "Of a card.\n\nTwo lines,\n    one of them further in."
    )


def test_what_pydantics_field_says_for_json_schema_counts() -> None:
    told = pydantic.Field(deprecated="use y", json_schema_extra=lambda described: described.update({"x-seen": True}))
    assert Schema(Annotated[int, told]).json_schema() == {"type": "integer", "deprecated": True, "x-seen": True}


def test_a_default_that_cannot_be_written_is_left_out() -> None:
    class Release:
        pass

    register_type(Release, decode=lambda text: Release(), encode=lambda release: release.missing)

    @dataclasses.dataclass
    class Package:
        version: Release = None  # type: ignore[assignment]

    assert "default" not in Schema(Package).json_schema()["$defs"]["Package"]["properties"]["version"]


def test_defaults_are_written_by_the_schema_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    cls = dataclasses.make_dataclass("Wide", [(f"x{i}", int, i) for i in range(200)])
    schema = Schema(cls)

    def compiled(*arguments: object, **options: object) -> None:
        raise AssertionError("a schema was compiled for a default")

    monkeypatch.setattr("lanner._core.Schema", compiled)
    described = schema.json_schema()
    assert described["$defs"]["Wide"]["properties"]["x199"] == {"title": "X199", "type": "integer", "default": 199}


def test_many_types_of_one_name_have_names_of_their_own() -> None:
    classes = [dataclasses.make_dataclass("Same", [("x", int, i)]) for i in range(50)]
    described = Schema(tuple[tuple(classes)]).json_schema()  # type: ignore[misc]
    assert sorted(described["$defs"]) == sorted(["Same", *(f"Same_{i}" for i in range(2, 51))])
