"""lanner.json.dumps and dumpb: what Python values become, and what is refused, where."""

import contextlib
import ctypes
import dataclasses
import datetime
import enum
import gc
import json as standard
import math
import pickle
import random
import struct
import subprocess
import sys
import uuid
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


def refused(value: object, **options: object) -> json.JSONEncodeError:
    with pytest.raises(json.JSONEncodeError) as caught:
        json.dumpb(value, **options)
    with pytest.raises(json.JSONEncodeError) as again:
        json.dumps(value, **options)
    assert str(caught.value) == str(again.value)
    return caught.value


def written(value: object, **options: object) -> str:
    text = json.dumps(value, **options)
    assert json.dumpb(value, **options) == text.encode()
    return text


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, "two")


class Level(enum.IntEnum):
    HIGH = 3


class Text(str):
    pass


class Whole(int):
    def __str__(self) -> str:
        return "not digits"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-(2**63), "-9223372036854775808"),
        (2**64 - 1, "18446744073709551615"),
        (2**64, "18446744073709551616"),
        (-(2**70), "-1180591620717411303424"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e16, "1e16"),
        (1e-7, "1e-7"),
        (0.1, "0.1"),
        ("", '""'),
        ('"\\/\b\f\n\r\t\x00\x1f\x7f', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'),
        ("\xe9\u4e2d\U0001f600", '"\xe9\u4e2d\U0001f600"'),
        ([], "[]"),
        ({}, "{}"),
        ((), "[]"),
        ([1, [2, []], {"a": (3,)}], '[1,[2,[]],{"a":[3]}]'),
        ({"b": 1, "a": {"c": None}}, '{"b":1,"a":{"c":null}}'),
        (Colour.RED, '"red"'),
        (Colour.PAIR, '[1,"two"]'),
        (Level.HIGH, "3"),
        (Text("t"), '"t"'),
        (Whole(7), "7"),
        (Whole(2**80), str(2**80)),
        (OrderedDict(x=1), '{"x":1}'),
        (namedtuple("Pair", "a b")(1, 2), "[1,2]"),
        ({Text("k"): 1}, '{"k":1}'),
        (uuid.UUID("12345678-1234-5678-9234-567812345678"), '"12345678-1234-5678-9234-567812345678"'),
        (uuid.UUID(int=2**128 - 1), '"ffffffff-ffff-ffff-ffff-ffffffffffff"'),
        (datetime.date(1, 2, 3), '"0001-02-03"'),
        (datetime.time(1, 2, 3), '"01:02:03"'),
        (datetime.time(1, 2, 3, 40), '"01:02:03.000040"'),
        (datetime.datetime(2024, 1, 2, 3, 4, 5, 678), '"2024-01-02T03:04:05.000678"'),
        (datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC), '"2024-01-02T00:00:00+00:00"'),
        (datetime.datetime(2024, 7, 2, tzinfo=ZoneInfo("Asia/Kolkata")), '"2024-07-02T00:00:00+05:30"'),
        (
            datetime.datetime(2024, 7, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=-9, minutes=-30))),
            '"2024-07-02T00:00:00-09:30"',
        ),
    ],
)
def test_a_value_becomes_its_text(value, text):
    assert written(value) == text
    assert written([value, {"k": value}]) == f'[{text},{{"k":{text}}}]'


def test_an_offset_of_seconds_becomes_the_same_moment_in_utc():
    zone = datetime.timezone(datetime.timedelta(minutes=19, seconds=32))
    moment = datetime.datetime(1900, 1, 1, tzinfo=zone)
    assert written(moment) == '"1899-12-31T23:40:28+00:00"'
    assert datetime.datetime.fromisoformat(json.loads(json.dumpb(moment))) == moment


