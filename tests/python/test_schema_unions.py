"""Unions within unions, each with a discriminator of its own; records read from attributes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict

import jsonschema
import pydantic
import pytest

import lanner
from lanner.schema import Schema, ValidationError


@dataclasses.dataclass
class BlackCat:
    pet: Literal["cat"]
    color: Literal["black"]
    lives: int = 9


@dataclasses.dataclass
class WhiteCat:
    pet: Literal["cat"]
    color: Literal["white"]


@dataclasses.dataclass
class Dog:
    pet: Literal["dog"]
    bark: int = 1


class Fish(TypedDict):
    pet: Literal["fish", 7]
    deep: bool


class Bird(lanner.Model):
    pet: Literal["bird"] = "bird"
    songs: list[int] = []  # noqa: RUF012


Cat = Annotated[BlackCat | WhiteCat, pydantic.Field(discriminator="color")]
Pet = Annotated[Cat | Dog, pydantic.Field(discriminator="pet")]
Animal = Annotated[Pet | Fish | Bird, pydantic.Field(discriminator="pet")]
Peers = Annotated[Pet | Dog, pydantic.Field(discriminator="pet")]

DOCUMENTS = [
    {"pet": "cat", "color": "black"},
    {"pet": "cat", "color": "black", "lives": "x"},
    {"pet": "cat", "color": "red"},
    {"pet": "cat"},
    {"pet": "dog", "color": "black"},
    {"pet": "dog", "bark": "x"},
    {"pet": "cow"},
    {"color": "black"},
    {},
    [],
]


def outcome(call: Callable[[], Any], error: type[Any]) -> Any:
    try:
        return call()
    except error as raised:
        return [(item["type"], item["loc"], item["msg"]) for item in raised.errors()]


@pytest.mark.parametrize("value", DOCUMENTS)
def test_unions_within_unions_are_told_apart_as_by_pydantic(value: Any) -> None:
    ours, theirs = Schema(list[Pet]), pydantic.TypeAdapter(list[Pet])
    document = lanner.json.dumpb([value])
    expected = outcome(lambda: theirs.validate_python([value]), pydantic.ValidationError)
    if value != {"pet": "cat", "color": "black", "lives": "x"} and value != {"pet": "dog", "bark": "x"}:
        assert outcome(lambda: ours.validate([value]), ValidationError) == expected
        assert outcome(lambda: ours.decode(document), ValidationError) == expected
    else:  # no int is read from text here
        assert [row[1] for row in outcome(lambda: ours.decode(document), ValidationError)] == [expected[0][1]]


@pytest.mark.parametrize(
    "value",
    [BlackCat("cat", "black", 3), WhiteCat("cat", "white"), Dog("dog"), {"pet": 7, "deep": True}, Bird(songs=[1])],
)
def test_three_levels_are_read_written_and_described(value: Any) -> None:
    schema: Schema[Any] = Schema(Animal)
    document = schema.encode(value)
    assert schema.decode(document) == value
    assert schema.validate(lanner.json.loads(document)) == value
    assert schema.validate(value) == value
    described = schema.json_schema()
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.validate(lanner.json.loads(document), described)


def test_a_union_within_may_be_null_and_may_have_a_function() -> None:
    maybe = Annotated[BlackCat | WhiteCat | None, pydantic.Field(discriminator="color")]
    schema: Schema[Any] = Schema(Annotated[maybe | Dog, pydantic.Field(discriminator="pet")])  # type: ignore[valid-type]
    assert schema.decode(b"null") is None
    assert schema.decode(b'{"pet":"cat","color":"white"}') == WhiteCat("cat", "white")
    loud = Annotated[Dog, pydantic.AfterValidator(lambda dog: dataclasses.replace(dog, bark=9))]
    schema = Schema(Annotated[Cat | loud, pydantic.Field(discriminator="pet")])  # type: ignore[valid-type]
    assert schema.decode(b'{"pet":"dog"}') == Dog("dog", 9)


@pytest.mark.parametrize(
    ("tp", "words"),
    [
        (Annotated[Cat | Dog, pydantic.Field(discriminator="color")], "must be a Literal in each member"),
        (Annotated[Cat | BlackCat, pydantic.Field(discriminator="pet")], "no value in two of them"),
        (Annotated[Cat | int, pydantic.Field(discriminator="pet")], "all members must be dataclasses"),
    ],
)
def test_what_does_not_tell_members_apart_is_refused(tp: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Schema(tp)


def test_models_of_pydantic_within_are_left_to_pydantic() -> None:
    class One(pydantic.BaseModel):
        pet: Literal["one"]
        size: Literal[1]

    class Two(pydantic.BaseModel):
        pet: Literal["one"]
        size: Literal[2]

    inner = Annotated[One | Two, pydantic.Field(discriminator="size")]
    schema: Schema[Any] = Schema(Annotated[inner | Dog, pydantic.Field(discriminator="pet")])  # type: ignore[valid-type]
    assert schema.decode(b'{"pet":"one","size":2}') == Two(pet="one", size=2)
    assert schema.decode(b'{"pet":"dog"}') == Dog("dog")


@dataclasses.dataclass
class Author:
    name: str
    age: int = 0


class Book(lanner.Model):
    title: Annotated[str, pydantic.Field(alias="name")]
    author: Author | None = None
    pages: list[Author] = []  # noqa: RUF012


class Row:
    """As an ORM has them: a class of its own, with attributes and properties."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    @property
    def age(self) -> int:
        return 7


def test_records_are_read_from_attributes() -> None:
    row = Row(title="T", author=Row(name="A"), pages=[Row(name="P"), {"name": "Q"}])
    schema = Schema(Book, from_attributes=True)
    expected = Book(title="T", author=Author("A", 7), pages=[Author("P", 7), Author("Q")])
    assert schema.validate(row) == expected
    assert schema.validate(Row(name="T")) == Book(title="T")
    with pytest.raises(ValidationError) as caught:
        schema.validate(Row(name=1, author=Row(), pages=["P", 3]))
    assert [(error["type"], error["loc"]) for error in caught.value.errors()] == [
        ("string_type", ("name",)),
        ("missing", ("author", "name")),
        ("dataclass_type", ("pages", 0)),
        ("dataclass_type", ("pages", 1)),
    ]
    with pytest.raises(ValidationError) as caught:
        Schema(Book).validate(row)
    assert caught.value.errors()[0]["type"] == "model_type"


def test_unions_are_told_apart_by_attributes() -> None:
    schema: Schema[Any] = Schema(list[Animal], from_attributes=True)
    assert schema.validate([Row(pet="dog", bark=2), Row(pet="cat", color="white"), Row(pet="bird")]) == [
        Dog("dog", 2),
        WhiteCat("cat", "white"),
        Bird(),
    ]


def test_a_property_that_raises_is_heard_and_classes_have_no_attributes() -> None:
    class Broken:
        @property
        def name(self) -> str:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Schema(Author, from_attributes=True).validate(Broken())
    for value in (Author, "text", 3, [1], None):
        with pytest.raises(ValidationError):
            Schema(Author, from_attributes=True).validate(value)


def test_aliases_are_paths_through_attributes() -> None:
    @dataclasses.dataclass
    class Flat:
        name: Annotated[str, lanner.schema.AliasPath("author", "name")]
        tag: Annotated[str, lanner.schema.AliasChoices("tags", lanner.schema.AliasPath("labels", 0))]

    row = Row(author=Row(name="A"), labels=["x"])
    assert Schema(Flat, from_attributes=True).validate(row) == Flat("A", "x")
