"""Types that a schema learns by itself: a resolver, base64, containers of the library, enums with _missing_()."""

from __future__ import annotations

import collections
import collections.abc
import copy
import dataclasses
import datetime
import enum
import json
import pickle
import types
import typing
from typing import Annotated, Any

import annotated_types as at
import jsonschema
import pydantic
import pytest

import lanner
from lanner.schema import Base64, OwnType, Schema, ValidationError, register_type


class Version:
    def __init__(self, text: str) -> None:
        self.parts = [int(part) for part in text.split(".")]

    def __str__(self) -> str:
        return ".".join(map(str, self.parts))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.parts == other.parts


@dataclasses.dataclass
class Package:
    name: str
    version: Version
    others: dict[str, Version] = dataclasses.field(default_factory=dict)


def versions(tp: Any) -> OwnType | None:
    return OwnType(decode=Version, encode=str, schema={"type": "string"}) if tp is Version else None


def test_a_resolver_tells_one_schema_about_a_type() -> None:
    schema = Schema(Package, resolver=versions)
    document = b'{"name":"a","version":"1.2","others":{"b":"3"}}'
    package = schema.decode(document)
    assert package == Package("a", Version("1.2"), {"b": Version("3")})
    assert schema.encode(package) == document
    assert schema.validate({"name": "a", "version": package.version}).version is package.version
    assert schema.json_schema()["$defs"]["Package"]["properties"]["version"] == {"title": "Version", "type": "string"}
    with pytest.raises(ValidationError) as caught:
        schema.decode(b'{"name":"a","version":"x"}')
    assert caught.value.errors()[0]["loc"] == ("version",)
    with pytest.raises(TypeError, match=r"Package.version: Version is no type that a schema knows"):
        Schema(Package)


def test_a_resolver_comes_before_what_is_known_and_registered() -> None:
    class Here:
        pass

    register_type(Here, decode=lambda text: "registered")
    epoch = OwnType(
        source=int,
        decode=lambda seconds: datetime.datetime.fromtimestamp(seconds, datetime.UTC),
        encode=lambda moment: int(moment.timestamp()),
    )
    table = {datetime.datetime: epoch, Here: OwnType(decode=lambda text: "resolved")}
    schema = Schema(tuple[datetime.datetime, Here | None], resolver=table.get)
    value = schema.decode(b'[1,"x"]')
    assert value == (datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=datetime.UTC), "resolved")
    assert Schema(list[datetime.datetime], resolver=table.get).encode([value[0]]) == b"[1]"
    assert Schema(Here).decode(b'"x"') == "registered"


def test_within_its_source_a_type_is_what_it_is_without() -> None:
    def trimmed(tp: Any) -> OwnType | None:
        return OwnType(source=str, decode=str.strip) if tp is str else None

    assert Schema(list[str], resolver=trimmed).decode(b'[" a "]') == ["a"]

    class Doubled(int):
        pass

    register_type(Doubled, source=Annotated[int, at.Ge(1)], decode=lambda number: Doubled(number * 2))
    assert Schema(Doubled).decode(b"4") == 8


def test_a_resolver_is_asked_for_generic_types_as_they_stand() -> None:
    asked: list[Any] = []

    def resolve(tp: Any) -> None:
        asked.append(tp)

    Schema(Annotated[dict[str, list[int] | None], at.MinLen(1)], resolver=resolve)
    assert dict[str, list[int] | None] in asked
    assert list[int] in asked


@pytest.mark.parametrize("answer", [int, {"decode": int}, (int, str)])
def test_a_resolver_that_returns_something_else_is_told_so(answer: Any) -> None:
    with pytest.raises(TypeError, match=r"the resolver returned .* for int: an OwnType or None is expected"):
        Schema(list[int], resolver=lambda tp: answer if tp is int else None)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_schemas_are_pickled_by_their_type(protocol: int) -> None:
    schemas: list[tuple[Schema[Any], bytes]] = [
        (Schema(list[int | None]), b"[1,null]"),
        (Schema(Package, resolver=versions, errors="first"), b'{"name":"a","version":"1","others":{}}'),
        (Schema(Annotated[int, at.Ge(1)], profile="compat", duplicate_keys="reject"), b"1"),
    ]
    for schema, document in schemas:
        twin = pickle.loads(pickle.dumps(schema, protocol))
        assert repr(twin) == repr(schema)
        assert twin._options == schema._options
        assert twin.encode(twin.decode(document)) == document
        assert twin.json_schema() == schema.json_schema()
        assert copy.copy(schema) is schema is copy.deepcopy([schema])[0]


def test_what_cannot_be_pickled_says_so() -> None:
    class Local(lanner.Model):
        x: int

    with pytest.raises((AttributeError, pickle.PicklingError), match="Local"):
        pickle.dumps(Schema(Local))


