"""PEP 3333, "Buffering and Streaming": blocks leave when they are made, and no client stops another one."""

import contextlib
import hashlib
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Pool
from server_process import ServerProcess, wait_until
from wire_client import CutError, Wire, fetch, request

APP = "streams:app"
MEGABYTE = 1 << 20
PIECE = bytes(range(256)) * 256
MUCH = hashlib.sha256(PIECE * 320).hexdigest()
SMALL_WINDOW = 16_384


def noted(server: ServerProcess, name: str) -> list[str]:
    found = json.loads(server.get(f"/ledger?id={name}"))
    assert isinstance(found, list)
    return found


Step = Callable[[], None]


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[tuple[str, Step]]:
    """A FIFO for the application to wait on, and what lets it go one step on."""
    path = tmp_path / "steps"
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)
    yield str(path), lambda: os.write(fd, b".") and None
    os.write(fd, b"." * 16)  # nothing waits for ever, whatever failed
    os.close(fd)


# ---- blocks leave when they are made


@pytest.mark.parametrize("path", ["blocks", "writes"])
def test_each_block_arrives_before_the_next_is_made(server: ServerProcess, fifo: tuple[str, Step], path: str) -> None:
    """T24."""
    name, step = fifo
    with Wire(server.address) as wire:
        wire.send(request(f"/{path}?fifo={name}"))
        assert wire.head().status == 200
        for i in range(4):
            assert wire.block() == b"block %d" % i
            step()
        assert wire.block() == b""


def test_each_block_of_a_sized_answer_arrives_before_the_next_is_made(
    server: ServerProcess, fifo: tuple[str, Step]
) -> None:
    name, step = fifo
    with Wire(server.address) as wire:
        wire.send(request(f"/sized_blocks?fifo={name}"))
        assert wire.head().get("Content-Length") == "28"
        for i in range(4):
            assert wire.exactly(7) == b"block %d" % i
            step()
        assert wire.get("/hello").body == b"hello"


def test_a_1_0_client_gets_each_block_when_it_is_made(server: ServerProcess, fifo: tuple[str, Step]) -> None:
    name, step = fifo
    with Wire(server.address) as wire:
        wire.send(request(f"/blocks?fifo={name}", version="1.0"))
        assert wire.head().status == 200
        for i in range(4):
            assert wire.exactly(7) == b"block %d" % i
            step()
        assert wire.ended()


def test_streams_follow_each_other_on_one_connection(server: ServerProcess, fifo: tuple[str, Step]) -> None:
    name, step = fifo
    with Wire(server.address) as wire:
        wire.send(request(f"/blocks?fifo={name}") * 3)
        for _ in range(12):
            step()
        for _ in range(3):
            assert wire.answer().blocks == [b"block %d" % i for i in range(4)]


# ---- early hints


def test_early_hints_are_on_the_wire_before_the_answer_is_made(server: ServerProcess, fifo: tuple[str, Step]) -> None:
    name, step = fifo
    with Wire(server.address) as wire:
        wire.send(request(f"/hints?fifo={name}"))
        early = wire.head()
        assert (early.version, early.status, early.reason) == ("HTTP/1.1", 103, "Early Hints")
        assert early.fields == [("Link", "</a.css>; rel=preload"), ("Link", "</b.js>; rel=preload")]
        step()
        assert wire.head().status == 200
        assert wire.exactly(5) == b"final"


