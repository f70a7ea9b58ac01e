"""run.py: the conformance suite on Lanner and its peers; writes docs/conformance.md.

    .venv/bin/python -m tests.conformance.run                     all, as `make conformance` does
    .venv/bin/python -m tests.conformance.run --only bjoern       one server; prints what failed, writes nothing

Peers are what build/peers holds (tests/conformance/peers.txt; `tools/setup.sh conformance` installs it). A peer's failure
counts when it was seen twice in a row; Lanner has no second try.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.conformance.case import AppCase, WireCase
from tests.conformance.drive import Drive
from tests.conformance.page import FILE, render
from tests.conformance.servers import LANNER, PEER_MODES, PEERS, Mode
from tests.conformance.suite import WAYS, WIRE, app_cases, app_verdict, reachable, serving, wire_verdict

SECONDS = {"lanner": 20.0}
PEER_SECONDS = 4.0  # without a byte: longer than any of them takes for anything here
TOGETHER = {"wsgi, threads": 4}  # Lanner's threads: a request holds one from its head on
CASES_TOGETHER = 16


@dataclass
class Results:
    """What was seen of one server: by case, and for wire cases by way; empty where it did right."""

    modes: list[Mode]
    wire: dict[str, dict[str, str]] = field(default_factory=dict)  # way -> case -> what was wrong
    apps: dict[str, str] = field(default_factory=dict)

    def add(self, found: dict[str, str], case: str, mode: Mode, text: str) -> None:
        """Of several modes each one's failure is kept."""
        named = f"{mode.name}: {text}" if text and len(self.modes) > 1 else text
        found[case] = "; ".join(part for part in (found.get(case, ""), named) if part)


def twice(mode: Mode, verdict: Callable[[], str]) -> str:
    found = verdict()
    return verdict() if found and mode.server != "lanner" else found


def run_wire(results: Results, mode: Mode) -> None:
    with serving(mode, True, SECONDS.get(mode.server, PEER_SECONDS)) as drive:
        for way in WAYS:

            def one(case: WireCase, drive: Drive = drive, way: str = way) -> str:
                return twice(mode, lambda: wire_verdict(drive, case, way))

            with ThreadPoolExecutor(TOGETHER.get(mode.name, CASES_TOGETHER)) as pool:
                found = results.wire.setdefault(way, {})
                for case, text in zip(WIRE, pool.map(one, WIRE), strict=True):
                    results.add(found, case.id, mode, text)


def run_apps(results: Results, mode: Mode) -> None:
    """One after the other; a server that a case has killed is started again."""
    waiting = app_cases(mode)
    while waiting:
        with serving(mode, False, SECONDS.get(mode.server, PEER_SECONDS)) as drive:
            waiting = run_some(results, drive, waiting)


def run_some(results: Results, drive: Drive, cases: Sequence[AppCase]) -> list[AppCase]:
    """Those that are left."""
    for number, case in enumerate(cases):
        text = twice(drive.mode, lambda case=case: app_verdict(drive, case))  # type: ignore[misc]
        results.add(results.apps, case.id, drive.mode, text)
        if not reachable(drive):
            return list(cases[number + 1 :])
    return []


def run_server(modes: list[Mode]) -> Results:
    results = Results(modes)
    for mode in modes:
        began = time.monotonic()
        if mode.wire:
            run_wire(results, mode)
        run_apps(results, mode)
        print(f"{mode.server:10} {mode.name:14} {time.monotonic() - began:4.0f} s", flush=True)
    return results


def failures(results: Results) -> list[str]:
    found = [f"{case} ({way}): {text}" for way, cases in results.wire.items() for case, text in cases.items() if text]
    return found + [f"{case}: {text}" for case, text in results.apps.items() if text]


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the conformance suite on Lanner and its peers.")
    parser.add_argument("--only", metavar="SERVER", help="this server alone, and no page")
    options = parser.parse_args()
    if options.only not in (None, "lanner") and not PEERS.exists():
        parser.error(f"no peers in {PEERS}: tools/setup.sh conformance installs them")
    servers: dict[str, list[Mode]] = {}
    for mode in LANNER + PEER_MODES:
        servers.setdefault(mode.server, []).append(mode)
    if options.only not in (None, *servers):
        parser.error(f"no such server; there are {', '.join(servers)}")
    if options.only:
        wrong = failures(run_server(servers[options.only]))
        print("\n".join([*wrong, f"{len(wrong)} failed"]))
        return bool(wrong)
    found = {server: run_server(modes) for server, modes in servers.items()}
    FILE.write_text(render(found))
    print(f"wrote {FILE}")
    wrong = failures(found["lanner"])
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
