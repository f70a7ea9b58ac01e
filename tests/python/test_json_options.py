"""What users of orjson rely on: its options by ours, fragments, and text written into a buffer."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import pickle
from collections.abc import Callable
from typing import Any

import numpy
import orjson
import pytest

from lanner import json
from lanner.schema import Schema, ValidationError


@dataclasses.dataclass
class Point:
    x: int


class Name(str):
    pass


class Rows(list):
    pass


class Level(enum.IntEnum):
    LOW = 1


MOMENT = datetime.datetime(2024, 1, 2, 3, 4, 5, 6)
VALUES: list[Any] = [
    *({"b": 1, "a": [1, 2.5, None, True]}, [MOMENT], {"at": MOMENT.replace(tzinfo=datetime.UTC)}, MOMENT.date()),
    *(MOMENT.time(), Point(1), [Name("x"), Rows([1])], Level.LOW, numpy.array([[1, 2], [3, 4]])),
    {1: 2, None: 3, MOMENT: 4},
]
# Each option of orjson as it is here; without a name: it is always so.
OPTIONS: list[tuple[int, dict[str, Any]]] = [
    (orjson.OPT_APPEND_NEWLINE, {"append_newline": True}),
    (orjson.OPT_INDENT_2, {"indent": 2}),
    (orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE, {"indent": 2, "append_newline": True}),
    (orjson.OPT_NAIVE_UTC, {"naive_utc": True}),
    (orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z, {"naive_utc": True, "utc_z": True}),
    (orjson.OPT_NON_STR_KEYS, {"non_str_keys": True}),
    (orjson.OPT_OMIT_MICROSECONDS, {"omit_microseconds": True}),
    (orjson.OPT_PASSTHROUGH_DATACLASS, {"passthrough_dataclass": True}),
    (orjson.OPT_PASSTHROUGH_DATETIME, {"passthrough_datetime": True}),
    (orjson.OPT_PASSTHROUGH_SUBCLASS, {"passthrough_subclass": True}),
    (orjson.OPT_SORT_KEYS, {"sort_keys": True}),
    (orjson.OPT_STRICT_INTEGER, {"strict_integer": True}),
    (orjson.OPT_SERIALIZE_NUMPY, {}),
    (orjson.OPT_SERIALIZE_DATACLASS | orjson.OPT_SERIALIZE_UUID, {}),
]


@pytest.mark.parametrize(("theirs", "ours"), OPTIONS, ids=str)
def test_an_option_of_orjson_has_its_counterpart(theirs: int, ours: dict[str, Any]) -> None:
    def shown(value: Any) -> Any:
        return f"default({value!s})"

    for value in VALUES:
        try:
            expected = orjson.dumps(value, default=shown, option=theirs | orjson.OPT_SERIALIZE_NUMPY)
        except TypeError:
            with pytest.raises(TypeError):
                json.dumpb(value, default=shown, **ours)
            continue
        assert json.dumpb(value, default=shown, **ours) == expected, value
        assert json.dumps(value, default=shown, **ours).encode() == expected


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**64, [1, {"a": 2**70}], {"a": numpy.array([2**60])}], ids=str)
def test_strict_integers_have_53_bits(value: Any) -> None:
    with pytest.raises(json.JSONEncodeError, match="53 bits"):
        json.dumpb(value, strict_integer=True)
    assert json.loads(json.dumpb(value)) is not None


def test_strict_integers_within_53_bits_are_written() -> None:
    assert json.dumps([2**53 - 1, 1 - 2**53, True], strict_integer=True) == "[9007199254740991,-9007199254740991,true]"


def test_what_is_passed_through_needs_a_default() -> None:
    for value, options in (
        (Point(1), {"passthrough_dataclass": True}),
        (MOMENT, {"passthrough_datetime": True}),
        (collections.OrderedDict(a=1), {"passthrough_subclass": True}),
    ):
        with pytest.raises(json.JSONEncodeError, match="default= may give"):
            json.dumpb(value, **options)


def test_raw_text_is_written_as_it_is() -> None:
    raw = json.Raw(b'{"a": [1, 2.50]}')
    assert json.dumpb({"x": raw, "y": [raw]}) == b'{"x":{"a": [1, 2.50]},"y":[{"a": [1, 2.50]}]}'
    assert json.dumpb(raw, indent=2) == json.dumpb(raw, sort_keys=True) == b'{"a": [1, 2.50]}'
    assert json.dumpb(raw) == orjson.dumps(orjson.Fragment(b'{"a": [1, 2.50]}'))
    assert json.dumpb([json.Raw("1"), json.Raw(bytearray(b"2")), json.Raw(memoryview(b"3"))]) == b"[1,2,3]"
    assert json.dumpb(json.Raw('"\u20ac"')) == '"\u20ac"'.encode()


@pytest.mark.parametrize("text", [b"", b"{", b"[1,]", b"1 2", b'"\xff"', b"NaN", b"[" * 200 + b"]" * 200, "\ud800"])
def test_raw_text_that_is_no_json_is_refused(text: Any) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.Raw(text)


def test_raw_text_may_be_trusted() -> None:
    assert json.dumpb([json.Raw(b"nonsense", trusted=True)]) == b"[nonsense]"
    with pytest.raises(TypeError):
        json.Raw(b"1", True)  # type: ignore[misc]
    with pytest.raises(TypeError, match="not int"):
        json.Raw(1)  # type: ignore[arg-type]


def test_raw_texts_are_values() -> None:
    raw = json.Raw(b" [1] ")
    assert raw == json.Raw(" [1] ")
    assert raw != json.Raw(b"[1]")
    assert raw != b" [1] "
    assert len({raw, json.Raw(b" [1] ")}) == 1
    assert (repr(raw), bytes(raw), raw.data) == ("Raw(b' [1] ')", b" [1] ", b" [1] ")
    assert pickle.loads(pickle.dumps(raw)) == raw


def test_raw_is_a_type_of_schemas() -> None:
    @dataclasses.dataclass
    class Event:
        kind: str
        body: json.Raw

    schema = Schema(Event)
    event = schema.decode(b'{"body": {"n": [1.50]} ,"kind":"a"}')
    assert event == Event("a", json.Raw(b'{"n": [1.50]}'))
    assert schema.encode(event) == b'{"kind":"a","body":{"n": [1.50]}}'
    assert schema.validate({"kind": "a", "body": {"n": 1}}).body == json.Raw(b'{"n":1}')
    with pytest.raises(json.JSONDecodeError):
        schema.decode(b'{"kind":"a","body":[1,]}')
    with pytest.raises(ValidationError) as raised:
        schema.validate({"kind": "a", "body": object})
    assert [(error["type"], error["loc"]) for error in raised.value.errors()] == [("value_error", ("body",))]
    assert schema.json_schema()["$defs"]["Event"]["properties"]["body"] == {"title": "Body"}


def test_text_is_written_behind_what_a_buffer_holds() -> None:
    buffer = bytearray(b"data: ")
    assert json.dump_into({"a": [1, "x" * 5000]}, buffer) == 5012
    assert json.dump_into(None, buffer, append_newline=True) == 5
    assert buffer == b'data: {"a":[1,"' + b"x" * 5000 + b'"]}null\n'
    schema = Schema(list[int])
    buffer = bytearray()
    assert [schema.encode_into([i], buffer) for i in range(5)] == [3] * 5
    assert buffer == b"[0][1][2][3][4]"


def test_a_buffer_is_what_it_was_when_writing_fails() -> None:
    buffer = bytearray(b"kept")
    with pytest.raises(json.JSONEncodeError):
        json.dump_into(["x" * 100_000, object()], buffer)
    with pytest.raises(json.JSONEncodeError):
        Schema(list[int]).encode_into([1] * 10_000 + ["x"], buffer)
    assert buffer == b"kept"
    with pytest.raises(TypeError, match="bytearray"):
        json.dump_into(1, b"")  # type: ignore[arg-type]
    with memoryview(buffer), pytest.raises(BufferError):
        json.dump_into(1, buffer)
    assert buffer == b"kept"


def test_default_cannot_take_the_buffer_away() -> None:
    buffer = bytearray()

    def rude(value: object) -> str:
        buffer.clear()
        return "gone"

    with pytest.raises(BufferError):
        json.dump_into(["x" * 5000, object()], buffer, default=rude)
    assert buffer == b""


def test_nothing_is_left_behind(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    def run() -> None:
        buffer = bytearray()
        json.dump_into([json.Raw(b"[1,2]"), "x" * 3000], buffer)
        for bad in (b"[", 5):
            with pytest.raises((ValueError, TypeError)):
                json.Raw(bad)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            json.dump_into(["x" * 3000, object()], buffer)

    assert blocks_left_by(run, 300) < 150  # one object a run would be 300
