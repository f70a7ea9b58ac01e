"""Generic and recursive types: type variables bound at any depth, in both spellings, and aliases that name themselves."""

from __future__ import annotations

import dataclasses
import sys
import types
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar

import annotated_types as at
import attrs
import jsonschema
import msgspec
import pytest
import typing_extensions

import lanner
from lanner.schema import Schema, ValidationError

T = TypeVar("T")
U = TypeVar("U")
Bound = TypeVar("Bound", bound=int)
OneOf = TypeVar("OneOf", int, str)
Forward = TypeVar("Forward", bound="Leaf")
Given = typing_extensions.TypeVar("Given", default=int)


@dataclasses.dataclass
class Leaf:
    size: int


@dataclasses.dataclass
class Box(Generic[T]):
    item: T
    next: Box[T] | None = None


@dataclasses.dataclass
class Two(Generic[T, U]):
    first: Box[list[T]]
    rest: dict[str, Box[dict[str, U]]]
    swapped: Two[U, T] | None = None


@dataclasses.dataclass
class IntBox(Box[int]):
    note: str = ""


class Movie(TypedDict, Generic[T]):
    name: T


class Row(NamedTuple, Generic[T]):
    x: T
    y: list[T] = []  # noqa: RUF012


class Page(lanner.Model, Generic[T]):
    items: list[T]


class IntPage(Page[int]):
    total: int = 0


class Struct(msgspec.Struct, Generic[T]):
    x: T


@attrs.define
class Attrs(Generic[T]):
    x: T


@dataclasses.dataclass
class Limited(Generic[Bound]):
    x: Bound


@dataclasses.dataclass
class Either(Generic[OneOf]):
    x: OneOf


@dataclasses.dataclass
class Defaulted(typing_extensions.Generic[Given]):
    x: Given


@dataclasses.dataclass
class Resp(Generic[T]):
    data: T
    more: Box[T] | None = None


@dataclasses.dataclass
class ListResp(Resp[list[T]], Generic[T]):
    last: T | None = None


@dataclasses.dataclass
class IntResp(ListResp[int], Generic[T]):
    note: T | None = None


@dataclasses.dataclass
class Swapped(Two[U, T], Generic[T, U]):
    own: T | None = None


class Film(Movie[list[T]], Generic[T]):
    year: T


class Director(Film[int]):
    who: str


class StructPage(Struct[list[T]], Generic[T]):
    y: T


@attrs.define
class AttrsPage(Attrs[list[T]], Generic[T]):
    y: T


class Pages(Page[list[T]], Generic[T]):
    first: T


@dataclasses.dataclass
class Ahead(Generic[Forward]):
    x: Forward


@dataclasses.dataclass
class Larger(Generic[T]):
    x: Larger[list[T]] | None = None


Alias = typing_extensions.TypeAliasType("Alias", dict[str, T], type_params=(T,))
Words = typing_extensions.TypeAliasType("Words", list[str])


def errors(tp: Any, document: bytes) -> list[tuple[str, tuple[Any, ...]]]:
    try:
        Schema(tp).decode(document)
    except ValidationError as error:
        return [(item["type"], item["loc"]) for item in error.errors()]
    return []


