"""What is wrong with a type is said when its schema is made, with the names of the class and the fields."""

from __future__ import annotations

import dataclasses
import enum
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import msgspec
import pydantic
import pytest

import lanner
from lanner.schema import Schema


class Color(enum.StrEnum):
    RED = "red"


@dataclasses.dataclass
class TwoFields:
    first: Annotated[int, pydantic.Field(alias="x")]
    second: Annotated[int, pydantic.Field(alias="x")]


@dataclasses.dataclass
class OfItsOwn:
    x: int
    y: Annotated[int, pydantic.Field(validation_alias="x")]


@dataclasses.dataclass
class WrittenTwice:
    x: int
    y: Annotated[int, pydantic.Field(serialization_alias="x")]


class Camel(lanner.Model, rename="camel"):
    a_b: int
    aB: int


class Keys(TypedDict):
    first: Annotated[int, pydantic.Field(alias="x")]
    second: Annotated[int, pydantic.Field(alias="x")]


class Row(NamedTuple):
    first: Annotated[int, pydantic.Field(alias="second")]
    second: int


@dataclasses.dataclass
class NoText:
    x: Annotated[int, lanner.schema.Schema]


class Odd:
    alias = 3


@dataclasses.dataclass
class OddAlias:
    x: Annotated[int, Odd()]


@dataclasses.dataclass
class Excluded:
    password: Annotated[str, pydantic.Field(exclude=True)]


class Cat(msgspec.Struct, tag="pet"):
    x: int


class Dog(msgspec.Struct, tag="pet"):
    x: int


@dataclasses.dataclass
class Kind:
    kind: Literal["a"]


@pytest.mark.parametrize(
    ("tp", "words"),
    [
        (TwoFields, "TwoFields: first and second are both read from 'x'"),
        (OfItsOwn, "OfItsOwn: x and y are both read from 'x'"),
        (WrittenTwice, "WrittenTwice: x and y are both written as 'x'"),
        (Camel, "Camel: a_b and aB are both read from 'aB'"),
        (Keys, "Keys: first and second are both read from 'x'"),
        (Row, "Row: first and second are both read from 'second'"),
        (OddAlias, "x: the alias 3 is no str"),
        (Excluded, "password: exclude=True"),
        (Cat | Dog, "Cat and Dog have the same tag, 'pet'"),
        (Cat | int | Dog, "Cat and Dog have the same tag, 'pet'"),
        (Annotated[int, pydantic.Field(discriminator="x")], "discriminator='x' means nothing for an integer"),
        (Annotated[list[int], pydantic.Field(discriminator="x")], "discriminator='x' means nothing for a list"),
        (Annotated[dict[str, int], pydantic.Field(discriminator="x")], "discriminator='x' means nothing for a dict"),
        (Annotated[tuple[int, str], pydantic.Field(discriminator="x")], "discriminator='x' means nothing for a fixed"),
        (Annotated[Kind, pydantic.Field(discriminator="kind")], "discriminator='kind' means nothing for a record"),
        (Annotated[Color, pydantic.Field(discriminator="x")], "discriminator='x' means nothing for a choice"),
        (Annotated[int | None, pydantic.Field(discriminator="x")], "discriminator 'x'"),
        (Annotated[int | str, pydantic.Field(discriminator="x")], "discriminator 'x'"),
        (Annotated[lanner.json.Raw, pydantic.Field(discriminator="x")], "discriminator='x' means nothing"),
        (Annotated[str, pydantic.Field(coerce_numbers_to_str=True)], "coerce_numbers_to_str=True is for pydantic"),
        (
            Annotated[int | str, pydantic.Field(union_mode="left_to_right")],
            "union_mode='left_to_right' is for pydantic",
        ),
    ],
)
def test_it_says_which_field_and_what_is_wrong(tp: Any, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        Schema(tp)
    assert words in str(caught.value)


def test_an_optional_record_may_have_a_discriminator() -> None:
    schema = Schema(Annotated[Kind | None, pydantic.Field(discriminator="kind")])
    assert schema.decode(b'{"kind":"a"}') == Kind("a")
    assert schema.decode(b"null") is None


def test_a_text_that_stands_for_two_choices_is_the_first() -> None:
    assert Schema(Literal["red", Color.RED]).decode(b'"red"') == "red"  # type: ignore[valid-type]
    assert type(Schema(Literal["red", Color.RED]).decode(b'"red"')) is str  # type: ignore[valid-type]
    assert Schema(Literal[Color.RED, "red"]).decode(b'"red"') is Color.RED  # type: ignore[valid-type]
    assert Schema(Literal[Color.RED]).decode(b'"red"') is Color.RED
    assert Schema(Literal[Color.RED]).validate(Color.RED) is Color.RED


@dataclasses.dataclass
class ByHand:
    tags: dict[str, int] = pydantic.Field(default_factory=dict)  # noqa: RUF009


@dataclasses.dataclass
class Counted:
    count: int = pydantic.Field(ge=1)


class Tupled(NamedTuple):
    count: int = pydantic.Field(default=3)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (ByHand, r"ByHand.tags: .* FieldInfo itself .* = dataclasses.field\(default_factory=...\)`"),
        (Counted, r"Counted.count: .* `count: Annotated\[<type>, <FieldInfo>\]`"),
        (Tupled, r"Tupled.count: .* `count: Annotated\[<type>, <FieldInfo>\] = <default>`"),
    ],
)
def test_what_python_makes_without_the_schema_is_warned_of(cls: type, words: str) -> None:
    with pytest.warns(UserWarning, match=words):
        Schema(cls)
