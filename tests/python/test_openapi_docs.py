"""docs/openapi.md: what it shows is what happens."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/openapi.md"


def test_the_examples_do_what_the_page_says() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) >= 4
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)


@pytest.mark.parametrize("command", ["openapi", "routes"])
def test_the_flags_of_the_commands_are_there(command: str) -> None:
    from lanner.cli import describe

    known = {
        name for made in (describe.openapi_command(), describe.routes_command()) for p in made.params for name in p.opts
    }
    for line in re.findall(rf"^lanner {command} .*$", PAGE.read_text(), re.M):
        assert set(re.findall(r"--[a-z-]+", line)) <= known
