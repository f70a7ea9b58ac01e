"""encode.py: what fuzz_encode.cpp claims of each input. Objects are made of its bytes, written by lanner.json or by a
schema, and read back by CPython's json; what has no form in JSON is refused. `python encode.py FILE ...` tries files.
"""

import datetime
import json as standard
import math
import struct
import sys
import typing
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from types import NoneType
from typing import Any, TypedDict

from lanner import Model, json
from lanner.schema import Schema

DEPTH_MAX = 5
REPEATED = (1, 1, 1, 2, 7, 40)  # times a text is repeated: what is long passes other code
FLAGS = (
    "sort_keys",
    "naive_utc",
    "utc_z",
    "omit_microseconds",
    "non_str_keys",
    "nan_as_null",
    "append_newline",
    "strict_integer",
    "passthrough_subclass",
    "passthrough_datetime",
    "passthrough_dataclass",
)
INDENTS = (None, None, None, 0, 1, 2, 16)


class Refused(Exception):
    """The value has no form in JSON by these options."""


class Text(str):
    pass


class Number(int):
    pass


class Unknown:
    """Only default() knows it."""


class Colour(Enum):
    RED = "r\u00e9d"
    BLUE = 3
    NONE = None


class Size(IntEnum):
    SMALL = 1
    LARGE = 1 << 40


@dataclass
class Row:
    name: str
    count: int
    real: float
    note: str | None = None


@dataclass(slots=True)
class Slotted:
    text: str
    rows: list[Row]
    flags: dict[str, bool]


class Card(Model):
    title: str
    cost: int | None = None
    tags: list[str] | None = None


class Typed(TypedDict):
    a: int
    b: str


class Pairs(list[tuple[str, Any]]):
    """An object as it was read, or is to be written: its keys in order, a key perhaps twice."""


