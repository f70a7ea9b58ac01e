"""lanner.json.Raw with trusted=True: text that nobody checked, in every place where text may stand."""

from __future__ import annotations

import dataclasses
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from lanner import json
from lanner.schema import Schema

LONE = "\ud800"
BROKEN = [
    b'"caf\xe9"',
    b"\xff",
    b"\xe2\x82",
    b"\xf0\x9f\xa6",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"x" * 100 + b"\xf4\x90\x80\x80",
    b"\xe9" * 5000,
]
PLACES: list[Callable[[Any], Any]] = [
    lambda raw: raw,
    lambda raw: [raw],
    lambda raw: [1, raw, "\u20ac"],
    lambda raw: (raw, "x" * 3000),
    lambda raw: {"k": raw},
    lambda raw: {"k": [{"\u20ac": raw}], "l": 1},
    lambda raw: Holder(raw),
    lambda raw: [Holder([raw, raw])],
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"indent": 2},
    {"sort_keys": True},
    {"append_newline": True},
    {"strict_integer": True},
]


@dataclasses.dataclass
class Holder:
    body: Any


@dataclasses.dataclass
class Typed:
    body: json.Raw


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: repr(data[-9:]))
def test_bytes_that_are_no_utf8_are_written_as_they_are_or_refused(data: bytes) -> None:
    raw = json.Raw(data, trusted=True)
    for place in PLACES:
        for options in OPTIONS:
            written = json.dumpb(place(raw), **options)
            assert written == json.dumpb(place(json.Raw(b'"here"')), **options).replace(b'"here"', data)
            buffer = bytearray()
            json.dump_into(place(raw), buffer, **options)
            assert buffer == written
            with pytest.raises(json.JSONEncodeError, match="no UTF-8"):
                json.dumps(place(raw), **options)
    assert Schema(Typed).encode(Typed(raw)) == b'{"body":' + data + b"}"
    assert json.dumpb([object()], default=lambda _: raw) == b"[" + data + b"]"
    with pytest.raises(json.JSONEncodeError, match="no UTF-8"):
        json.dumps([object()], default=lambda _: raw)


def test_random_bytes_are_never_read_past_their_end() -> None:
    chosen = random.Random(5)
    for _ in range(3000):
        data = chosen.randbytes(chosen.randrange(1, 40))
        raw = json.Raw(data, trusted=True)
        assert json.dumpb([raw]) == b"[" + data + b"]"
        try:
            data.decode()
        except UnicodeDecodeError:
            with pytest.raises(json.JSONEncodeError):
                json.dumps([raw])
        else:
            assert json.dumps([raw]) == f"[{data.decode()}]"


def test_a_str_with_a_lone_surrogate_is_refused_when_it_is_made() -> None:
    for text in (LONE, f'"{LONE}"', '"\u20ac' + LONE):
        for trusted in (False, True):
            with pytest.raises(json.JSONDecodeError, match="UTF-8" if trusted else None):
                json.Raw(text, trusted=trusted)
    assert json.dumps(json.Raw("\u20ac", trusted=True)) == "\u20ac"


@pytest.mark.parametrize("empty", [b"", "", bytearray(), memoryview(b"")], ids=lambda empty: type(empty).__name__)
def test_empty_text_is_written_as_nothing(empty: Any) -> None:
    raw = json.Raw(empty, trusted=True)
    assert json.dumpb(raw) == b""
    assert json.dumps(raw) == ""
    assert json.dumpb(raw, append_newline=True) == b"\n"
    assert json.dumpb([raw, raw]) == b"[,]"
    assert json.dumpb({"a": raw}) == b'{"a":}'
    assert json.dump_into(raw, buffer := bytearray(b"x")) == 0
    assert buffer == b"x"
    assert json.dumpb(object(), default=lambda _: raw) == b""
    assert Schema(Typed).encode(Typed(raw)) == b'{"body":}'
    assert Schema(json.Raw).encode(raw) == b""
    with pytest.raises(json.JSONDecodeError):
        json.Raw(empty)


@pytest.mark.parametrize("data", [b'"a"', b"1", b"", b'"', b"[1]", b"\xff"])
def test_raw_text_is_no_key(data: bytes) -> None:
    raw = json.Raw(data, trusted=True)
    for options in ({}, {"sort_keys": True}, {"indent": 1}):
        for key, default in ((raw, None), (Key(), lambda _: raw)):
            with pytest.raises(json.JSONEncodeError, match="no form"):
                json.dumpb([{key: 1}], non_str_keys=True, default=default, **options)
            with pytest.raises(json.JSONEncodeError, match="keys are str"):
                json.dumpb([{key: 1}], default=default, **options)


class Key:
    pass


def test_a_fresh_interpreter_survives_an_empty_text() -> None:
    script = "from lanner import json; print(json.dumpb(json.Raw(b'', trusted=True)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "b''\n"
