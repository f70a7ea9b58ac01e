"""docs/json.md and the page for those who come from other libraries: what they show is what happens."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["json.md", "from-orjson-msgspec-pydantic.md"])
def test_the_examples_do_what_the_page_says(page: str) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
