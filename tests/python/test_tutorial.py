"""The tutorial and the pages for those who come from other frameworks: what they show is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page for page in (DOCS / "tutorial").glob("*.md") if page.name != "README.md")
PAGES += [DOCS / "from-fastapi.md", DOCS / "from-falcon.md", DOCS / "from-flask.md"]


def blocks_of(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_programs_do_what_the_page_says(page: Path) -> None:
    blocks = blocks_of(page)
    assert any("assert " in block for block in blocks)
    names: dict[str, object] = {"__name__": f"page_{page.stem}"}
    for block in blocks:
        line = page.read_text().split(block)[0].count("\n")
        exec(compile("\n" * line + block, str(page), "exec"), names)


def test_the_tests_of_the_page_on_testing_pass(tmp_path: Path) -> None:
    (tmp_path / "test_page.py").write_text("\n".join(blocks_of(DOCS / "tutorial/8-testing.md")))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(tmp_path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert "3 passed" in done.stdout, done.stdout + done.stderr


def test_the_contents_list_all_pages() -> None:
    listed = re.findall(r"\]\((\d-[\w-]+\.md)\)", (DOCS / "tutorial/README.md").read_text())
    assert listed == [page.name for page in PAGES if page.parent.name == "tutorial"]
