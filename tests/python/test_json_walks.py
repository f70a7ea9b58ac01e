"""Every option of dumps in every container at every depth, against a model in plain Python: no fast walk ignores one."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import json as standard
import math
import os
import random
import subprocess
import sys
import uuid
from collections import OrderedDict, namedtuple
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lanner import Model, json

UTC = datetime.UTC
MOMENT = datetime.datetime(2024, 5, 1, 6, 30, 1, 250)
Point = namedtuple("Point", "x y")


class Name(str):
    pass


class Whole(int):
    pass


class Real(float):
    pass


class Rows(list):
    pass


class Level(enum.IntEnum):
    LOW = 1


class Colour(enum.Enum):
    RED = "red"
    DEEP = ("x", {"b": 1, "a": 2})


@dataclasses.dataclass
class Card:
    name: Any
    cost: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    z: Any
    a: Any = None


class Bird(Model):
    wing: Any
    age: Any = None


class Opaque:
    pass


FLAGS = [
    *("sort_keys", "naive_utc", "utc_z", "omit_microseconds", "non_str_keys", "nan_as_null", "append_newline"),
    *("strict_integer", "passthrough_subclass", "passthrough_datetime", "passthrough_dataclass"),
    *("passthrough_set", "passthrough_decimal"),
]
LEAVES: list[Any] = [
    *(None, True, 7, 2**53, -(2**70), 1.5, float("nan"), "a", "\u20ac\n", "x" * 5000),
    *(Name("n"), Whole(3), Real(2.5), Level.LOW, Colour.RED, Colour.DEEP, MOMENT, MOMENT.replace(tzinfo=UTC)),
    *(MOMENT.date(), MOMENT.time(), uuid.UUID(int=5), Opaque(), json.Raw(b'"as it is"')),
    frozenset([2**60]),
    Decimal("1.50"),
    {"b": 1, "a": 2},
]
# Each puts a value into a container; `other` comes before and behind it, so that a walk is entered and left.
CONTAINERS: dict[str, Any] = {
    "list": lambda value, other: [other, value, other],
    "tuple": lambda value, other: (other, value, other),
    "rows": lambda value, other: Rows([other, value]),
    "point": lambda value, other: Point(value, other),
    "dict": lambda value, other: {"k": value, "b": other, "c": 1},
    "ordered": lambda value, other: OrderedDict(z=other, y=value),
    "dataclass": lambda value, other: Card(value, other),
    "slots": lambda value, other: Slotted(value, other),
    "model": lambda value, other: Bird(wing=value, age=other),
    "odd keys": lambda value, other: {2: value, "1": other, None: 1, Level.LOW: 2, Name("s"): 3},
}


class Unwritable(Exception):
    pass


def key_text(key: Any, options: dict[str, Any]) -> str:
    if isinstance(key, str) and not isinstance(key, enum.Enum):
        return str.__str__(key)
    if not options.get("non_str_keys"):
        raise Unwritable
    return {None: "null"}[key] if key is None else str(int(key))


def stands_for(value: Any, options: dict[str, Any]) -> Any:
    """What json.dumps of the standard library writes in the same way; default() of the test below makes a str."""
    passed = f"default({type(value).__name__})"
    exact = type(value) in (str, int, float, bool, type(None), dict, list, tuple)
    if isinstance(value, enum.Enum):
        return stands_for(value.value, options)
    if isinstance(value, Model):
        return {name: stands_for(getattr(value, name), options) for name in ("wing", "age")}
    if not exact and isinstance(value, (str, int, float, dict, list, tuple)):
        return passed if options.get("passthrough_subclass") else stands_for(plain(value), options)
    if isinstance(value, (datetime.date, datetime.time)):
        return passed if options.get("passthrough_datetime") else moment_text(value, options)
    if dataclasses.is_dataclass(value):
        if options.get("passthrough_dataclass"):
            return passed
        return {field.name: stands_for(getattr(value, field.name), options) for field in dataclasses.fields(value)}
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, json.Raw):
        return "as it is"
    if isinstance(value, Opaque):
        return passed
    if isinstance(value, frozenset):
        return passed if options.get("passthrough_set") else [stands_for(item, options) for item in value]
    if isinstance(value, Decimal):
        return passed if options.get("passthrough_decimal") else str(value)
    if isinstance(value, dict):
        items = [(key_text(key, options), stands_for(item, options)) for key, item in value.items()]
        return Sorted(sorted(items, key=lambda item: item[0]) if options.get("sort_keys") else items)
    if isinstance(value, (list, tuple)):
        return [stands_for(item, options) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        if not options.get("nan_as_null"):
            raise Unwritable
        return None
    if isinstance(value, int) and options.get("strict_integer") and abs(value) >= 2**53:
        raise Unwritable
    return value


class Sorted(dict):
    """Pairs in their order, which may have a key twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def items(self) -> Any:
        return self.pairs


