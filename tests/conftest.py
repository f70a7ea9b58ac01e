"""What all tests share."""

import gc
import re

import pytest

LONG_TIMEOUT_S = 600  # for one test marked `long`: minutes of work, on a machine that has other work, too


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test has the same id in every process, else pytest-xdist cannot share the tests out; long ones may take long."""
    changing = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]{6}", item.nodeid)]
    if changing:
        raise pytest.UsageError(f"give ids= that have no addresses of objects in them: {changing[0]}")
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONG_TIMEOUT_S))


def pytest_collection_finish() -> None:
    """What has been imported stays: gc.collect(), which many tests call, need not look at it each time."""
    gc.collect()
    gc.freeze()
