"""Names of components: one for each type unless it is read and written differently, and FastAPI's choice of them."""

from __future__ import annotations

import dataclasses
import enum
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar

import annotated_types as at
import fastapi
import msgspec
import pydantic
import pytest

import lanner
from lanner.schema import Definitions, Schema
from tests.support.openapi_names import LANNER

T = TypeVar("T")
ERRORS = ("HTTPError", "HTTPValidationError", "ValidationError")


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Leaf:
    size: int = 1


@dataclasses.dataclass
class Node:
    value: int
    kids: list[Node] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Author:
    books: list[Book]


@dataclasses.dataclass
class Book:
    author: Author | None = None
    price: Decimal = Decimal(1)


@dataclasses.dataclass
class Box(Generic[T]):
    item: T


class Crate(pydantic.BaseModel, Generic[T]):
    item: T


def in_module(name: str, cls: type) -> Any:
    """The class as if another module had it."""
    cls.__module__ = name
    cls.__qualname__ = cls.__name__
    return cls


def schemas(*pairs: tuple[Any, Any]) -> dict[str, Any]:
    """The components of an app that reads the first of each pair and writes the second."""
    app = LANNER.App()
    for number, (read, written) in enumerate(pairs):

        def handler(body: Any) -> Any: ...

        handler.__annotations__.update({"body": Annotated[read, LANNER.Body()]} if read is not None else {"body": Any})
        app.post(f"/{number}", response_model=written)(handler)
    found: dict[str, Any] = app.openapi()["components"]["schemas"]
    return {name: found[name] for name in found if name not in ERRORS}


def fastapis(*pairs: tuple[Any, Any]) -> list[str]:
    app = fastapi.FastAPI()
    for number, (read, written) in enumerate(pairs):

        def handler(body: Any) -> Any: ...

        handler.__annotations__.update({"body": Annotated[read, fastapi.Body()]})
        app.post(f"/{number}", response_model=written)(handler)
    found = app.openapi()["components"]["schemas"]
    return [name for name in found if name not in ERRORS]


def test_a_type_that_is_read_and_written_alike_has_one_component() -> None:
    assert list(schemas((Leaf, Leaf))) == fastapis((Leaf, Leaf)) == ["Leaf"]


def test_a_type_that_names_itself_has_one_too() -> None:
    """FastAPI has Node-Input and Node-Output, which are equal."""
    found = schemas((Node, Node))
    assert list(found) == ["Node"]
    assert found["Node"]["properties"]["kids"]["items"] == {"$ref": "#/components/schemas/Node"}
    assert fastapis((Node, Node)) == ["Node-Input", "Node-Output"]


def test_one_that_is_written_otherwise_has_two_and_all_that_hold_it() -> None:
    found = schemas((Author, Author), (Leaf, Leaf))
    assert list(found) == ["Author-Input", "Author-Output", "Book-Input", "Book-Output", "Leaf"]
    assert list(found) == fastapis((Author, Author), (Leaf, Leaf))
    books = found["Author-Output"]["properties"]["books"]
    assert books["items"] == {"$ref": "#/components/schemas/Book-Output"}
    assert found["Author-Input"]["title"] == "Author"


def test_one_that_is_only_written_needs_no_ending() -> None:
    assert list(schemas((Leaf, Author))) == ["Author", "Book", "Leaf"] == fastapis((Leaf, Author))


def test_two_of_one_name_have_that_of_their_module() -> None:
    first = in_module("shop.models", dataclasses.make_dataclass("Card", [("a", int)]))
    second = in_module("shop.views", dataclasses.make_dataclass("Card", [("b", int)]))
    expected = ["shop__models__Card", "shop__views__Card"]
    assert list(schemas((first, second), (second, first))) == expected == fastapis((first, second), (second, first))


def test_two_of_one_name_and_module_have_numbers() -> None:
    first, second = (in_module("shop", dataclasses.make_dataclass("Card", [(name, int)])) for name in "ab")
    expected = ["shop__Card__1", "shop__Card__2"]
    assert list(schemas((first, second), (second, first))) == expected == fastapis((first, second), (second, first))


def test_one_read_and_one_written_of_one_name_are_told_apart_by_that() -> None:
    first, second = (in_module("shop", dataclasses.make_dataclass("Card", [(name, int)])) for name in "ab")
    assert list(schemas((first, second))) == ["Card-Input", "Card-Output"] == fastapis((first, second))


def test_two_that_are_equal_in_all_are_one() -> None:
    first, second = (in_module("shop", dataclasses.make_dataclass("Card", [("a", int)])) for _ in range(2))
    assert list(schemas((first, second))) == ["Card"] == fastapis((first, second))


