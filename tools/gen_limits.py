"""gen_limits.py: writes docs/limits.md from the engine's own table; --check says whether it is current."""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/limits.md"
TABLE = ROOT / "src/http/limits.def"
HEAD = """# Limits

Every queue, buffer, nesting depth and wait has a limit. This page is generated from `src/http/limits.def` by
`tools/gen_limits.py`. Every flag is also a variable (`--timeout-head` is `LANNER_TIMEOUT_HEAD`) and an argument of
`lanner.run` (`timeout_head=`). Times are in seconds, sizes in bytes (`64k`, `8m`).

| flag | default | what happens | precedent |
|---|---|---|---|
"""
TAIL = """
**When time runs out.** Before an answer has begun the client gets a 408 (`--timeout-request`: a 503 when the
request was complete and the application is late); afterwards the connection is cut by a reset, so that half an
answer is not mistaken for a whole one. To the application this looks like a client that has left: ASGI gets
`http.disconnect`, WSGI an error from its next read, or its iterable is closed. `--timeout-request` cannot interrupt
Python code: with `--threads 1` the server waits for a WSGI application that computes.

**When connections run out.** New clients wait in the kernel's backlog (`--backlog`) until a connection closes;
nobody is refused, and `connections.full` is logged. 128 descriptors are reserved for the application. If even those are
used up (EMFILE), clients are closed one at a time, `accept.failed` is logged, and accepting pauses
for a moment instead of spinning.

**When memory runs out.** All buffers of a worker share `--limit-buffers`: unsent answers, input that waits, bodies, and
what is on its way between threads. Above half of it, what a client does not take of a large answer goes to an unlinked
file (in `TMPDIR`, one for each worker; on a disk, since a tmpfs is memory and counted as such), sources are paused
early, and bodies go to the file after 16 KiB. Above nine tenths new clients wait in the backlog, and the log says
`memory.full`, once a minute. The last tenth serves the small answers of clients that are connected already. Nobody is
refused; clients that do not read end by `--timeout-write`. The application's own memory is not counted, nor what the
kernel holds for each socket. How it works: `docs/design/0006-memory-budget.md`.

**Slow readers.** The write limits measure what the client's system has acknowledged, including data that the kernel
buffers: at most 512 KiB of unsent data for each connection.

**Fairness.** An iteration of the loop does a bounded amount of work for each connection: `--limit-pipeline` requests,
128 KiB of input, 16 writes. Then the other connections are served.
"""


def shown(default: int, unit: str) -> str:
    """Example: `shown(65536, "bytes")` is `"64k"`, `shown(2500, "ms")` is `"2.5"`."""
    if unit == "ms":
        return f"{default / 1000:g}"
    for size, letter in ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")):
        if unit != "count" and default and default % size == 0:
            return f"{default // size}{letter}"
    return str(default)


def precedents() -> dict[str, str]:
    """The last argument of each row of limits.def, by field."""
    found = re.findall(r'^LANNER_LIMIT\((\w+), .*, "([^"]+)"\)$', TABLE.read_text(), re.MULTILINE)
    return dict(found)


def page() -> str:
    sys.path.insert(0, str(ROOT))
    from lanner import _core

    why = precedents()
    rows = [
        f"| `--{flag}` | {shown(default, unit)} | {text} | {why[field]} |"
        for field, default, unit, flag, text in _core.limits()
    ]
    return HEAD + "\n".join(rows) + "\n" + TAIL


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
