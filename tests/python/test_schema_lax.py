"""The compat profile beside pydantic's lax mode: every scalar against every kind of value, of plain and of own classes."""

from __future__ import annotations

import datetime
import decimal
import enum
import ipaddress
import pathlib
import uuid
from collections.abc import Callable
from typing import Any, Literal

import pydantic
import pytest

from lanner.schema import Schema, ValidationError


class Word(enum.StrEnum):
    A = "a"
    ONE = "1"
    TRUE = "true"
    DAY = "2024-01-02"
    ID = "12345678-1234-5678-1234-567812345678"
    ADDRESS = "127.0.0.1"


class Number(enum.IntEnum):
    ONE = 1
    NONE = 0


class Color(enum.Enum):
    RED = "red"
    ONE = 1


class Text(str):
    pass


class Mixed(str, enum.Enum):  # noqa: UP042
    A = "a"


class Whole(int):
    pass


class Real(float):
    pass


class Raw(bytes):
    pass


class Array(bytearray):
    pass


class Exact(decimal.Decimal):
    pass


class Moment(datetime.datetime):
    pass


class Day(datetime.date):
    pass


TYPES: list[Any] = [
    *(None, bool, int, float, str, bytes, datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
    *(uuid.UUID, decimal.Decimal, Color, Number, Word, Mixed, Literal["a"], Literal[1], Literal["1", "true"]),
    *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv4Interface, pathlib.Path),
]
SIGNS = ("", "+", "-", "+-", "-+", "--", "++", "+ ", "- ")
NUMBERS = (
    *("1", "0", "01", "1_000", "1__0", "_1", "1_", "1.0", "1.5", "1.", "1_0.0", "1_000.0", ".5", "001.50", "1.0_0"),
    *("1_.0", "1._0", "1e3", "1E3", "1e-3", "1_0e1_0", "1e_3", "1e400", "1e-400", "0.0", "0_0", "0x1", "1,5", "1 2"),
    *(
        "inf",
        "Infinity",
        "nan",
        "NaN",
        "infinity ",
        " 1 ",
        "\u00a01",
        "1\u2003",
        "\u30001\u0085",
        "\n1\t",
        "½",
        "1\x00",
    ),
    *("1" * 20, "1" * 400, "1" * 5000, "9" * 19 + ".0", "0." + "0" * 400 + "1"),
)
TEXTS = (
    *(sign + number for sign in SIGNS for number in NUMBERS),
    *("", "true", "TRUE", " true", "on", "t", "yes", "off", "a", "red", "2024-01-02", "2024-01-02T00:00:00", "\ud800"),
    *("2024-01-02T03:04:05Z", "2024-01-02T00:00:00Z", "1704153600", "1704153600.5", "1704153600000", "10:20:30"),
    *("10:20", "P1D", "1 day", str(uuid.UUID(int=5)), uuid.UUID(int=5).hex, f"urn:uuid:{uuid.UUID(int=5)}"),
    *("127.0.0.1", "::1", "127.0.0.0/24"),
)
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, -1, 10**20, 2**130, -(2**130), 10**400, 10**5000, 1.0, 0.0, 1.5, -0.0, 1e300),
    *(float("nan"), float("inf"), -float("inf"), 1704153600, 1704153600000, 1704153600.5, 2**40),
    *TEXTS,
    *(text.encode() for text in TEXTS if text != "\ud800"),
    *(bytearray(b"1"), bytearray(b"true"), memoryview(b"1"), b"\xff", Raw(b"1"), Array(b"1"), b"\x12\x34\x56\x78" * 4),
    *(map(decimal.Decimal, ("1", "1.0", "1.5", "0", "-1", "1e400", "1704153600", "1704153600.5", "1e2", "1E+30"))),
    *(map(decimal.Decimal, ("NaN", "Infinity", "-Infinity", "sNaN"))),
    *Word,
    *Number,
    *(Text("a"), Text("1"), Text("true"), Text("2024-01-02"), Mixed.A, Whole(1), Whole(0), Whole(10**30)),
    *(Real(1.0), Real(1.5), Real(0.0), Exact("1"), Exact("1.5"), Color.RED, Color.ONE),
    *(datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC)),
    *(
        datetime.datetime(2024, 1, 2, 3, tzinfo=datetime.UTC),
        Moment(2024, 1, 2),
        Moment(2024, 1, 2, 3),
        Day(2024, 1, 2),
    ),
    *(datetime.time(1, 2), datetime.timedelta(1), datetime.timedelta(0.5), uuid.UUID(int=5)),
    *(ipaddress.IPv4Address("1.2.3.4"), ipaddress.IPv6Address("::1"), ipaddress.IPv4Network("1.2.3.0/24")),
    *(ipaddress.IPv4Interface("1.2.3.4/24"), pathlib.Path("a")),
    *(1j, [], {}, (), set(), [1], ("a",), object(), int, range(2)),
]


