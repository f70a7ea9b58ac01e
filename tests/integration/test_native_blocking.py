"""A `def` handler that blocks the loop is named in the log, once, with what to write."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.server import Server, until

APPS = Path(__file__).with_name("apps")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server("native_blocking:app", cwd=APPS) as server:
        yield server


def named(server: Server) -> list[str]:
    return [line for line in server.err.text.splitlines() if "app.blocked" in line]


def get(server: Server, path: str) -> str:
    return httpx.get(f"http://127.0.0.1:{server.address[1]}{path}").text


def test_it_is_named_once(server: Server) -> None:
    for _ in range(3):
        assert get(server, "/blocks") == '"blocked"'
    get(server, "/computes/3")
    until(lambda: len(named(server)) == 2, "both are named")
    assert "handler=native_blocking.blocks()" in named(server)[0]
    assert "pool=True" in named(server)[0]
    assert "async def" in named(server)[0]
    assert "handler=native_blocking.computes()" in named(server)[1]


def test_of_several_in_one_turn_the_right_one(server: Server) -> None:
    asked = b"".join(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in (b"/quick", b"/blocks", b"/quick"))
    with socket.create_connection(("127.0.0.1", server.address[1])) as connection:
        for _ in range(2):  # the first says that there is something to look for
            connection.sendall(asked)
            answers = b""
            while answers.count(b'"quick"') < 2:
                answers += connection.recv(65536)
    until(lambda: named(server), "it is named")
    assert "blocks()" in named(server)[0]


def test_who_waits_elsewhere_is_not(server: Server) -> None:
    for path in ("/pooled", "/waits", "/quick", "/blocks"):
        get(server, path)
    until(lambda: named(server), "the last one is named")
    assert ["blocks()" in line for line in named(server)] == [True]
