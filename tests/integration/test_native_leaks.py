"""Ten thousand requests of each kind of a native application leave nothing behind."""

from collections.abc import Iterator
from typing import Any

import pytest
from server_process import ServerProcess
from test_leaks import assert_flat, kept_alive
from wire_client import request

pytestmark = pytest.mark.long
JSON = [("Content-Type", "application/json")]


@pytest.fixture
def native(pool: Any) -> Iterator[ServerProcess]:
    taken = pool.take("native_leaky:app")
    yield taken
    assert taken.alive or taken.discarded, f"the server died: exit code {taken.process.returncode}"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (request("/"), 200),
        (request("/async"), 200),
        (request("/sleep"), 200),
        (request("/cards/3?q=a%20b&tags=a&tags=b", fields=[("Cookie", "a=b")]), 200),
        (request("/cards/x"), 422),
        (request("/nope"), 404),
        (request("/given"), 200),
        (request("/teapot"), 418),
        (request("/large"), 200),
        (request("/cards", "POST", JSON, b'{"name": "Opt", "tags": ["a", "b"]}'), 200),
        (request("/cards", "POST", JSON, b'{"name": 3, "tags": [4]}'), 422),
        (request("/cards", "POST", JSON, b'{"name"'), 400),
    ],
)
def test_nothing_stays(native: ServerProcess, data: bytes, status: int) -> None:
    assert_flat(native, kept_alive(native, data, status))
