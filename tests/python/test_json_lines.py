"""lanner.json.load_lines and dump_lines: a value a line, bounded, with errors that name the line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from lanner import json

VALUES: list[Any] = [{"a": 1}, [2, "\u2028\x85\n"], None, "x" * 100, {}, 5]
TEXT = b"".join(json.dumpb(value) + b"\n" for value in VALUES)


@pytest.mark.parametrize(
    "data", [TEXT, TEXT.decode(), bytearray(TEXT), memoryview(TEXT), TEXT[:-1], TEXT.replace(b"\n", b"\r\n")]
)
def test_lines_are_read_from_a_document(data: Any) -> None:
    assert list(json.load_lines(data)) == VALUES


def test_lines_are_read_from_a_file_and_from_pieces_of_every_size() -> None:
    assert list(json.load_lines(io.BytesIO(TEXT))) == VALUES
    for size in range(1, 40):
        pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]
        assert list(json.load_lines(pieces)) == VALUES
        assert list(json.load_lines([*pieces, b""])) == VALUES


def test_what_is_written_is_read() -> None:
    assert b"".join(json.dump_lines(VALUES)) == TEXT
    many = [{"n": i, "text": "x" * 100} for i in range(3000)]
    pieces = list(json.dump_lines(iter(many)))
    assert len(pieces) > 3
    assert max(map(len, pieces)) < 80_000
    assert list(json.load_lines(pieces)) == many
    assert list(json.dump_lines([])) == []
    assert b"".join(json.dump_lines([{"b": 1, "a": object()}], sort_keys=True, default=repr)).startswith(b'{"a":"<')


def test_empty_lines_are_passed_over_and_count() -> None:
    assert list(json.load_lines(b"\n1\n \t\r\n\n2\n\n")) == [1, 2]
    assert list(json.load_lines(b"")) == list(json.load_lines([])) == []
    with pytest.raises(json.JSONDecodeError) as caught:
        list(json.load_lines(b"\n\n[1,\n"))
    assert (caught.value.lineno, caught.value.offset) == (3, 6)


def test_an_error_names_the_line_and_the_place() -> None:
    read = json.load_lines([b'{"a":1}\n[1,', '"\u20ac",]\n3\n'.encode()])
    assert next(read) == {"a": 1}
    with pytest.raises(json.JSONDecodeError, match=r"line 2 column 8 \(byte 17\)") as caught:
        next(read)
    assert (caught.value.lineno, caught.value.colno, caught.value.offset) == (2, 8, 17)
    for data, line in (
        (b"1\n\xff\n", 2),
        ('1\n2\n"\ud800"', 3),
        (b"1 2\n", 1),
        (b"1\n{\n}\n", 2),
        (b"1\n\xef\xbb\xbf2", 2),
    ):
        with pytest.raises(json.JSONDecodeError) as caught:
            list(json.load_lines(data))
        assert caught.value.lineno == line
    with pytest.raises(json.JSONDecodeError, match=r"repeated.*line 2"):
        list(json.load_lines(b'1\n{"a":1,"a":2}', duplicate_keys="reject"))


def test_lines_have_bounds() -> None:
    assert list(json.load_lines(b"12345\n1\n", line_bytes_max=5, lines_max=2)) == [12345, 1]
    for data in (b"1\n123456\n", b"1\n123456", [b"1\n12", b"34", b"56\n"]):
        with pytest.raises(json.JSONDecodeError, match="more than 5 bytes: line 2"):
            list(json.load_lines(data, line_bytes_max=5))
    with pytest.raises(json.JSONDecodeError, match="more than 2 lines: line 3"):
        list(json.load_lines(b"1\n2\n3\n", lines_max=2))

    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 1000

    with pytest.raises(json.JSONDecodeError, match="line 1"):
        next(json.load_lines(endless(), line_bytes_max=10_000))
    assert taken < 15


def test_what_is_no_line_is_not_written() -> None:
    for values, words in (
        ([1, {"x": [float("nan")]}], r"^line 2: \$\.x\[0\]: NaN"),
        ([1, 2, json.Raw(b"{\n}")], "^line 3: .*line break"),
        ([object()], "^line 1: .*no form"),
    ):
        with pytest.raises(json.JSONEncodeError, match=words):
            list(json.dump_lines(values))
    for options in ({"indent": 2}, {"append_newline": True}):
        with pytest.raises(TypeError, match="a value is a line"):
            list(json.dump_lines([1], **options))
    with pytest.raises(TypeError, match="pieces of bytes, not str"):
        list(json.load_lines(["1\n"]))  # type: ignore[list-item]