def test_options_of_dates():
    naive = datetime.datetime(2024, 1, 2, 3, 4, 5, 678)
    aware = naive.replace(tzinfo=datetime.UTC)
    assert written(naive, naive_utc=True) == '"2024-01-02T03:04:05.000678+00:00"'
    assert written(naive, naive_utc=True, utc_z=True) == '"2024-01-02T03:04:05.000678Z"'
    assert written([aware, naive], utc_z=True) == '["2024-01-02T03:04:05.000678Z","2024-01-02T03:04:05.000678"]'
    assert written([aware, aware.time()], omit_microseconds=True) == '["2024-01-02T03:04:05+00:00","03:04:05"]'
    assert written(datetime.time(1, tzinfo=datetime.UTC)) == '"01:00:00+00:00"'
    assert written(datetime.time(1, 2, 3, 4, tzinfo=datetime.UTC), utc_z=True) == '"01:02:03.000004Z"'
    assert (
        written(datetime.time(1, tzinfo=datetime.timezone(-datetime.timedelta(hours=9, minutes=30))))
        == '"01:00:00-09:30"'
    )
    seconds = datetime.timezone(datetime.timedelta(seconds=1))
    for zone in (seconds, ZoneInfo("Europe/Berlin")):  # the latter's offset depends on the day
        assert "one offset, of whole minutes" in str(refused([datetime.time(1, tzinfo=zone)]))
    assert "outside years" in str(refused([datetime.datetime.min.replace(tzinfo=seconds)]))


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list[object] = dataclasses.field(default_factory=list)
    kind: dataclasses.InitVar[str] = "?"


@dataclasses.dataclass(slots=True)
class Slim:
    name: str
    inner: Point | None = None


def test_dataclasses_are_objects_of_their_fields():
    point = Point(1, tags=[Slim("s")])
    point.other = "no field"  # type: ignore[attr-defined]
    assert written(point) == '{"x":1,"y":0.5,"tags":[{"name":"s","inner":null}]}'
    assert written(Slim("a", Point(2))) == '{"name":"a","inner":{"x":2,"y":0.5,"tags":[]}}'


def test_a_dataclass_without_a_value_says_so():
    slim = Slim("a")
    del slim.inner
    assert refused([slim]).path == "$[0].inner"


def test_sorted_keys_are_in_the_order_of_code_points():
    value = {"b": 1, "a": {"\u4e2d": 1, "z": 2, "\xe9": 3, "\U0001f600": 4}, "": 0}
    assert written(value, sort_keys=True) == '{"":0,"a":{"z":2,"\xe9":3,"\u4e2d":1,"\U0001f600":4},"b":1}'


def test_indented_text_is_that_of_json():
    value = {"a": [1, {"b": []}, {}], "c": {"d": None}, "e": [[[]]]}
    for indent in (1, 2, 4, 16):
        assert written(value, indent=indent) == standard.dumps(value, indent=indent)
    assert written(value, indent=0) == written(value, indent=None) == standard.dumps(value, separators=(",", ":"))
    for wrong in (-1, 17):
        with pytest.raises(ValueError, match="indent is 0"):
            json.dumps(value, indent=wrong)


def test_other_keys_are_allowed_by_option():
    key = uuid.UUID(int=1)
    value = {7: "a", None: "b", True: "c", 2.5: "d", Colour.RED: "e", key: "f", datetime.date(2024, 1, 2): "g", "\n": 1}
    assert written(value, non_str_keys=True) == (
        '{"7":"a","null":"b","true":"c","2.5":"d","red":"e","00000000-0000-0000-0000-000000000001":"f","2024-01-02":"g","\\n":1}'
    )
    assert written({2: 1, "10": 2, 1: 3}, non_str_keys=True, sort_keys=True) == '{"1":3,"10":2,"2":1}'
    error = refused({"a": {1: 2}})
    assert error.path == "$.a"
    assert "non_str_keys=True" in str(error)
    assert "key" in str(refused({(1, 2): 3}, non_str_keys=True))
    assert written({float("nan"): 1}, non_str_keys=True, nan_as_null=True) == '{"null":1}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused_or_null(value):
    error = refused({"a": [1, {"b c": value}]})
    assert error.path == "$.a[1]['b c']"
    assert "RFC 8259" in str(error)
    assert written([value, 1], nan_as_null=True) == "[null,1]"


def test_a_lone_surrogate_is_refused():
    for text in ("\ud800", "a" * 100 + "\udfff", "\U0001f600\udc00", "\u4e2d" * 5000 + "\udead"):
        assert refused({"a": [text]}).path == "$.a[0]"
        assert "surrogate" in str(refused({text: 1}))


def test_circles_and_deep_nesting_are_refused():
    circle: list[object] = [1]
    circle.append(circle)
    assert "circular" in str(refused(circle))
    deep: object = []
    for _ in range(127):
        deep = [deep]
    assert json.loads(json.dumpb(deep)) == deep
    assert "128 deep" in str(refused([deep]))
    for _ in range(100_000):
        deep = {"a": deep}
    refused(deep)
    while deep:  # not by recursion of the deallocator
        deep = deep.popitem()[1] if isinstance(deep, dict) else deep.pop()


