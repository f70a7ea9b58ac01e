"""Applications that raise at every point, and clients that break off after every byte: nothing is left of them.

What a single failure looks like is in test_wsgi_errors.py and test_asgi_tasks.py.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from server_process import ServerProcess, wait_until
from wire_client import Answer, CutError, Wire, request

pytest_plugins = ["asgi_fixtures"]

WHOLE = b"block" + b"b" * 20_000 + b"block"
BODY = b"a line\nand the rest"
REQUESTS = 10_000
WARM_UP = 1_500
BATCH = 25
OBJECTS_MAX = 150
BLOCKS_MAX = 500
MEMORY_MAX = 4 << 20

NOTHING_SENT = ["called", "read", "read_all", "started", "iter", "next1"]
ERRORS = ["Exception", "StopIteration", "GeneratorExit", "SystemExit", "KeyboardInterrupt", "MemoryError"]
ASGI_NOTHING_SENT = ["called", "received", "read_all", "started"]
ASGI_CUT = ["sent0", "sent1", "sent2"]
ASGI_ERRORS = ["Exception", "OSError", "MemoryError", "CancelledError", "StopIteration", "GeneratorExit"]
ASGI_ERRORS += ["OwnBaseException", "cancel"]


@pytest.fixture
def server(pool: Any, threads: int) -> Iterator[ServerProcess]:
    taken: ServerProcess = pool.take("faulty:app", "--threads", str(threads))
    yield taken
    assert taken.alive or taken.discarded


@pytest.fixture
def asgi(pool: Any, loop: str) -> Iterator[ServerProcess]:
    taken: ServerProcess = pool.take("asgi_faulty:app", "--loop", loop)
    yield taken
    assert taken.alive or taken.discarded


def ask(target: str, chunked: bool = False) -> bytes:
    if chunked:
        return request(target, "POST", chunks=[BODY[:5], BODY[5:]])
    return request(target, "POST", body=BODY)


def answer_of(server: ServerProcess, data: bytes) -> Answer | None:
    """The answer, and then that to a second request; None: it was cut."""
    with Wire(server.address) as wire:
        wire.send(data + request("/hello"))
        try:
            answer = wire.answer()
        except CutError:
            return None
        if answer.get("Connection") == "close":  # it has not read the body, nor have we
            assert answer.status == 500
            assert wire.ended()
        else:
            assert wire.answer().body == b"hello"
        return answer


# ---- at every point


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("options", ["", "&length=1", "&write=1", "&write=1&length=1"])
def test_wsgi_raises_at_every_point(server: ServerProcess, options: str, error: str) -> None:
    points = [*NOTHING_SENT, "next2", "next3", "close", "nowhere"] + (["written"] if "write" in options else [])
    for chunked in (False, True):
        for point in points:
            if error == "StopIteration" and point.startswith("next"):
                continue  # the end of the iterable
            answer = answer_of(server, ask(f"/run?at={point}&error={error}{options}", chunked))
            sent_nothing = point in (NOTHING_SENT[:4] if "write" in options else NOTHING_SENT)
            if sent_nothing:
                assert answer is not None, point
                assert answer.status == 500, point
            elif point in ("close", "nowhere") and answer is not None:
                assert answer.body == (b"block" if "write" in options else b"") + WHOLE, point
            else:
                assert answer is None, point
                assert point != "nowhere"
            assert server.get("/hello") == b"hello"


@pytest.mark.parametrize("error", ASGI_ERRORS)
@pytest.mark.parametrize("options", ["", "&suspend=1"])
def test_asgi_raises_or_is_cancelled_at_every_point(asgi: ServerProcess, options: str, error: str) -> None:
    for chunked in (False, True):
        for point in [*ASGI_NOTHING_SENT, *ASGI_CUT, "ended", "finally", "nowhere"]:
            answer = answer_of(asgi, ask(f"/run?at={point}&error={error}{options}", chunked))
            if error == "cancel" and answer is not None and answer.status == 200:
                assert answer.body == WHOLE, point  # it had no more to wait for
            elif point in ASGI_NOTHING_SENT:
                assert answer is None or answer.status == 500, point
            elif point in ASGI_CUT:
                assert answer is None, point
            else:
                assert answer is not None, point
                assert answer.body == WHOLE, point
            assert asgi.get("/hello") == b"hello"


# ---- after every byte


def break_off_within_the_request(server: ServerProcess, data: bytes) -> None:
    for end in range(1, len(data)):
        wire = Wire(server.address)
        wire.send(data[:end])
        wire.reset()
    assert server.get("/hello") == b"hello"


def break_off_within_the_answer(server: ServerProcess, data: bytes) -> None:
    """Reads one byte more each time, and resets: what comes behind is lost."""
    end = 0
    while True:
        end += 1 if end < 300 else 1_111
        wire = Wire(server.address, receive_bytes=4096)
        wire.send(data)
        read = b""
        with suppress(ConnectionResetError):
            while len(read) < end:
                read += wire.socket.recv(end - len(read))
                if read.endswith(b"\r\n0\r\n\r\n"):
                    wire.close()
                    assert server.get("/hello") == b"hello"
                    return
        wire.reset()


def test_wsgi_clients_that_reset_after_every_byte(server: ServerProcess) -> None:
    for data in (ask("/run"), ask("/run", chunked=True)):
        break_off_within_the_request(server, data)
        break_off_within_the_answer(server, data)


@pytest.mark.parametrize("options", ["", "&suspend=1", "&linger=1", "&suspend=1&linger=1&at=disconnected"])
def test_asgi_clients_that_reset_after_every_byte(asgi: ServerProcess, options: str) -> None:
    for data in (ask(f"/run?{options}"), ask(f"/run?{options}", chunked=True)):
        break_off_within_the_request(asgi, data)
        break_off_within_the_answer(asgi, data)


# ---- what is left


def settled(server: ServerProcess, path: str) -> dict[str, Any]:
    """The counts, once they are twice the same."""
    last: dict[str, Any] = {}

    def twice() -> bool:
        nonlocal last
        before, last = last, json.loads(server.get(path))
        return before == last

    wait_until(twice, "the server is at rest")
    return last


def leaves_nothing(server: ServerProcess, path: str, drive: Callable[[int], None]) -> None:
    drive(WARM_UP)
    before, memory = settled(server, path), server.memory()
    drive(REQUESTS)
    after = settled(server, path)
    descriptors = "descriptors" if "descriptors" in before else "fds"
    assert after[descriptors] == before[descriptors]
    assert after.get("tasks") == before.get("tasks")
    assert after["objects"] - before["objects"] < OBJECTS_MAX, (before, after)
    assert after.get("blocks", 0) - before.get("blocks", 0) < BLOCKS_MAX, (before, after)
    assert after.get("garbage", 0) == 0
    assert server.memory() - memory < MEMORY_MAX


def at_every_point(server: ServerProcess, targets: list[str]) -> Callable[[int], None]:
    """All of them in turn, so many at once; one that cuts its connection is asked again on another."""

    def drive(count: int) -> None:
        wires = [Wire(server.address) for _ in range(BATCH)]
        for begin in range(0, count, BATCH):
            for number, wire in enumerate(wires):
                wire.send(ask(targets[(begin + number) % len(targets)]))
            for number, wire in enumerate(wires):
                try:
                    wire.answer()
                except CutError:
                    wire.close()
                    wires[number] = Wire(server.address)
        for wire in wires:
            wire.close()

    return drive


def test_wsgi_failures_at_every_point_leave_nothing(server: ServerProcess) -> None:
    points = [*NOTHING_SENT, "next2", "next3", "close", "nowhere"]
    targets = [f"/run?at={point}{more}" for point in points for more in ("", "&length=1", "&write=1")]
    leaves_nothing(server, "/counts", at_every_point(server, targets))


def test_asgi_failures_at_every_point_leave_nothing(asgi: ServerProcess) -> None:
    points = [*ASGI_NOTHING_SENT, *ASGI_CUT, "ended", "finally", "nowhere"]
    targets = [
        f"/run?at={point}&error={error}{more}"
        for point in points
        for error in ("Exception", "CancelledError", "cancel")
        for more in ("", "&suspend=1")
    ]
    leaves_nothing(asgi, "/stats", at_every_point(asgi, targets))
