"""Schemas: types in, values and errors out; what the engine promises, type by type."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import decimal
import enum
import gc
import json
import pickle
import sys
import uuid
import weakref
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, TypedDict, TypeVar

import annotated_types as at
import pytest

from lanner.schema import JSONDecodeError, Schema, ValidationError, register_type

T = TypeVar("T")


@dataclasses.dataclass(slots=True)
class Slotted:
    name: str
    cost: int = 0


@dataclasses.dataclass
class Plain:
    card: Slotted
    tags: list[str] = dataclasses.field(default_factory=list)
    note: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: int
    y: int


@dataclasses.dataclass
class Checked:
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


@dataclasses.dataclass
class Node:
    value: int
    children: list[Node] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Box(Generic[T]):
    item: T


class Point(NamedTuple):
    x: int
    y: int = 0


class Movie(TypedDict):
    name: str
    year: NotRequired[int]


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclasses.dataclass
class Dog:
    kind: Literal["dog", "puppy"]
    name: str


UserId = NewType("UserId", int)
UUID_TEXT = "12345678-1234-5678-1234-567812345678"

READ: list[tuple[Any, bytes, Any]] = [
    (int, b"1", 1),
    (int, b"-123456789012345678901234567890", -123456789012345678901234567890),
    (int, b"19933688932870350000", 19933688932870350000),
    (float, b"1", 1.0),
    (float, b"1.5", 1.5),
    (bool, b"true", True),
    (None, b"null", None),
    (str, b'"\\u00e9\xe2\x82\xac\xf0\x9f\x98\x80"', "\u00e9\u20ac\U0001f600"),
    (bytes, b'"\xc3\xa9"', b"\xc3\xa9"),
    (Any, b'{"a":[1,2.5,null,true,"x"]}', {"a": [1, 2.5, None, True, "x"]}),
    (datetime.date, b'"2024-02-29"', datetime.date(2024, 2, 29)),
    (datetime.datetime, b'"2024-01-02T03:04:05Z"', datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)),
    (datetime.time, b'"03:04:05.5"', datetime.time(3, 4, 5, 500000)),
    (datetime.timedelta, b'"P1DT1.5S"', datetime.timedelta(days=1, seconds=1.5)),
    (uuid.UUID, f'"{UUID_TEXT}"'.encode(), uuid.UUID(UUID_TEXT)),
    (decimal.Decimal, b"0.1234567890123456789", decimal.Decimal("0.1234567890123456789")),
    (decimal.Decimal, b'"1.10"', decimal.Decimal("1.10")),
    (Color, b'"red"', Color.RED),
    (Level, b"2", Level.HIGH),
    (Literal["a", 1, None, True], b"null", None),
    (Literal["a", 1, None, True], b"true", True),
    (list[int], b"[1, 2]", [1, 2]),
    (Sequence[int], b"[1]", [1]),
    (tuple[int, ...], b"[1,2]", (1, 2)),
    (tuple[int, str], b'[1,"a"]', (1, "a")),
    (tuple[()], b"[]", ()),
    (set[int], b"[1,2,1]", {1, 2}),
    (frozenset[str], b'["a"]', frozenset({"a"})),
    (dict[str, int], b'{"a":1,"a":2}', {"a": 2}),
    (dict[int, float], b'{"1":2}', {1: 2.0}),
    (dict[datetime.date, int], b'{"2024-01-01":1}', {datetime.date(2024, 1, 1): 1}),
    (Mapping[Color, int], b'{"red":1}', {Color.RED: 1}),
    (int | None, b"null", None),
    (int | str, b'"x"', "x"),
    (int | float, b"1.0", 1.0),
    (datetime.date | str, b'"2024-01-02"', datetime.date(2024, 1, 2)),
    (datetime.date | str, b'"x"', "x"),
    (Slotted, b'{"name":"Opt"}', Slotted("Opt")),
    (Plain, b'{"card":{"name":"a","cost":1},"tags":["x"]}', Plain(Slotted("a", 1), ["x"])),
    (Frozen, b'{"y":2,"x":1}', Frozen(1, 2)),
    (Checked, b'{"low":1,"high":2}', Checked(1, 2)),
    (Node, b'{"value":1,"children":[{"value":2}]}', Node(1, [Node(2)])),
    (Box[int], b'{"item":1}', Box(1)),
    (Box[list[Slotted]], b'{"item":[{"name":"a"}]}', Box([Slotted("a")])),
    (Point, b"[1,2]", Point(1, 2)),
    (Point, b'{"x":1}', Point(1)),
    (Movie, b'{"name":"a"}', {"name": "a"}),
    (Movie, b'{"name":"a","year":1999,"more":[]}', {"name": "a", "year": 1999}),
    (Cat | Dog, b'{"name":"Rex","kind":"puppy"}', Dog("puppy", "Rex")),
    (Slotted | None, b"null", None),
    (UserId, b"7", 7),
    (Annotated[int, at.Ge(0), at.Lt(10)], b"9", 9),
]


@pytest.mark.parametrize(("tp", "document", "value"), READ, ids=lambda item: str(item)[:40])
def test_a_document_becomes_the_value(tp: Any, document: bytes, value: Any) -> None:
    read = Schema(tp).decode(document)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(("tp", "document", "value"), READ, ids=lambda item: str(item)[:40])
def test_a_value_of_the_type_stays_what_it_is(tp: Any, document: bytes, value: Any) -> None:
    assert Schema(tp).validate(value) == value


def errors(tp: Any, value: Any, **options: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """(type, loc) of each error, from a document (bytes) or an object; [] = there is none."""
    schema = Schema(tp, **options)
    try:
        if isinstance(value, bytes):
            schema.decode(value)
        else:
            schema.validate(value)
    except ValidationError as error:
        return [(item["type"], item["loc"]) for item in error.errors()]
    return []


def test_all_errors_are_found_with_their_places() -> None:
    document = b'{"card":{"name":1,"cost":"x"},"tags":["a",2,null],"note":5}'
    assert errors(Plain, document) == [
        ("string_type", ("card", "name")),
        ("int_type", ("card", "cost")),
        ("string_type", ("tags", 1)),
        ("string_type", ("tags", 2)),
        ("string_type", ("note",)),
    ]


def test_an_error_says_what_was_given_and_what_is_right() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(list[Annotated[int, at.Ge(0)]]).decode(b"[-1]")
    assert raised.value.errors() == [
        {
            "type": "greater_than_equal",
            "loc": (0,),
            "msg": "Input should be greater than or equal to 0",
            "input": -1,
            "ctx": {"ge": 0},
        }
    ]
    assert raised.value.pointers() == ["/0"]
    assert raised.value.error_count() == 1
    assert "/0: Input should be greater than or equal to 0" in str(raised.value)


def test_errors_stop_at_64_or_at_the_first() -> None:
    document = b"[" + b'"x",' * 200 + b"1]"
    assert len(errors(list[int], document)) == 64
    assert len(errors(list[int], document, errors="first")) == 1


def test_pointers_escape_what_a_pointer_uses() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(dict[str, int]).validate({"a/b~c": "x"})
    assert raised.value.pointers() == ["/a~1b~0c"]


def test_errors_as_json() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(list[int]).validate(["x", {1: object}, float("nan")])
    told = json.loads(raised.value.json())
    assert [error["loc"] for error in told] == [[0], [1], [2]]
    assert told[0] == {"type": "int_type", "loc": [0], "msg": "Input should be a valid integer", "input": "x"}
    assert told[1]["input"] == {"1": "<class 'object'>"}
    assert told[2]["input"] is None


def test_errors_can_be_pickled_and_copied() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(dict[str, list[int]]).validate({"a/b": [1, "x", {1: 2}], "\u20ac": 5})
    error = raised.value
    for again in (
        pickle.loads(pickle.dumps(error)),
        copy.copy(error),
        pickle.loads(pickle.dumps(copy.deepcopy(error))),
    ):
        assert type(again) is ValidationError
        assert again.errors() == error.errors()
        assert (again.pointers(), again.json(), str(again)) == (error.pointers(), error.json(), str(error))
        assert again.error_count() == 3


def test_the_input_of_an_error_is_bounded() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(int).decode(b'"' + b"x" * 100_000 + b'"')
    assert len(raised.value.errors()[0]["input"]) <= 1100


def test_post_init_may_refuse_a_value() -> None:
    assert errors(Checked, b'{"low":2,"high":1}') == [("value_error", ())]
    with pytest.raises(ValidationError) as raised:
        Schema(list[Checked]).decode(b'[{"low":2,"high":1}]')
    assert raised.value.errors()[0]["msg"] == "Value error, low is above high"


def test_other_exceptions_of_user_code_are_not_caught() -> None:
    @dataclasses.dataclass
    class Broken:
        x: int

        def __post_init__(self) -> None:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Schema(list[Broken]).decode(b'[{"x":1}]')


@pytest.mark.parametrize(
    "document", [b"", b"[1,", b"[1,]", b"nul", b"[1 2]", b"1 2", b'"\xff"', b"NaN", b'"\\ud800"', b"[1e400]"]
)
@pytest.mark.parametrize("tp", [Any, int, list[int], list[float], str, Slotted])
def test_what_is_no_json_is_a_decode_error(tp: Any, document: bytes) -> None:
    with pytest.raises(JSONDecodeError) as raised:
        Schema(tp).decode(document)
    assert 0 <= raised.value.pos <= len(document)


def test_a_million_digits_are_refused_at_once() -> None:
    with pytest.raises(JSONDecodeError):
        Schema(int).decode(b"9" * 1_000_000)
    assert errors(dict[int, int], b'{"' + b"9" * 5000 + b'":1}')[0][0] == "int_parsing_size"


def test_deep_nesting_is_refused() -> None:
    deep = b'{"value":1,"children":[' * 100 + b"]}" * 100
    with pytest.raises(JSONDecodeError):
        Schema(Node).decode(deep)
    value: dict[str, Any] = {"value": 1}
    for _ in range(300):
        value = {"value": 1, "children": [value]}
    found = errors(Node, value)
    assert [kind for kind, _ in found] == ["recursion_depth_exceeded"]
    assert len(found[0][1]) <= 256


def test_a_cyclic_object_is_refused() -> None:
    value: dict[str, Any] = {"value": 1}
    value["children"] = [value]
    assert errors(Node, value) == [("recursion_loop", ("children", 0))]
    longer: dict[str, Any] = {"value": "x", "children": [{"value": 1, "children": [value]}]}
    assert [kind for kind, _ in errors(Node, longer)] == ["int_type", "recursion_loop"]


def test_duplicate_keys_may_be_refused() -> None:
    assert errors(Slotted, b'{"name":"a","name":"b"}') == []
    assert errors(Slotted, b'{"name":"a","name":"b"}', duplicate_keys="reject") == [("duplicate_key", ("name",))]
    assert errors(dict[str, int], b'{"a":1,"a":2}', duplicate_keys="reject") == [("duplicate_key", ())]


def test_a_dict_that_changes_while_it_is_read_breaks_nothing() -> None:
    value: dict[str, Any] = {"items": [{"x": 1}, {"x": 2}], "more": "a"}

    @dataclasses.dataclass
    class Rude:
        x: int

        def __post_init__(self) -> None:
            value["items"].clear()
            value.clear()

    @dataclasses.dataclass
    class Holder:
        items: list[Rude]
        more: str

    assert errors(Holder, value) == [("missing", ("more",))]


def test_bool_is_no_int_and_numbers_are_no_bool() -> None:
    assert errors(int, True) == errors(int, b"true") == [("int_type", ())]
    assert errors(bool, 1) == errors(bool, b"1") == [("bool_type", ())]
    assert errors(Literal[1], True) == [("literal_error", ())]


def test_nan_and_infinity_do_not_pass() -> None:
    for value in (float("nan"), float("inf"), decimal.Decimal("nan")):
        assert errors(float if isinstance(value, float) else decimal.Decimal, value) == [("finite_number", ())]
    assert errors(decimal.Decimal, b'"NaN"') == [("finite_number", ())]


def test_own_types_are_read_by_their_function() -> None:
    class Version:
        def __init__(self, text: str) -> None:
            self.parts = tuple(int(part) for part in text.split("."))

    register_type(Version, decode=Version, encode=lambda v: ".".join(map(str, v.parts)))
    assert Schema(Version).decode(b'"1.2"').parts == (1, 2)
    assert errors(list[Version], b'["1.x"]') == [("value_error", (0,))]


@pytest.mark.parametrize(
    ("tp", "word"),
    [
        (Annotated[str, at.Ge(1)], "means nothing"),
        pytest.param(object(), "no type", id="an object"),
        (dict[Slotted, int], "key"),
        (type("Other", (), {}), "register_type"),
        ("int", "only a name"),
    ],
    ids=str,
)
def test_a_type_that_means_nothing_is_refused_when_the_schema_is_made(tp: Any, word: str) -> None:
    with pytest.raises(TypeError, match=word):
        Schema(tp)


def test_nothing_is_leaked_or_lost() -> None:
    schema = Schema(list[Plain])
    good = b'[{"card":{"name":"aa","cost":70000},"tags":["xx"]}]'
    bad = b'[{"card":{"name":"aa","cost":"y"},"tags":["xx",1]},{}]'

    def work() -> None:
        for _ in range(50):
            schema.validate([dataclasses.asdict(item) for item in schema.decode(good)])
            for document in (bad, good[:-3]):
                with pytest.raises(ValueError) as raised:  # noqa: PT011
                    schema.decode(document)
                if isinstance(raised.value, ValidationError):
                    raised.value.errors()

    work()
    gc.collect()
    before = sys.getallocatedblocks()
    work()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100


def test_a_schema_and_its_errors_are_collected() -> None:
    schema = Schema(Node)
    alive = weakref.ref(schema)
    with pytest.raises(ValidationError) as raised:
        schema.validate({"value": "x"})
    kept = raised.value
    del schema, raised
    kept.__traceback__ = None
    gc.collect()
    assert alive() is not None  # the error names parts of the plan
    assert kept.errors()[0]["loc"] == ("value",)
    del kept
    gc.collect()
    assert alive() is None


WRITTEN: list[tuple[Any, Any, bytes]] = [
    (int, 2**70, b"1180591620717411303424"),
    (float, 1, b"1.0"),
    (float, 1e-7, b"1e-7"),
    (str, 'a"\\\n\u00e9\u20ac\U0001f600', '"a\\"\\\\\\n\u00e9\u20ac\U0001f600"'.encode()),
    (str, "x" * 10_000, b'"' + b"x" * 10_000 + b'"'),
    (bytes, b"\xc3\xa9", b'"\xc3\xa9"'),
    (Any, {"a": [1, None]}, b'{"a":[1,null]}'),
    (datetime.datetime, datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC), b'"2024-01-02T00:00:00Z"'),
    (datetime.timedelta, datetime.timedelta(days=1, seconds=3661.5), b'"P1DT1H1M1.5S"'),
    (datetime.timedelta, datetime.timedelta(seconds=-1), b'"-PT1S"'),
    (datetime.timedelta, datetime.timedelta(0), b'"PT0S"'),
    (decimal.Decimal, decimal.Decimal("1.10"), b'"1.10"'),
    (uuid.UUID, uuid.UUID(UUID_TEXT), f'"{UUID_TEXT}"'.encode()),
    (Color, Color.RED, b'"red"'),
    (dict[int, float], {1: 2.0, 3: 4.5}, b'{"1":2.0,"3":4.5}'),
    (dict[datetime.date, int], {datetime.date(2024, 1, 1): 1}, b'{"2024-01-01":1}'),
    (tuple[int, str], (1, "a"), b'[1,"a"]'),
    (set[int], {1}, b"[1]"),
    (list[int], [], b"[]"),
    (dict[str, int], {}, b"{}"),
    (Slotted | None, None, b"null"),
    (Slotted, Slotted("Opt", 1), b'{"name":"Opt","cost":1}'),
    (
        list[Plain],
        [Plain(Slotted("\u00e9"), ["x"])],
        '[{"card":{"name":"\u00e9","cost":0},"tags":["x"],"note":null}]'.encode(),
    ),
    (Node, Node(1, [Node(2)]), b'{"value":1,"children":[{"value":2,"children":[]}]}'),
    (Point, Point(1, 2), b"[1,2]"),
    (Movie, {"name": "a", "more": 1}, b'{"name":"a"}'),
    (Cat | Dog, Dog("dog", "Rex"), b'{"kind":"dog","name":"Rex"}'),
    (int | list[str], ["a"], b'["a"]'),
]


@pytest.mark.parametrize(("tp", "value", "document"), WRITTEN, ids=lambda item: str(item)[:40])
def test_a_value_is_written(tp: Any, value: Any, document: bytes) -> None:
    assert Schema(tp).encode(value) == document


def test_fields_of_a_subclass_are_not_written() -> None:
    @dataclasses.dataclass(slots=True)
    class Secret(Slotted):
        password: str = "secret"

    @dataclasses.dataclass
    class PlainSecret(Plain):
        password: str = "secret"

    assert Schema(Slotted).encode(Secret("a")) == b'{"name":"a","cost":0}'
    assert b"secret" not in Schema(list[Plain]).encode([PlainSecret(Secret("a"))])


def test_a_dict_is_written_as_the_record_that_it_is_for() -> None:
    assert Schema(Slotted).encode({"cost": 1, "name": "a", "more": 2}) == b'{"name":"a","cost":1}'


@pytest.mark.parametrize(
    ("tp", "value", "says"),
    [
        (int, "x", "int expected, not str"),
        (int, True, "int expected, not bool"),
        (list[Slotted], [Slotted("a"), Slotted(1)], r"\$\[1\].name: str expected, not int"),  # type: ignore[arg-type]
        (dict[str, int], {"a": "x"}, r"\$\['a'\]: int expected"),
        (Color, "red", "not str"),
        (int | str, 1.5, "not float"),
        (str, "\ud800", "surrogate"),
        (tuple[int, int], (1,), "tuple expected"),
    ],
    ids=str,
)
def test_what_is_not_of_the_type_is_not_written(tp: Any, value: Any, says: str) -> None:
    from lanner.json import JSONEncodeError

    with pytest.raises(JSONEncodeError, match=says):
        Schema(tp).encode(value)


def test_a_cycle_is_not_written() -> None:
    from lanner.json import JSONEncodeError

    node = Node(1)
    node.children.append(node)
    with pytest.raises(JSONEncodeError, match="circular"):
        Schema(Node).encode(node)


def test_fields_may_be_left_out() -> None:
    schema = Schema(Plain)
    value = Plain(Slotted("a"))
    assert schema.encode(value, exclude_none=True) == b'{"card":{"name":"a","cost":0},"tags":[]}'
    assert schema.encode(value, exclude_defaults=True) == b'{"card":{"name":"a"}}'
    assert schema.encode(Plain(Slotted("a"), ["x"]), exclude_defaults=True) == b'{"card":{"name":"a"},"tags":["x"]}'
    with pytest.raises(TypeError, match="exclude_none"):
        schema.encode(value, exclude_nothing=True)  # type: ignore[call-arg]


@pytest.mark.parametrize(("tp", "document", "value"), READ, ids=lambda item: str(item)[:40])
def test_what_is_written_reads_back(tp: Any, document: bytes, value: Any) -> None:
    schema = Schema(tp)
    assert schema.decode(schema.encode(value)) == value
