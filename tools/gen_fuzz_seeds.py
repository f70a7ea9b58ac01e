#!/usr/bin/env python3
"""Seeds for the fuzz targets.

    gen_fuzz_seeds.py DIRECTORY           writes DIRECTORY/TARGET/...: the wires of tests/vectors/http1/cases.json
                                          behind a target's own first bytes (choices of limits and cuts, see
                                          fuzz/fuzz_*.cpp), and the inputs of fuzz/corpus/TARGET.txt
    gen_fuzz_seeds.py --pack TARGET DIR   writes fuzz/corpus/TARGET.txt from the files of DIR, the short ones first:
                                          what a long run found and `lanner_fuzz_TARGET -merge=1 DIR FOUND` left

A line of fuzz/corpus/TARGET.txt is one input, escaped as in tests/vectors/http1/cases.txt.
"""

import base64
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from gen_http1_vectors import VECTORS, escape

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus"
LARGEST = 8000
CHOICES = {"head": b"\x00\x00", "chunked": b"\x00\x00", "session": b"\x00\x07\x01\x3f\x02\x10\x20\x05"}
# The first byte chooses the field (fuzz_forwarded.cpp).
FORWARDED = (
    b'\0for="[2001:db8::17]:4711";proto=https;host="shop.example:8443", for=10.0.0.1;by=_x',
    b'\0for=unknown\nfor="\\", for=192.0.2.1',
    b"\x01192.0.2.1:80, [2001:db8::1]:5,::ffff:10.0.0.1\n10.1.2.3",
    b"\x02https, http",
    b"\x03shop.example:8443, [::1]",
    b"\x048443",
)
# The first byte chooses query, cookie or set-cookie (fuzz_pairs.cpp).
PAIRS = (
    b"\0a=1&b=%C3%A4+x&&c&=d&e=%zz%4",
    b'\x01a=1; b="x\\"\\073\\\\"; novalue;; c = "y" ; a=2',
    b"\x02id\n0123\nshop.example\n/cart",
    b'\x02__Host-id\n"a b\\073"\n\n/',
)
JSON = (
    b'{"a":[1,-0,1.5e-7,18446744073709551616,1e308],"\\u00e9":"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\\ud83d\\ude00"}',
    b' [ true , false , null , "\\"\\\\\\/\\b\\f\\n\\r\\t" , { } , [ ] ] ',
    b'["' + b"x" * 70 + b'","' + b"\xe4\xb8\xad" * 30 + b'","\\ud800","\xed\xa0\x80"]',
    b"2.2250738585072011e-308",
    b"[" * 130,
)
SCHEMAS = 64  # plans and documents by chance: the first byte says how many bytes choose the plan (fuzz_schema.cpp)
PACKED_MAX = 12_000  # bytes of one corpus file
LINE_MAX = 500


def unpack(line: str) -> bytes:
    return line.encode("latin-1").decode("unicode_escape").encode("latin-1")


def pack(target: str, found: Path) -> str:
    """The smallest inputs as lines, up to PACKED_MAX; a blank at either end is escaped, too."""
    lines, total = [], 0
    for data in sorted((path.read_bytes() for path in found.iterdir()), key=len):
        line = escape(data)
        for end in (line.startswith(" "), line.endswith(" ")):
            if end:
                line = line.replace(" ", "\\x20")
        if line and len(line) <= LINE_MAX and total + len(line) <= PACKED_MAX:
            lines.append(line)
            total += len(line)
    return "\n".join(sorted(lines)) + "\n"


def schema_seeds() -> Iterator[bytes]:
    chance = random.Random(SCHEMAS)
    for _ in range(SCHEMAS):
        yield bytes([chance.randrange(20, 128) * 2 + 1]) + chance.randbytes(400)


def encode_seeds() -> Iterator[bytes]:
    """Objects by chance (fuzz/encode.py)."""
    chance = random.Random(SCHEMAS + 1)
    for _ in range(SCHEMAS):
        yield chance.randbytes(300)


def router_seeds() -> Iterator[bytes]:
    """Routes and requests by chance (fuzz_router.cpp)."""
    chance = random.Random(SCHEMAS + 2)
    for _ in range(SCHEMAS):
        yield chance.randbytes(300)


def write_seeds(target: str, choices: bytes, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for case in json.loads((VECTORS / "cases.json").read_text()):
        wire = base64.b64decode(case["raw_b64"])
        if target == "chunked":
            wire = wire.partition(b"\r\n\r\n")[2]
        if 0 < len(wire) <= LARGEST:
            (directory / case["name"].replace("/", "-")).write_bytes(choices + wire)
    for number, line in enumerate((CORPUS / f"{target}.txt").read_text().splitlines()):
        (directory / f"corpus-{number}").write_bytes(unpack(line))


def main() -> int:
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == "--pack" and arguments[1] in CHOICES:
        (CORPUS / f"{arguments[1]}.txt").write_text(pack(arguments[1], Path(arguments[2])))
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    for target, choices in CHOICES.items():
        write_seeds(target, choices, Path(arguments[0]) / target)
    for name, seeds in {
        "forwarded": FORWARDED,
        "pairs": PAIRS,
        "json_reader": JSON,
        "schema": tuple(schema_seeds()),
        "encode": tuple(encode_seeds()),
        "router": tuple(router_seeds()),
    }.items():
        directory = Path(arguments[0]) / name
        directory.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (directory / str(number)).write_bytes(seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
