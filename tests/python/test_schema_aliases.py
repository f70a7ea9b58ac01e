"""Fields that are read from one of several names, or from a path into the document: as pydantic reads them."""

from __future__ import annotations

import dataclasses
import decimal
import json
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import jsonschema
import pydantic
import pytest

import lanner
from lanner.schema import AliasChoices, AliasPath, JSONDecodeError, Schema, ValidationError


@dataclasses.dataclass
class Person:
    name: Annotated[str, AliasChoices("name", "fullName", AliasPath("names", 0))]
    city: Annotated[str, AliasPath("address", "lines", -1)] = "?"
    age: int = 0
    boss: Person | None = None


@pydantic.dataclasses.dataclass
class Peer:
    name: Annotated[
        str, pydantic.Field(validation_alias=pydantic.AliasChoices("name", "fullName", pydantic.AliasPath("names", 0)))
    ]
    city: Annotated[str, pydantic.Field(validation_alias=pydantic.AliasPath("address", "lines", -1))] = "?"
    age: int = 0
    boss: Peer | None = None


class Modelled(lanner.Model, forbid_extra=True):
    name: str = pydantic.Field(validation_alias=pydantic.AliasChoices("name", "fullName"), serialization_alias="n")
    cost: Annotated[decimal.Decimal, AliasPath("price", "amount")] = decimal.Decimal(0)


class Keys(TypedDict):
    first: Annotated[int, AliasChoices("a", "b")]


DOCUMENTS = [
    '{"name":"a","age":1}',
    '{"fullName":"a"}',
    '{"names":["a","b"]}',
    '{"names":[]}',
    '{"names":{"0":"a"}}',
    '{"names":[1]}',
    '{"fullName":"a","name":"b"}',
    '{"name":"a","fullName":1}',
    '{"name":1}',
    '{"name":"a","address":{"lines":["x","y"]}}',
    '{"name":"a","address":{"lines":[]}}',
    '{"name":"a","address":{"lines":[2]}}',
    '{"name":"a","address":5}',
    '{"name":"a","city":"not read"}',
    '{"name":"a","boss":{"names":["b"],"boss":{"age":"x"}}}',
    '{"age":"x"}',
    "[1]",
    '"a"',
    "{}",
]


def outcome(read: Callable[[], Any], errors: type[Any]) -> Any:
    try:
        value = read()
    except errors as error:
        return [(item["type"], item["loc"], item["input"]) for item in error.errors()]
    return dataclasses.asdict(value)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_places_are_those_of_pydantic(document: str) -> None:
    ours, theirs = Schema(Person), pydantic.TypeAdapter(Peer)
    value = json.loads(document)
    for mine, its in (
        (lambda: ours.decode(document), lambda: theirs.validate_json(document, strict=False)),
        (lambda: ours.validate(value), lambda: theirs.validate_python(value)),
    ):
        expected = outcome(its, pydantic.ValidationError)
        found = outcome(mine, ValidationError)
        if document[0] == "{" and '"x"' not in document:  # Lanner reads no int from text, pydantic says so otherwise
            assert found == expected
        else:
            assert [row[1] for row in found] == [row[1] for row in expected]


def test_objects_of_the_class_stay_what_they_are() -> None:
    person = Person("a", boss=Person("b"))
    assert Schema(Person).validate(person) is person
    assert Schema(list[Person]).validate([person, {"fullName": "b"}]) == [person, Person("b")]


def test_a_record_with_aliases_is_written_by_its_own_names() -> None:
    assert Schema(Person).encode(Person("a")) == b'{"name":"a","city":"?","age":0,"boss":null}'
    assert Schema(Person).encode(Person("a"), exclude_none=True) == b'{"name":"a","city":"?","age":0}'
    assert Schema(Modelled).encode(Modelled(name="a")) == b'{"n":"a","cost":"0"}'
    assert lanner.json.dumpb(Modelled(name="a"), default=str) == b'{"n":"a","cost":"0"}'
    assert Schema(Keys).encode(Schema(Keys).decode(b'{"b":1}')) == b'{"first":1}'


