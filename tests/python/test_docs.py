"""The pages under docs/ and the README: what can be checked by a machine is."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
READMES = [*PAGES, *sorted((ROOT / "src").rglob("README.md")), ROOT / "bench/README.md"]
READMES = [page for page in READMES if page.exists()]
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
DIRECTORIES = "bench|cmake|docs|examples|fuzz|lanner|src|tests|tools"


def each(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def make_targets() -> set[str]:
    """Those of the Makefile."""
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M)
    return set(phony.split())


def expanded(name: str) -> list[str]:
    """`a/{b,c}.h` and `a/b.h .cpp` are short for several."""
    if found := re.fullmatch(r"(.*)\{([^}]*)\}(.*)", name):
        return [found[1] + part + found[3] for part in found[2].split(",")]
    return [name]


def test_limits_are_those_of_the_engine() -> None:
    subprocess.run([sys.executable, ROOT / "tools/gen_limits.py", "--check"], check=True)


@each(PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


@each(PAGES)
def test_flags_exist(page: Path) -> None:
    from lanner.cli import flags

    known = {name for flag in flags.table() for name in (flag.name, *flag.aliases)} | {
        "help",
        "version",
        "no-access-log",
        "no-proxy-headers",
    }
    for name in re.findall(r"`(?:lanner run )?--([a-z][a-z-]+)[ `]", page.read_text()):
        assert name in known, f"{page.name}: --{name}"


@each(READMES)
def test_files_exist(page: Path) -> None:
    """What stands in backticks and begins with a directory of the repository; * and <layer> stand for any."""
    for name in re.findall(rf"`((?:{DIRECTORIES})/[^\s`:]*)", page.read_text()):
        for one in expanded(re.sub(r"<\w+>", "*", name)):
            assert [*ROOT.glob(one.rstrip("/"))], f"{page.name}: {name}"


def test_the_path_of_a_request_goes_through_functions_that_exist() -> None:
    """docs/architecture.md: each row names files of src/, and functions that are in one of them."""
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| (`[\w/]+\.cpp`.*?) \| (`.*?) \|", text, re.M)
    assert len(rows) > 20
    for files, functions in rows:
        sources = "\n".join((ROOT / "src" / name).read_text() for name in re.findall(r"`([^`]+)`", files))
        for name in re.findall(r"`(\w+)\(\)`", functions):
            assert re.search(rf"\b{name}\(", sources), f"{files}: {name}()"


def test_names_in_the_way_to_add_something_exist() -> None:
    """Constants, functions and classes between backticks."""
    text = (ROOT / "docs/architecture.md").read_text().partition("## How to add")[2].partition("\n## ")[0]
    files = [path for place in ("src", "lanner", "tools", "fuzz") for path in (ROOT / place).rglob("*.*")]
    sources = "\n".join(path.read_text() for path in files if path.suffix in (".h", ".cpp", ".def", ".py", ".pyi"))
    names = re.findall(r"`(?:\w+(?:::|\.))*(\w+)(?:\(\))?`", text)
    assert len(names) > 40
    for name in names:
        assert re.search(rf"\b{name}\b", sources), name


def test_every_layer_and_room_is_described() -> None:
    """docs/architecture.md says of each row of tools/layers.toml what it is."""
    table = tomllib.loads((ROOT / "tools/layers.toml").read_text())
    text = (ROOT / "docs/architecture.md").read_text()
    for head, rows in {
        "layer, `src/`": [row for row in table["layers"] if "/" not in row],
        "room of the extension, `src/python/`": [row.removeprefix("python/") for row in table["layers"] if "/" in row],
        "room of the package, `lanner/`": [row.partition(".")[2] for row in table["python"]],
    }.items():
        cells = re.findall(r"^\| ([^|]*) \|", text.partition(f"| {head} |")[2].partition("\n\n")[0], re.M)
        described = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
        assert {row for row in rows if row not in ("", "_core")} == described, head


@each(READMES)
def test_make_targets_exist(page: Path) -> None:
    for name in re.findall(r"^make ([\w-]+)|`make ([\w-]+)", page.read_text(), re.M):
        assert set(name) & make_targets(), f"{page.name}: make {max(name)}"


@each(READMES)
def test_variables_of_the_environment_are_read(page: Path) -> None:
    from lanner.cli import flags

    sources = [
        path
        for place in ("src", "lanner", "tests", "cmake")
        for path in (ROOT / place).rglob("*.*")
        if path.suffix != ".md"
    ]
    known = {name for flag in flags.table() for name in flag.variables}
    for name in set(re.findall(r"`(LANNER_[A-Z_]+)", page.read_text())) - known:
        assert any(name.encode() in path.read_bytes() for path in sources if path.is_file()), f"{page.name}: {name}"


def test_the_commands_are_those_of_the_makefile() -> None:
    """CONTRIBUTING has a row for each, and counts them; `make run` is the README's."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| `make ([\w-]+)` \|", text, re.M)
    assert set(rows) == make_targets() - {"run"}
    (counted,) = re.findall(r"^## (\w+) commands$", text, re.M)
    assert WORDS.index(counted.lower()) == len(rows)
    for counted in re.findall(r"\b(\w+) commands\b", (ROOT / "README.md").read_text()):
        assert counted.lower() not in WORDS or WORDS.index(counted.lower()) == len(rows)


def test_steps_that_contributing_names_exist() -> None:
    import steps

    for names in re.findall(r'STEPS="([\w -]+)"', (ROOT / "CONTRIBUTING.md").read_text()):
        assert set(names.split()) <= set(steps.SHORT | steps.LONG)


def test_counts_of_the_conformance_suite_are_right() -> None:
    """The README's are those of docs/conformance.md."""
    readme, page = ((ROOT / name).read_text().replace("*", "") for name in ("README.md", "docs/conformance.md"))
    rows = re.findall(r"^\| (?:all|MUST) \|.*$", readme, re.M)
    assert len(rows) == 2
    for row in rows:
        assert row in page.splitlines()
    (cases,) = re.findall(r"(\d+) cases \(", page)
    assert re.findall(r"(\d+) exchanges", readme) == [cases]
    assert f"| {cases}/{cases} |" in rows[0]


def test_the_readmes_measurement_is_the_benchmarks() -> None:
    """Connections of the ladder."""
    found = re.findall(r"(\d+) connections", (ROOT / "README.md").read_text())
    assert found
    for connections in found:
        assert re.search(rf"CONNECTIONS\s*(?::\s*\w+\s*)?=\s*\"?{connections}\b", (ROOT / "bench/run.py").read_text())