CASES: list[tuple[Any, bytes, list[tuple[str, tuple[Any, ...]]]]] = [
    (Box[int], b'{"item":1,"next":{"item":"x"}}', [("int_type", ("next", "item"))]),
    (Box, b'{"item":[1],"next":{"item":"x"}}', []),
    (Box[Box[str]], b'{"item":{"item":1}}', [("string_type", ("item", "item"))]),
    (Box[Annotated[int, at.Ge(3)]], b'{"item":2}', [("greater_than_equal", ("item",))]),
    (
        Two[int, str],
        b'{"first":{"item":["a"]},"rest":{"k":{"item":{"z":1}}}}',
        [("int_type", ("first", "item", 0)), ("string_type", ("rest", "k", "item", "z"))],
    ),
    (
        Two[int, str],
        b'{"first":{"item":[1]},"rest":{},"swapped":{"first":{"item":[1]},"rest":{"k":{"item":{"z":"a"}}}}}',
        [("string_type", ("swapped", "first", "item", 0)), ("int_type", ("swapped", "rest", "k", "item", "z"))],
    ),
    (tuple[Two[int, int], Two[str, str]], b'[{"first":{"item":[1]},"rest":{}},{"first":{"item":["a"]},"rest":{}}]', []),
    (IntBox, b'{"item":"x"}', [("int_type", ("item",))]),
    (Movie[int], b'{"name":"a"}', [("int_type", ("name",))]),
    (Row[int], b'["a",["b"]]', [("int_type", (0,)), ("int_type", (1, 0))]),
    (Page[Box[int]], b'{"items":[{"item":"x"}]}', [("int_type", ("items", 0, "item"))]),
    (IntPage, b'{"items":["x"]}', [("int_type", ("items", 0))]),
    (Struct[int], b'{"x":"a"}', [("int_type", ("x",))]),
    (Attrs[int], b'{"x":"a"}', [("int_type", ("x",))]),
    (ListResp[int], b'{"data":[1],"more":{"item":[1]},"last":1}', []),
    (
        ListResp[int],
        b'{"data":1,"more":{"item":1},"last":"a"}',
        [("list_type", ("data",)), ("list_type", ("more", "item")), ("int_type", ("last",))],
    ),
    (
        IntResp[str],
        b'{"data":["a"],"last":"b","note":1}',
        [("int_type", ("data", 0)), ("int_type", ("last",)), ("string_type", ("note",))],
    ),
    (Swapped[int, str], b'{"first":{"item":["a"]},"rest":{"k":{"item":{"z":1}}},"own":1}', []),
    (
        Swapped[int, str],
        b'{"first":{"item":[1]},"rest":{},"own":"a"}',
        [("string_type", ("first", "item", 0)), ("int_type", ("own",))],
    ),
    (Film[int], b'{"name":1,"year":"a"}', [("list_type", ("name",)), ("int_type", ("year",))]),
    (
        Director,
        b'{"name":["a"],"year":"a","who":1}',
        [("int_type", ("name", 0)), ("int_type", ("year",)), ("string_type", ("who",))],
    ),
    (StructPage[int], b'{"x":1,"y":"a"}', [("list_type", ("x",)), ("int_type", ("y",))]),
    (AttrsPage[int], b'{"x":1,"y":"a"}', [("list_type", ("x",)), ("int_type", ("y",))]),
    (Pages[int], b'{"items":[1],"first":"a"}', [("list_type", ("items", 0)), ("int_type", ("first",))]),
    (Box[T], b'{"item":[1],"next":{"item":"x"}}', []),  # type: ignore[valid-type]
    (Box[list[T]], b'{"item":1}', [("list_type", ("item",))]),  # type: ignore[valid-type]
    (Box[Bound], b'{"item":"x","next":{"item":"y"}}', [("int_type", ("item",)), ("int_type", ("next", "item"))]),  # type: ignore[valid-type]
    (list[T], b'["a",1]', []),  # type: ignore[valid-type]
    (Alias, b'{"a":[1]}', []),
    (Alias[T], b'{"a":[1]}', []),  # type: ignore[valid-type]
    (Ahead, b'{"x":{"size":"a"}}', [("int_type", ("x", "size"))]),
    (Ahead[Forward], b'{"x":{"size":"a"}}', [("int_type", ("x", "size"))]),  # type: ignore[valid-type]
    (Limited, b'{"x":"a"}', [("int_type", ("x",))]),
    (Either, b'{"x":"a"}', []),
    (Either, b'{"x":1.5}', [("int_type", ("x", "int")), ("string_type", ("x", "str"))]),
    (Defaulted, b'{"x":"a"}', [("int_type", ("x",))]),
    (Defaulted[str], b'{"x":"a"}', []),
    (Words, b"[1]", [("string_type", (0,))]),
    (tuple[Annotated[Words, at.MinLen(1)], Words], b"[[],[]]", [("too_short", (0,))]),
    (Box[Words] | None, b'{"item":[1]}', [("string_type", ("item", 0))]),
]


@pytest.mark.parametrize(("tp", "document", "expected"), CASES, ids=lambda item: str(item)[:40])
def test_type_variables_are_what_they_are_bound_to(tp: Any, document: bytes, expected: list[Any]) -> None:
    assert errors(tp, document) == expected
    jsonschema.Draft202012Validator.check_schema(Schema(tp).json_schema())


NEW_SYNTAX = """
import dataclasses
from typing import Annotated, NamedTuple, TypedDict
import annotated_types as at
import lanner

type Json = dict[str, Json] | list[Json] | str | int | None
type Pair[A, B] = tuple[A, B]
type Positive = Annotated[int, at.Gt(0)]
type Maybe[T] = Tree[T] | None

@dataclasses.dataclass
class Tree[T]:
    value: T
    left: Maybe[T] = None

class Page[T](lanner.Model):
    items: list[T]
    next: "Page[T] | None" = None

class Movie[T](TypedDict):
    name: T

class Row[T: int](NamedTuple):
    x: T
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 is Python 3.12's")
def test_type_statements_and_type_parameters_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("new_syntax")
    monkeypatch.setitem(sys.modules, "new_syntax", module)
    names: dict[str, Any] = vars(module)
    exec(NEW_SYNTAX, names)
    assert Schema(names["Json"]).decode(b'{"a":[1,{"b":null}]}') == {"a": [1, {"b": None}]}
    assert errors(names["Json"], b"[[1.5]]") != []
    described = Schema(names["Json"]).json_schema()
    jsonschema.Draft202012Validator(described).validate({"a": [1, {"b": None}]})
    assert not jsonschema.Draft202012Validator(described).is_valid([[1.5]])
    positive = names["Positive"]
    assert errors(names["Pair"][int, str], b'["a",1]') == [("int_type", (0,)), ("string_type", (1,))]
    assert errors(Annotated[positive, at.Lt(5)], b"7") == [("less_than", ())]
    assert errors(list[positive], b"[0]") == [("greater_than", (0,))]
    assert errors(names["Tree"][int], b'{"value":1,"left":{"value":"x"}}') == [("int_type", ("left", "value"))]
    assert errors(names["Maybe"][int], b"null") == []
    assert errors(names["Page"][int], b'{"items":[],"next":{"items":["x"]}}') == [("int_type", ("next", "items", 0))]
    assert errors(names["Movie"][int], b'{"name":"a"}') == [("int_type", ("name",))]
    assert errors(names["Row"], b'["a"]') == [("int_type", (0,))]
    for tp in (names["Tree"][int], names["Maybe"][str], names["Page"][names["Json"]]):
        jsonschema.Draft202012Validator.check_schema(Schema(tp).json_schema())


def test_a_type_that_names_ever_larger_types_is_refused() -> None:
    with pytest.raises(TypeError, match="names ever larger types"):
        Schema(Larger[int])
