"""All types against all kinds of value: a value or a list of errors, the same as pydantic's but for what is listed here."""

from __future__ import annotations

import datetime
import decimal
import json as standard
import typing
from collections.abc import Callable
from typing import Annotated, Any

import annotated_types as at
import pydantic
import pytest
from pydantic_core import core_schema

from lanner import json
from lanner.schema import JSONDecodeError, Schema, ValidationError
from tests.support.schema_types import DEEP, DOCUMENTS, OWN, REFUSED, TYPES, Color, Level, Tagged, User, name_of

KNOWN = set(typing.get_args(core_schema.ErrorType))
# What pydantic has no constraint for.
OUR_SLUGS = {
    "duplicate_key",
    "string_format",
    "not_unique",
    "predicate_failed",
    "union_retries_exceeded",
    "hash_collisions",
}
PROFILES = ("json", "text", "compat")
SHORT = [document for document in DOCUMENTS if len(document) < 50]

Rows = list[tuple[str, tuple[Any, ...]]]


def rows(errors: list[dict[str, Any]]) -> Rows:
    return [(error["type"], error["loc"]) for error in errors]


def outcome(schema: Schema[Any], read: Callable[[Any], Any], value: Any) -> tuple[Any, Rows]:
    """(value, errors) of read(value); what the errors promise holds."""
    try:
        return read(value), []
    except ValidationError as error:
        raised = error
    errors = raised.errors()
    assert 0 < len(errors) <= 64
    assert [told["type"] for told in standard.loads(raised.json())] == [told["type"] for told in errors]
    assert len(raised.pointers()) == raised.error_count() == len(errors)
    assert all(told["type"] in KNOWN | OUR_SLUGS and told["msg"] for told in errors), errors
    assert str(raised)
    return None, rows(errors)


def refusal(read: Callable[[bytes], Any], document: bytes) -> tuple[str, int] | None:
    """(what is wrong, at which byte) if it is no JSON."""
    try:
        read(document)
    except JSONDecodeError as error:
        return error.msg, error.pos
    except ValidationError:
        pass
    return None


def theirs(adapter: pydantic.TypeAdapter[Any], document: bytes) -> tuple[Any, Rows]:
    try:
        return adapter.validate_json(document, strict=True), []
    except pydantic.ValidationError as error:
        return None, rows(error.errors())


def text_of(rows: Rows) -> str:
    return " ".join(kind for kind, _ in rows)


def known_difference(tp: Any, document: bytes, ours: Rows, wanted: Rows) -> str:
    """Why pydantic says something else; "" = there is no reason."""
    name, text = name_of(tp), document.decode()
    if all(kind == "model_attributes_type" for kind, _ in ours) and text_of(wanted).count("dict_type") == len(ours):
        return "a discriminated union of what is no object is model_attributes_type in JSON, too"
    if "datetime" in name and text.strip('"').lstrip("-").replace(".", "").isdigit():
        return "a datetime is not read from an epoch in text"
    if "Timezone(tz=Ellipsis)" in name and text_of(ours) == "timezone_aware":
        return "Timezone(...) demands any offset, as annotated_types says; pydantic lets it be"
    if "ecimal" in name and text in ("1e-400", '" 1 "'):
        return "a Decimal keeps all digits of a JSON number, and takes no blanks"
    if "float" in name and len(text) > 400:
        return "an int beyond the doubles is not finite"
    if tp in (Color, Level, Color | None) or "Literal" in name:
        return (
            "only the value itself is a choice: no true, no 1.0; a long int is one that does not fit"
            if (text in ("true", "1.0") or "int_parsing_size" in text_of(wanted))
            else ""
        )
    if "tuple[int, ...]" in name and wanted[-1:] == [("too_short", ())]:
        return "a tuple whose items are wrong is not too short besides"
    if "abc.Set" in name and text_of(wanted) == "frozen_set_type":
        return "collections.abc.Set is read as a set"
    if text == '{"a":1,"a":2}' and ours == wanted * 2:
        return "of equal keys each value is checked"
    if tp is User:
        return "a pydantic model reads as it is configured: in its lax mode"
    return ""