class Choices:
    """A fuzzer's input as a row of choices: zeros when it is used up."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        self.at += size
        return taken + bytes(size - len(taken))

    def next(self, count: int) -> int:
        return self.take(1)[0] % count

    def size(self) -> int:
        """Of a container; nothing is made of nothing."""
        return self.next(9) if self.at < len(self.data) else 0

    def text(self) -> str:
        width, size = self.next(6), self.next(24)
        match width:
            case 0:
                made = "".join(chr(byte & 0x7F) for byte in self.take(size))
            case 1:
                made = "".join(chr(byte) for byte in self.take(size))
            case 2:
                made = "".join(map(chr, struct.unpack(f"<{size}H", self.take(2 * size))))
            case 3:
                made = "".join(chr(code % 0x110000) for code in struct.unpack(f"<{size}I", self.take(4 * size)))
            case 4:
                made = "x" * size
            case _:
                made = "x" * size + self.text() + "y" * self.next(70)
        return made * REPEATED[self.next(len(REPEATED))] if len(made) < 500 else made

    def integer(self) -> int:
        return int.from_bytes(self.take(self.next(20)), "little", signed=True)

    def real(self) -> float:
        if self.next(2):
            return self.integer() / 10.0 ** self.next(20)
        (made,) = struct.unpack("<d", self.take(8))
        return float(made)

    def finite(self) -> float:
        made = self.real()
        return made if math.isfinite(made) else 0.5


def plain_text(text: str) -> str:
    if any(0xD800 <= ord(character) < 0xE000 for character in text):
        raise Refused
    return str(text)


class Maker:
    """Makes values, and what reading their text gives. `refused` is set where a part has no form."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.options: dict[str, Any] = {name: True for name in FLAGS if choices.next(5) == 4}
        self.options["indent"] = INDENTS[choices.next(len(INDENTS))]
        self.options["default"] = self.default
        self.refused = False

    def on(self, name: str) -> bool:
        return name in self.options

    @staticmethod
    def default(value: object) -> object:
        return ["default", type(value).__name__]

    def passed(self, value: object) -> Any:
        return ["default", type(value).__name__]

    def string(self) -> tuple[str, str]:
        made = self.choices.text()
        try:
            return made, plain_text(made)
        except Refused:
            self.refused = True
            return made, ""

    def integer(self) -> tuple[int, int]:
        made = self.choices.integer()
        self.refused |= self.on("strict_integer") and abs(made) >= 1 << 53
        return made, made

    def real(self) -> tuple[float, float | None]:
        made = self.choices.real()
        if math.isfinite(made):
            return made, made
        self.refused |= not self.on("nan_as_null")
        return made, None

    def moment(self) -> tuple[Any, Any]:
        seconds, micro = self.choices.integer() % (9000 * 365 * 86400), self.choices.integer() % 1_000_000
        made: Any = datetime.datetime(2, 1, 1) + datetime.timedelta(seconds=seconds, microseconds=micro)
        kind = self.choices.next(4)
        if kind == 0:
            made = made.date()
        elif kind == 1:
            made = made.time()
        elif kind == 2:
            zone = datetime.timezone(datetime.timedelta(seconds=self.choices.integer() % 100_000 - 50_000))
            made = made.replace(tzinfo=zone)
        return made, self.passed(made) if self.on("passthrough_datetime") else self.moment_text(made)

    def moment_text(self, moment: Any) -> str:
        if isinstance(moment, datetime.datetime):
            if moment.tzinfo is None and self.on("naive_utc"):
                moment = moment.replace(tzinfo=datetime.UTC)
            offset = moment.utcoffset()
            if offset is not None and offset.seconds % 60:
                moment = moment.astimezone(datetime.UTC)
        if self.on("omit_microseconds") and type(moment) is not datetime.date:
            moment = moment.replace(microsecond=0)
        text = str(moment.isoformat())
        return text.removesuffix("+00:00") + "Z" if self.on("utc_z") and text.endswith("+00:00") else text

    def odd(self) -> tuple[Any, Any]:
        """Enums, subclasses, UUIDs, and what only default() knows."""
        kind = self.choices.next(8)
        if kind < 3:
            member = [*Colour][kind]
            return member, member.value
        if kind < 5:
            size = [*Size][kind - 3]
            self.refused |= self.on("strict_integer") and abs(size) >= 1 << 53
            return size, int(size)
        if kind == 5:
            made = uuid.UUID(bytes=self.choices.take(16))
            return made, str(made)
        if kind == 6:
            unknown = Unknown()
            return unknown, self.passed(unknown)
        subclass: Any
        if self.choices.next(2):
            text, plain = self.string() if not self.on("passthrough_subclass") else (self.choices.text(), "")
            subclass = Text(text)
            return subclass, self.passed(subclass) if self.on("passthrough_subclass") else plain
        subclass = Number(self.choices.integer())
        if self.on("passthrough_subclass"):
            return subclass, self.passed(subclass)
        self.refused |= self.on("strict_integer") and abs(subclass) >= 1 << 53
        return subclass, int(subclass)

    def key(self) -> tuple[Any, str]:
        if not self.on("non_str_keys") or self.choices.next(2):
            return self.string()
        match self.choices.next(4):
            case 0:
                made = self.choices.integer()
                self.refused |= self.on("strict_integer") and abs(made) >= 1 << 53
                return made, str(made)
            case 1:
                return True, "true"
            case 2:
                return None, "null"
            case _:
                chosen = uuid.UUID(bytes=self.choices.take(16))
                return chosen, str(chosen)

    def mapping(self, depth: int) -> tuple[dict[Any, Any], Pairs]:
        made: dict[Any, tuple[Any, str, Any]] = {}
        for _ in range(self.choices.size()):
            key, text = self.key()
            if not any(key == other for other in made):  # 1 and True are one key
                made[key] = (text, *self.value(depth + 1))
        plain = Pairs((text, said) for text, _, said in made.values())
        if self.on("sort_keys"):
            plain = Pairs(sorted(plain, key=lambda pair: pair[0]))
        return {key: value for key, (_, value, _) in made.items()}, plain

    def record(self, depth: int) -> tuple[Any, Any]:
        refused = self.refused
        name, name_text = self.string()
        count, count_said = self.integer()
        real, real_said = self.real()
        note, note_said = self.value(depth + 1)
        made = Row(name, count, real, note)
        if self.on("passthrough_dataclass"):
            self.refused = refused
            return made, self.passed(made)
        return made, Pairs([("name", name_text), ("count", count_said), ("real", real_said), ("note", note_said)])

    def value(self, depth: int = 0) -> tuple[Any, Any]:
        kind = self.choices.next(10 if depth < DEPTH_MAX else 6)
        if kind == 0:
            word = (None, True, False)[self.choices.next(3)]
            return word, word
        simple: list[Callable[[], tuple[Any, Any]]] = [self.integer, self.real, self.string, self.moment, self.odd]
        if kind < 6:
            return simple[kind - 1]()
        if kind == 6:
            return self.mapping(depth)
        if kind == 7:
            return self.record(depth)
        items = [self.value(depth + 1) for _ in range(self.choices.size())]
        made = [item for item, _ in items]
        return made if kind == 8 else tuple(made), [said for _, said in items]


def read(text: str) -> Any:
    return standard.loads(text, object_pairs_hook=Pairs)


