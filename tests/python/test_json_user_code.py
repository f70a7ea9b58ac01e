"""Python code that runs while lanner.json writes: default=, an enum's value, offsets, attributes, sizes that change."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import gc
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy
import pytest

from lanner import json

OPTIONS: list[dict[str, Any]] = [
    {},
    {"indent": 1},
    {"sort_keys": True},
    {"non_str_keys": True},
    {"strict_integer": True},
]


class Opaque:
    pass


@dataclasses.dataclass
class Card:
    name: Any
    cost: Any = 1


@pytest.fixture(params=OPTIONS, ids=str)
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


def grown(container: Any) -> None:
    """Adds an item like those that are there."""
    if isinstance(container, dict):
        container[f"k{len(container)}"] = Opaque()
    else:
        container.append(Opaque())


@pytest.mark.parametrize("make", [list, dict, OrderedDict, lambda items: [*items, {"a": [Opaque()]}]])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_what_grows_while_it_is_written_is_an_error(make: Any, depth: int, options: dict[str, Any]) -> None:
    container = make([("a", Opaque()), ("b", Opaque()), ("c", 1)])
    if isinstance(container, list):
        container[:] = [Opaque(), *container]
    value: Any = container
    for _ in range(depth):
        value = [value, {"x": 1}]
    calls = 0

    def default(_: object) -> int:
        nonlocal calls
        calls += 1
        assert calls < 100, "it is followed without end"
        grown(container)
        return 1

    if options.get("sort_keys") and isinstance(container, dict):
        json.dumpb(value, default=default, **options)  # the items were gathered before
        return
    with pytest.raises(json.JSONEncodeError, match="grew while"):
        json.dumpb(value, default=default, **options)


def test_what_shrinks_while_it_is_written_ends_there(options: dict[str, Any]) -> None:
    items: list[Any] = [Opaque() for _ in range(50)]
    pairs: dict[str, Any] = {f"k{i}": Opaque() for i in range(50)}
    assert json.loads(json.dumpb([items, 1], default=lambda _: items.clear(), **options)) == [[None], 1]
    written = json.loads(json.dumpb([pairs, 1], default=lambda _: pairs.clear(), **options))
    assert written == [dict.fromkeys(["k0"] if not options.get("sort_keys") else [f"k{i}" for i in range(50)]), 1]


def test_a_dict_of_the_same_size_ends(options: dict[str, Any]) -> None:
    container: dict[str, Any] = {str(i): Opaque() for i in range(10)}
    numbers = iter(range(10, 10_000))

    def default(_: object) -> int:
        container.pop(next(iter(container)))
        container[str(next(numbers))] = Opaque()
        return 1

    with_it = [container]
    assert json.loads(json.dumpb(with_it, default=default, **options))
    assert next(numbers) < 500


def test_the_key_of_a_sorted_dict_may_run_code_that_drops_the_value() -> None:
    class Key(enum.Enum):
        A = 1
        B = 2

        @property
        def value(self) -> str:  # type: ignore[override]
            items[self] = None
            gc.collect()
            [bytearray(64) for _ in range(100)]
            return self.name

    items: dict[Any, Any] = {Key.A: ["x" * 40], Key.B: [{"y": 1}]}
    for sort_keys in (True, False):
        items.update({Key.A: ["x" * 40], Key.B: [{"y": 1}]})
        text = json.dumps([items], sort_keys=sort_keys, non_str_keys=True)
        assert text == f'[{{"A":["{"x" * 40}"],"B":[{{"y":1}}]}}]'


def test_the_key_of_a_dict_may_clear_it() -> None:
    class Key(enum.Enum):
        A = 1

        @property
        def value(self) -> str:  # type: ignore[override]
            items.clear()
            return "a"

    for options in ({"sort_keys": True}, {}, {"indent": 2}):
        items: dict[Any, Any] = {Key.A: [1], "b": [2]}
        assert json.loads(json.dumps(items, non_str_keys=True, **options)) == {"a": [1]}


def test_the_key_of_a_dict_may_not_add_to_it() -> None:
    class Key(enum.Enum):
        A = 1

        @property
        def value(self) -> str:  # type: ignore[override]
            items[f"k{len(items)}"] = 1
            return "a"

    for options in ({"sort_keys": True}, {}, {"indent": 2}):
        items: dict[Any, Any] = {Key.A: [1], "b": [2]}
        with pytest.raises(json.JSONEncodeError, match="grew while"):
            json.dumps(items, non_str_keys=True, **options)


class Moment(datetime.datetime):
    """A datetime whose methods give what they are told to."""

    offset: Any = None
    moved: Any = None

    def utcoffset(self) -> Any:
        return self.offset

    def astimezone(self, tz: Any = None) -> Any:
        return self.moved


@pytest.mark.parametrize("offset", [5, "x", 0.0, [], datetime.datetime.min, numpy.int64(3)], ids=repr)
def test_an_offset_that_is_no_timedelta_is_an_error(offset: Any, options: dict[str, Any]) -> None:
    class Odd(Moment):
        pass

    Odd.offset = offset
    value = Odd(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    for item in (value, [value], {"a": value}, {"a": [Card(value)]}):
        with pytest.raises(TypeError, match="utcoffset"):
            json.dumpb(item, **options)
    with pytest.raises(TypeError, match="utcoffset"):
        json.dumpb({value: 1}, non_str_keys=True)


@pytest.mark.parametrize("days", [-999_999_999, -1, 1, 2, 24_855, 999_999_999])
def test_an_offset_of_a_day_is_an_error(days: int) -> None:
    class Odd(Moment):
        offset = datetime.timedelta(days=days)

    with pytest.raises(ValueError, match="24 hours"):
        json.dumpb(Odd(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))))


@pytest.mark.parametrize("moved", [5, None, "2024", datetime.date.min, datetime.time.min], ids=repr)
def test_a_moment_in_utc_that_is_no_datetime_is_an_error(moved: Any) -> None:
    class Odd(Moment):
        offset = datetime.timedelta(seconds=1)

    Odd.moved = moved
    with pytest.raises(TypeError, match="astimezone"):
        json.dumpb([Odd(2024, 1, 1, tzinfo=datetime.UTC.__class__(datetime.timedelta(hours=1)))])


def test_a_time_has_an_offset_of_its_own() -> None:
    class Odd(datetime.time):
        def utcoffset(self) -> Any:
            return 7

    with pytest.raises(TypeError, match="utcoffset"):
        json.dumpb([Odd(1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))])


def test_a_zone_that_knows_no_offset_is_no_zone() -> None:
    class Nowhere(datetime.tzinfo):
        def utcoffset(self, _: datetime.datetime | None) -> None:
            return None

    assert json.dumps([datetime.datetime(2024, 1, 1, tzinfo=Nowhere())]) == '["2024-01-01T00:00:00"]'


@pytest.mark.parametrize("number", [-1, 2**128, "x", None, 1.5], ids=repr)
def test_a_uuid_is_a_number_of_128_bits(number: Any) -> None:
    value = uuid.UUID(int=1)
    object.__setattr__(value, "int", number)
    with pytest.raises(json.JSONEncodeError, match=r"^\$\[0\]: the UUID"):
        json.dumpb([value])


def test_a_field_without_a_value_is_an_error_with_its_place(options: dict[str, Any]) -> None:
    card = Card("x")
    del card.name
    slotted = dataclasses.make_dataclass("Slotted", ["a", "b"], slots=True)(1, 2)
    del slotted.b
    for value, place in (
        (card, "$.name"),
        ([1, card], "$[1].name"),
        ({"k": [card]}, "$.k[0].name"),
        (Card(card), "$.name.name"),
        ([slotted], "$[0].b"),
    ):
        with pytest.raises(json.JSONEncodeError) as caught:
            json.dumpb(value, **options)
        assert caught.value.path == place
        assert isinstance(caught.value.__cause__, AttributeError)


def test_what_user_code_raises_comes_out_as_it_is(options: dict[str, Any]) -> None:
    class Broken(Exception):
        pass

    def fail(*_: object) -> Any:
        raise Broken

    class Named(enum.Enum):
        A = 1
        value = property(fail)  # type: ignore[assignment]

    class Fields:
        __dataclass_fields__ = Card.__dataclass_fields__
        name = property(fail)

    class Odd(Moment):
        utcoffset = fail

    for value in (Named.A, Fields(), Odd(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))):
        for item in (value, [value], {"a": value}, Card([value])):
            with pytest.raises(Broken):
                json.dumpb(item, **options)
    with pytest.raises(Broken):
        json.dumpb([Opaque()], default=fail, **options)


def test_the_fields_of_a_class_may_not_grow_while_they_are_read() -> None:
    class Growing:
        __dataclass_fields__: ClassVar[dict[str, Any]] = dict(Card.__dataclass_fields__)

        @property
        def name(self) -> int:
            Growing.__dataclass_fields__[f"n{len(Growing.__dataclass_fields__)}"] = Card.__dataclass_fields__["name"]
            return 1

    with pytest.raises(json.JSONEncodeError, match="grew while"):
        json.dumpb([Growing()])


def test_an_item_may_drop_the_container_that_it_is_in(options: dict[str, Any]) -> None:
    def default(_: object) -> list[int]:
        outer[0] = None
        outer[1] = None
        gc.collect()
        return [1, 2]

    def items() -> Iterator[Any]:
        yield [Opaque(), "x" * 100, {"a": 1}]
        yield {"k": Opaque(), "l": ["y" * 100]}

    outer: list[Any] = list(items())
    text = json.loads(json.dumpb(outer, default=default, **options))
    assert text == [[[1, 2], "x" * 100, {"a": 1}], None]


def test_a_class_with_a_long_name_is_named_in_part() -> None:
    made = type("x" + "\u00e9" * 80, (), {})()
    with pytest.raises(json.JSONEncodeError, match="has no form in JSON"):
        json.dumpb([made])


def test_nothing_is_left_behind(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    def run() -> None:
        card = Card("x")
        del card.name
        Moment.offset = 5
        for value in (card, [Moment(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))]):
            with pytest.raises((TypeError, ValueError)):
                json.dumpb(value)
        items: dict[str, Any] = {"a": Opaque()}
        with pytest.raises(json.JSONEncodeError):
            json.dumpb(items, default=lambda _: grown(items))

    assert blocks_left_by(run, 300) < 150
