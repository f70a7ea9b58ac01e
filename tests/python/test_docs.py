"""The pages under docs/ and the README: what can be checked by a machine is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_limits_are_those_of_the_engine() -> None:
    subprocess.run([sys.executable, ROOT / "tools/gen_limits.py", "--check"], check=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_flags_exist(page: Path) -> None:
    from lanner import flags

    known = {name for flag in flags.table() for name in (flag.name, *flag.aliases)} | {
        "help",
        "version",
        "no-access-log",
        "no-proxy-headers",
    }
    for name in re.findall(r"`(?:lanner run )?--([a-z][a-z-]+)[ `]", page.read_text()):
        assert name in known, f"{page.name}: --{name}"