def test_default_makes_what_is_written():
    seen = []

    def default(value: object) -> object:
        seen.append(value)
        return sorted(value) if isinstance(value, set) else {"re": value.real, "im": value.imag}

    assert (
        written({"a": {3, 1}, "b": 2j}, default=default, passthrough_set=True) == '{"a":[1,3],"b":{"re":0.0,"im":2.0}}'
    )
    assert seen == [{1, 3}, 2j] * 2


def test_default_that_fails_or_loops():
    def fail(value: object) -> object:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        json.dumpb([object()], default=fail)
    assert "a loop" in str(refused([object()], default=lambda value: value))
    assert "128 deep" in str(refused(object(), default=lambda value: [value]))
    error = refused({"a": [object()]})
    assert (error.path, "default=" in str(error)) == ("$.a[0]", True)
    error = refused({"a": [object()]}, default=lambda value: NotImplemented)
    assert str(error) == "$.a[0]: object has no form in JSON"


def test_default_may_change_what_is_being_written():
    items: list[object] = [object(), 2, 3]

    def shrink(value: object) -> str:
        del items[1:]
        return "gone"

    assert json.dumps(items, default=shrink) == '["gone"]'
    table: dict[str, object] = {"a": object(), "b": [1]}

    def clear(value: object) -> str:
        table.clear()
        gc.collect()
        return "gone"

    assert json.loads(json.dumps(table, default=clear)) == {"a": "gone"}


def test_an_error_can_be_pickled_and_is_both_kinds():
    error = refused({"a": object()})
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.path, again.msg) == (str(error), error.path, error.msg)
    assert isinstance(error, TypeError)
    assert isinstance(error, ValueError)


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="one value"):
        json.dumps()
    with pytest.raises(TypeError, match="one value"):
        json.dumpb(1, None)
    with pytest.raises(TypeError, match="no such argument: 'separators'"):
        json.dumps(1, separators=(",", ":"))


@pytest.mark.parametrize("value", [object(), 2j, b"x", SimpleNamespace(a=1), int, Point])
def test_other_types_are_named(value):
    assert type(value).__name__ in str(refused(value))


@given(VALUES, st.booleans())
@settings(max_examples=400, deadline=None)
def test_what_is_written_is_read_back_by_json(value, sort_keys):
    assert standard.loads(json.dumps(value, sort_keys=sort_keys)) == value
    assert json.loads(json.dumpb(value)) == value


@given(st.text(alphabet='a"\\\n\x00\x1f\x7f\xe9\xff\u0100\u07ff\u0800\u4e2d\uffff\U00010000\U0010ffff', max_size=200))
@settings(max_examples=600, deadline=None)
def test_text_of_every_width_comes_back(text):
    for padded in (text, "x" * 61 + text, text + "\u4e2d" * 40 + text, text * 40):
        assert standard.loads(json.dumpb(padded)) == padded
        assert json.loads(json.dumps({padded: padded})) == {padded: padded}


def keep_utf8(text: str) -> str:
    """The same str, with its UTF-8 in it, as after a call of a C extension."""
    ctypes.pythonapi.PyUnicode_AsUTF8AndSize(ctypes.py_object(text), None)
    return text


