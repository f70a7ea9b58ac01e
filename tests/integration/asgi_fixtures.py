"""pytest plugin of the ASGI tests: the server of the module's APP, on each event loop that it can run on."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from server_process import ServerProcess

LOOPS = ("auto", "uvloop")

_numbers = itertools.count()


@pytest.fixture(scope="session", params=LOOPS)
def loop(request: pytest.FixtureRequest) -> str:
    """auto: the engine is the loop. uvloop: the engine is driven by another loop. Every ASGI behaviour holds on both."""
    return str(request.param)


@pytest.fixture
def asgi(request: pytest.FixtureRequest, pool: Any, loop: str) -> Iterator[ServerProcess]:
    """The server of the module's APP, on both loops; it must outlive the test."""
    taken = pool.take(request.module.APP, "--loop", loop)
    yield taken
    assert taken.alive or taken.discarded, f"the server died: exit code {taken.process.returncode}"


@pytest.fixture
def place() -> str:
    """A place in the ledger of the application that is this test's own, for its ?id=."""
    return f"place-{next(_numbers)}"