@pytest.mark.parametrize("tp", TYPES, ids=name_of)
def test_every_document_is_read_as_pydantic_reads_it(tp: Any) -> None:
    schema = Schema(tp)
    adapter = None if tp in OWN else pydantic.TypeAdapter(tp)
    for document in DOCUMENTS:
        value, errors = outcome(schema, schema.decode, document)
        if adapter is None:
            continue
        expected, wanted = theirs(adapter, document)
        same = errors == wanted and (errors or value == expected or repr(value) == repr(expected))
        assert same or known_difference(tp, document, errors, wanted), (document, value, errors, expected, wanted)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("tp", TYPES, ids=name_of)
def test_whatever_is_given_there_is_a_value_or_a_list_of_errors(tp: Any, profile: Any) -> None:
    schema = Schema(tp, profile=profile)
    for document in DOCUMENTS:
        outcome(schema, schema.decode, document)
        outcome(schema, schema.validate, standard.loads(document))
    for value in objects():
        outcome(schema, schema.validate, value)


def objects() -> list[Any]:
    """What JSON has no form for."""
    cycle: list[Any] = []
    cycle.append(cycle)
    ring: dict[str, Any] = {"kind": "cat"}
    ring["a"] = ring["kids"] = ring
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    numbers = [
        float("nan"),
        float("inf"),
        -float("inf"),
        10**400,
        -(2**63),
        2**64,
        1e300,
        -1e300,
        5e-324,
        0.9999999,
        1j,
    ]
    texts = ["\ud800", "\udfff x", "x" * 5000, b"", b"\xff", bytearray(b"a"), memoryview(b"a"), "\0"]
    others = [
        object(),
        object,
        len,
        ...,
        range(2),
        iter([1]),
        {1, 2},
        frozenset("a"),
        (1, 2),
        {(1, 2): 3},
        {"\ud800": 1},
    ]
    return [
        *numbers,
        *texts,
        *others,
        {b"a": 1},
        {None: 1, 1: 2, 1.5: 3},
        cycle,
        ring,
        deep,
        {"a": "\ud800"},
        {"kind": "\ud800"},
    ]


@pytest.mark.parametrize("tp", TYPES, ids=name_of)
def test_what_is_no_json_is_refused_by_every_type_at_the_same_byte(tp: Any) -> None:
    schema = Schema(tp)
    cut = [document[:size] for document in SHORT for size in range(len(document))]
    for document in [*REFUSED, *cut, *(document + b" x" for document in DOCUMENTS), *(b"[" + d for d in SHORT)]:
        if document.endswith(b"1e400") and "ecimal" in name_of(tp):
            continue  # which a Decimal holds
        assert refusal(schema.decode, document) == refusal(json.loads, document), document


@pytest.mark.parametrize("tp", TYPES, ids=name_of)
def test_text_is_read_as_its_bytes_are(tp: Any) -> None:
    schema = Schema(tp)
    for document in DOCUMENTS:
        expected = outcome(schema, schema.decode, document)
        for other in (document.decode(), bytearray(document), memoryview(document)):
            assert repr(outcome(schema, schema.decode, other)) == repr(expected), document
    for text in ('"\ud800"', '["\udc00"]', '{"a":"\ud83d"}'):
        with pytest.raises(JSONDecodeError, match="UTF-8"):
            schema.decode(text)


def test_deep_documents_are_read_without_the_stack() -> None:
    for tp in TYPES:
        for document in (b"[" * 1_000_000, b'{"a":' * 1_000_000, b'{"kids":[' * 500_000):
            with pytest.raises(JSONDecodeError, match="nested"):
                Schema(tp).decode(document)
    assert DEEP < 128


