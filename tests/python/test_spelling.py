"""The nearest name to a misspelt one."""

import pytest

from lanner.spelling import distance, hint, nearest


@pytest.mark.parametrize(
    ("typed", "meant"), [("--prot", "--port"), ("--hots", "--host"), ("--worker", "--workers"), ("--PORT", "--port")]
)
def test_nearest_finds_what_was_meant(typed: str, meant: str) -> None:
    assert nearest(typed, ["--port", "--host", "--workers", "--threads"]) == meant


def test_nearest_is_none_for_something_else() -> None:
    assert nearest("--banana", ["--port", "--bind"]) is None
    assert nearest("x", []) is None


def test_hint_ends_a_line() -> None:
    assert hint("prot", ["port"]) == "; did you mean port?"
    assert hint("banana", ["port"]) == ""


@pytest.mark.parametrize(("a", "b", "edits"), [("", "", 0), ("ab", "ba", 1), ("abc", "", 3), ("kitten", "sitting", 3)])
def test_distance_counts_edits(a: str, b: str, edits: int) -> None:
    assert distance(a, b) == distance(b, a) == edits