def outcome(read: Callable[[Any], Any], value: Any) -> Any:
    """The value read, or the slugs of its errors."""
    try:
        return read(value)
    except (ValidationError, pydantic.ValidationError) as error:
        return [(told["type"], told["loc"]) for told in error.errors()]


def same(one: Any, two: Any) -> bool:
    return type(one) is type(two) and (one == two or repr(one) == repr(two))


def slug(found: Any) -> str:
    return found[0][0] if isinstance(found, list) and found and isinstance(found[0], tuple) else ""


def known_difference(tp: Any, value: Any, ours: Any, wanted: Any) -> str:
    """docs/schema.md has them."""
    ours, theirs = slug(ours), slug(wanted)
    if ours and theirs and isinstance(tp, type) and tp.__module__ in ("ipaddress", "pathlib"):
        return "what pydantic has slugs of its own for is a value_error, or an error of the text"
    if "finite_number" in (ours, theirs) and not (ours and theirs):
        return "NaN and infinities do not pass"
    if "int_parsing_size" in (ours, theirs):
        return "ints of any size, up to 4,300 digits"
    if ours in ("enum", "literal_error") and not theirs and (isinstance(value, bool | float | decimal.Decimal)):
        return "only the value itself is a choice"
    if ours.startswith("datetime_") and theirs == "datetime_from_date_parsing":
        return "an epoch beyond 64 bits is one that is too large"
    if {ours, theirs} <= {"string_unicode", "decimal_parsing", "enum", "literal_error"} and value == "\ud800":
        return "a str that is no text is string_unicode"
    if tp is pathlib.Path and isinstance(value, bytes | bytearray | enum.Enum):
        return "a path is read from what a str is read from"
    if tp is int and value is Color.RED:
        return "pydantic takes the value of an Enum's member whatever it is"
    if tp in (Word, Mixed, Number) and isinstance(value, int | Color):
        return "an Enum is not read from a member of another one, but from a str or int"
    return ""


@pytest.mark.filterwarnings("ignore:__int__ returned non-int:DeprecationWarning")  # ipaddress, given True
@pytest.mark.parametrize("tp", TYPES, ids=str)
def test_every_scalar_is_read_from_every_value_as_pydantic_reads_it(tp: Any) -> None:
    schema: Schema[Any] = Schema(tp, profile="compat")
    adapter = pydantic.TypeAdapter(tp)
    for value in VALUES:
        if isinstance(value, decimal.Decimal) and value.is_snan() and tp in (Color, Number):
            continue  # pydantic raises InvalidOperation
        if value == () and tp in (ipaddress.IPv4Network, ipaddress.IPv4Interface):
            continue  # pydantic raises IndexError
        found, wanted = outcome(schema.validate, value), outcome(adapter.validate_python, value)
        assert same(found, wanted) or known_difference(tp, value, found, wanted), (
            type(value),
            ascii(value)[:80] if not isinstance(value, int) else "",
        )


@pytest.mark.parametrize("tp", TYPES, ids=str)
def test_a_scalar_of_an_own_class_is_read_as_the_plain_one_in_every_profile(tp: Any) -> None:
    for profile in ("json", "text", "compat"):
        schema: Schema[Any] = Schema(tp, profile=profile)
        for value in [*Word, *Number, Mixed.A, Text("a"), Text("1"), Whole(1), Real(1.5), Exact("1.5")]:
            kind = next(kind for kind in (str, int, float, decimal.Decimal) if isinstance(value, kind))
            plain = kind.__str__(value) if kind is str else kind(value)
            if isinstance(value, Number) and profile == "compat" and tp in (str, pathlib.Path):
                continue  # an Enum's member is read as its value
            if not isinstance(tp, type) or not isinstance(value, tp) or tp in (str, int, float, decimal.Decimal):
                assert same(outcome(schema.validate, value), outcome(schema.validate, plain)), (profile, value)
