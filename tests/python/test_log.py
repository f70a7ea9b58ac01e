"""Lanner's own log lines."""

import os

import pytest

from lanner.log import Log, escape, line, put


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain-/:.5'", "plain-/:.5'"),
        ("two words", '"two words"'),
        ("", '""'),
        ('say "x"', '"say \\"x\\""'),
        ("a=b", '"a=b"'),
        ("back\\slash", '"back\\\\slash"'),
        ("new\nline\x1b[31m\0", '"new\\x0Aline\\x1B[31m\\x00"'),
        ("\u00e9", '"\\xC3\\xA9"'),
        ("\udcff", '"\\xFF"'),
    ],
)
def test_values_are_one_word_and_nothing_reaches_the_terminal(value: str, shown: str) -> None:
    assert escape(value) == shown


def test_a_line_is_level_event_and_fields() -> None:
    assert line("warning", "worker.exit", {"slot": 0, "why": "x y"}) == 'warn worker.exit slot=0 why="x y"'


def test_lines_under_the_level_are_not_written() -> None:
    read_end, write_end = os.pipe()
    log = Log("warning", write_end)
    log.debug("a")
    log.info("b")
    log.warning("c", n=1)
    log.error("d")
    os.close(write_end)
    with os.fdopen(read_end) as written:
        assert written.read() == "warn c n=1\nerror d\n"


def test_a_closed_or_full_log_stops_nobody() -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    for _ in range(70):
        put("x" * 1000, write_end)
    os.close(read_end)
    put("x", write_end)
    os.close(write_end)
    put("x", write_end)
