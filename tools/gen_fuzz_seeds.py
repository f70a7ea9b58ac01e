#!/usr/bin/env python3
"""Writes seeds for the fuzz targets from tests/vectors/http1/cases.json: gen_fuzz_seeds.py DIRECTORY

Each target has its own first bytes (choices of limits and cuts), see fuzz/fuzz_*.cpp.
"""

import base64
import json
import sys
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "tests" / "vectors" / "http1" / "cases.json"
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

JSON = (
    b'{"a":[1,-0,1.5e-7,18446744073709551616,1e308],"\\u00e9":"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\\ud83d\\ude00"}',
    b' [ true , false , null , "\\"\\\\\\/\\b\\f\\n\\r\\t" , { } , [ ] ] ',
    b'["' + b"x" * 70 + b'","' + b"\xe4\xb8\xad" * 30 + b'","\\ud800","\xed\xa0\x80"]',
    b"2.2250738585072011e-308",
    b"[" * 130,
)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    for target, choices in CHOICES.items():
        directory = Path(sys.argv[1]) / target
        directory.mkdir(parents=True, exist_ok=True)
        for case in json.loads(CASES.read_text()):
            wire = base64.b64decode(case["raw_b64"])
            if target == "chunked":
                wire = wire.partition(b"\r\n\r\n")[2]
            if 0 < len(wire) <= LARGEST:
                (directory / case["name"].replace("/", "-")).write_bytes(choices + wire)
    for name, seeds in {"forwarded": FORWARDED, "json_reader": JSON}.items():
        directory = Path(sys.argv[1]) / name
        directory.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (directory / str(number)).write_bytes(seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
