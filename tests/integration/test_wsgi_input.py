"""PEP 3333: wsgi.input: the body of a request as a file, whatever its framing and however it comes."""

import contextlib
import hashlib
import io
import json
import os
import random
import select
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from conftest import Pool, Serve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_process import APPS, ServerProcess, wait_until
from wire_client import Answer, Wire, chunk, fetch, request

sys.path.append(str(APPS))
from incoming import perform

APP = "incoming:app"
MEGABYTE = 1 << 20

Send = Callable[[ServerProcess, str, bytes], Answer]


def sized(server: ServerProcess, target: str, body: bytes) -> Answer:
    return fetch(server.address, target, "POST", body=body)


def in_one_chunk(server: ServerProcess, target: str, body: bytes) -> Answer:
    return fetch(server.address, target, "POST", chunks=[body])


def in_many_chunks(server: ServerProcess, target: str, body: bytes) -> Answer:
    """Chunks and segments of sizes that fit nothing."""
    dice = random.Random(len(body))
    head, pieces, at = request(target, "POST", chunks=[])[:-5], [], 0
    while at < len(body):
        step = dice.choice((1, 2, 7, 100, 1000, 5000, 70_000))
        pieces.append(chunk(body[at : at + step]))
        at += step
    with Wire(server.address) as wire:
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wire.send(head)
        for piece in pieces:
            cut = dice.randint(0, len(piece))
            wire.send(piece[:cut])
            wire.send(piece[cut:])
        wire.send(b"0\r\nX-Trailer: dropped\r\n\r\n")
        return wire.answer()


def in_segments(server: ServerProcess, target: str, body: bytes) -> Answer:
    dice = random.Random(len(body))
    with Wire(server.address) as wire:
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = request(target, "POST", body=body)
        while data:
            step = dice.choice((1, 10, 1000, 16_384, 100_000))
            wire.send(data[:step])
            data = data[step:]
        return wire.answer()


every_way = pytest.mark.parametrize("send", [sized, in_segments, in_one_chunk, in_many_chunks])


@every_way
@pytest.mark.parametrize(
    "size", [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, MEGABYTE]
)
def test_read_gives_the_body_byte_for_byte(server: ServerProcess, send: Send, size: int) -> None:
    """T11, T15."""
    body = random.Random(size).randbytes(size)
    answer = send(server, "/echo", body)
    assert answer.status == 200
    assert answer.body == body


# ---- against io.BytesIO

sizes = st.one_of(st.integers(-2, 12), st.sampled_from([100, 8192, 65_535, 65_536, 65_537, 200_000]))
lengths = st.sampled_from([65_535, 80_000])
lines = st.one_of(st.binary(max_size=12), st.sampled_from([b"\n", b"\r\n", b"\r"]), lengths)
bodies = st.lists(lines, max_size=12)
reads = st.tuples(st.sampled_from(["read", "readline", "readlines"]), st.one_of(st.none(), sizes))
nexts = st.tuples(st.just("next"), st.one_of(st.none(), st.integers(0, 4)))
fills = st.tuples(st.just("readinto"), sizes.filter(lambda size: size >= 0))
ways = st.sampled_from([sized, in_one_chunk, in_many_chunks])

against_bytes_io = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def compare(server: ServerProcess, parts: list[bytes | int], program: list[tuple[str, Any]], send: Send) -> None:
    """The same calls on wsgi.input and on an io.BytesIO. Parts are lines, a number one of so many bytes."""
    body = b"\n".join(b"x" * part if isinstance(part, int) else part for part in parts)
    same = io.BytesIO(body)
    expected = [perform(same, *one) for one in program]
    answer = send(server, f"/call?calls={quote(json.dumps(program))}", body)
    assert answer.status == 200
    assert json.loads(answer.body) == expected


@given(parts=bodies, program=st.lists(st.one_of(reads, nexts), max_size=8), send=ways)
@against_bytes_io
def test_reads_give_what_a_bytes_io_gives(
    server: ServerProcess, parts: list[bytes | int], program: list[tuple[str, Any]], send: Send
) -> None:
    compare(server, parts, program, send)


