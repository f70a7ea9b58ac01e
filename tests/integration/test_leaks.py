"""Ten thousand requests of each kind leave nothing behind: objects, memory, descriptors."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from server_process import ServerProcess, wait_until
from wire_client import CutError, Wire, request

pytestmark = pytest.mark.long
APP = "leaky:app"

REQUESTS = 10_000
WARM_UP = 2_000
BATCH = 50  # pipelined

OBJECTS_MAX = 100
BLOCKS_MAX = 500
MEMORY_MAX = 1 << 20  # 100 bytes a request would show


def settled(server: ServerProcess) -> dict[str, int]:
    """The counts, once the connections of before are gone: twice the same number of descriptors."""
    last: dict[str, int] = {}

    def twice() -> dict[str, int] | None:
        found = json.loads(server.get("/counts"))
        same = found["descriptors"] == last.get("descriptors")
        last.update(found)
        return found if same else None

    found = wait_until(twice, "connections are closed")
    assert isinstance(found, dict)
    return found


def assert_flat(server: ServerProcess, ask: Callable[[int], None]) -> None:
    ask(WARM_UP)
    settled(server)
    before, memory = settled(server), server.memory()
    ask(REQUESTS)
    settled(server)
    after = settled(server)
    assert after["objects"] - before["objects"] < OBJECTS_MAX, (before, after)
    assert after["blocks"] - before["blocks"] < BLOCKS_MAX, (before, after)
    assert after["descriptors"] <= before["descriptors"], (before, after)
    assert after["garbage"] == 0
    assert server.memory() - memory < MEMORY_MAX, (memory, server.memory())


def kept_alive(server: ServerProcess, data: bytes, status: int, method: str = "GET") -> Callable[[int], None]:
    """Asks on one connection, some requests at once."""

    def ask(count: int) -> None:
        with Wire(server.address) as wire:
            for _ in range(count // BATCH):
                wire.send(data * BATCH)
                for _ in range(BATCH):
                    assert wire.answer(method).status == status

    return ask


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("plain", 200),
        ("generated", 200),
        ("written", 200),
        ("fails_before", 500),
        ("fails_replaced", 500),
        ("fails_head", 500),
        ("hinted", 200),
        ("keeps", 200),
        ("large", 200),
    ],
)
def test_answers_leave_nothing(server: ServerProcess, path: str, status: int) -> None:
    assert_flat(server, kept_alive(server, request("/" + path), status))


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_leave_nothing(server: ServerProcess, chunked: bool) -> None:
    body = b"line one\n" + b"rest " * 100
    data = request("/body", "POST", chunks=[body]) if chunked else request("/body", "POST", body=body)
    assert_flat(server, kept_alive(server, data, 200))


def test_head_requests_leave_nothing(server: ServerProcess) -> None:
    assert_flat(server, kept_alive(server, request("/generated", "HEAD"), 200, "HEAD"))


def test_files_leave_nothing(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 5000)
    assert_flat(server, kept_alive(server, request(f"/file?path={tmp_path}/file"), 200))


def test_refused_requests_leave_nothing(server: ServerProcess) -> None:
    def ask(count: int) -> None:
        for _ in range(count):
            with Wire(server.address) as wire:
                wire.send(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                assert wire.answer().status == 400

    assert_flat(server, ask)


def test_answers_that_break_off_leave_nothing(server: ServerProcess) -> None:
    data = request("/fails_after")

    def ask(count: int) -> None:
        for _ in range(count):
            with Wire(server.address) as wire:
                wire.send(data)
                with pytest.raises(CutError):
                    wire.answer()

    assert_flat(server, ask)


def resetting(server: ServerProcess, data: bytes, answered: bool) -> Callable[[int], None]:
    """Clients that crash; now and then one that does not, so that the server keeps up with us."""

    def ask(count: int) -> None:
        for _ in range(count // BATCH):
            for _ in range(BATCH):
                wire = Wire(server.address)
                wire.send(data)
                if answered:
                    assert wire.more()
                wire.reset()
            assert server.get("/hello") == b"hello"

    return ask


def test_clients_that_reset_within_the_answer_leave_nothing(server: ServerProcess) -> None:
    assert_flat(server, resetting(server, request("/endless"), True))


def test_clients_that_reset_within_the_body_leave_nothing(server: ServerProcess) -> None:
    data = request("/body", "POST", [("Content-Length", "100000")]) + b"x" * 1000
    assert_flat(server, resetting(server, data, False))


def test_clients_that_reset_within_the_head_leave_nothing(server: ServerProcess) -> None:
    """T56: ten thousand times half a request."""
    assert_flat(server, resetting(server, request("/plain")[:-7], False))
