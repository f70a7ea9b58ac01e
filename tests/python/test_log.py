"""Lanner's own log lines."""

import os
import re
import time
from datetime import datetime

import pytest

from lanner.log import Log, escape, line, put, stamp


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
        assert [line.partition("] ")[2] for line in written] == ["warn c n=1\n", "error d\n"]


@pytest.mark.parametrize(
    ("zone", "offset"), [("UTC", "+00:00"), ("XYZ-05:30", "+05:30"), ("XYZ03:30", "-03:30"), ("XYZ-1", "+01:00")]
)
def test_a_line_begins_with_local_time_and_process(zone: str, offset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        before = time.time()
        found = re.fullmatch(r"(\S+) \[(\d+)\] ", stamp())
        after = time.time()
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found
    assert int(found[2]) == os.getpid()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d", found[1])
    assert found[1].endswith(offset)
    assert before - 0.001 <= datetime.fromisoformat(found[1]).timestamp() <= after


def test_a_closed_or_full_log_stops_nobody() -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    for _ in range(70):
        put("x" * 1000, write_end)
    os.close(read_end)
    put("x", write_end)
    os.close(write_end)
    put("x", write_end)
