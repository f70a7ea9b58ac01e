"""lanner.schema: Schema.encode of many plain values: the loop over rows writes what a walk value by value writes."""

import dataclasses
import datetime
import gc
import json
import math
import random
import uuid
from collections.abc import Callable
from typing import Any, NotRequired, TypedDict

import pytest

from lanner.json import JSONEncodeError
from lanner.schema import Schema

TEXTS = [
    "",
    "a",
    'q"',
    "tab\t",
    "\xe9" * 20,
    "\u4e2d" * 40,
    "\U0001f985",
    "x" * 31,
    "y" * 33,
    "z" * 65,
    "e" * 70 + "\\",
    "t" * 5000,
]


@dataclasses.dataclass(slots=True)
class Row:
    name: str
    count: int
    share: float
    good: bool
    note: str | None
    anything: Any
    a_name_so_long_that_its_written_form_with_quotes_and_colon_is_over_64: str = "long"
    last: int | None = None


@dataclasses.dataclass(slots=True)
class Dated:
    name: str
    day: datetime.date
    tags: list[str]
    row: Row | None
    after: str = "after"


class Told(TypedDict):
    name: str
    count: int | None
    more: NotRequired[list[float]]


def text_of(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def rows() -> list[Row]:
    chosen = random.Random(11)
    made = []
    for i in range(300):
        text = chosen.choice(TEXTS)
        row = Row(text, chosen.randrange(-(10 ** (i % 25)), 10 ** (i % 25) + 1), i / 8, i % 2 == 0, None, None)
        row.note = chosen.choice([None, *TEXTS])
        row.anything = chosen.choice([None, True, 7, 2.5, text, [1, text], {"k": [None]}, (), 2**70])
        row.last = chosen.choice([None, i])
        made.append(row)
    return made


def test_rows_are_as_json_writes_their_dicts() -> None:
    made = rows()
    assert Schema(list[Row]).encode(made) == text_of([dataclasses.asdict(row) for row in made])
    assert Schema(tuple[Row, ...]).encode(tuple(made)) == text_of([dataclasses.asdict(row) for row in made])
    assert Schema(dict[str, Row]).encode({"a": made[0]}) == text_of({"a": dataclasses.asdict(made[0])})
    for row in made[:30]:
        assert Schema(Row).encode(row) == text_of(dataclasses.asdict(row))


def test_rows_with_fields_for_other_code() -> None:
    made = [Dated(f"{i}", datetime.date(2024, 1, 1 + i), TEXTS[:i], row) for i, row in enumerate(rows()[:12])]
    made[3].row = None
    wanted = [dataclasses.asdict(item) | {"day": item.day.isoformat()} for item in made]
    assert Schema(list[Dated]).encode(made) == text_of(wanted)
    assert Schema(list[Dated | None]).encode([None, *made, None]) == text_of([None, *wanted, None])
    assert Schema(list[Dated]).encode([]) == b"[]"


def test_rows_that_are_dicts() -> None:
    named = {"name": "a", "count": 1}
    assert Schema(list[Told]).encode([named, dict(named, count=None)]) == text_of([named, dict(named, count=None)])
    turned: Any = {"count": 1, "name": "a", "extra": 2}
    made: Any = {"".join(["na", "me"]): "b", "".join(["cou", "nt"]): 3, "".join(["mo", "re"]): [1.5]}
    shrunk: Any = dict(made, x=1)
    del shrunk["x"]
    want = [named, named, {"name": "b", "count": 3, "more": [1.5]}, shrunk]
    assert Schema(list[Told]).encode([named, turned, made, shrunk]) == text_of(want)
    with pytest.raises(JSONEncodeError, match=r"\$\[1\]\.name: the field has no value"):
        Schema(list[Told]).encode([named, {"count": 1}])
    with pytest.raises(JSONEncodeError, match=r"\$\[0\]\.count: int expected, not str"):
        Schema(list[Told]).encode([{"name": "a", "count": "1"}])


@pytest.mark.parametrize(
    ("tp", "values"),
    [
        (list[str], TEXTS),
        (list[str | None], [None, *TEXTS, None]),
        (list[int], [0, -1, 9, 10, 2**30, -(2**63), 2**64, 10**30]),
        (list[float], [0.5, -0.0, 1e15, 12.25]),
        (list[bool], [True, False]),
        (list[None], [None, None]),
        (list[Any], [1, "a", None, True, 2.5, [1], {"a": []}, (2,)]),
        (dict[str, int], {"a": 1, 'q"': 2, "\u4e2d": -3, "k" * 70: 4}),
        (dict[str, str | None], {"a": "b", "c": None, "\xe9": "\xe9"}),
        (dict[str, Any], {"a": [1, {"b": None}], "c": 2.5, "d": "x"}),
        (list[list[float]], [[], [1.5, 2.5], [math.pi]]),
        (list[list[str]], [TEXTS, [], TEXTS]),
        (list[dict[str, int]], [{}, {"a": 1}, {"a": 2, "b": 3}]),
        (dict[str, list[int]], {"a": [], "b": [1, 2]}),
    ],
    ids=str,
)
def test_plain_values_are_as_json_writes_them(tp: Any, values: Any) -> None:
    assert Schema(tp).encode(values) == text_of(values)


def test_other_numbers_and_keys_of_a_dict_are_written_as_before() -> None:
    assert Schema(list[float]).encode([1, 2.5]) == b"[1.0,2.5]"
    for value in (math.nan, math.inf):  # JSON has no such numbers, and null would not be read back
        with pytest.raises(JSONEncodeError, match="NaN"):
            Schema(list[float]).encode([1, value])
    assert Schema(dict[int, str]).encode({1: "a", 2: "b"}) == b'{"1":"a","2":"b"}'
    key = uuid.UUID(int=5)
    assert Schema(dict[uuid.UUID, float]).encode({key: 1.5}) == text_of({str(key): 1.5})
    holed = {f"k{i}": i for i in range(9)}
    for name in ("k0", "k4", "k8"):
        del holed[name]
    assert Schema(dict[str, int]).encode(holed) == text_of(holed)


@pytest.mark.parametrize(
    ("tp", "value", "says"),
    [
        (list[Row], [*rows()[:3], Row("a", True, 0.5, True, None, 1)], r"\$\[3\]\.count: int expected, not bool"),
        (list[Row], [Row("a", 1, 0.5, 1, None, 1)], r"\$\[0\]\.good: bool expected, not int"),  # type: ignore[arg-type]
        (list[Row], [Row("a\ud800", 1, 0.5, True, None, 1)], r"\$\[0\]\.name: the str has a lone surrogate"),
        (list[Row], [Row("a", 1, 0.5, True, "\u4e2d\udfff", 1)], r"\$\[0\]\.note: the str has a lone surrogate"),
        (list[Dated], [Dated("a", datetime.date(1, 1, 1), ["x", "\ud800"], None)], r"\$\[0\]\.tags\[1\]: the str has"),
        (list[str], ["a", "b", 3], r"\$\[2\]: str expected, not int"),
        (list[str], ["a", "\ud800"], r"\$\[1\]: the str has"),
        (list[str], ["a", None], r"\$\[1\]: str expected"),
        (list[list[int]], [[1], [2, "x"]], r"\$\[1\]\[1\]: int expected, not str"),
        (list[dict[str, str]], [{}, {"a": "b", "c": "\ud800"}], r"\$\[1\]\['c'\]: the str has"),
        (dict[str, int], {"a": 1, "b": "x"}, r"\$\['b'\]: int expected, not str"),
        (dict[str, str], {"a": "1", 2: "x"}, "str expected, not int"),
    ],
    ids=str,
)
def test_an_error_in_a_row_says_where(tp: Any, value: Any, says: str) -> None:
    with pytest.raises(JSONEncodeError, match=says):
        Schema(tp).encode(value)


def test_a_slot_without_a_value_says_so() -> None:
    made = rows()[:3]
    del made[2].share
    with pytest.raises(JSONEncodeError, match=r"\$\[2\]\.share: the field has no value"):
        Schema(list[Row]).encode(made)
    assert b'"share"' not in Schema(list[Row]).encode(made[2:], exclude_unset=True)


@dataclasses.dataclass(slots=True)
class Tree:
    name: str
    children: list["Tree"]


def test_rows_nested_to_the_limit_and_one_deeper() -> None:
    tree = Tree("leaf", [])
    for _ in range(63):
        tree = Tree("in", [tree])
    assert Schema(Tree).encode(tree).count(b"{") == 64  # 64 objects and 64 arrays
    with pytest.raises(JSONEncodeError, match="128 deep"):
        Schema(list[Tree]).encode([tree])


def test_rows_leave_nothing_behind(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    good, bad = rows(), [*rows()[:3], Row("a", 1, 0.5, True, "\ud800", 1)]
    dated = [Dated("a", datetime.date(2024, 1, 1), ["b"], good[0])]
    schema: Schema[Any] = Schema(list[Row])
    dates: Schema[Any] = Schema(list[Dated])

    def run() -> None:
        schema.encode(good)
        dates.encode(dated)
        with pytest.raises(JSONEncodeError):
            schema.encode(bad)

    for _ in range(3):
        run()
    gc.collect()
    assert blocks_left_by(run, 100) < 50
