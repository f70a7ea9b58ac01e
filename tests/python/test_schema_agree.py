"""Types and values by chance: JSON and objects are read alike, in every profile, and as pydantic reads them.

LANNER_EXAMPLES=20000 tries as many, others each time.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from typing import Any

import hypothesis
import pydantic
from hypothesis import strategies as st

from lanner.schema import Schema, ValidationError
from tests.support.schema_kinds import Made, kinds, mostly

MANY = os.environ.get("LANNER_EXAMPLES")
PROFILES = ("json", "text", "compat")

by_chance = hypothesis.settings(
    max_examples=int(MANY) if MANY else 100,
    derandomize=not MANY,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)


@st.composite
def cases(draw: Any) -> tuple[Made, list[Any]]:
    made = draw(kinds())
    return made, draw(st.lists(mostly(made), min_size=1, max_size=4))


def read(work: Any, given: Any) -> tuple[str, list[dict[str, Any]]]:
    """(repr() of the value, errors)"""
    try:
        return repr(work(given)), []
    except ValidationError as raised:
        errors = raised.errors()
    for error in errors:
        if error["type"] == "model_type":
            error["msg"] = ""  # a pydantic model has its own words for JSON
        if error.get("ctx", {}).get("tag", "").startswith(("[", "{")):
            error["msg"] = error["ctx"]["tag"] = ""  # no tag: as JSON, or as Python shows it
    return "", errors


@by_chance
@hypothesis.given(cases())
def test_json_and_objects_are_read_alike(case: tuple[Made, list[Any]]) -> None:
    made, values = case
    for profile in PROFILES:
        schema: Schema[Any] = Schema(made.tp, profile=profile)  # type: ignore[arg-type]
        for value in values:
            document = json.dumps(value, ensure_ascii=False).encode()
            if profile == "compat" and pydantic_tells_apart(made.tp, document):
                continue  # text is how JSON says a Decimal, in Python it is one more thing that an int is read from
            from_json = read(schema.decode, document)
            from_objects = read(schema.validate, json.loads(document))
            assert from_json == from_objects, (profile, document)


def pydantic_tells_apart(tp: Any, document: bytes) -> bool:
    try:
        adapter = pydantic.TypeAdapter(tp)
        return repr(adapter.validate_json(document)) != repr(adapter.validate_python(json.loads(document)))
    except (pydantic.ValidationError, pydantic.PydanticSchemaGenerationError):
        return False


def theirs(adapter: pydantic.TypeAdapter[Any], value: Any, profile: str) -> tuple[Any, list[tuple[Any, ...]]]:
    try:
        if profile == "json":
            return adapter.validate_json(json.dumps(value), strict=True), []
        return adapter.validate_python(value), []
    except pydantic.ValidationError as error:
        return None, told(error.errors(include_url=False))


def ours(schema: Schema[Any], value: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    try:
        return schema.validate(value), []
    except ValidationError as error:
        return None, told(error.errors())


def told(errors: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    # A discriminated union of what is no object: one slug in JSON, another in Python.
    return [(error["type"].replace("model_attributes_type", "dict_type"), error["loc"]) for error in errors]


def same(one: Any, two: Any) -> bool:
    """Equal, and of the same types; 1 is neither True nor 1.0."""
    if type(one) is not type(two):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if dataclasses.is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(two, f.name)) for f in dataclasses.fields(one))
    return bool(one == two)


def known_difference(value: Any, profile: str, errors: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> bool:
    """docs/schema.md has them, or test_schema_bad_values.py."""
    text = json.dumps(value)
    kinds_of_error = {kind for kind, _ in errors}
    if {kind for kind, _ in wanted} & {"int_parsing_size", "too_long"}:
        return True  # ints of any size; a set or dict whose items are wrong is not too long besides
    if profile == "json" and "datetime_parsing" in kinds_of_error and re.search(r'"[-+]?[0-9.]+"', text):
        return True  # no epochs in text
    if kinds_of_error & {"enum", "literal_error"} and re.search(r"true|false|\b[01]\.0\b", text):
        return True  # only the value itself is a choice
    return "time_delta_type" in kinds_of_error and ("true" in text or "false" in text)  # a bool is no number of seconds


@by_chance
@hypothesis.given(cases().filter(lambda case: case[0].peers))
def test_what_pydantic_knows_is_read_as_pydantic_reads_it(case: tuple[Made, list[Any]]) -> None:
    made, values = case
    adapter = pydantic.TypeAdapter(made.tp)
    for profile in ("json", "compat"):
        schema: Schema[Any] = Schema(made.tp, profile=profile)  # type: ignore[arg-type]
        for value in values:
            found, errors = ours(schema, value)
            expected, wanted = theirs(adapter, value, profile)
            if known_difference(value, profile, errors, wanted):
                continue
            assert errors == wanted, (profile, value)
            assert same(found, expected), (profile, value, found, expected)


@by_chance
@hypothesis.given(cases())
def test_what_is_read_is_written_and_reads_back(case: tuple[Made, list[Any]]) -> None:
    made, values = case
    schema: Schema[Any] = Schema(made.tp)
    for value in values:
        try:
            found = schema.validate(value)
        except ValidationError:
            continue
        document = schema.encode(found)
        json.loads(document)
        assert same(schema.decode(document), found), document