def test_what_no_field_reads_is_refused_where_extras_are() -> None:
    schema = Schema(Modelled)
    assert schema.decode(b'{"fullName":"a","price":{"amount":1.10,"unit":"E"}}') == Modelled(
        name="a", cost=decimal.Decimal("1.10")
    )
    with pytest.raises(ValidationError) as caught:
        schema.decode(b'{"fullName":"a","cost":1,"\\u00000":2}')
    assert [(error["type"], error["loc"]) for error in caught.value.errors()] == [
        ("extra_forbidden", ("cost",)),
        ("extra_forbidden", ("\x000",)),
    ]
    with pytest.raises(ValidationError, match="name"):
        schema.validate({"\x000": "a"})


def test_digits_and_text_are_kept() -> None:
    assert Schema(Modelled).decode('{"name":"\\u00e9\\ud83d\\ude00","price":{"amount":0.12345678901234567890123}}') == (
        Modelled(name="é😀", cost=decimal.Decimal("0.12345678901234567890123"))
    )


def test_equal_keys_are_refused_on_demand() -> None:
    assert Schema(Keys).decode(b'{"a":1,"a":2}') == {"first": 2}
    with pytest.raises(JSONDecodeError, match="a key is repeated"):
        Schema(list[Keys], duplicate_keys="reject").decode(b'[{"a":1,"a":2}]')


def test_pairs_of_text_have_choices_too() -> None:
    @dataclasses.dataclass
    class Search:
        tags: Annotated[list[str], AliasChoices("tag", "tags")]
        limit: Annotated[int, AliasChoices("n", "limit")] = 20
        q: str = ""

    schema = Schema(Search, profile="text")
    assert schema.decode_pairs([(b"tags", b"a"), (b"q", b"x"), (b"tags", b"b"), (b"n", b"1"), (b"limit", b"2")]) == (
        Search(["a", "b"], 1, "x")
    )
    with pytest.raises(ValidationError) as caught:
        schema.decode_pairs([("limit", "x"), ("tag", "a")])
    assert [(error["type"], error["loc"]) for error in caught.value.errors()] == [("int_parsing", ("limit",))]


@pytest.mark.parametrize("cls", [Person, Modelled, Keys])
def test_the_description_takes_every_name(cls: Any) -> None:
    described = Schema(cls).json_schema()
    jsonschema.Draft202012Validator.check_schema(described)
    for document in ('{"name":"a"}', '{"fullName":"a"}', '{"b":1}', '{"name":"a","price":{"amount":1}}'):
        try:
            Schema(cls).decode(document)
        except ValidationError:
            continue
        jsonschema.validate(json.loads(document), described)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": 1, "a": "x"}, described)


def test_unions_and_sub_classes_of_records_with_aliases() -> None:
    schema = Schema(Person | int | None)
    assert schema.decode(b'{"fullName":"a"}') == Person("a")
    assert schema.decode(b"3") == 3
    assert Schema(dict[str, Person]).decode(b'{"x":{"names":["a"]}}') == {"x": Person("a")}
    with pytest.raises(ValidationError) as caught:
        Schema(dict[str, list[Person]]).decode(b'{"x":[{"names":["a"]},{"names":[1]}]}')
    assert caught.value.errors()[0]["loc"] == ("x", 1, "names", 0)


@pytest.mark.parametrize(
    "alias",
    [AliasChoices("x", 3), AliasPath("x", 1.5), AliasPath(3), AliasPath("x", True)],  # type: ignore[arg-type]
)
def test_an_alias_that_is_none_names_the_field(alias: Any) -> None:
    cls = dataclasses.make_dataclass("Odd", [("size", Annotated[int, alias])])
    with pytest.raises(TypeError, match=r"size: the alias .* is neither a str nor an AliasPath"):
        Schema(cls)


def test_a_name_that_two_fields_read_is_refused() -> None:
    @dataclasses.dataclass
    class Twice:
        a: int
        b: Annotated[int, AliasChoices("b", "a")]

    with pytest.raises(TypeError, match="Twice: a and b are both read from 'a'"):
        Schema(Twice)