def plain(value: Any) -> Any:
    for tp in (str, int, float, dict, list, tuple):
        if isinstance(value, tp):
            return tp(value)  # type: ignore[call-arg]
    raise AssertionError(value)


def moment_text(value: Any, options: dict[str, Any]) -> str:
    if options.get("omit_microseconds") and type(value) is not datetime.date:
        value = value.replace(microsecond=0)
    if isinstance(value, datetime.datetime) and value.tzinfo is None and options.get("naive_utc"):
        value = value.replace(tzinfo=UTC)
    text = value.isoformat()
    return text.replace("+00:00", "Z") if options.get("utc_z") else text


def agrees(value: Any, options: dict[str, Any]) -> None:
    def default(item: Any) -> str:
        return f"default({type(item).__name__})"

    try:
        model = stands_for(value, options)
    except Unwritable:
        with pytest.raises(json.JSONEncodeError):
            json.dumpb(value, default=default, **options)
        return
    indent = options.get("indent") or None
    separators = (",", ":") if indent is None else (",", ": ")
    expected = standard.dumps(model, ensure_ascii=False, indent=indent, separators=separators)
    given = json.dumps(value, default=default, **options)
    assert given.removesuffix("\n") == expected, (value, options)
    assert given.endswith("\n") == bool(options.get("append_newline"))
    assert json.dumpb(value, default=default, **options) == given.encode()
    buffer = bytearray(b"x")
    json.dump_into(value, buffer, default=default, **options)
    assert buffer[1:] == given.encode()


CHOICES = [{}, *({flag: True} for flag in FLAGS), {"indent": 1}, {"indent": 2, "sort_keys": True}]
CHOICES += [dict.fromkeys(pair, True) for pair in itertools.combinations(FLAGS, 2)]


@pytest.mark.parametrize("name", CONTAINERS)
def test_an_option_counts_in_every_container_and_depth(name: str) -> None:
    chosen = random.Random(name)
    for options in CHOICES:
        for leaf in LEAVES:
            value = CONTAINERS[name](leaf, chosen.choice(LEAVES[:9]))
            agrees(value, options)
            for _ in range(2):
                value = CONTAINERS[chosen.choice(list(CONTAINERS))](value, chosen.choice(LEAVES))
                agrees(value, options)


def test_dicts_are_sorted_wherever_they_are() -> None:
    inner = {"b": 1, "a": {"d": 1, "c": [{"f": 1, "e": 2}]}}
    text = '{"a":{"c":[{"e":2,"f":1}],"d":1},"b":1}'
    for value, expected in (
        ([inner], f"[{text}]"),
        ((inner, [inner]), f"[{text},[{text}]]"),
        ({"z": inner, "y": [inner]}, f'{{"y":[{text}],"z":{text}}}'),
        (Card(inner, [inner]), f'{{"name":{text},"cost":[{text}]}}'),
        (Bird(wing=inner), f'{{"wing":{text},"age":null}}'),
        ([OrderedDict(inner)], f"[{text}]"),
    ):
        assert json.dumps(value, sort_keys=True) == expected
    assert json.dumps([Opaque()], default=lambda _: inner, sort_keys=True) == f"[{text}]"
    assert json.dumps({"b": 1, 1: 2, "\U0001f985": 3, "\uff00": 4, "": 5}, sort_keys=True, non_str_keys=True) == (
        '{"":5,"1":2,"b":1,"\uff00":4,"\U0001f985":3}'
    )


@pytest.mark.parametrize("level", ["baseline", "avx2"])
def test_no_level_of_vector_instructions_ignores_one(level: str) -> None:
    command = [sys.executable, "-m", "pytest", "-qxp", "no:cacheprovider", __file__, "-k", "sorted or depth and dict]"]
    environment = {**os.environ, "LANNER_SIMD": level}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stdout