@given(parts=bodies, program=st.lists(st.one_of(fills, fills, reads, nexts), max_size=8), send=ways)
@against_bytes_io
def test_readinto_fills_its_buffer_as_a_bytes_io_does(
    server: ServerProcess, parts: list[bytes | int], program: list[tuple[str, Any]], send: Send
) -> None:
    compare(server, parts, program, send)


@every_way
def test_after_the_end_there_is_nothing(server: ServerProcess, send: Send) -> None:
    """A11."""
    expected = (b"body\nof two", [b"", b"", b"", b"", [], [], 0, b"", b"", b""])
    assert send(server, "/past_the_end", b"body\nof two").body.decode() == repr(expected)


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS"])
def test_without_a_body_input_is_an_empty_file(server: ServerProcess, method: str) -> None:
    """T14."""
    expected = (b"", [b"", b"", b"", b"", [], [], 0, b"", b"", b""])
    assert fetch(server.address, "/past_the_end", method).body.decode() == repr(expected)


@every_way
def test_more_may_be_asked_for_than_memory_holds(server: ServerProcess, send: Send) -> None:
    assert send(server, "/read_huge", b"all of it").body == b"all of it"


def test_arguments_are_checked(server: ServerProcess) -> None:
    answer = sized(server, "/bad_reads", b"untouched")
    assert answer.body.decode() == "refused " * 7 + "b'untouched'"


def test_the_layers_of_io_work_on_it(server: ServerProcess) -> None:
    text = "caf\xe9\n\u2603 snow\r\nlast".encode()
    assert json.loads(in_many_chunks(server, "/buffered", text).body) == ["caf\xe9\n", "\u2603 snow\n", "last"]