BEYOND: list[tuple[Any, bytes, str]] = [
    (decimal.Decimal, b"1e-99999999999999999999", "decimal_parsing"),
    (decimal.Decimal, b'"1e99999999999999999999"', "decimal_parsing"),
    (Annotated[decimal.Decimal, at.MultipleOf(decimal.Decimal("0.01"))], b"1e300", "multiple_of"),
    (Annotated[decimal.Decimal, pydantic.Field(ge=1, allow_inf_nan=True)], b'"NaN"', "greater_than_equal"),
    (Annotated[int, at.MultipleOf(0.5)], b"1" + b"0" * 400, ""),
    (Annotated[float, at.Le(10**400)], b"1.5", ""),
    (Annotated[datetime.datetime, at.Ge(datetime.datetime(2024, 1, 2))], b'"2024-01-02T01:00:00+05:00"', ""),
    (
        Annotated[datetime.datetime, at.Ge(datetime.datetime(2024, 1, 2))],
        b'"2024-01-01T23:00:00-05:00"',
        "greater_than_equal",
    ),
    (Annotated[datetime.time, at.Lt(datetime.time(1, tzinfo=datetime.UTC))], b'"00:59"', ""),
]


@pytest.mark.parametrize(("tp", "document", "slug"), BEYOND, ids=str)
def test_numbers_and_times_that_cannot_be_compared_are_errors_as_others_are(
    tp: Any, document: bytes, slug: str
) -> None:
    schema = Schema(tp)
    errors = outcome(schema, schema.decode, document)[1]
    assert text_of(errors) == slug


@pytest.mark.parametrize(
    ("tp", "value"),
    [
        (datetime.datetime, 0.9999999),
        (datetime.datetime, -0.0000001),
        (datetime.datetime, float("nan")),
        (datetime.date, -1e300),
        (datetime.timedelta, float("nan")),
        (datetime.timedelta, 86399999999999.0),
        (datetime.timedelta, 86400000000000.0),
        (datetime.timedelta, -86399999913600.0),
        (datetime.timedelta, -1e300),
    ],
    ids=str,
)
def test_moments_out_of_numbers_are_pydantics(tp: Any, value: float) -> None:
    schema = Schema(tp, profile="compat")
    found, errors = outcome(schema, schema.validate, value)
    try:
        expected, wanted = pydantic.TypeAdapter(tp).validate_python(value), []
    except pydantic.ValidationError as error:
        expected, wanted = None, rows(error.errors())
    assert (found, errors) == (expected, wanted)


def test_infinite_decimals_pass_where_they_may() -> None:
    tp = Annotated[decimal.Decimal, pydantic.Field(allow_inf_nan=True)]
    assert str(Schema(tp).decode(b'["-Infinity"]'[1:-1])) == "-Infinity"
    assert Schema(tp).validate(decimal.Decimal("NaN")).is_nan()


def test_a_multiple_of_nothing_means_nothing() -> None:
    for bound in (0, -1, 0.0):
        with pytest.raises(TypeError, match="above 0"):
            Schema(Annotated[int, at.MultipleOf(bound)])


def test_a_tuple_is_given_to_a_pydantic_model_as_one_value() -> None:
    schema = Schema(User)
    assert outcome(schema, schema.validate, (1, 2))[1] == [("model_type", ())]


@pytest.mark.parametrize(
    ("document", "tag"),
    [(b'{"kind":""}', ""), (b'{"kind":[1]}', "[1]"), (b'{"kind":null}', "None"), (b'{"kind":1.5}', "1.5")],
)
def test_a_tag_that_is_none_is_named(document: bytes, tag: str) -> None:
    schema = Schema(Tagged)
    for read, value in ((schema.decode, document), (schema.validate, standard.loads(document))):
        with pytest.raises(ValidationError) as raised:
            read(value)
        error = raised.value.errors()[0]
        assert error["ctx"]["tag"] == tag
        assert f"Input tag '{tag}' found" in error["msg"]
