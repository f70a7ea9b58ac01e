"""docs/conformance.md: counts a group and server on top, then one row a case with what each server did."""

import platform
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance.case import AppCase, Level, WireCase
from tests.conformance.servers import LANNER, PEER_MODES, ROOT, Mode, version
from tests.conformance.suite import APPS, STREAM, TITLES, WAYS, WIRE

if TYPE_CHECKING:
    from tests.conformance.run import Results

FILE = ROOT / "docs/conformance.md"
CASES: list[WireCase | AppCase] = [*WIRE, *STREAM, *APPS["wsgi"], *APPS["asgi"]]
WAY_NAMES = {"bytes": "byte by byte", "behind": "behind a good request"}
CELL_MAX = 90

INTRODUCTION = """# Conformance

Written by `make conformance` on {date}; do not edit. {count} cases ({wire} of bytes on the wire, {apps} of WSGI and ASGI
applications) on Lanner and on five other Python servers, each with its defaults, one process, on {machine}.

A case is one exchange over a raw socket with a server that runs an application of the suite (`tests/conformance/`). Each cites
the text that decides it, and where there is one a public report of a server that got it wrong. **MUST**: the text says so.
**should**: the text says SHOULD, or the input does not match its grammar. A case is passed by whatever the texts permit: where
an alternative is legal (a bare LF, a lenient request line, a length that occurs twice, an end of the connection that is
announced) it counts as passed. A failure is one that was seen twice in the run that wrote this page. Lanner has no second try, and
is held to its own stricter promises (`want` in the cases), in all its modes: {modes}.

| server | version | run as |
|---|---|---|
{versions}

"""
COUNTS = """## Counts

Passed of those that apply. The wire cases were sent whole, byte by byte, and behind a good request in the same segment.

"""
TABLES = """
## Cases

`ok`, or what was seen instead; `-` where a server has no such interface. A note in brackets: passed whole, but not in that way.
"""


def servers() -> list[str]:
    return list(dict.fromkeys(mode.server for mode in LANNER + PEER_MODES))


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def cell(text: str) -> str:
    """As Markdown takes it in a table, ASCII, not too long."""
    plain = text.encode("ascii", "backslashreplace").decode().replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
    plain = plain.replace("*", "\\*").replace("_", "\\_")
    return plain if len(plain) <= CELL_MAX else plain[: CELL_MAX - 3].rstrip("\\") + "..."


def seen(results: "Results", case: WireCase | AppCase) -> str | None:
    """What was wrong; None where it does not apply."""
    if isinstance(case, WireCase):
        return results.wire["whole"][case.id]
    return results.apps.get(case.id)


def shown(results: "Results", case: WireCase | AppCase) -> str:
    text = seen(results, case)
    if text is None:
        return "-"
    if text:
        return cell(text)
    notes = [
        f"{WAY_NAMES[way]}: {results.wire[way][case.id]}"
        for way in WAYS[1:]
        if isinstance(case, WireCase) and results.wire[way][case.id]
    ]
    return f"ok ({cell('; '.join(notes))})" if notes else "ok"


def share(texts: Iterable[str | None]) -> str:
    known = [text for text in texts if text is not None]
    return f"{known.count('')}/{len(known)}" if known else "-"


def counts(found: Mapping[str, "Results"]) -> str:
    lines = row(["group", *found]) + row(["---"] * (1 + len(found)))
    for group, title in TITLES.items():
        lines += row(
            [
                title,
                *(share(seen(results, case) for case in CASES if case.group == group) for results in found.values()),
            ]
        )
    for level, title in ((Level.MUST, "**MUST**"), (Level.SHOULD, "**should**")):
        lines += row(
            [
                title,
                *(share(seen(results, case) for case in CASES if case.level == level) for results in found.values()),
            ]
        )
    lines += row(["**all**", *(f"**{share(seen(results, case) for case in CASES)}**" for results in found.values())])
    for way in WAYS[1:]:
        lines += row([f"wire, {WAY_NAMES[way]}", *(share(results.wire[way].values()) for results in found.values())])
    return lines


def table(found: Mapping[str, "Results"], group: str) -> str:
    lines = row(["case", "asks", "text", *found]) + row(["---"] * (3 + len(found)))
    for case in CASES:
        if case.group == group:
            level = "MUST" if case.level == Level.MUST else "should"
            why = case.why + (f" ({case.report})" if case.report else "")
            lines += row(
                [
                    f"`{case.id}`",
                    cell(f"{level}: {why}") if len(why) < CELL_MAX - 8 else full(f"{level}: {why}"),
                    cell(case.cites),
                    *(shown(results, case) for results in found.values()),
                ]
            )
    return lines


def full(text: str) -> str:
    return "".join(cell(text[at : at + CELL_MAX]) for at in range(0, len(text), CELL_MAX))


def run_as(mode: Mode) -> str:
    words = [Path(word).name if word.startswith("/") else word for word in mode.command("APP", "8000")]
    shell = " ".join(f'"{word}"' if " " in word else word for word in words)
    return f"{mode.name}: `{shell}`"


def render(found: Mapping[str, "Results"]) -> str:
    modes = {server: [mode for mode in LANNER + PEER_MODES if mode.server == server] for server in servers()}
    versions = [row([server, version(mine[0]), "<br>".join(map(run_as, mine))]) for server, mine in modes.items()]
    introduction = INTRODUCTION.format(
        date=time.strftime("%Y-%m-%d"), count=len(CASES), wire=len(WIRE), apps=len(CASES) - len(WIRE),
        machine=f"{platform.system()}, Python {platform.python_version()}", modes="; ".join(mode.name for mode in LANNER),
        versions="".join(versions).rstrip("\n"),
    )  # fmt: skip
    parts = [f"\n### {title}\n\n{table(found, group)}" for group, title in TITLES.items()]
    return introduction + COUNTS + counts(found) + TABLES + "".join(parts)