def check_plain(choices: Choices) -> None:
    """lanner.json, by whatever options."""
    maker = Maker(choices)
    value, expected = maker.value()
    kept = b"kept"
    buffer = bytearray(kept)
    try:
        written = json.dumpb(value, **maker.options)
    except json.JSONEncodeError:
        assert maker.refused, "refused"
        for write in (json.dumps, lambda value, **options: json.dump_into(value, buffer, **options)):
            try:
                write(value, **maker.options)
            except json.JSONEncodeError:
                continue
            raise AssertionError("refused by dumpb() only") from None
        assert buffer == kept
        return
    assert not maker.refused, "not refused"
    text = written.decode()
    assert json.dumps(value, **maker.options) == text
    assert json.dump_into(value, buffer, **maker.options) == len(written)
    assert buffer == kept + written
    assert text.endswith("\n") == maker.on("append_newline")
    assert repr(read(text)) == repr(expected), (maker.options, read(text), expected)
    assert repr(json.loads(written)) == repr(standard.loads(text))
    if not maker.options["indent"]:
        assert json.dumpb(json.loads(written), append_newline=maker.on("append_newline")) == written or has_twice(
            expected
        )


def has_twice(said: Any) -> bool:
    """Whether an object has a key twice."""
    if isinstance(said, Pairs):
        keys = [key for key, _ in said]
        return len(set(keys)) < len(keys) or any(has_twice(value) for _, value in said)
    return isinstance(said, list) and any(has_twice(item) for item in said)


TYPES: tuple[Any, ...] = (
    int,
    float,
    str,
    bool | None,
    list[int],
    list[float],
    list[str],
    list[str | None],
    list[int | str],
    dict[str, int],
    dict[str, list[float]],
    tuple[int, str, bool],
    Row,
    list[Row],
    dict[str, Row | None],
    Slotted,
    list[Slotted],
    Card,
    list[Card],
    Typed,
    list[list[Typed]],
)
SCHEMAS = [Schema(tp) for tp in TYPES]


class Fitting:
    """Makes values of a type, and what reading their text gives."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.without_none = choices.next(3) == 2

    def make(self, tp: Any) -> tuple[Any, Any]:
        origin, arguments = typing.get_origin(tp), typing.get_args(tp)
        if origin is list:
            return self.array([arguments[0]] * self.choices.size(), list)
        if origin is tuple:
            return self.array([*arguments], tuple)
        if origin is dict:
            return self.mapping(arguments[1])
        if arguments:
            return self.make(arguments[self.choices.next(len(arguments))])
        if tp in (Row, Slotted, Card):
            hints = typing.get_type_hints(tp)
            made = {name: self.make(hints[name]) for name in hints if not name.startswith("_")}
            return tp(**{name: value for name, (value, _) in made.items()}), self.pairs(made)
        if tp is Typed:
            made = {name: self.make(hint) for name, hint in typing.get_type_hints(tp).items()}
            return {name: value for name, (value, _) in made.items()}, self.pairs(made)
        return self.scalar(tp)

    def scalar(self, tp: Any) -> tuple[Any, Any]:
        if tp is NoneType:
            return None, None
        value = {int: self.choices.integer, float: self.choices.finite, str: self.choices.text}.get(
            tp, lambda: self.choices.next(2) == 1
        )()
        return value, plain_text(value) if isinstance(value, str) else value

    def array(self, types: list[Any], container: Callable[[list[Any]], Any]) -> tuple[Any, Any]:
        made = [self.make(tp) for tp in types]
        return container([value for value, _ in made]), [said for _, said in made]

    def mapping(self, tp: Any) -> tuple[Any, Any]:
        made = {plain_text(self.choices.text()): self.make(tp) for _ in range(self.choices.size())}
        return {key: value for key, (value, _) in made.items()}, Pairs((key, said) for key, (_, said) in made.items())

    def pairs(self, made: dict[str, tuple[Any, Any]]) -> Pairs:
        return Pairs((name, said) for name, (_, said) in made.items() if not (self.without_none and said is None))


def check_schema(choices: Choices) -> None:
    """Schema.encode(): what it writes reads back, by json and by the schema; another schema refuses or writes JSON."""
    chosen, other = choices.next(len(TYPES)), choices.next(len(TYPES))
    fitting = Fitting(choices)
    try:
        value, expected = fitting.make(TYPES[chosen])
    except Refused:
        return
    schema = SCHEMAS[chosen]
    options = {"exclude_none": fitting.without_none}
    written = schema.encode(value, **options)
    buffer = bytearray(b"kept")
    assert schema.encode_into(value, buffer, **options) == len(written)
    assert buffer == b"kept" + written
    assert repr(read(written.decode())) == repr(expected)
    if not fitting.without_none:
        assert repr(schema.decode(written)) == repr(value)
        assert schema.encode(schema.decode(written)) == written
    try:
        read(SCHEMAS[other].encode(value).decode())
    except json.JSONEncodeError:
        return


def check(data: bytes) -> None:
    choices = Choices(data)
    (check_schema if choices.next(2) else check_plain)(choices)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        check(Path(name).read_bytes())
