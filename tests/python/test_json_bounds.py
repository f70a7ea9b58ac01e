"""Errors of JSON that say where, shortly; repeated keys, long integers, byte order marks; what is written can be read."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import math
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field

from lanner import json
from lanner.schema import JSONDecodeError as SchemaDecodeError
from lanner.schema import Schema, ValidationError, register_type

UTC = datetime.UTC
TWICE = [
    *(b'{"a":1,"a":2}', b'{"b":{"a":1,"c":2,"a":3}}', b'[{"a":1,"a":1}]', b'{"x":[1,{"\\u0061":1,"a":2}]}'),
    *(b'{"y":{"":1,"":2}}', b'[[[{"k":[],"k":{}}]]]'),
]
ONCE = [b'{"a":1,"b":{"a":2}}', b'[{"a":1},{"a":2}]', b"{}", b"[]", b'{"a":{"b":{"a":1}}}']


@dataclasses.dataclass
class Holder:
    a: Any = None
    raw: json.Raw | None = None


@dataclasses.dataclass
class Number:
    n: int = 0


@pytest.mark.parametrize("document", TWICE)
def test_a_repeated_key_is_refused_wherever_it_is(document: bytes) -> None:
    for schema, text in (
        (Schema(Any, duplicate_keys="reject"), document),
        (Schema(list[Any], duplicate_keys="reject"), b"[1," + document + b"]"),
        (Schema(dict[str, Any], duplicate_keys="reject"), b'{"k":' + document + b"}"),
        (Schema(json.Raw, duplicate_keys="reject"), document),
        (Schema(list[json.Raw], duplicate_keys="reject"), b"[" + document + b"]"),
        (Schema(Holder, duplicate_keys="reject"), b'{"a":' + document + b"}"),
        (Schema(Holder, duplicate_keys="reject"), b'{"raw":' + document + b"}"),
        (Schema(Holder, duplicate_keys="reject"), b'{"unknown":' + document + b',"a":1}'),
        (Schema(Number, duplicate_keys="reject"), b'{"n":' + document + b"}"),
        (Schema(int | str, duplicate_keys="reject"), document),
    ):
        with pytest.raises((SchemaDecodeError, ValidationError), match=r"repeated|key"):
            schema.decode(text)
    with pytest.raises(json.JSONDecodeError, match="repeated"):
        json.loads(document, duplicate_keys="reject")
    assert Schema(Any).decode(document) == json.loads(document)


@pytest.mark.parametrize("document", ONCE)
def test_a_key_may_be_in_more_than_one_object(document: bytes) -> None:
    assert Schema(Any, duplicate_keys="reject").decode(document) == json.loads(document, duplicate_keys="reject")
    assert Schema(json.Raw, duplicate_keys="reject").decode(document).data == document
    assert Schema(Number, duplicate_keys="reject").decode(b'{"x":' + document + b',"n":2}') == Number(2)


@pytest.fixture
def short_integers() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(1000)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("short_integers")
def test_the_interpreters_own_bound_on_integers_is_an_error_of_ours() -> None:
    digits = "1" * 1001
    for text in (digits, f"-{digits}", f"[1,{digits}]", f'{{"a":{digits}}}'):
        with pytest.raises(json.JSONDecodeError, match="interpreter allows") as caught:
            json.loads(text)
        assert text[caught.value.offset :].startswith((digits, f"-{digits}"))
        with pytest.raises((SchemaDecodeError, ValidationError)):
            Schema(Any).decode(text)
    assert json.loads(digits[:1000]) == int(digits[:1000])
    for value in (10**1001, [10**1001], {"a": {10**1001: 1}}):
        with pytest.raises(json.JSONEncodeError, match="digits"):
            json.dumpb(value, non_str_keys=True)
        with pytest.raises(json.JSONEncodeError, match="digits"):
            Schema(Any).encode(value)
    with pytest.raises(json.JSONEncodeError, match=r"^\$\[1\]: .*digits"):
        Schema(list[int]).encode([1, 10**1001])


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400", "1.5E+999", "1" * 4300, "0." + "3" * 5000, "1e999999"])
def test_a_decimal_is_read_exactly(text: str) -> None:
    value = Schema(Decimal).decode(text)
    assert value.compare_total(Decimal(text)) == 0
    assert Schema(list[Decimal | None]).decode(f"[null,{text}]") == [None, Decimal(text)]
    assert Schema(Annotated[Decimal, Field(allow_inf_nan=True)]).decode(text) == Decimal(text)
    assert Schema(Decimal).decode(Schema(Decimal).encode(value)) == value


@pytest.mark.parametrize("text", ["1e", "1.", ".5", "01", "-", "1e+", "+1", "1e99999999999", "0x1", "--1"])
def test_what_is_no_number_is_no_decimal(text: str) -> None:
    with pytest.raises((SchemaDecodeError, ValidationError)):
        Schema(Decimal).decode(text)


@pytest.mark.parametrize("data", ["\ufeff{}", b"\xef\xbb\xbf[1]", b"\xef\xbb\xbf", bytearray(b"\xef\xbb\xbf1")])
def test_a_byte_order_mark_is_called_so(data: Any) -> None:
    with pytest.raises(json.JSONDecodeError, match="byte order mark"):
        json.loads(data)
    for tp in (Any, dict[str, int], list[int], int, str, Decimal, json.Raw, Number, int | str):
        with pytest.raises(SchemaDecodeError, match="byte order mark"):
            Schema(tp).decode(data)
    with pytest.raises(json.JSONDecodeError, match="byte order mark"):
        json.Raw(data)
    with pytest.raises(json.JSONDecodeError, match="a value is expected"):
        json.loads(b"[\xef\xbb\xbf1]")


def test_a_circle_is_called_so_and_its_path_is_short() -> None:
    circle: dict[str, Any] = {"name": 1}
    circle["self"] = [circle]
    for options in ({}, {"indent": 1}, {"sort_keys": True}, {"strict_integer": True}):
        for value in (circle, [circle], {"x": {"y": circle}}):
            with pytest.raises(json.JSONEncodeError, match="a circular reference") as caught:
                json.dumps(value, **options)
            assert caught.value.path.count("self") < 10
            assert "..." in caught.value.path
    node = Holder()
    node.a = [node]
    with pytest.raises(json.JSONEncodeError, match="a circular reference"):
        json.dumps(node)
    with pytest.raises(json.JSONEncodeError, match="a circular reference") as caught:
        Schema(Any).encode(circle)
    typed = Tree()
    typed.kids.append(typed)
    with pytest.raises(json.JSONEncodeError, match="a circular reference") as caught:
        Schema(Tree).encode(typed)
    assert len(caught.value.path) < 150


@dataclasses.dataclass
class Tree:
    kids: list[Tree] = dataclasses.field(default_factory=list)


def test_what_is_only_deep_is_no_circle() -> None:
    deep: Any = []
    for i in range(128):
        deep = [deep] if i % 2 else {"k": deep}
    with pytest.raises(json.JSONEncodeError, match="nested more than 128 deep") as caught:
        json.dumps(deep)
    assert len(caught.value.path) < 60
    for depth in (12, 13, 14):
        value: Any = object()
        for _ in range(depth):
            value = [value]
        with pytest.raises(json.JSONEncodeError) as caught:
            json.dumps(value)
        assert caught.value.path == "$" + ("[0]" * depth if depth < 14 else "[0]" * 8 + "..." + "[0]" * 4)


def test_an_error_of_encode_has_its_path() -> None:
    for tp, value, place, words in (
        (list[float], [1.0, 10**400], "$[1]", "too large"),
        (list[bytes], [b"a", b"\xff"], "$[1]", "UTF-8"),
        (dict[str, bytes], {"k": b"\xff"}, "$['k']", "UTF-8"),
        (list[Any], [1, {"a": [object()]}], "$[1].a[0]", "no form"),
        (Holder, Holder(a=object()), "$.a", "no form"),
        (dict[str, Any], {"k": {"\ud800": 1}}, "$['k']", "surrogate"),
        (list[str], ["\ud800"], "$[0]", "surrogate"),
        (list[float], [1.0, math.nan], "$[1]", "NaN"),
        (list[list[float | None]], [[None, math.inf]], "$[0][1]", "NaN"),
        (dict[str, float], {"k": -math.inf}, "$['k']", "NaN"),
        (Any, [math.nan], "$[0]", "NaN"),
        (list[Decimal], [Decimal("NaN")], "$[0]", "finite"),
        (list[Decimal], [Decimal("-Infinity")], "$[0]", "finite"),
        (list[int], [10**5000], "$[0]", "digits"),
        (
            list[datetime.time],
            [datetime.time(1, tzinfo=datetime.timezone(datetime.timedelta(seconds=1)))],
            "$[0]",
            "time",
        ),
    ):
        with pytest.raises(json.JSONEncodeError, match=words) as caught:
            Schema(tp).encode(value)
        assert caught.value.path == place


@pytest.mark.parametrize(
    ("tp", "value"),
    [
        (datetime.time, datetime.time(1, 2, 3, 4, tzinfo=UTC)),
        (datetime.time, datetime.time(1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=-3, minutes=-30)))),
        (datetime.time, datetime.time(23, 59, 59)),
        (float, 5e-324),
        (float, 1.7976931348623157e308),
        (Decimal, Decimal("1E-400")),
        (Decimal, Decimal("-0.00")),
        (Annotated[Decimal, Field(allow_inf_nan=True)], Decimal("Infinity")),
        (datetime.datetime, datetime.datetime.max.replace(tzinfo=UTC)),
        (datetime.datetime, datetime.datetime.min),
        (datetime.timedelta, datetime.timedelta(days=-400, microseconds=1)),
    ],
    ids=repr,
)
def test_what_a_schema_writes_it_reads(tp: Any, value: Any) -> None:
    schema = Schema(tp)
    assert schema.decode(schema.encode(value)) == value
    assert schema.validate(json.loads(schema.encode(value))) == value


class Growing:
    pass


def test_what_grows_while_a_schema_writes_it_is_an_error() -> None:
    items: list[Growing] = [Growing(), Growing()]
    pairs: dict[str, Growing] = {"a": Growing()}

    def encode(_: Growing) -> int:
        items.append(Growing())
        pairs[f"k{len(pairs)}"] = Growing()
        assert len(items) < 1000
        return 1

    register_type(Growing, decode=lambda _: Growing(), encode=encode, source=int)
    assert Schema(tuple[Growing, ...]).encode(tuple(items)) == b"[1,1]"
    for tp, value in ((list[Growing], items), (dict[str, Growing], pairs)):
        with pytest.raises(json.JSONEncodeError, match="grew while"):
            Schema(tp).encode(value)


def test_nothing_is_left_behind(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    schema = Schema(Holder, duplicate_keys="reject")

    def run() -> None:
        for text in (b'{"a":{"k":[1,2],"k":"x"}}', b'{"z":{"k":[1,2],"k":"x"}}', b'{"z":{"k":[1,2]},"a":{"b":1}}'):
            with contextlib.suppress(SchemaDecodeError):
                schema.decode(text)
        with pytest.raises(json.JSONEncodeError):
            Schema.encode(schema, Holder(a=[{"x": object()}]))

    assert blocks_left_by(run, 300) < 150
