"""Text values as bytes: what a path, a query, headers, cookies and forms hold, read by type."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import annotated_types as at
import pydantic
import pytest

from lanner.schema import Schema, ValidationError


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Search:
    q: Annotated[str, at.MinLen(2)]
    tags: list[str] = field(default_factory=list)
    limit: Annotated[int, at.Le(100)] = 20
    since: datetime.date | None = None


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"]
    side: float


class Pair(NamedTuple):
    x: int
    y: int


class Filter(TypedDict):
    name: str


class User(pydantic.BaseModel):
    name: str


def read(tp: Any, values: Any, **options: Any) -> Any:
    """The value, or the type of the first error."""
    schema = Schema(tp, profile="text")
    try:
        return schema.decode_text(values, **options)
    except ValidationError as error:
        return error.errors()[0]["type"]


# The table of what a query may say (docs/schema.md): the type, the values of the name, what comes of it.
TABLE: list[tuple[Any, list[bytes], Any]] = [
    (int, [b"1"], 1),
    (int, [b""], "int_parsing"),
    (int, [b"1", b"2"], 2),
    (int, [b"1_0"], "int_parsing"),
    (int, [b" 1"], "int_parsing"),
    (int, [b"\xff"], "string_unicode"),
    (int, [b"0x1"], "int_parsing"),
    (int, [b"+1"], 1),
    (int, ["\u0661".encode()], "int_parsing"),
    (int, [b"9" * 4301], "int_parsing_size"),
    (int, [], "missing"),
    (int | None, [b""], "int_parsing"),
    (int | None, [b"\xff"], "string_unicode"),
    (list[int], [b"1", b"2"], [1, 2]),
    (list[int], [b"1"], [1]),
    (list[int], [b"1,2"], "int_parsing"),
    (list[int], [b"1", b"\xff"], "string_unicode"),
    (list[int], [], []),
    (list[list[int]], [b"1"], "list_type"),
    (set[str], [b"a", b"a"], {"a"}),
    (tuple[int, str], [b"1", b"2"], (1, "2")),
    (tuple[int, str], [b"1"], "missing"),
    (bool, [b""], "bool_parsing"),
    (bool, [b"1"], True),
    (bool, [b"OFF"], False),
    (bool, [b"2"], "bool_parsing"),
    (bool, [b"\xff"], "string_unicode"),
    (str, [b""], ""),
    (str, ["\u20ac\U0001f600".encode()], "\u20ac\U0001f600"),
    (str, [b"\xed\xa0\x80"], "string_unicode"),
    (str, ["\ud800"], "string_unicode"),
    (bytes, [b"\xff"], b"\xff"),
    (float, [b"nan"], "float_parsing"),
    (float, [b"1e400"], "finite_number"),
    (decimal.Decimal, [b"1.10"], decimal.Decimal("1.10")),
    (datetime.datetime, [b"2024-01-02T03:04:05Z"], datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)),
    (datetime.datetime, [b"1704153600"], "datetime_parsing"),
    (uuid.UUID, [b"12345678123456781234567812345678"], uuid.UUID("12345678-1234-5678-1234-567812345678")),
    (Size, [b"l"], Size.LARGE),
    (Size, [b"L"], "enum"),
    (Size, [b"\xff"], "string_unicode"),
    (Level, [b"1"], Level.LOW),
    (Literal["a", 1], [b"1"], 1),
    (int | str, [b"x"], "x"),
    (int | list[int], [b"1"], 1),
    (int | list[int], [b"1", b"2"], [1, 2]),
    (Annotated[int, at.Ge(3)], [b"2"], "greater_than_equal"),
    (Annotated[list[int], at.MaxLen(1)], [b"1", b"2"], "too_long"),
    (Any, [b"1"], "1"),
    (None, [b""], "none_required"),
    (Search, [b"1"], "dataclass_type"),
    (dict[str, int], [b"1"], "dict_type"),
    (User, [b"1"], "model_type"),
]


@pytest.mark.parametrize(("tp", "values", "expected"), TABLE, ids=lambda item: str(item)[:40])
def test_values_of_a_name_are_read_by_the_table(tp: Any, values: list[bytes], expected: Any) -> None:
    found = read(tp, values)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("data", [b"12", bytearray(b"12"), memoryview(b"12"), "12", [b"12"], (memoryview(b"12"),)])
def test_a_value_is_bytes_a_buffer_or_a_str(data: Any) -> None:
    assert read(int, data) == 12


@pytest.mark.parametrize("data", [12, None, [12], [[b"1"]], {"a": 1}])
def test_what_is_no_text_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError, match="text value"):
        Schema(int).decode_text(data)


def test_an_empty_value_may_be_none() -> None:
    assert read(int | None, b"", empty_as_none=True) is None
    assert read(list[int | None], [b"", b"1"], empty_as_none=True) == [None, 1]
    assert read(int, b"", empty_as_none=True) == "int_parsing"
    with pytest.raises(TypeError, match="empty_as_none"):
        read(int, b"", empty=True)


def test_the_json_profile_reads_text_as_text_too() -> None:
    assert Schema(int).decode_text(b"12") == 12
    assert Schema(Level).decode_text(b"1") is Level.LOW
    assert Schema(int, profile="compat").decode_text(b" 1_0 ") == 10


def test_a_repeated_scalar_may_be_refused() -> None:
    schema = Schema(int, profile="text", duplicate_keys="reject")
    assert schema.decode_text([b"1"]) == 1
    with pytest.raises(ValidationError) as raised:
        schema.decode_text([b"1", b"2"])
    assert raised.value.errors()[0]["type"] == "duplicate_key"


def test_errors_show_the_text_with_bad_bytes_replaced_and_not_all_of_it() -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(list[int]).decode_text([b"a\xff", b"9" * 5000])
    first, second = raised.value.errors()
    assert (first["loc"], first["input"]) == ((0,), "a\ufffd")
    assert (second["loc"], second["input"]) == ((1,), "9" * 1024)


def test_pairs_make_a_record() -> None:
    schema = Schema(Search, profile="text")
    pairs = [(b"tags", b"a"), (b"q", b"opt"), ("tags", b"b"), (b"since", b"2024-01-02"), (b"page", b"\xff")]
    assert schema.decode_pairs(pairs) == Search("opt", ["a", "b"], 20, datetime.date(2024, 1, 2))
    with pytest.raises(ValidationError) as raised:
        schema.decode_pairs([(b"limit", b"101"), (b"since", b"x"), (b"tags", b"\xff")])
    assert [(e["type"], e["loc"]) for e in raised.value.errors()] == [
        ("missing", ("q",)),
        ("string_unicode", ("tags", 0)),
        ("less_than_equal", ("limit",)),
        ("date_parsing", ("since",)),
    ]
    assert raised.value.errors()[0]["input"] == {"limit": "101", "since": "x", "tags": "\ufffd"}


def test_pairs_make_a_dict_a_typed_dict_or_a_tagged_record() -> None:
    assert Schema(dict[str, list[int]]).decode_pairs([("a", "1"), ("b", "2"), ("a", "3")]) == {"a": [1, 3], "b": [2]}
    assert Schema(dict[int, int]).decode_pairs([("1", "2")]) == {1: 2}
    assert Schema(Filter).decode_pairs([("name", "x"), ("name", "y")]) == {"name": "y"}
    shapes = Schema(Circle | Square, profile="text")
    assert shapes.decode_pairs([(b"side", b"1.5"), (b"kind", b"square")]) == Square("square", 1.5)
    assert Schema(Pair).decode_pairs([("y", "2"), ("x", "1")]) == Pair(1, 2)


@pytest.mark.parametrize(
    ("tp", "kind", "loc"),
    [
        (dict[str, int], "string_unicode", ("\ufffd", "[key]")),
        (dict[int, int], "string_unicode", ("\ufffd", "[key]")),
        (Circle | Square, "union_tag_not_found", ()),
        (list[int], "list_type", ()),
        (int, "int_type", ()),
        (User, "missing", ("name",)),
    ],
    ids=str,
)
def test_pairs_that_do_not_fit_are_errors(tp: Any, kind: str, loc: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError) as raised:
        Schema(tp, profile="text").decode_pairs([(b"\xff", b"1")])
    assert [(e["type"], e["loc"]) for e in raised.value.errors()] == [(kind, loc)]


@pytest.mark.parametrize("pairs", [None, {"a": 1}, [b"ab"], [(b"a",)], [(b"a", 1)], ["ab"]], ids=str)
def test_what_are_no_pairs_is_a_type_error(pairs: Any) -> None:
    with pytest.raises(TypeError):
        Schema(dict[str, str]).decode_pairs(pairs)


def test_more_than_a_hundred_thousand_values_are_refused() -> None:
    with pytest.raises(ValueError, match="100000"):
        Schema(list[str]).decode_text([b""] * 100_001)


def test_classes_that_validate_themselves_get_the_whole_text() -> None:
    found = Schema(list[Annotated[str, pydantic.AfterValidator(len)]]).decode_text([b"x" * 5000])
    assert found == [5000]


def test_nothing_is_leaked(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    schema = Schema(Search, profile="text")

    def run() -> None:
        schema.decode_pairs([(b"q", b"opt opt"), (bytearray(b"tags"), memoryview(b"abc abc"))])
        for pairs in ([(b"q", b"\xff"), ("tags", "\ud800")], [(b"q", b"x")], [("q", 1)]):
            with pytest.raises((ValidationError, TypeError)) as raised:
                schema.decode_pairs(pairs)
            if isinstance(raised.value, ValidationError):
                raised.value.errors()

    assert blocks_left_by(run, 200) < 100  # one object a run would be 200
