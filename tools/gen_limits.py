"""gen_limits.py: writes docs/limits.md from the engine's own table; --check says whether it is current."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/limits.md"
HEAD = """# Limits

Everything that queues, buffers, nests or waits has a bound. This page is made from `src/http/limits.def` by
`tools/gen_limits.py`; the precedents of the defaults are in comments there. Every flag is also a variable
(`--timeout-head` is `LANNER_TIMEOUT_HEAD`) and an argument of `lanner.run` (`timeout_head=`). Times are in seconds,
sizes in bytes (`64k`, `8m`).

| flag | default | what happens |
|---|---|---|
"""


def shown(default: int, unit: str) -> str:
    """Example: `shown(65536, "bytes")` is `"64k"`, `shown(2500, "ms")` is `"2.5"`."""
    if unit == "ms":
        return f"{default / 1000:g}"
    for size, letter in ((1 << 20, "m"), (1 << 10, "k")):
        if unit != "count" and default and default % size == 0:
            return f"{default // size}{letter}"
    return str(default)


def page() -> str:
    sys.path.insert(0, str(ROOT))
    from lanner import _core

    rows = [f"| `--{flag}` | {shown(default, unit)} | {text} |" for _, default, unit, flag, text in _core.limits()]
    return HEAD + "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        PAGE.write_text(page())
        return 0
    if PAGE.read_text() == page():
        return 0
    print(f"{PAGE} is stale: run tools/gen_limits.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
