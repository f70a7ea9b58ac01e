"""bench/json_table.py: lanner.json beside orjson (and ssrjson, if it is there): a table of microseconds and ratios.

    .venv/bin/python bench/json_table.py [--sizes 1k 100k 10m] [--kinds cards cjk] [--seconds 0.3]

Each cell: interleaved rounds over several documents of the kind in turn; the fastest round counts, so that what else
runs on the machine does not. Decoding includes giving the objects back. Strings are made anew for every round: what an
encoder keeps in them from an earlier call does not count.
"""

import argparse
import gc
import itertools
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import json_documents as documents
import orjson

from lanner import json as lanner_json

try:
    import ssrjson
except ImportError:
    ssrjson = None

Function = Callable[[Any], Any]


def size_of(text: str) -> int:
    units = {"k": 1 << 10, "m": 1 << 20}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def fresh(raw: list[bytes]) -> list[Any]:
    """As the standard library makes them: like those of an application."""
    return [json.loads(data) for data in raw]


def race(sides: dict[str, Function], inputs: Callable[[], list[Any]], seconds: float) -> dict[str, float]:
    """The fastest round of each side, in microseconds a call."""
    best: dict[str, float] = dict.fromkeys(sides, float("inf"))
    gc.collect()
    gc.disable()
    ends = time.perf_counter() + seconds * len(sides)
    for rounds in itertools.count():
        if rounds >= 5 and time.perf_counter() > ends:
            break
        for name, function in sides.items():
            values = inputs()
            began = time.perf_counter()
            for value in values:
                function(value)
            best[name] = min(best[name], (time.perf_counter() - began) / len(values) * 1e6)
    gc.enable()
    return best


def row(title: str, times: dict[str, float]) -> float:
    """Prints the row; lanner's time over orjson's."""
    ratio = times["lanner"] / times["orjson"]
    cells = "  ".join(f"{name} {value:>11,.2f}" for name, value in times.items())
    others = f"  x ssrjson {times['lanner'] / times['ssrjson']:.2f}" if "ssrjson" in times else ""
    print(f"{title:26} {cells}  x orjson {ratio:.2f}{others}", flush=True)
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(description="lanner.json beside its peers.")
    parser.add_argument("--sizes", nargs="+", default=["1k", "100k", "10m"], help="of the documents [1k 100k 10m]")
    parser.add_argument("--kinds", nargs="+", choices=documents.KINDS, default=list(documents.KINDS))
    parser.add_argument("--seconds", type=float, default=0.15, help="for each cell [0.15]")
    parser.add_argument("--limit", type=float, default=0.0, help="exit 1 if lanner is slower than this x orjson")
    options = parser.parse_args()
    encoders: dict[str, Function] = {"lanner": lanner_json.dumpb, "orjson": orjson.dumps}
    decoders: dict[str, Function] = {"lanner": lanner_json.loads, "orjson": orjson.loads}
    if ssrjson:
        encoders["ssrjson"], decoders["ssrjson"] = ssrjson.dumps_to_bytes, ssrjson.loads
    worst = 0.0
    for kind, size in itertools.product(options.kinds, options.sizes):
        count = max(1, min(16, (4 << 20) // size_of(size)))
        raw = [orjson.dumps(documents.make(kind, size_of(size), orjson.dumps, seed)) for seed in range(count)]
        for data in raw:
            if lanner_json.loads(data) != orjson.loads(data) or orjson.loads(
                lanner_json.dumpb(orjson.loads(data))
            ) != orjson.loads(data):
                raise SystemExit(f"{kind}: not the same value")
        worst = max(worst, row(f"encode {kind} {size}", race(encoders, partial(fresh, raw), options.seconds)))
        worst = max(worst, row(f"decode {kind} {size}", race(decoders, partial(list, raw), options.seconds)))
    print(f"the slowest: {worst:.2f} x orjson")
    return int(bool(options.limit) and worst > options.limit)


if __name__ == "__main__":
    sys.exit(main())
