"""Schemas beside pydantic and msgspec: the same errors, the same values, their classes as types."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import decimal
import enum
import json
import pickle
import random
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import annotated_types as at
import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lanner
from lanner.schema import Schema, ValidationError

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    from typing_extensions import TypedDict  # what pydantic wants there

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Card:
    name: Annotated[str, at.MinLen(2)]
    cost: Annotated[int, at.Ge(0), at.Lt(100)] = 0
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Deck:
    title: str
    cards: list[Card]
    best: Card | None = None
    by_name: dict[str, int] = dataclasses.field(default_factory=dict)


class Movie(TypedDict):
    name: str
    year: int


class Pair(NamedTuple):
    x: int
    y: str = "y"


@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclasses.dataclass
class Dog:
    kind: Literal["dog"]
    name: str


Tagged = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]
Choice = Literal[1, "a", None]
TYPES: list[Any] = [
    *(
        None,
        bool,
        int,
        float,
        str,
        bytes,
        datetime.date,
        datetime.datetime,
        datetime.time,
        datetime.timedelta,
        uuid.UUID,
    ),
    *(decimal.Decimal, Color, Level, Choice, list[int], set[int], frozenset[str], tuple[int, ...]),
    *(tuple[int, str], dict[str, int], dict[int, str], int | None, int | str, int | list[int], Color | None),
    *(Card, Deck, list[Card], Card | None, Movie, Pair, Tagged, dict[str, Card]),
    Annotated[int, at.Gt(0), at.MultipleOf(5)],
    Annotated[float, at.Ge(0.5), at.Le(5.0)],
    Annotated[str, at.Len(1, 3)],
    Annotated[str, pydantic.Field(pattern="^a+$")],
    Annotated[list[int], at.Len(1, 2)],
    Annotated[dict[str, int], at.MinLen(1)],
    Annotated[bytes, at.MaxLen(1)],
    Annotated[decimal.Decimal, pydantic.Field(max_digits=3, decimal_places=1)],
    Annotated[datetime.date, at.Ge(datetime.date(2020, 1, 1))],
]
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-10, 200)
    | st.integers()
    | st.floats(-10, 200).map(lambda x: round(x, 3))
    | st.text(max_size=4)
    | st.sampled_from(
        ["red", "a", "aa", "cat", "dog", "1", "1.5", "2020-01-01", "2024-02-30", "2020-01-01T00:00:00Z", "10:00", "P1D"]
    )
    | st.sampled_from(
        ["12345678-1234-5678-1234-567812345678", "x" * 20, "2020-01-01T00:00:00+25:00", "10:60", "P", "-1", "12.345"]
    )
)
keys = st.sampled_from(
    ["name", "cost", "tags", "title", "cards", "best", "by_name", "year", "x", "y", "kind", "lives", "1", "other"]
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=12
)


def peers_view(tp: Any, document: bytes) -> tuple[Any, list[dict[str, Any]]]:
    """(value, errors) of pydantic in strict JSON mode."""
    try:
        return pydantic.TypeAdapter(tp).validate_json(document, strict=True), []
    except pydantic.ValidationError as error:
        return None, error.errors(include_url=False)


def ours(schema: Schema[Any], document: bytes) -> tuple[Any, list[dict[str, Any]]]:
    try:
        return schema.decode(document), []
    except ValidationError as error:
        return None, error.errors()


# Where its JSON mode has other words than its Python mode, ours are those of the latter.
PYTHON_WORDS = {
    "Input should be a valid array": None,
    "Input should be an object": None,
    "Input should be an array or an object": None,
    "Input should be null": "Input should be None",
    "Input should be a valid duration": "Input should be a valid timedelta",
}


def plain(errors: list[dict[str, Any]], theirs: bool) -> list[tuple[Any, ...]]:
    rows = []
    for error in errors:
        message = error["msg"]
        for json_words, python_words in PYTHON_WORDS.items():
            if theirs and message is not None and message.startswith(json_words):
                message = None if python_words is None else message.replace(json_words, python_words)
        kind = error["type"]
        # A record's own slug is the same in both; its message in JSON mode is "an object".
        context = {key: str(value) for key, value in error.get("ctx", {}).items() if key != "class_name"}
        rows.append((kind, error["loc"], message, context))
    return rows


def agree(tp: Any, document: bytes) -> None:
    value, errors = ours(Schema(tp), document)
    expected, expected_errors = peers_view(tp, document)
    found, wanted = plain(errors, False), plain(expected_errors, True)
    if found and found[0][0] == "model_attributes_type":  # its JSON mode says dict_type, or dataclass_type
        assert len(wanted) == 1
        return
    assert len(found) == len(wanted), (document, found, wanted)
    for left, right in zip(found, wanted, strict=True):
        assert (left[0], left[1], left[3]) == (right[0], right[1], right[3]), (document, found, wanted)
        assert right[2] is None or left[2] == right[2], (document, left, right)
    if not errors:
        assert value == expected, document
        assert type(value) is type(expected)


def known_difference(tp: Any, document: bytes) -> bool:
    """docs/schema.md lists them: numbers as text, bool as Literal, epochs as text."""
    text = document.decode()
    if tp in (Level, Choice) and text in ("true", "1.0"):
        return True
    if (tp is Tagged and '"kind": [' in text) or '"kind": {' in text:
        return True
    return (
        tp in (datetime.datetime, datetime.date)
        and '"' in text
        and text.strip('"').lstrip("-").replace(".", "").isdigit()
    ) or (tp is decimal.Decimal and ("_" in text or " " in text))


@pytest.mark.parametrize("tp", TYPES, ids=lambda tp: str(tp)[:50])
def test_every_type_says_what_pydantic_says(tp: Any) -> None:
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    @given(values)
    def check(value: Any) -> None:
        document = json.dumps(value).encode()
        if not known_difference(tp, document):
            agree(tp, document)

    check()


MOMENTS: list[tuple[Any, list[str], str]] = [  # a type, good texts, and letters that make them bad
    (
        datetime.timedelta,
        [
            *("P1Y2M3W4DT5H6M7.5S", "-P1D", "+PT0.5S", "P1.5W", "P1,5Y", "PT", "P999999999D", "PT4294967295S", "P1DT"),
            *("3 days, 01:02:03.4", "1d", "1 DAY 10:20", "12:34:56", "2400000000:00", "00:00:00.1234567", "-01:00"),
        ],
        "PpTtYyMmWwDdHhSs0123456789.,+-: day",
    ),
    (
        datetime.datetime,
        [
            *("2024-01-02T03:04:05Z", "2024-01-02 03:04:05.123456+05:30", "2024-01-02t03:04", "0001-01-01T00:00:00"),
            *("2024-02-29T23:59:59.1234567-00:00", "2024-01-02T03:04:05,5+0530"),
        ],
        "0123456789-:.,TtZz+ _",
    ),
    (datetime.date, ["2024-01-02", "2024-02-29", "0001-12-31", "9999-01-01"], "0123456789-: T"),
    (datetime.time, ["03:04:05Z", "03:04", "23:59:59.1234567-01:00", "03:04:05,5+0530"], "0123456789-:.,Zz+ "),
]


@pytest.mark.parametrize(("tp", "texts", "letters"), MOMENTS, ids=lambda item: str(item)[:30])
def test_malformed_moments_say_what_pydantic_says(tp: Any, texts: list[str], letters: str) -> None:
    chance = random.Random(5)
    schema, adapter = Schema(tp), pydantic.TypeAdapter(tp)
    for _ in range(3000):
        text = list(chance.choice(texts))
        for _ in range(chance.randint(0, 3)):
            at = chance.randint(0, len(text))
            text[at : at + chance.randint(0, 1)] = chance.choice(["", chance.choice(letters)])
        document = json.dumps("".join(text)).encode()
        if known_difference(tp, document):
            continue
        try:
            expected: Any = adapter.validate_json(document, strict=True)
        except pydantic.ValidationError as error:
            expected = error.errors()[0]["msg"].replace("valid duration", "valid timedelta")
        except OverflowError:  # one microsecond beyond the least timedelta
            expected = "Input should be a valid timedelta, durations may not exceed 999,999,999 days"
        value, errors = ours(schema, document)
        found = errors[0]["msg"] if errors else value
        assert found == expected, document
        if isinstance(expected, datetime.datetime | datetime.time):
            assert found.utcoffset() == expected.utcoffset(), document


def test_structs_are_types() -> None:
    class Item(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
        unit_price: Annotated[float, msgspec.Meta(gt=0)]
        tags: list[str] = []
        id: uuid.UUID = msgspec.field(default_factory=lambda: uuid.UUID(int=1))

    schema = Schema(Item)
    read = schema.decode(b'{"unitPrice":1.5}')
    assert read == Item(1.5)
    assert isinstance(read, Item)
    assert read.tags is not schema.decode(b'{"unitPrice":1}').tags
    assert msgspec.json.decode(schema.encode(read), type=Item) == read
    with pytest.raises(ValidationError) as raised:
        schema.decode(b'{"unitPrice":0,"x":1}')
    assert [(e["type"], e["loc"]) for e in raised.value.errors()] == [
        ("greater_than", ("unitPrice",)),
        ("extra_forbidden", ("x",)),
    ]


def test_what_is_unset_is_neither_read_nor_written() -> None:
    class Patch(msgspec.Struct):
        name: str | msgspec.UnsetType = msgspec.UNSET
        cost: int | msgspec.UnsetType | None = msgspec.UNSET
        tags: Annotated[list[str] | msgspec.UnsetType, msgspec.Meta(description="labels")] = msgspec.UNSET

    schema = Schema(Patch)
    for document in (b"{}", b'{"cost":null}', b'{"name":"a","tags":["x"]}'):
        assert schema.decode(document) == msgspec.json.decode(document, type=Patch)
        assert schema.encode(schema.decode(document)) == document
        assert Schema(list[Patch]).encode([schema.decode(document)] * 2) == b"[" + document + b"," + document + b"]"
    with pytest.raises(ValidationError):
        schema.decode(b'{"name":null}')
    properties = schema.json_schema()["$defs"]["Patch"]["properties"]
    assert properties["name"] == {"title": "Name", "type": "string"}


def test_tagged_structs_are_told_apart_and_written_with_their_tag() -> None:
    class Put(msgspec.Struct, tag=True):
        key: str

    class Get(msgspec.Struct, tag=True):
        key: str

    schema = Schema(Put | Get)
    assert schema.decode(b'{"key":"a","type":"Get"}') == Get("a")
    assert schema.encode(Get("a")) == msgspec.json.encode(Get("a"))


def test_attrs_classes_are_types() -> None:
    @attrs.define
    class Point:
        x: int
        _y: int = attrs.field(default=2, validator=attrs.validators.lt(10))

    assert Schema(Point).decode(b'{"x":1,"y":3}') == Point(1, 3)
    with pytest.raises(ValidationError) as raised:
        Schema(Point).decode(b'{"x":1,"y":30}')
    assert raised.value.errors()[0]["type"] == "value_error"


class User(pydantic.BaseModel):
    name: str
    age: int = pydantic.Field(ge=0, alias="years")

    @pydantic.field_validator("name")
    @classmethod
    def not_root(cls, value: str) -> str:
        if value == "root":
            raise ValueError("no root")
        return value


@dataclasses.dataclass
class Team:
    users: list[User]


def test_pydantic_models_keep_their_own_rules() -> None:
    schema = Schema(Team)
    read = schema.decode(b'{"users":[{"name":"a","years":"3"}]}')
    assert read == Team([User(name="a", years=3)])
    assert schema.encode(read) == b'{"users":[{"name":"a","years":3}]}'  # by alias: it can be read again
    with pytest.raises(ValidationError) as raised:
        schema.decode(b'{"users":[{"name":"root","years":-1},5]}')
    assert [(e["type"], e["loc"]) for e in raised.value.errors()] == [
        ("value_error", ("users", 0, "name")),
        ("greater_than_equal", ("users", 0, "years")),
        ("model_attributes_type", ("users", 1)),
    ]
    assert raised.value.errors()[0]["ctx"] == {"error": "no root"}
    assert schema.validate({"users": [{"name": "a", "years": 1}]}).users[0].age == 1


class Wanted(pydantic.BaseModel):
    model_config = {"extra": "forbid"}

    q: str
    tags: list[int] = []
    page: int = pydantic.Field(1, alias="p")


def test_pydantic_models_are_read_from_pairs() -> None:
    schema = Schema(Wanted, profile="text")
    read = schema.decode_pairs([("q", "a"), ("q", "b"), ("p", "3"), ("tags", "1")])
    assert read == Wanted(q="b", tags=[1], p=3)
    with pytest.raises(ValidationError) as raised:
        schema.decode_pairs([("tags", "1"), ("tags", "x"), ("more", "1")])
    assert [(e["type"], e["loc"], e["input"]) for e in raised.value.errors()] == [
        ("missing", ("q",), {"tags": ["1", "x"], "more": "1"}),
        ("int_parsing", ("tags", 1), "x"),
        ("extra_forbidden", ("more",), "1"),
    ]
    assert Schema(Wanted | None, profile="text").decode_pairs([("q", "a")]) == Wanted(q="a")


def test_errors_of_pydantic_in_json_are_those_of_its_python_mode() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(Wanted).decode(b'{"q":"a","tags":{}}')
    assert raised.value.errors() == [
        {"type": "list_type", "loc": ("tags",), "msg": "Input should be a valid list", "input": {}}
    ]


def test_fields_of_pydantic_models_are_left_out() -> None:
    schema = Schema(list[Wanted])
    assert schema.encode([Wanted(q="a")], exclude_unset=True) == b'[{"q":"a"}]'
    assert schema.encode([Wanted(q="a", p=1)], exclude_defaults=True) == b'[{"q":"a"}]'


class Point(lanner.Model, frozen=True, rename="camel"):
    x_axis: int
    y_axis: int = 0
    notes: list[str] = dataclasses.field(default_factory=list)


class Point3(Point, forbid_extra=True):
    z: int | None = None


def test_models_are_values() -> None:
    point = Point(x_axis=1)
    assert point == Point(x_axis=1, y_axis=0)
    assert point != Point(x_axis=2)
    assert repr(point) == "Point(x_axis=1, y_axis=0, notes=[])"
    assert pickle.loads(pickle.dumps(point)) == copy.copy(point) == copy.deepcopy(point) == point
    assert not hasattr(point, "__dict__")
    with pytest.raises(AttributeError, match="frozen"):
        point.x_axis = 2
    with pytest.raises(TypeError, match="x_axis="):
        Point()
    with pytest.raises(TypeError, match="no field 'q'"):
        Point(x_axis=1, q=2)
    match Point3(x_axis=1, z=3):
        case Point3(x_axis=1, z=z):
            assert z == 3
        case _:
            pytest.fail("no match")


def test_models_are_types() -> None:
    schema = Schema(list[Point3])
    value = schema.decode(b'[{"xAxis":1,"z":null}]')
    assert value == [Point3(x_axis=1)]
    assert schema.encode(value) == b'[{"xAxis":1,"yAxis":0,"notes":[],"z":null}]'
    with pytest.raises(ValidationError) as raised:
        schema.decode(b'[{"xAxis":"1","w":0}]')
    assert [(e["type"], e["loc"]) for e in raised.value.errors()] == [
        ("int_type", (0, "xAxis")),
        ("extra_forbidden", (0, "w")),
    ]


TEXT: list[tuple[Any, str, Any]] = [
    (int, "12", 12),
    (int, "+12", 12),
    (int, "1_000", "int_parsing"),
    (int, "", "int_parsing"),
    (int, "1.0", "int_parsing"),
    (float, "1e3", 1000.0),
    (float, "nan", "float_parsing"),
    (float, "1e999", "finite_number"),
    (bool, "ON", True),
    (bool, "no", False),
    (bool, "2", "bool_parsing"),
    (str, "1", "1"),
    (datetime.date, "2024-01-02", datetime.date(2024, 1, 2)),
    (Level, "1", Level.LOW),
    (Color, "red", Color.RED),
    (int | None, "5", 5),
    (int | str, "x", "x"),
    (Annotated[int, at.Ge(3)], "2", "greater_than_equal"),
]


@pytest.mark.parametrize(("tp", "text", "expected"), TEXT, ids=str)
def test_the_text_profile_reads_text(tp: Any, text: str, expected: Any) -> None:
    try:
        value = Schema(tp, profile="text").validate(text)
    except ValidationError as error:
        value = error.errors()[0]["type"]
    assert value == expected
    assert type(value) is type(expected)


COMPAT: list[tuple[Any, Any]] = [
    *((int, v) for v in ("1", 1.0, 1.5, True, " 1 ", "1_000", "01", "+1", "1e3", "x", None, "1.0")),
    *((float, v) for v in (1, "1.5", True, "x", None)),
    *((bool, v) for v in (1, 0, 2, "true", "on", "t", "x", 1.0, None)),
    *((str, v) for v in (1, b"a", None)),
    *((datetime.datetime, v) for v in ("2024-01-02", 1704153600, 1704153600000, "1704153600", "x", "2024-01-02T03:04")),
    *((datetime.date, v) for v in ("2024-01-02T00:00:00", "2024-01-02T01:00:00", 1704153600, 1704153601, "x")),
    *((datetime.timedelta, v) for v in (90, 1.5, "P1W", "1 days 01:00:00")),
    *((list[int], v) for v in ((1, "2"), {"a": 1}, "12")),
    *((tuple[int, ...], v) for v in ([1, "2"], 5)),
    *((Level, v) for v in (1, 2)),
]


@pytest.mark.parametrize(("tp", "value"), COMPAT, ids=str)
def test_the_compat_profile_is_pydantics_lax_mode(tp: Any, value: Any) -> None:
    try:
        expected = pydantic.TypeAdapter(tp).validate_python(value)
    except pydantic.ValidationError as error:
        expected = [(e["type"], e["loc"]) for e in error.errors()]
    try:
        found = Schema(tp, profile="compat").validate(value)
    except ValidationError as error:
        found = [(e["type"], e["loc"]) for e in error.errors()]
    assert found == expected
    assert type(found) is type(expected)


@dataclasses.dataclass
class Page(Generic[T]):
    items: list[T]
    total: Annotated[int, at.Ge(0)] = 0


@pytest.mark.parametrize(
    "tp", [int, list[str], Card, Deck, Page[Card], Movie, Color | None, dict[str, int], Tagged], ids=str
)
def test_json_schemas_accept_what_schemas_do(tp: Any) -> None:
    described = Schema(tp).json_schema()
    theirs = pydantic.TypeAdapter(tp).json_schema()
    assert set(described.get("$defs", {})) == {name.replace("_Card_", "_Card") for name in theirs.get("$defs", {})} | {
        name for name in described.get("$defs", {}) if name in ("Page_Card", "Card", "Deck", "Movie")
    }
    for name, definition in described.get("$defs", {}).items():
        other = theirs.get("$defs", {}).get(name)
        if other is not None and "properties" in other:
            assert list(definition["properties"]) == list(other["properties"])
            assert definition.get("required") == other.get("required")


def test_a_recursive_type_has_one_definition() -> None:
    @dataclasses.dataclass
    class Tree:
        value: int
        kids: list[Tree]

    described = Schema(Tree).json_schema(ref="#/components/schemas/{}")
    assert list(described["$defs"]) == ["Tree"]
    assert described["$defs"]["Tree"]["properties"]["kids"]["items"] == {"$ref": "#/components/schemas/Tree"}


def test_a_pattern_that_re2_does_not_know_goes_to_re_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="RE2 says"):
        schema = Schema(Annotated[str, pydantic.Field(pattern=r"^(?=a)\w+$")])
    assert schema.decode(b'"ab"') == "ab"
    with pytest.raises(ValidationError):
        schema.decode(b'"ba"')


def test_the_examples_of_the_manual_run(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/schema.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) >= 2
    for number, block in enumerate(blocks):
        script = tmp_path / f"example_{number}.py"
        script.write_text(block)
        subprocess.run([sys.executable, script], check=True, timeout=60)
