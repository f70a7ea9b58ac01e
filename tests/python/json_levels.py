"""Run by test_json_levels.py: what one level of vector instructions writes and reads, as lines "NAME DIGEST"."""

import dataclasses
import hashlib
import json as standard
import random
from collections.abc import Callable
from typing import Any, TypedDict

from lanner import json
from lanner.schema import Schema

ALPHABETS = ["a", 'a"\\\n', "\xe9b", "\u4e2dc\u07ff", "\U0001f985d", "e\x00\x1f\x7f", "\u20acxyz\xff"]


@dataclasses.dataclass(slots=True)
class Row:
    text: str
    number: int
    real: float
    note: str | None


class Skipped(TypedDict):
    """All keys are unknown: what they hold is passed over."""


def texts() -> list[str]:
    chosen = random.Random(21)
    made = ["x" * size for size in range(300)]
    made += ["x" * at + special + "y" * (70 - at) for special in '"\\\n\x1f\xe9\u4e2d\U0001f985' for at in range(71)]
    return made + ["".join(chosen.choices(alphabet, k=size)) for alphabet in ALPHABETS for size in range(140)]


def rows() -> list[Row]:
    chosen = random.Random(22)
    return [Row(text, chosen.randrange(-(10**18), 10**18), chosen.uniform(-1e3, 1e3), text[:9]) for text in texts()]


def numbers() -> list[object]:
    chosen = random.Random(23)
    made: list[object] = [chosen.randrange(10**n) for n in range(1, 25) for _ in range(50)]
    return made + [chosen.random() * 10.0**n for n in range(-30, 30) for _ in range(50)]


def show(name: str, *parts: bytes) -> None:
    print(name, hashlib.sha256(b"\0".join(parts)).hexdigest())


def written() -> None:
    show("texts", json.dumpb(texts()))
    show("keys", json.dumpb([{text: text, "k": i} for i, text in enumerate(texts())]))
    show("numbers", json.dumpb(numbers()))
    show("nested numbers", json.dumpb([[n, [n]] for n in numbers()]))
    show("rows", Schema(list[Row]).encode(rows()))
    show("columns", Schema(dict[str, list[float]]).encode({row.text: [row.real] for row in rows()}))


def documents() -> list[bytes]:
    """Whole ones in several layouts, and each short one cut, with a byte less, or with a byte that is wrong."""
    values: list[object] = [texts(), numbers(), [dataclasses.asdict(row) for row in rows()]]
    values += [[dataclasses.asdict(row)] for row in rows()[::5]]
    values += [{text: [text, {text: number}]} for text, number in zip(texts(), numbers(), strict=False)]
    made = [standard.dumps(value, ensure_ascii=ascii).encode() for value in values for ascii in (False, True)]
    made += [standard.dumps(value, indent=indent).encode() for value in values[:60] for indent in (1, 7)]
    chosen = random.Random(24)
    for document in [document for document in made if len(document) < 2000]:
        at = chosen.randrange(len(document))
        made += [document[:at], document[:at] + document[at + 1 :]]
        made += [
            document[:at] + bytes([wrong]) + document[at + 1 :] for wrong in (0, 0x1F, 0x22, 0x5C, 0x80, 0xED, 0xFF)
        ]
    return made


def outcome(read: Callable[[bytes], object], document: bytes) -> bytes:
    """The value, or the error with its place."""
    try:
        return ascii(read(document)).encode()
    except ValueError as error:
        return f"{type(error).__name__}: {error}".encode()


def read() -> None:
    given = documents()
    schemas = (list[Row], list[Any], list[int | float], list[str], dict[str, list[Any]], list[json.Raw], Skipped)
    roads = {"loads": json.loads, "Raw": json.Raw} | {f"decode {tp}": Schema(tp).decode for tp in schemas}
    for name, road in roads.items():
        found = [outcome(road, document) for document in given]
        refused = sum(b"Error: " in text[:40] for text in found)
        show(f"{name}, of {len(found)} refused {refused}:", *found)
    schema = Schema(list[Row])
    for row in rows()[:400]:
        values = [dataclasses.asdict(row)]
        assert schema.validate(values) == schema.decode(standard.dumps(values).encode()) == [row]


if __name__ == "__main__":
    written()
    read()
