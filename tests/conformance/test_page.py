"""docs/conformance.md is what the suite is now: the same cases, in order, all passed by Lanner."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

from tests.conformance.case import Level
from tests.conformance.page import CASES, FILE, full, servers
from tests.conformance.suite import TITLES

README = Path(__file__).resolve().parents[2] / "README.md"
AGAIN = "`make conformance` writes it anew"


@cache
def rows() -> dict[str, list[str]]:
    """The cells of a row, by its first."""
    lines = [line for line in FILE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return {row[0].strip("`*"): row[1:] for row in cells}


def columns(row: list[str]) -> dict[str, str]:
    return dict(zip(servers(), [cell.strip("*") for cell in row[-len(servers()) :]], strict=True))


def test_its_cases_are_the_suites() -> None:
    found = [row[0] for row in re.findall(r"^\| `([a-z]+/[^`]+)` \|(.*)$", FILE.read_text(), re.MULTILINE)]
    wanted = [case.id for group in TITLES for case in CASES if case.group == group]
    assert found == wanted, AGAIN


def test_what_it_asks_is_what_the_cases_say() -> None:
    stale = []
    for case in CASES:
        level, why = rows()[case.id][0].split(": ", 1)
        said = case.why + (f" ({case.report})" if case.report else "")
        if (level == "MUST") != (case.level == Level.MUST) or why != full(f"{level}: {said}").split(": ", 1)[1]:
            stale.append(case.id)
    assert stale == [], AGAIN


def test_lanner_passes_every_case() -> None:
    assert [case.id for case in CASES if columns(rows()[case.id])["lanner"] != "ok"] == []


def test_its_counts_are_those_of_its_rows() -> None:
    passed: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for case in CASES:
        for server, cell in columns(rows()[case.id]).items():
            passed[server] += cell.startswith("ok")
            known[server] += cell != "-"
    assert columns(rows()["all"]) == {server: f"{passed[server]}/{known[server]}" for server in servers()}


def test_the_readme_has_its_counts() -> None:
    text = README.read_text()
    missing = [f"{server} {count}" for server, count in columns(rows()["all"]).items() if count not in text]
    assert missing == [], f"README.md, Exact: {missing}"