@pytest.mark.parametrize("plain", ["a", "\xe9", "\u4e2d", "\U0001f985"])
@pytest.mark.parametrize("special", ['"', "\\", "\n", "\x00", "\x7f", "\xff", "\u07ff", "\uffff", "\U0010ffff"])
def test_every_length_with_every_character_at_every_place(plain, special):
    for size in (0, 1, 7, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 129):
        for at in {0, 1, size // 2, size - 17, size - 2, size - 1}:
            text = (plain * size)[: max(at, 0)] + special + (plain * size)[max(at, 0) :]
            want = standard.dumps(text, ensure_ascii=False)
            assert json.dumps([text]) == f"[{want}]"
            assert json.dumps({text: {text: text}}) == f"{{{want}:{{{want}:{want}}}}}"
            assert json.dumps([keep_utf8(text + plain), {text: 0}]) == f'[{want[:-1]}{plain}",{{{want}:0}}]'


def test_keys_met_before_are_told_from_others_of_their_place():
    """Keys that die make place for new ones; rows that have other keys than the row before."""
    rows: list[object] = [{"first": 1}, *(object() for _ in range(400))]
    places = iter(range(2, 400, 2))

    def other(value: object) -> object:
        if place := next(places, None):
            rows[place] = {f"new {place}": place, "of all": 1}
        for row in rows:
            if isinstance(row, dict) and len(row) == 2:
                row[f"later {len(row)}"] = row.pop(next(iter(row)))
                row["third"] = None
        return None

    text = json.dumps(rows, default=other)
    assert standard.loads(text)[0] == {"first": 1}
    assert standard.loads(text)[2:] == [row if isinstance(row, dict) else None for row in rows[2:]]
    table = [{f"{i % 7}{'k' * (i % 70)}": i, f"{i}": None} for i in range(1000)]
    assert json.dumps(table) == standard.dumps(table, separators=(",", ":"))


def test_what_default_throws_away_is_still_written():
    """Containers that are being written when other code drops the last reference to them."""
    deep: list[object] = [[{"a": [object(), 1], "b": (2,)}, 3], 4]

    def clear(value: object) -> str:
        inner = deep[0]
        assert isinstance(inner, list)
        inner[0].clear()
        inner.clear()
        deep.clear()
        gc.collect()
        return "gone"

    assert json.dumps([deep, 5], default=clear) == '[[[{"a":["gone",1]}]],5]'


def test_numbers_in_a_list_are_as_those_alone():
    chosen = random.Random(4)
    values: list[object] = [
        0,
        1,
        -1,
        9,
        10,
        99,
        2**30 - 1,
        2**30,
        -(2**30),
        2**60,
        2**63 - 1,
        -(2**63),
        2**63,
        -(2**99),
    ]
    values += [chosen.randrange(-(10**n), 10**n) for n in range(1, 40) for _ in range(20)]
    values += [chosen.uniform(-1, 1) * 10 ** chosen.randint(-30, 30) for _ in range(2000)]
    values += [round(chosen.uniform(-1000, 1000), n) for n in range(12) for _ in range(100)]
    values += [0.0, -0.0, 1.0, 0.5, 1e15, 1e16, 5e-324, 1.7976931348623157e308, True, False, None, math.pi]
    want = ",".join(json.dumps(value) for value in values)
    assert json.dumps(values) == f"[{want}]"
    assert json.dumps(tuple(values)) == f"[{want}]"
    assert json.dumps({"k": values, "l": [values]}) == f'{{"k":[{want}],"l":[[{want}]]}}'
    assert standard.loads(want.join("[]")) == values


def test_doubles_come_back_and_are_as_short_as_repr():
    chosen = random.Random(3)
    for _ in range(100_000):
        (number,) = struct.unpack("<d", chosen.randbytes(8))
        if not math.isfinite(number):
            continue
        text = json.dumps(number)
        assert float(text) == number
        assert len(text) <= len(repr(number))


def test_the_table_of_powers_is_what_its_generator_writes():
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, root / "tools/gen_powers_of_ten.py", "--check"], check=True)


def test_large_texts_and_many_items():
    text = "\u4e2d\n" * 100_000
    assert json.loads(json.dumpb([text, text])) == [text, text]
    items = [{"i": i, "t": "x" * (i % 100)} for i in range(5000)]
    assert json.loads(json.dumpb(items)) == items
    assert json.dumps(items) == standard.dumps(items, separators=(",", ":"))


def test_nothing_is_left_behind(blocks_left_by: Callable[[Callable[[], object], int], int]):
    good = [Point(1, tags=[Slim("s"), Colour.PAIR]), {"a": uuid.uuid4(), "b": [2**70, 1.5]}, {1: 2, None: 3}, "\u4e2d"]
    bad = [math.nan, "\ud800", object(), {"a": [{"b": {1, 2}}]}, {object(): 1}]

    def run() -> None:
        json.dumps(good, non_str_keys=True, sort_keys=True)
        json.dumpb(good, non_str_keys=True, indent=2)
        for value in bad:
            for sort_keys in (False, True):
                with contextlib.suppress(json.JSONEncodeError):
                    json.dumpb({"x": [good, value]}, non_str_keys=True, sort_keys=sort_keys)

    for _ in range(3):
        run()
    assert blocks_left_by(run, 300) < 150  # one object a run would be 300
