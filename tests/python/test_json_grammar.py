"""The grammar of JSON, text by text: all short ones, by each of the roads that read JSON."""

from __future__ import annotations

import itertools
import json as standard
from collections.abc import Iterator
from typing import Any, NoReturn, TypedDict

import pytest

from lanner import json
from lanner.schema import JSONDecodeError, Schema

CHARACTERS = '{}[],:"\\ 01-+.eEtnu/a\n\x1f\u20ac'
TOKENS = ("{", "}", "[", "]", ",", ":", '"a"', "1", "-0.5e1", "true", "null", " ")
NUMBER = "-+.eE019"
ESCAPES = (
    '"',
    "\\",
    "/",
    "b",
    "f",
    "n",
    "r",
    "t",
    "u0041",
    "u00e9",
    "u20AC",
    "ud83d",
    "ude00",
    "u",
    "u12",
    "uD800",
    "x",
    "0",
    "'",
)


class Nothing(TypedDict):
    """All keys are unknown: what is read is skipped."""


ANY: Schema[Any] = Schema(Any)  # type: ignore[arg-type]
NOTHING: Schema[Any] = Schema(Nothing)
LIST: Schema[Any] = Schema(list[Any])


def no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def expected(text: str) -> str | None:
    """repr() of the value, by CPython's json where that is as strict as RFC 8259; None: it is no JSON."""
    try:
        value = standard.loads(text, parse_constant=no_constant)
    except ValueError:
        return None
    said = repr(value)
    # Half a surrogate pair (no other \ud occurs here), and numbers beyond the doubles, are refused.
    return None if "\\ud8" in said or "\\ude" in said or "inf" in said else said


def read(text: str) -> str | None:
    try:
        return repr(json.loads(text))
    except JSONDecodeError:
        return None


def accepts(schema: Schema[Any], document: str) -> bool:
    try:
        schema.decode(document)
    except JSONDecodeError:
        return False
    return True


def check(texts: Iterator[str]) -> None:
    for text in texts:
        value = expected(text)
        assert read(text) == value, text
        assert accepts(ANY, text) == (value is not None), text


def check_inside(texts: Iterator[str]) -> None:
    """Within an array, and where it is skipped."""
    for text in texts:
        inside, skipped = f"[0,{text}]", f'{{"x":{text}}}'
        assert accepts(LIST, inside) == (expected(inside) is not None), inside
        assert accepts(NOTHING, skipped) == (expected(skipped) is not None), skipped


def strings(parts: str | tuple[str, ...], length: int) -> Iterator[str]:
    return ("".join(chosen) for size in range(length + 1) for chosen in itertools.product(parts, repeat=size))


def sizes(quick: int, whole: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("size", [quick, pytest.param(whole, marks=pytest.mark.long)])


@sizes(2, 3)
def test_every_text_of_so_many_characters(size: int) -> None:
    check(strings(CHARACTERS, size))
    check_inside(strings(CHARACTERS, size))


@sizes(3, 4)
def test_every_row_of_so_many_tokens(size: int) -> None:
    check(strings(TOKENS, size))
    check_inside(strings(TOKENS, size - 1))


@sizes(4, 5)
def test_every_number_of_so_many_characters(size: int) -> None:
    check(strings(NUMBER, size))
    check_inside(strings(NUMBER, size - 2))


def test_every_pair_of_escapes() -> None:
    for before, after in (("", ""), ("x" * 61, "y" * 70)):
        check(f'"{before}\\{a}\\{b}{after}"' for a in ESCAPES for b in ESCAPES)
        check_inside(f'"{before}\\{a}\\{b}{after}"' for a in ESCAPES for b in ESCAPES)


@pytest.mark.parametrize("size", [1, 15, 16, 31, 32, 63, 64, 65])
def test_every_byte_at_every_edge_of_a_block(size: int) -> None:
    for byte in range(256):
        for at in {0, size - 1}:
            content = bytearray(b"a" * size)
            content[at] = byte
            document = b'["' + bytes(content) + b'"]'
            try:
                value = standard.loads(document.decode())
            except ValueError:  # UTF-8, too
                value = None
            try:
                found = json.loads(document)
            except JSONDecodeError:
                found = None
            assert found == value, document
            assert accepts(LIST, document) == (value is not None)  # type: ignore[arg-type]