@pytest.mark.parametrize("how", ["piece=1000", "piece=100000", "line=1000", "line=-1", "iterate"])
@pytest.mark.parametrize("send", [sized, in_many_chunks])
def test_a_line_of_20_mb_is_read_in_bounded_pieces(server: ServerProcess, how: str, send: Send) -> None:
    """A11."""
    body = b"no newline " * (20 * MEGABYTE // 11)
    if send is in_many_chunks:
        body = body[: 2 * MEGABYTE]
    fetch(server.address, "/digest", "POST", body=b"")  # so that hashlib is there
    server.reset_peak()
    before = server.memory("VmHWM")
    answer = send(server, f"/digest?{how}", body)
    assert answer.body.decode() == f"{len(body)} {hashlib.sha256(body).hexdigest()}"
    if how not in ("line=-1", "iterate"):
        assert server.memory("VmHWM") - before < 8 * MEGABYTE


# ---- bodies that are not read, and input that is kept


@pytest.mark.parametrize("size", [1, 70_000, MEGABYTE])
@pytest.mark.parametrize("path", ["unread", "read_some"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_left_unread_is_never_taken_for_a_request(
    server: ServerProcess, path: str, size: int, chunked: bool
) -> None:
    """T28: drained, or the connection closed."""
    trap = b"GET /hello HTTP/1.1\r\nHost: smuggled\r\n\r\n"
    body = (trap * (size // len(trap) + 1))[:size]
    with Wire(server.address) as wire:
        options = {"chunks": [body]} if chunked else {"body": body}
        wire.send(request("/" + path, "POST", **options))  # type: ignore[arg-type]
        first = wire.answer()
        assert first.status == 200
        assert first.body == (b"unread" if path == "unread" else body[:10])
        if first.get("Connection") == "close":
            assert wire.ended()
            return
        wire.send(request("/environ?after"))
        answer = wire.answer()
        assert json.loads(answer.body)["QUERY_STRING"] == ["str", "after"]


def test_input_is_dead_after_its_request(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        assert wire.get("/keep_input", "POST", body=b"first body").body == b"fir"
        answer = wire.get("/use_kept", "POST", body=b"second body")
        assert answer.body == b"ValueError " * 6 + b"b'second body'"


# ---- bodies that break off


def noted(server: ServerProcess, name: str) -> list[str]:
    found = json.loads(server.get(f"/ledger?id={name}"))
    assert isinstance(found, list)
    return found


PARTS = {
    "sized": lambda target: request(target, "POST", body=b"x" * 100)[:-40],
    "chunked": lambda target: request(target, "POST", chunks=[])[:-5] + b"a\r\n0123456789\r\n20\r\nhalf",
    "no chunk yet": lambda target: request(target, "POST", chunks=[])[:-5],
    "in a chunk size": lambda target: request(target, "POST", chunks=[])[:-5] + b"a\r\n0123456789\r\n2",
    "before the last CRLF": lambda target: request(target, "POST", chunks=[])[:-5] + b"a\r\n0123456789\r\n0\r\n",
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", ["close", "reset"])
def test_a_client_that_leaves_within_its_body_ends_the_read(
    server: ServerProcess, threads: int, part: str, how: str
) -> None:
    """T13: the application hears it, no thread is lost, and it is not logged as an error of its own."""
    since = server.position()
    names = [f"leaves-{since}-{part.replace(' ', '-')}-{how}-{i}" for i in range(8)]
    for name in names:
        wire = Wire(server.address)
        wire.send(PARTS[part](f"/broken?id={name}"))
        if threads > 1:
            wait_until(lambda name=name: noted(server, name), "the application started")
        getattr(wire, how)()
    for name in names:
        if threads > 1:
            heard = wait_until(lambda name=name: noted(server, name)[1:], f"the end of {name}")
            assert heard == ["ConnectionResetError"]
        else:
            assert noted(server, name) == []  # inline it starts when the body is complete
    for _ in range(8):
        assert server.get("/hello") == b"hello"
    assert "Traceback" not in server.output(since)
    assert "app.error" not in server.output(since)


@pytest.mark.parametrize("caught", ["", "&caught=1"])
@pytest.mark.parametrize("bad", [b"zz\r\n", b"5\r\nabcdeXY", b"-1\r\n", b"0\r\nbad trailer\r\n\r\n"])
def test_a_malformed_chunk_is_a_400_whatever_the_application_does(
    server: ServerProcess, threads: int, bad: bytes, caught: str
) -> None:
    since = server.position()
    name = f"malformed-{since}-{caught[1:]}-{bad.hex()}"
    with Wire(server.address) as wire:
        wire.send(request(f"/broken?id={name}{caught}", "POST", chunks=[])[:-5] + b"3\r\nabc\r\n")
        if threads > 1:
            wait_until(lambda: noted(server, name), "the application started")
        wire.send(bad)
        answer = wire.answer()
        assert answer.status == 400
        assert answer.get("Connection") == "close"
        assert wire.ended()
    if threads > 1:
        heard = wait_until(lambda: noted(server, name)[1:], "the read failed")
        assert heard == ["OSError"]
    else:
        assert noted(server, name) == []
    assert "Traceback" not in server.output(since)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_a_413(pool: Pool, threads: int, chunked: bool) -> None:
    server = pool.take(APP, "--threads", str(threads), "--limit-request-body", "1000")
    for size, status in ((1000, 200), (1001, 413), (300_000, 413)):
        options = {"chunks": [b"x" * size]} if chunked else {"body": b"x" * size}
        with Wire(server.address) as wire:
            with contextlib.suppress(ConnectionError):  # it may close while we still send
                wire.send(request("/echo", "POST", **options))  # type: ignore[arg-type]
            answer = wire.answer()
            assert answer.status == status
            if status == 413:
                assert answer.get("Connection") == "close"
    assert "Traceback" not in server.output()


# ---- Expect: 100-continue

EXPECT = [("Expect", "100-continue")]


def head_only(target: str, version: str = "1.1", fields: list[tuple[str, str]] = EXPECT) -> bytes:
    return request(target, "POST", [*fields, ("Content-Length", "5")], version=version)


def test_a_client_that_waits_gets_its_100_continue(server: ServerProcess) -> None:
    """T25."""
    with Wire(server.address) as wire:
        for _ in range(2):
            wire.send(head_only("/echo"))
            interim = wire.head()
            assert (interim.status, interim.reason) == (100, "Continue")
            assert interim.get("Content-Length") is None
            assert interim.get("Transfer-Encoding") is None
            wire.send(b"hello")
            final = wire.head()
            assert final.status == 200
            assert wire.exactly(5) == b"hello"


def test_a_chunked_body_may_be_expected_too(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(request("/echo", "POST", EXPECT, chunks=[])[:-5])
        assert wire.head().status == 100
        wire.send(chunk(b"hello") + b"0\r\n\r\n")
        assert wire.answer().body == b"hello"


def test_an_answer_without_reading_needs_no_100(serve: Serve) -> None:
    """T25: with threads the 100 goes out at the first read; without one the body is not asked for."""
    server = serve(APP, "--threads", "4")
    with Wire(server.address) as wire:
        wire.send(head_only("/refuse"))
        assert wire.head().status == 401
        assert wire.exactly(2) == b"no"
        assert wire.ended()


def test_a_body_that_came_with_the_head_needs_no_100(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(head_only("/echo") + b"hello")
        assert wire.head().status == 200
        assert wire.exactly(5) == b"hello"


def test_a_1_0_client_gets_no_100(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(head_only("/echo", "1.0"))
        assert select.select([wire.socket], [], [], 0)[0] == []
        wire.send(b"hello")
        assert wire.head().status == 200
        assert wire.exactly(5) == b"hello"


# ---- with threads the body streams


@pytest.fixture
def threaded(pool: Pool) -> Iterator[ServerProcess]:
    taken = pool.take(APP, "--threads", "4")
    yield taken
    assert taken.alive


@pytest.mark.parametrize("chunked", [False, True])
def test_with_threads_the_application_reads_what_has_come(threaded: ServerProcess, chunked: bool) -> None:
    """Each piece is answered before the next is sent."""
    pieces = [b"first", b"secon", b"third"]
    with Wire(threaded.address) as wire:
        if chunked:
            wire.send(request("/echo_pieces", "POST", chunks=[])[:-5])
        else:
            wire.send(request("/echo_pieces", "POST", [("Content-Length", "15")]))
        for i, piece in enumerate(pieces):
            wire.send(chunk(piece) if chunked else piece)
            if i == 0:
                assert wire.head().status == 200
            assert wire.block() == piece
        if chunked:
            wire.send(b"0\r\n\r\n")
        assert wire.block() == b""


def test_with_threads_a_body_that_is_not_read_waits_at_the_client(threaded: ServerProcess, tmp_path: Path) -> None:
    """Memory is bounded: 60 MB are on their way to an application that does not read."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    gate = os.open(fifo, os.O_RDWR)
    size, piece = 60 * MEGABYTE, b"x" * 65_536
    threaded.reset_peak()
    before = threaded.memory("VmHWM")
    with Wire(threaded.address) as wire:
        wire.send(request(f"/wait_then_read?fifo={fifo}", "POST", [("Content-Length", str(size))]))
        wire.socket.setblocking(False)
        sent, quiet = 0, time.monotonic() + 1.0  # too short a time on a slow machine only sends less
        while sent < size and time.monotonic() < quiet:
            with contextlib.suppress(BlockingIOError):
                sent += wire.socket.send(piece[: size - sent])
                quiet = time.monotonic() + 1.0
        assert sent < 40 * MEGABYTE
        assert threaded.memory("VmHWM") - before < 16 * MEGABYTE
        os.write(gate, b"x")
        os.close(gate)
        wire.socket.settimeout(30)
        while sent < size:
            sent += wire.socket.send(piece[: size - sent])
        assert wire.answer().body == str(size).encode()
    assert threaded.memory("VmHWM") - before < 16 * MEGABYTE
