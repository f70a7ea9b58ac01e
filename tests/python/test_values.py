"""Text to values: what the flags and variables accept, and what they say about the rest."""

import pytest

from lanner.cli import values


@pytest.mark.parametrize(
    ("word", "bytes_"),
    [("0", 0), ("100", 100), ("64k", 65536), ("64K", 65536), ("8m", 8 << 20), ("1g", 1 << 30), ("2MiB", 2 << 20)],
)
def test_size_takes_suffixes(word: str, bytes_: int) -> None:
    assert values.size(word) == bytes_


@pytest.mark.parametrize("word", ["", "k", "-1", "1.5k", "1t", "\u0661", "9" * 19, "99999999999g"])
def test_size_refuses(word: str) -> None:
    with pytest.raises(ValueError, match=r"is not a size|is too large"):
        values.size(word)


@pytest.mark.parametrize(
    ("word", "ms"),
    [("30", 30000), ("2.5", 2500), ("0", 0), ("500ms", 500), ("10m", 600000), ("1h30m", 5400000), ("1d", 86400000)],
)
def test_times_are_seconds_or_have_units(word: str, ms: int) -> None:
    assert values.milliseconds(word) == ms


def test_a_tiny_time_is_not_no_limit() -> None:
    assert values.milliseconds("0.0001") == 1


@pytest.mark.parametrize("word", ["", "-1", "5x", "m", "1.2.3", "nan", "inf", "1 2", "1e9"])
def test_time_refuses(word: str) -> None:
    with pytest.raises(ValueError, match="write seconds"):
        values.milliseconds(word)


@pytest.mark.parametrize("word", ["-1", "x", "1.0", "", "\u0661", "1_000", "9" * 30])
def test_number_refuses(word: str) -> None:
    with pytest.raises(ValueError, match="is negative" if word == "-1" else "not a whole number"):
        values.number(word)


def test_port_names_its_bound() -> None:
    assert values.port("65535") == 65535
    with pytest.raises(ValueError, match="65535 is the largest"):
        values.port("65536")


def test_positive_refuses_zero() -> None:
    with pytest.raises(ValueError, match="1 is the least"):
        values.positive("0")


@pytest.mark.parametrize(("word", "mode"), [("660", 0o660), ("0660", 0o660), ("0o600", 0o600), ("0", 0)])
def test_mode_is_octal(word: str, mode: int) -> None:
    assert values.mode(word) == mode


@pytest.mark.parametrize("word", ["668", "rw", "", "1777", "-1"])
def test_mode_refuses(word: str) -> None:
    with pytest.raises(ValueError, match="octal"):
        values.mode(word)


def test_flag_reads_yes_and_no() -> None:
    assert [values.flag(word) for word in ("1", "True", "yes", "ON")] == [True] * 4
    assert [values.flag(word) for word in ("0", "False", "no", "OFF")] == [False] * 4
    with pytest.raises(ValueError, match="neither yes nor no"):
        values.flag("maybe")


def test_one_of_knows_synonyms() -> None:
    choice = values.one_of("info", "debug", trace="debug")
    assert [choice("INFO"), choice("trace")] == ["info", "debug"]
    with pytest.raises(ValueError, match="not one of info, debug"):
        choice("loud")


def test_text_refuses_nul() -> None:
    with pytest.raises(ValueError, match="NUL"):
        values.text("a\0b")
