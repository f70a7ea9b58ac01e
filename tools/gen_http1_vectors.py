#!/usr/bin/env python3
"""Writes tests/vectors/http1/cases.txt from cases.json: the same cases as lines that a C++ test can read.

gen_http1_vectors.py [--check]: with --check nothing is written; exit 1 if cases.txt is not up to date.

    case NAME
    expect accept | reject
    status 400 501        codes that a rejection may have; 0 = a silent close
    requests N            complete requests that the application sees
    close 0 | 1
    body ESCAPED          one line a request, in order, accepted cases only
    wire ESCAPED          what the client sends; last line of a case

ESCAPED: printable ASCII as it is but for the backslash; \\\\ \\r \\n \\t \\xHH for the rest.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parent.parent / "tests" / "vectors" / "http1"
SHORT = {0x5C: "\\\\", 0x0D: "\\r", 0x0A: "\\n", 0x09: "\\t"}


def escape(data: bytes) -> str:
    return "".join(SHORT.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\x{b:02x}") for b in data)


def case_lines(case: dict[str, Any]) -> list[str]:
    lines = [
        f"case {case['name']}",
        "expect " + ("accept" if case["expect"] == "accept" else "reject"),
        "status " + " ".join(str(code) for code in case.get("status", [])),
        f"requests {case['requests']}",
        f"close {int(case['close'])}",
    ]
    lines += [f"body {escape(base64.b64decode(body))}" for body in case.get("bodies", [])]
    lines.append(f"wire {escape(base64.b64decode(case['raw_b64']))}")
    return [line.rstrip(" ") for line in lines]


def render() -> str:
    cases = json.loads((VECTORS / "cases.json").read_text())
    head = "# Written by tools/gen_http1_vectors.py from cases.json; do not edit."
    return "\n".join([head, *("\n".join(["", *case_lines(case)]) for case in cases)]) + "\n"


def main() -> int:
    path = VECTORS / "cases.txt"
    text = render()
    if "--check" in sys.argv[1:]:
        fresh = path.exists() and path.read_text() == text
        if not fresh:
            print(f"{path} is out of date: run tools/gen_http1_vectors.py", file=sys.stderr)
        return 0 if fresh else 1
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