@pytest.mark.parametrize(
    ("tp", "text", "data"),
    [
        (Annotated[bytes, Base64], "aGk=", b"hi"),
        (Annotated[bytes, Base64()], "", b""),
        (Annotated[bytes, Base64], "+/+/", b"\xfb\xff\xbf"),
        (Annotated[bytes, Base64(urlsafe=True)], "-_-_", b"\xfb\xff\xbf"),
    ],
)
def test_bytes_are_base64_on_demand(tp: Any, text: str, data: bytes) -> None:
    schema: Schema[bytes] = Schema(tp)
    document = json.dumps(text).encode()
    assert schema.decode(document) == data
    assert schema.encode(data) == document
    assert schema.validate(data) is data
    assert schema.validate(text) == data
    assert Schema(tp, profile="text").decode_text(text) == data
    assert Schema(list[tp] | None).decode(b"[" + document + b"]") == [data]  # type: ignore[valid-type]


@pytest.mark.parametrize("text", ["a", "aGk", "aG k=", "aGk=\n", "aGk=aGk=", "é", "-_-_", "aGk=="])
def test_what_is_no_base64_is_refused(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Schema(dict[str, Annotated[bytes, Base64]]).decode(json.dumps({"x": text}))
    (error,) = caught.value.errors()
    assert (error["type"], error["loc"], error["input"]) == ("base64_decode", ("x",), text)
    assert error["msg"].startswith("Base64 decoding error: '")


def test_lengths_of_base64_are_those_of_the_bytes() -> None:
    schema = Schema(Annotated[bytes, Base64, at.MinLen(2), at.MaxLen(3)])
    assert schema.decode(b'"aGk="') == b"hi"
    for document, slug in ((b'"aA=="', "bytes_too_short"), (b'"aGhoaA=="', "bytes_too_long"), (b"1", "bytes_type")):
        with pytest.raises(ValidationError) as caught:
            schema.decode(document)
        assert caught.value.errors()[0]["type"] == slug
    assert schema.json_schema() == {"type": "string", "contentEncoding": "base64", "minLength": 4, "maxLength": 4}
    with pytest.raises(lanner.json.JSONEncodeError, match="expected, not str"):
        schema.encode("hi")


Proxy = types.MappingProxyType
ITEMS: list[tuple[Any, list[Any], list[Any]]] = [  # type, values that are taken, values that are refused
    (typing.Sequence[int], [[1, 2], (1, 2), collections.deque([1, 2]), range(1, 3)], ["12", b"12", {1: 2}, {1, 2}, 1]),
    (collections.abc.MutableSequence[int], [[1, 2], collections.deque([1, 2])], [(1, 2), "12", {1, 2}]),
    (collections.abc.Collection[int], [[1, 2], (1, 2), {1, 2}, {1: 1, 2: 2}.keys()], ["12", {1: 2}, 1]),
    (collections.abc.Iterable[int], [[1, 2], (n for n in (1, 2)), range(1, 3)], ["12", {1: 2}, 1]),
    (collections.deque[int], [[1, 2], collections.deque([1, 2])], ["12", 1, {1: 2}]),
    (collections.abc.Set[int], [{1, 2}, frozenset((1, 2)), {1: 1, 2: 2}.keys(), [1, 2]], ["12", 1]),
]


@pytest.mark.parametrize(("tp", "good", "bad"), ITEMS)
def test_arrays_are_taken_from_what_the_abstract_type_says(tp: Any, good: list[Any], bad: list[Any]) -> None:
    schema = Schema(tp)
    for value in good:
        made = schema.validate(value)
        assert list(made) == [1, 2]
        assert schema.encode(made) == b"[1,2]"
        if not isinstance(value, types.GeneratorType) and not (tp == collections.abc.Set[int] and value == [1, 2]):
            assert schema.encode(value) == b"[1,2]"
    for value in bad:
        with pytest.raises(ValidationError):
            schema.validate(value)
    with pytest.raises(ValidationError) as caught:
        schema.validate(type(good[0])(["x"]))
    assert caught.value.errors()[0]["loc"] == (0,)
    assert schema.json_schema()["type"] == "array"


def test_mappings_are_taken_from_any_mapping() -> None:
    schema = Schema(typing.Mapping[str, int])
    for value in ({"a": 1}, Proxy({"a": 1}), collections.ChainMap({"a": 1}), collections.UserDict({"a": 1})):
        assert schema.validate(value) == {"a": 1}
        assert schema.encode(value) == b'{"a":1}'
    for bad in ([("a", 1)], "a", None):
        with pytest.raises(ValidationError):
            schema.validate(bad)
        with pytest.raises(lanner.json.JSONEncodeError):
            schema.encode(bad)
    with pytest.raises(ValidationError):
        Schema(dict[str, int]).validate(Proxy({"a": 1}))
    assert Schema(typing.Mapping[str, int] | list[int]).encode(Proxy({"a": 1})) == b'{"a":1}'


def test_a_mapping_that_raises_is_heard() -> None:
    class Broken(collections.abc.Mapping[str, int]):
        def __getitem__(self, key: str) -> int:
            raise ZeroDivisionError

        def __iter__(self) -> Any:
            return iter("a")

        def __len__(self) -> int:
            return 1

    for call in (Schema(typing.Mapping[str, int]).validate, Schema(typing.Mapping[str, int]).encode):
        with pytest.raises(ZeroDivisionError):
            call(Broken())


@pytest.mark.parametrize(
    ("tp", "document", "expected"),
    [
        (collections.deque[int], b"[1,2]", collections.deque([1, 2])),
        (collections.deque, b'[1,"a"]', collections.deque([1, "a"])),
        (collections.OrderedDict[str, int], b'{"b":1,"a":2}', collections.OrderedDict([("b", 1), ("a", 2)])),
        (typing.DefaultDict[str, list[int]], b'{"a":[1]}', collections.defaultdict(list, {"a": [1]})),  # noqa: UP006
        (collections.Counter[str], b'{"a":2}', collections.Counter("aa")),
        (collections.abc.MutableMapping[str, int], b'{"a":2}', {"a": 2}),
    ],
)
def test_containers_of_the_library_are_made(tp: Any, document: bytes, expected: Any) -> None:
    schema = Schema(tp)
    value = schema.decode(document)
    assert (type(value), value) == (type(expected), expected)
    assert schema.encode(value) == document
    assert schema.validate(value) == value
    jsonschema.validate(json.loads(document), schema.json_schema())
    if isinstance(value, collections.defaultdict):
        assert value["new"] == []


def test_constraints_of_containers_are_those_of_what_is_read() -> None:
    tp = Annotated[collections.deque[int], at.MaxLen(1), pydantic.AfterValidator(lambda value: type(value).__name__)]
    assert Schema(tp).decode(b"[1]") == "deque"
    with pytest.raises(ValidationError) as caught:
        Schema(tp).decode(b"[1,2]")
    assert caught.value.errors()[0]["type"] == "too_long"
    with pytest.raises(TypeError, match="ge=1 means nothing for a list"):
        Schema(Annotated[collections.deque[int], at.Ge(1)])


class Color(enum.Enum):
    RED = "red"
    TWO = 2

    @classmethod
    def _missing_(cls, value: object) -> Color | None:
        if value == "raise":
            raise KeyError(value)
        if value == "value":
            raise ValueError(value)
        if value == "wrong":
            return 3  # type: ignore[return-value]
        return cls.RED if str(value).lower() in ("red", "['red']") else None


@pytest.mark.parametrize("document", ['"red"', '"RED"', "2", '["red"]', '"b"', '"value"', "null", "1.5", '{"a":1}'])
def test_an_enum_is_asked_for_what_it_misses_as_by_pydantic(document: str) -> None:
    theirs = pydantic.TypeAdapter(list[Color])
    value = json.loads(f"[{document}]")
    for mine, its in (
        (lambda: Schema(list[Color]).decode(f"[{document}]"), lambda: theirs.validate_json(f"[{document}]")),
        (lambda: Schema(list[Color]).validate(value), lambda: theirs.validate_python(value)),
    ):
        try:
            expected: Any = its()
        except pydantic.ValidationError as error:
            expected = error.errors(include_url=False)
        try:
            found: Any = mine()
        except ValidationError as error:
            found = error.errors()
        assert found == expected


def test_what_an_enum_raises_or_returns_wrongly_is_heard() -> None:
    for document, error in (('"raise"', KeyError), ('"wrong"', TypeError)):
        with pytest.raises(error):
            Schema(Color).decode(document)


def test_an_enum_that_misses_values_is_written_described_and_a_key() -> None:
    assert Schema(list[Color]).encode([Color.RED, Color.TWO]) == b'["red",2]'
    assert Schema(Color | None).json_schema()["$defs"]["Color"]["enum"] == ["red", 2]
    keys = Schema(dict[Color, int])
    assert keys.decode(b'{"RED":1,"2":3}') == {Color.RED: 1, Color.TWO: 3}
    assert keys.encode({Color.RED: 1, Color.TWO: 3}) == b'{"red":1,"2":3}'
    assert keys.validate({"RED": 1}) == {Color.RED: 1}
    jsonschema.validate({"RED": 1}, keys.json_schema())
    assert Schema(Color, profile="text").decode_text("RED") is Color.RED
    assert pickle.loads(pickle.dumps(Schema(Color))).decode(b'"RED"') is Color.RED
