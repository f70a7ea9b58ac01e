"""What all tests share."""

import gc
import re

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test has the same id in every process, else pytest-xdist cannot share the tests out."""
    changing = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]{6}", item.nodeid)]
    if changing:
        raise pytest.UsageError(f"give ids= that have no addresses of objects in them: {changing[0]}")


def pytest_collection_finish() -> None:
    """What has been imported stays: gc.collect(), which many tests call, need not look at it each time."""
    gc.collect()
    gc.freeze()
