"""docs/json.md: what it shows is what happens."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/json.md"


def test_the_examples_do_what_the_page_says() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0