@pytest.mark.parametrize(
    "tp",
    [Box[int], Box[list[Leaf]], Box[Box[int]], Box[Leaf | None], Box[dict[str, Leaf]], Crate[int], Crate[Leaf | None]],
    ids=str,
)
def test_generic_types_are_named_as_fastapi_does(tp: Any) -> None:
    assert list(schemas((tp, tp))) == fastapis((tp, tp))


def test_one_parameter_more_is_another_type() -> None:
    assert list(schemas((Box[int], Box[Annotated[int, at.Ge(1)]]))) == ["Box_int_-Input", "Box_int_-Output"]


def test_a_pydantic_model_and_a_dataclass_share_a_document() -> None:
    theirs = pydantic.create_model("Card", leaf=(Leaf, ...), __module__="shop.models")
    ours = in_module("shop.views", dataclasses.make_dataclass("Card", [("leaf", Leaf), ("model", theirs)]))
    found = schemas((theirs, theirs), (ours, ours))
    assert list(found) == ["Leaf", "shop__models__Card", "shop__views__Card"]
    assert found["shop__views__Card"]["properties"] == {
        "leaf": {"$ref": "#/components/schemas/Leaf"},
        "model": {"$ref": "#/components/schemas/shop__models__Card"},
    }


def test_every_kind_of_record_and_an_enum_has_a_component() -> None:
    class Slot(lanner.Model):
        leaf: Leaf

    class Row(TypedDict):
        color: Color

    class Struct(msgspec.Struct):
        row: Row

    found = schemas((Slot, Struct))
    assert list(found) == ["Color", "Leaf", "Row", "Slot", "Struct"]
    assert found["Color"] == {"title": "Color", "enum": ["red"], "type": "string"}


def test_a_field_with_a_default_is_not_required_of_what_is_written() -> None:
    """As FastAPI has it; Schema.json_schema() of one type says that it is always there."""
    assert "required" not in schemas((Leaf, Leaf))["Leaf"]
    assert Schema(Leaf).json_schema(mode="serialization")["$defs"]["Leaf"]["required"] == ["size"]

    @dataclasses.dataclass
    class Made:
        made: int = dataclasses.field(init=False)

    assert schemas((None, Made))["Made"]["required"] == ["made"]


def test_components_that_nothing_names_are_left_out() -> None:
    app = LANNER.App()

    def search(given: Annotated[Leaf, LANNER.Query()], color: Color) -> int: ...

    search.__annotations__.update({"given": Annotated[Leaf, LANNER.Query()], "color": Color})
    app.get("/search")(search)
    assert list(app.openapi()["components"]["schemas"]) == ["Color", "HTTPValidationError", "ValidationError"]


def test_a_types_own_name_may_be_that_of_an_error() -> None:
    @dataclasses.dataclass
    class ValidationError:
        mine: int

    in_module("shop", ValidationError)
    app = LANNER.App()

    def handler(body: Any) -> Any: ...

    handler.__annotations__["body"] = ValidationError
    app.post("/")(handler)
    found = app.openapi()["components"]["schemas"]
    assert list(found) == ["HTTPError", "HTTPValidationError", "ValidationError-Input", "ValidationError-Output"]


def test_a_document_of_ones_own_has_its_own_references() -> None:
    definitions = Definitions("#/$defs/{}")
    described = Schema(list[Leaf]).describe(definitions)
    document, found = definitions.finish({"a": described, "b": Schema(Leaf | None).describe(definitions)})
    assert document["a"] == {"type": "array", "items": {"$ref": "#/$defs/Leaf"}}
    assert document["b"] == {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "null"}]}
    assert list(found) == ["Leaf"]


def test_the_mapping_of_a_discriminator_names_components() -> None:
    @dataclasses.dataclass
    class Cat:
        kind: Literal["cat"]

    @dataclasses.dataclass
    class Dog:
        kind: Literal["dog"]
        price: Decimal

    found = schemas((list[Cat | Dog], list[Cat | Dog]))
    assert list(found) == ["Cat", "Dog-Input", "Dog-Output"]
    app = LANNER.App()

    def handler() -> Any: ...

    handler.__annotations__["return"] = Cat | Dog
    app.get("/")(handler)
    described = app.openapi()["paths"]["/"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert described["discriminator"]["mapping"] == {
        "cat": "#/components/schemas/Cat",
        "dog": "#/components/schemas/Dog",
    }


def test_many_types_and_deep_ones_are_named() -> None:
    """Names are settled in as many rounds as a difference has levels."""
    inner: Any = Decimal
    for number in range(30):
        inner = dataclasses.make_dataclass(f"Level{number}", [("inner", inner)])
    wide = [dataclasses.make_dataclass(f"Wide{number}", [("x", int)]) for number in range(400)]
    assert len(schemas((inner, inner), *zip(wide, wide, strict=True))) == 2 * 30 + 400
