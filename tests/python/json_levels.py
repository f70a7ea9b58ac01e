"""Run by test_json_levels.py: what one level of vector instructions writes, as a digest a line."""

import dataclasses
import hashlib
import random

from lanner import json
from lanner.schema import Schema

ALPHABETS = ["a", 'a"\\\n', "\xe9b", "\u4e2dc\u07ff", "\U0001f985d", "e\x00\x1f\x7f", "\u20acxyz\xff"]


@dataclasses.dataclass(slots=True)
class Row:
    text: str
    number: int
    real: float
    note: str | None


def texts() -> list[str]:
    chosen = random.Random(21)
    made = ["x" * size for size in range(300)]
    made += ["x" * at + special + "y" * (70 - at) for special in '"\\\n\x1f\xe9\u4e2d\U0001f985' for at in range(71)]
    return made + ["".join(chosen.choices(alphabet, k=size)) for alphabet in ALPHABETS for size in range(140)]


def main() -> None:
    chosen = random.Random(22)
    rows = [Row(text, chosen.randrange(-(10**18), 10**18), chosen.uniform(-1e3, 1e3), text[:9]) for text in texts()]
    numbers: list[object] = [chosen.randrange(10**n) for n in range(1, 25) for _ in range(50)]
    numbers += [chosen.random() * 10.0**n for n in range(-30, 30) for _ in range(50)]
    for value in (
        texts(),
        [{text: text, "k": i} for i, text in enumerate(texts())],
        numbers,
        [[n, [n]] for n in numbers],
    ):
        print(hashlib.sha256(json.dumpb(value)).hexdigest())
    print(hashlib.sha256(Schema(list[Row]).encode(rows)).hexdigest())
    print(hashlib.sha256(Schema(dict[str, list[float]]).encode({row.text: [row.real] for row in rows})).hexdigest())


if __name__ == "__main__":
    main()
