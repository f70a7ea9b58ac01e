"""Ten thousand requests of each kind leave nothing behind: objects, tasks, descriptors, memory.

Row T56 of the project's catalogue.
"""

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from server_process import ServerProcess, wait_until
from wire_client import Wire, request

pytest_plugins = ["asgi_fixtures"]
pytestmark = pytest.mark.long
APP = "asgi_leaks:app"
COUNT = 10_000
WARM_UP = 3000
OBJECTS_MAX = 150  # caches that fill up; a leak is thousands
MEMORY_MAX = 4 << 20  # arenas of the allocator; 10,000 leaks of 500 bytes are more

Drive = Callable[[ServerProcess, int], None]


def stats(server: ServerProcess) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(server.get("/stats"))
    return found


def settled(server: ServerProcess) -> dict[str, Any]:
    """Once nothing is under way any more but the look itself."""
    last: dict[str, Any] = {}

    def quiet() -> bool:
        nonlocal last
        before, last = last, stats(server)
        return before == last

    wait_until(quiet, "the server is at rest")
    return last


def leaves_nothing(server: ServerProcess, drive: Drive) -> None:
    drive(server, WARM_UP)
    before, memory = settled(server), server.memory()
    drive(server, COUNT)
    after = settled(server)
    assert after["tasks"] == before["tasks"]
    assert after["fds"] == before["fds"]
    assert after["objects"] - before["objects"] < OBJECTS_MAX, (before["kinds"], after["kinds"])
    assert server.memory() - memory < MEMORY_MAX


def pipelined(path: str, status: int = 200) -> Drive:
    """Fifty at a time on one connection."""

    def drive(server: ServerProcess, count: int) -> None:
        batch = request(path, "POST", body=b"body") * 50
        with Wire(server.address) as wire:
            for _ in range(count // 50):
                wire.send(batch)
                for _ in range(50):
                    assert wire.answer().status == status

    return drive


@pytest.mark.parametrize(
    "path", ["plain", "streaming", "suspended", "background", "child_task", "keeps_itself", "unawaited"]
)
def test_requests_that_are_answered(asgi: ServerProcess, path: str) -> None:
    leaves_nothing(asgi, pipelined("/" + path))


@pytest.mark.parametrize("path", ["raises", "raises_later", "refuses"])
def test_requests_that_fail(asgi: ServerProcess, path: str) -> None:
    leaves_nothing(asgi, pipelined("/" + path, 500))


@pytest.mark.parametrize("path", ["plain", "suspended"])
def test_a_connection_for_each(asgi: ServerProcess, path: str) -> None:
    def drive(server: ServerProcess, count: int) -> None:
        data = request("/" + path, fields=[("Connection", "close")])
        for _ in range(count // 50):
            with ExitStack() as stack:
                wires = [stack.enter_context(Wire(server.address)) for _ in range(50)]
                for wire in wires:
                    wire.send(data)
                for wire in wires:
                    assert wire.answer().status == 200

    leaves_nothing(asgi, drive)


@pytest.mark.parametrize("how", ["reset", "close"])
@pytest.mark.parametrize("path", ["plain", "suspended", "waits_for_disconnect", "endless"])
def test_clients_that_leave(asgi: ServerProcess, path: str, how: str) -> None:
    """T56: connect, send a request, be gone."""

    def drive(server: ServerProcess, count: int) -> None:
        data = request("/" + path)
        for _ in range(count // 50):
            wires = [Wire(server.address) for _ in range(50)]
            for wire in wires:
                wire.send(data)
                getattr(wire, how)()
            server.get("/hello")
        wait_until(lambda: stats(server)["tasks"] <= 2, "all requests have ended")

    leaves_nothing(asgi, drive)


@pytest.mark.parametrize("where", ["head", "body"])
def test_requests_that_break_off(asgi: ServerProcess, where: str) -> None:
    """T56: ten thousand times half a request, and a reset."""

    def drive(server: ServerProcess, count: int) -> None:
        data = request("/suspended", "POST", [("Content-Length", "100000")])
        data = data[:-7] if where == "head" else data + b"x" * 100
        for _ in range(count // 50):
            wires = [Wire(server.address) for _ in range(50)]
            for wire in wires:
                wire.send(data)
                wire.reset()
            server.get("/hello")

    leaves_nothing(asgi, drive)
