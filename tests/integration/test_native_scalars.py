"""A 422 of scalars is answered without Python, in the words that Python would have."""

import select
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_native import Client

from tests.support.server import Server

APPS = Path(__file__).with_name("apps")
BAD = [
    "/numbers/0",
    "/numbers/x?limit=0&step=3&ratio=0&half=1&flag=maybe&maybe=",
    "/numbers/1?limit=101&ratio=1.5&ratio=x",
    "/numbers/1?limit=1e2&ratio=nan&half=1e999&flag=2&maybe=1.0",
    "/numbers/1?limit=99999999999999999999&step=99999999999999999999",
    "/numbers/%22%5C%0A%C3%A9",
    "/numbers/%FF?limit=%FF",
    "/numbers/1?limit=" + "9" * 2000,
    "/numbers/1?limit=" + "%22" * 1000,
    "/numbers/1?limit=1_000&ratio=1_0.5&maybe=%201%20",
    "/texts",
    "/texts?q=a",
    "/texts?q=%C3%A9&code=A&color=blue&size=xl",
    "/texts?q=abcdef&code=&size=4",
    "/moments?day=2026-02-30&at=yesterday&hour=25:00&span=long",
    "/moments?day=x&at=2026-13-01T00:00:00Z&hour=&span=P",
]
GOOD = [
    "/numbers/1",
    "/numbers/7?limit=100&maybe=3&flag=yes",
    "/texts?q=abc&color=green&size=m",
    "/moments?day=2026-02-28",
]


@pytest.fixture(scope="module", params=["app", "first", "compat"])
def both(request: pytest.FixtureRequest) -> Iterator[list[Client]]:
    sys.path.insert(0, str(APPS))
    try:
        import native_scalars

        with Server(f"native_scalars:{request.param}", cwd=APPS) as server:
            yield [Client(server), Client(None, getattr(native_scalars, request.param))]
    finally:
        sys.path.remove(str(APPS))


@pytest.mark.parametrize("target", [*BAD, *GOOD])
def test_the_same_answer_as_pythons(both: list[Client], target: str) -> None:
    engine, python = (ask("GET", target) for ask in both)
    assert (engine.status_code, engine.content) == (python.status_code, python.content)
    assert engine.headers["content-type"] == python.headers["content-type"]
    assert engine.status_code in ((200,) if target in GOOD else (200, 422))


@pytest.mark.parametrize(
    "headers",
    [{"X-Trace": "x"}, {"Cookie": "session=x"}, {"X-Trace": "\u00e9".encode("latin-1")}, {"Cookie": 'session="\\""'}],
)
def test_header_fields_and_cookies(both: list[Client], headers: dict[str, str | bytes]) -> None:
    engine, python = (ask("GET", "/texts?q=abc", headers=headers) for ask in both)
    assert (engine.status_code, engine.content) == (python.status_code, python.content) == (422, python.content)


def test_nobody_waits_for_the_gil() -> None:
    with Server("native_scalars:app", "--threads", "2", cwd=APPS) as server:
        address = ("127.0.0.1", server.address[1])
        with socket.create_connection(address) as holding, socket.create_connection(address) as refused:
            holding.sendall(b"GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
            server.wait_for("it is held")
            refused.sendall(b"GET /numbers/x HTTP/1.1\r\nHost: x\r\n\r\n")
            assert refused.recv(65536).startswith(b"HTTP/1.1 422 ")
            assert not select.select([holding], [], [], 0)[0]
            assert holding.recv(65536).startswith(b"HTTP/1.1 200 ")