def test_hints_may_come_twice_and_leave_the_answer_alone(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(request("/two_hints"))
        assert wire.head().fields == [("Link", "</a.css>")]
        assert wire.head().fields == [("Link", "</b.css>"), ("X-Other", "1")]
        final = wire.head()
        assert (final.status, final.all("Link"), final.get("X-Other")) == (200, ["</c.css>"], None)
        assert wire.exactly(5) == b"final"
        assert wire.get("/hello").body == b"hello"


def test_a_1_0_client_gets_no_hints(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(request("/two_hints", version="1.0"))
        assert wire.head().status == 200
        assert wire.exactly(5) == b"final"


@pytest.mark.parametrize("case", ["crlf", "name", "wide", "hop", "str", "none", "pair"])
def test_bad_hints_are_refused_and_not_sent(server: ServerProcess, case: str) -> None:
    """A21."""
    with Wire(server.address) as wire:
        wire.send(request(f"/bad_hints?case={case}"))
        head = wire.head()
        assert head.status == 200
        assert wire.exactly(int(head.get("Content-Length") or 0)) in (b"ValueError", b"TypeError")


def test_hints_after_the_start_are_an_error(server: ServerProcess) -> None:
    assert fetch(server.address, "/late_hints").body == b"first RuntimeError"


# ---- slow readers


@pytest.mark.parametrize("path", ["much_written", "much_yielded", "much_listed"])
def test_a_client_that_does_not_read_stops_nobody_and_costs_no_memory(
    server: ServerProcess, threads: int, path: str
) -> None:
    """write() of 20 MB spools inline and waits with threads; iterables are paused."""
    assert server.get("/hello") == b"hello"
    server.reset_peak()
    before = server.memory("VmHWM")
    name = f"slow-{path}-{server.position()}-{threads}"
    with Wire(server.address, SMALL_WINDOW) as wire:
        wire.send(request(f"/{path}?id={name}"))
        head = wire.head()
        assert head.status == 200
        for _ in range(20):
            assert server.get("/hello") == b"hello"
        if path == "much_written" and threads == 1:
            assert noted(server, name) == ["written"]
        elif path != "much_listed":
            assert noted(server, name) == []
        assert server.memory("VmHWM") - before < 8 * MEGABYTE
        length = head.get("Content-Length")
        body = wire.exactly(int(length)) if length else b"".join(wire.blocks())
        assert hashlib.sha256(body).hexdigest() == MUCH
        assert wire.get("/hello").body == b"hello"
    assert server.memory("VmHWM") - before < 8 * MEGABYTE


@pytest.mark.parametrize("path", ["much_written", "much_yielded"])
def test_slow_readers_that_leave_take_nothing_with_them(server: ServerProcess, path: str) -> None:
    """More of them than threads: each one's place is free again."""
    name = f"leavers-{path}-{server.position()}"
    for i in range(10):
        wire = Wire(server.address, SMALL_WINDOW)
        wire.send(request(f"/{path}?id={name}"))
        assert wire.head().status == 200
        wire.reset() if i % 2 else wire.close()
    for _ in range(10):
        assert server.get("/hello") == b"hello"


# ---- answers without an end


def test_an_endless_answer_starves_no_other_client(server: ServerProcess) -> None:
    name = f"endless-{server.position()}"
    stop = threading.Event()
    with Wire(server.address) as wire:
        wire.send(request(f"/endless?block=1000&id={name}"))
        assert wire.head().status == 200

        def read_on() -> None:
            while not stop.is_set() and wire.socket.recv(65_536):
                pass

        reader = threading.Thread(target=read_on)
        reader.start()
        try:
            for _ in range(30):
                assert server.get("/hello") == b"hello"
        finally:
            stop.set()
            reader.join()
    assert wait_until(lambda: noted(server, name)[1:], "close()") == ["close"]
    assert noted(server, name) == ["started", "close"]


@pytest.mark.parametrize(
    ("block", "how"), [(1000, "close"), (1000, "reset"), (100_000, "close"), (100_000, "reset"), (0, "reset")]
)
def test_close_is_called_once_when_the_client_leaves(server: ServerProcess, block: int, how: str) -> None:
    """T02, T20, A08, A09. 0: the application yields b"" for ever, and only a reset can be told from a half-close."""
    since = server.position()
    name = f"gone-{since}-{block}-{how}"
    for i in range(5):
        wire = Wire(server.address)
        wire.send(request(f"/endless?block={block}&id={name}-{i}"))
        assert wire.head().status == 200
        assert wire.block() == b"first"
        getattr(wire, how)()
    for i in range(5):
        wait_until(lambda i=i: "close" in noted(server, f"{name}-{i}"), f"close() of {i}")
        assert noted(server, f"{name}-{i}") == ["started", "close"]
    assert "Traceback" not in server.output(since)


def test_a_generator_sees_generator_exit_when_the_client_leaves(server: ServerProcess) -> None:
    name = f"generator-{server.position()}"
    wire = Wire(server.address)
    wire.send(request(f"/endless_generator?id={name}"))
    assert wire.head().status == 200
    wire.reset()
    wait_until(lambda: "finally" in noted(server, name), "the generator was closed")
    assert noted(server, name) == ["GeneratorExit", "finally"]


def test_write_raises_when_the_client_leaves(server: ServerProcess) -> None:
    """And that is no error of the application's own."""
    since = server.position()
    name = f"write-{since}"
    wire = Wire(server.address)
    wire.send(request(f"/endless_write?id={name}"))
    assert wire.head().status == 200
    wire.reset()
    wait_until(lambda: "finally" in noted(server, name), "write() raised")
    assert noted(server, name) == ["ConnectionResetError", "finally"]
    assert "Traceback" not in server.output(since)


def test_a_half_closed_client_still_gets_its_answer(server: ServerProcess, fifo: tuple[str, Step]) -> None:
    name, step = fifo
    with Wire(server.address) as wire:
        wire.send(request(f"/blocks?fifo={name}"))
        wire.socket.shutdown(socket.SHUT_WR)
        for _ in range(4):
            step()
        assert wire.answer().body == b"block 0block 1block 2block 3"
        assert wire.ended()


# ---- with threads


@pytest.fixture
def threaded(pool: Pool) -> Iterator[ServerProcess]:
    taken = pool.take(APP, "--threads", "4")
    yield taken
    assert taken.alive


def test_with_threads_an_answer_may_wait_for_another_request(threaded: ServerProcess) -> None:
    name = threaded.position()
    with Wire(threaded.address) as wire:
        wire.send(request(f"/wait_at_gate?gate=g{name}"))
        assert wire.head().status == 200
        assert wire.block() == b"waiting "
        assert threaded.get(f"/open_gate?gate=g{name}") == b"ok"
        assert wire.block() == b"opened"
        assert wire.block() == b""


def test_with_threads_n_requests_run_at_once(threaded: ServerProcess) -> None:
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(Wire(threaded.address)) for _ in range(4)]
        for wire in wires:
            wire.send(request(f"/meet?count=4&gate=m{threaded.position()}"))
        names = {wire.answer().body for wire in wires}
    assert names == {b"met as lanner-1", b"met as lanner-2", b"met as lanner-3", b"met as lanner-4"}


def test_inline_applications_run_on_the_main_thread(server: ServerProcess, threads: int) -> None:
    assert fetch(server.address, "/thread").body.startswith(b"True" if threads == 1 else b"False")


def test_a_cut_answer_of_a_1_0_client_ends_in_a_reset(server: ServerProcess) -> None:
    """Without a length only that tells it from a whole one (RFC 9112, section 8)."""
    with Wire(server.address) as wire:
        wire.send(request("/broken_stream", version="1.0"))
        with pytest.raises(CutError):
            wire.answer()
