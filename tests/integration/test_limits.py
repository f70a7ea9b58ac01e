"""Every limit of src/http/limits.def, set by its flag to a small value and hit from outside; and exhausted resources.

Rows R01-R07 and R10-R13 of the project's catalogue.
"""

import ast
import json
import os
import resource
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from lanner import _core
from lanner.cli import flags as flag_table
from tests.support.gate import Gate
from tests.support.server import Server, cpu_s, open_fds, open_sockets, run_to_end, until
from tests.support.wire import Client, Closed, chunked, request

APP = "wsgi_apps:app"
MODES = [pytest.param((), id="inline"), pytest.param(("--threads", "4"), id="threads")]
SLACK_S = 15.0  # what a busy machine may add to a timeout
MEGABYTE = 1 << 20
LIMITS_PAGE = Path(__file__).parents[2] / "docs/limits.md"


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path)
    yield made
    made.close()


@contextmanager
def lasting(at_least: float) -> Iterator[None]:
    """What is inside takes that long, and not much longer."""
    began = time.monotonic()
    yield
    taken = time.monotonic() - began
    assert at_least * 0.9 - 0.02 <= taken <= at_least + SLACK_S, f"took {taken:.2f} s, not {at_least} s"


def status_of(server: Server, *pieces: bytes) -> int:
    """The status of the one answer to what is sent on a fresh connection. An error must end it."""
    with Client(server.address) as client:
        for piece in pieces:
            client.try_send(piece)
        response = client.read()
        if response.status >= 400:
            assert response.closes
            client.expect_closed()
        return response.status


def words_of_tests() -> set[str]:
    """The words in the code below, without comments and docstrings."""
    tree = ast.parse(Path(__file__).read_text())
    bare = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in bare]
    return {node.value for node in found if isinstance(node.value, str)}


@pytest.mark.parametrize("limit", _core.limits(), ids=lambda limit: str(limit[0]))
def test_a_limit_has_a_flag_a_precedent_a_row_and_a_test(limit: tuple[str, int, str, str, str]) -> None:
    """Walks http/limits.def: a new limit fails here until it has them all."""
    field, default, _, name, text = limit
    (flag,) = [flag for flag in flag_table.table() if flag.limit == field]
    assert (flag.name, flag.default) == (name, default)
    (row,) = [line for line in LIMITS_PAGE.read_text().splitlines() if line.startswith(f"| `--{name}` |")]
    _, _, shown, what, precedent, _ = (cell.strip() for cell in row.split("|"))
    assert shown == flag_table.shown_default(flag)
    assert what == text
    assert precedent
    assert "--" + name in words_of_tests(), "no test here sets it"


# ---- the head


def test_request_line() -> None:
    with Server(APP, "--limit-request-line", "100") as server:
        frame = len("GET / HTTP/1.1")
        assert status_of(server, request("GET", "/" + "x" * (100 - frame))) == 200
        assert status_of(server, request("GET", "/" + "x" * (101 - frame))) == 414
        assert status_of(server, b"GET /" + b"x" * 5000) == 414, "no end of the line is needed to know"


def test_request_head() -> None:
    with Server(APP, "--limit-request-head", "512") as server:
        bare = len(request("GET", "/", "X: "))
        assert status_of(server, request("GET", "/", "X: " + "x" * (512 - bare))) == 200
        assert status_of(server, request("GET", "/", "X: " + "x" * (513 - bare))) == 431
        assert status_of(server, b"GET / HTTP/1.1\r\nHost: t\r\nX: " + b"x" * 5000) == 431


def test_request_fields() -> None:
    with Server(APP, "--limit-request-fields", "5") as server:
        assert status_of(server, request("GET", "/", *(f"X-{n}: 1" for n in range(4)))) == 200  # and Host
        assert status_of(server, request("GET", "/", *(f"X-{n}: 1" for n in range(5)))) == 431


def test_request_field_size() -> None:
    with Server(APP, "--limit-request-field-size", "64") as server:
        assert status_of(server, request("GET", "/", "X: " + "x" * 61)) == 200
        assert status_of(server, request("GET", "/", "X: " + "x" * 62)) == 431
        assert status_of(server, request("GET", "/", "X" * 65 + ": x")) == 431


def test_limits_of_the_head_hold_byte_by_byte(tmp_path: Path) -> None:
    """P22: the verdict does not depend on how it arrives."""
    path = tmp_path / "s"
    with Server(APP, "--limit-request-head", "300", "--uds", str(path), port=False), Client(str(path)) as client:
        wire = request("GET", "/", "X: " + "x" * 400)
        client.send_pieces([wire[at : at + 1] for at in range(len(wire))])
        assert client.read().status == 431
        client.expect_closed()


def test_an_impossible_limit_is_one_line() -> None:
    """What happens at the memory's limit: test_memory.py."""
    wrong = {"--limit-request-line": "1", "--limit-connections": "0", "--write-high-mark": "0", "--limit-buffers": "3m"}
    for flag, value in wrong.items():
        found = run_to_end("run", APP, "--port", "0", flag, value)
        assert (found.returncode, len(found.stderr.splitlines())) == (2, 1), found.stderr


# ---- the body


@pytest.mark.parametrize("flags", MODES)
def test_request_body(flags: tuple[str, ...]) -> None:
    with Server(APP, *flags, "--limit-request-body", "1000") as server:
        for path in ("/count", "/nobody"):
            assert status_of(server, request("POST", path, body=bytes(1000))) == 200
            assert status_of(server, request("POST", path, "Content-Length: 1001")) == 413, "before any byte of it"
        coded = request("POST", "/count", "Transfer-Encoding: chunked")
        assert status_of(server, coded + chunked(bytes(400), bytes(600))) == 200
        assert status_of(server, coded + chunked(bytes(400), bytes(601))) == 413
        assert status_of(server, coded + b"%x\r\n" % 10**9 + bytes(2000)) == 413


def test_trailer_fields() -> None:
    with Server(APP, "--limit-trailer-fields", "2") as server:
        head = request("POST", "/count", "Transfer-Encoding: chunked") + b"1\r\nx\r\n0\r\n"
        assert status_of(server, head + b"A: 1\r\nB: 2\r\n\r\n") == 200
        assert status_of(server, head + b"A: 1\r\nB: 2\r\nC: 3\r\n\r\n") == 431


def test_trailer_size() -> None:
    with Server(APP, "--limit-trailer-size", "100") as server:
        head = request("POST", "/count", "Transfer-Encoding: chunked") + b"1\r\nx\r\n0\r\n"
        assert status_of(server, head + b"A: " + b"x" * 90 + b"\r\n\r\n") == 200
        assert status_of(server, head + b"A: " + b"x" * 200 + b"\r\n\r\n") == 431
        assert status_of(server, head + b"A: " + b"x" * 5000) == 431, "no end of it is needed to know"


def test_chunk_overhead() -> None:
    """S16: framing that costs more than it carries."""
    with Server(APP, "--limit-chunk-overhead", "200") as server:
        head = request("POST", "/count", "Transfer-Encoding: chunked")
        assert status_of(server, head + b"5;a=b\r\nhello\r\n0\r\n\r\n") == 200
        assert status_of(server, head + b"5;a=" + b"b" * 300 + b"\r\nhello\r\n0\r\n\r\n") == 400
        assert status_of(server, head + b"1;a=bbbbbbb\r\nx\r\n" * 100 + b"0\r\n\r\n") == 400
        assert status_of(server, head + chunked(*[b"x" * 100] * 100)) == 200, "large data pays for its framing"


def spool_files(pid: int) -> list[str]:
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError:
            continue
    return [name for name in found if "lanner-spool" in name or (name.endswith(" (deleted)") and "memfd" not in name)]


def test_body_memory(gate: Gate) -> None:
    """More than that goes to an unlinked file in TMPDIR, which is gone after the request."""
    directory = gate.directory / "spool"
    directory.mkdir()
    env = gate.env | {"TMPDIR": str(directory)}
    with Server(APP, "--body-memory", "1000", env=env) as server:
        for size, spooled in ((1000, False), (1001, True)):
            with Client(server.address) as client:
                wire = request("POST", "/gate", body=bytes(size))
                client.send(wire[:-1])  # a body that arrives whole needs no copy at all
                with Client(server.address) as other:
                    assert other.get("/hello").status == 200
                client.send(wire[-1:])
                gate.wait()
                files = spool_files(server.pid)
                gate.release()
                assert client.read().status == 200
            assert bool(files) == spooled, files
            assert all(name.startswith(str(directory)) for name in files), files
            until(lambda: spool_files(server.pid) == [], "the file is gone")
        assert os.listdir(directory) == []


@pytest.mark.parametrize("size", [999, 1000, 1001, 5000, 300_000])
def test_bodies_around_the_memory_limit_are_whole(size: int) -> None:
    body = bytes(n * 7 % 256 for n in range(size))
    for flags in ((), ("--threads", "2")):
        with Server(APP, *flags, "--body-memory", "1000") as server, Client(server.address) as client:
            client.send(request("POST", "/count", body=body))
            assert client.read().body == str(size).encode()
            client.send(request("POST", "/count", "Transfer-Encoding: chunked") + chunked(body[:500], body[500:]))
            assert client.read().body == str(size).encode()


# ---- time: each limit once, on the real clock. What they mean in detail is src/server/connection_time_test.cpp, on a
# clock that the test turns.


def test_timeout_first_byte() -> None:
    with Server(APP, "--timeout-first-byte", "0.5") as server, lasting(0.5), Client(server.address) as client:
        client.expect_end()


def test_timeout_head() -> None:
    """T39, R01."""
    with Server(APP, "--timeout-head", "0.6") as server, Client(server.address) as client:
        with lasting(0.6):
            client.send(b"GET / HTTP/1.1\r\nHost: t\r\nX: ")
            response = client.read()
        assert (response.status, response.closes) == (408, True)
        client.expect_end()


@pytest.mark.parametrize("flags", MODES)
def test_timeout_body(flags: tuple[str, ...]) -> None:
    """R02. With threads the application waits in read()."""
    with Server(APP, *flags, "--timeout-body", "0.6") as server, Client(server.address) as client:
        client.send(request("POST", "/count", "Transfer-Encoding: chunked") + b"1\r\nx\r\n")
        with lasting(0.6):
            response = client.read()
        assert (response.status, response.closes) == (408, True)
        client.expect_end()


def test_timeout_body_frees_the_thread() -> None:
    with Server(APP, "--threads", "2", "--timeout-body", "0.5") as server, ExitStack() as stack:
        for _ in range(6):
            client = stack.enter_context(Client(server.address))
            client.send(request("POST", "/count", "Content-Length: 9") + b"x")
        with Client(server.address) as other:
            assert other.get("/hello").status == 200


def test_timeout_request_of_a_slow_application(gate: Gate) -> None:
    """A thread cannot be interrupted, but its client need not wait; --threads 1 waits for the application."""
    flags = ("--threads", "2", "--timeout-request", "0.6")
    with Server(APP, *flags, env=gate.env) as server, Client(server.address) as client:
        with lasting(0.6):
            client.send(request("GET", "/gate"))
            response = client.read()
        assert (response.status, response.closes) == (503, True)
        server.wait_for("answer_timeout")
        gate.release()
        with Client(server.address) as other:
            assert other.get("/hello").status == 200


@pytest.mark.parametrize("flags", MODES)
def test_timeout_request_of_an_endless_answer(flags: tuple[str, ...]) -> None:
    """The client takes all it is given; the iterable is closed."""
    with Server(APP, *flags, "--timeout-request", "0.6") as server, lasting(0.6):
        with Client(server.address) as client:
            client.send(request("GET", "/endless"))
            with pytest.raises((ConnectionResetError, Closed)):
                client.take(1 << 40)
        with Client(server.address) as other:
            until(lambda: json.loads(other.get("/totals").body)["ended"] == 1, "the iterable is closed")


@pytest.mark.parametrize("flags", MODES)
def test_timeout_write(flags: tuple[str, ...]) -> None:
    """R03: a client that does not read is cut, by a reset, and the application's iterable is closed."""
    with Server(APP, *flags, "--timeout-write", "0.6") as server:
        with Client(server.address, receive_buffer=4096) as client:
            client.send(request("GET", "/endless"))
            server.wait_for("write_timeout")
            with pytest.raises((ConnectionResetError, Closed)):
                client.take(1 << 40)
        with Client(server.address) as other:
            until(lambda: json.loads(other.get("/totals").body)["ended"] == 1, "the iterable is closed")


def test_timeout_keep_alive() -> None:
    times = ("--timeout-keep-alive", "0.5", "--timeout-first-byte", "20")
    with Server(APP, *times) as server, Client(server.address) as client:
        assert client.get("/hello").status == 200
        with lasting(0.5):
            client.expect_end()


def test_keep_alive_of_0_closes_at_once() -> None:
    with Server(APP, "--timeout-keep-alive", "0") as server, Client(server.address) as client:
        client.send(request("GET", "/hello"))
        assert client.read().body == b"hello"
        client.expect_end()


def test_timeout_graceful_shutdown() -> None:
    with Server(APP, "--timeout-graceful-shutdown", "0.6") as server, Client(server.address) as client:
        client.send(request("POST", "/count", "Content-Length: 5") + b"x")
        with Client(server.address) as other:
            assert other.get("/hello").status == 200
        with lasting(0.6):
            assert server.stop() == 0


def test_timeout_linger() -> None:
    """After an early close the server reads on for that long, not longer."""
    with Server(APP, "--timeout-linger", "0.6") as server:
        idle = open_sockets(server.pid)
        with Client(server.address) as client:
            client.send(b"broken\r\n\r\n")
            assert client.read().status == 400
            with lasting(0.5):
                while open_sockets(server.pid) > idle:
                    client.try_send(b"more")
                    time.sleep(0.05)


def test_limit_linger() -> None:
    with Server(APP, "--limit-linger", "100k") as server:
        idle = open_sockets(server.pid)
        with Client(server.address) as client:
            client.send(b"broken\r\n\r\n")
            assert client.read().status == 400
            client.send(bytes(50_000))  # taken
            with pytest.raises((BrokenPipeError, ConnectionResetError)):
                client.send(bytes(20_000_000))
            until(lambda: open_sockets(server.pid) <= idle, "the connection is gone")


@pytest.mark.long
def test_min_body_rate() -> None:
    """R02: never silent, always too slow: 500 bytes a second. The grace is 10 s."""
    with Server(APP, "--min-body-rate", "1000", "--timeout-body", "30") as server, Client(server.address) as client:
        client.send(request("POST", "/count", "Content-Length: 100000"))
        with lasting(10):
            while not client.readable(0.2):
                client.send(b"x" * 100)
            assert client.read().status == 408


@pytest.mark.long
def test_min_write_rate() -> None:
    """R03: takes a little all the time, 100 kB a second at most. The grace is 30 s."""
    with (
        Server(APP, "--min-write-rate", "1m", "--timeout-write", "100") as server,
        Client(server.address, seconds=60) as client,
    ):
        client.send(request("GET", "/endless"))

        def read() -> None:
            while client.sock.recv(10_000):
                time.sleep(0.1)

        with lasting(30), pytest.raises(ConnectionResetError):
            read()
        assert "write_timeout" in server.wait_for("h1.stalled")


# ---- memory: the marks (R10)


@pytest.mark.parametrize("flags", MODES)
def test_write_high_mark_pauses_the_application(flags: tuple[str, ...], tmp_path: Path) -> None:
    """A unix socket holds 208 KiB on the way, so that the bound can be told."""
    path = tmp_path / "s"
    marks = ("--write-high-mark", "128k", "--write-low-mark", "32k", "--timeout-write", "1")
    with Server(APP, *flags, *marks, "--uds", str(path), port=False) as server, Client(str(path)) as client:
        client.send(request("GET", "/endless"))
        server.wait_for("write_timeout")  # a second later: it has not gone on
        with Client(str(path)) as other:
            totals = json.loads(other.get("/totals").body)
        assert totals["blocks"] * 65536 <= 128 * 1024 + 2 * 65536 + 512 * 1024, totals


@pytest.mark.parametrize("flags", MODES)
def test_write_low_mark_lets_it_go_on(flags: tuple[str, ...]) -> None:
    marks = ("--write-high-mark", "64k", "--write-low-mark", "1k")
    with Server(APP, *flags, *marks) as server, ExitStack() as stack:
        client = stack.enter_context(Client(server.address, receive_buffer=4096))
        client.send(request("GET", "/pieces?n=300&size=10000") + request("GET", "/hello"))
        first = client.read()
        assert (first.status, len(first.body)) == (200, 3_000_000)
        assert first.body == b"".join(bytes([n % 256]) * 10_000 for n in range(300))
        assert client.read().body == b"hello"


def test_the_marks_must_be_in_order() -> None:
    found = run_to_end("run", APP, "--write-high-mark", "1k", "--write-low-mark", "2k")
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1), found.stderr


def test_limit_response_head() -> None:
    """An answer head beyond it is the application's mistake: 500, and a line in the log."""
    with Server(APP, "--limit-response-head", "300") as server:
        assert status_of(server, request("GET", "/hello")) == 200
        assert status_of(server, request("GET", "/fields?n=400", "Connection: close")) == 500


# ---- connections


@pytest.mark.parametrize("flags", MODES)
def test_limit_connections(flags: tuple[str, ...]) -> None:
    """Beyond it clients wait in the backlog, and are served as soon as there is room."""
    with Server(APP, *flags, "--limit-connections", "2") as server, ExitStack() as stack:
        first, second = (stack.enter_context(Client(server.address)) for _ in range(2))
        assert first.get("/hello").status == second.get("/hello").status == 200
        waiting = [stack.enter_context(Client(server.address)) for _ in range(5)]
        for client in waiting:
            client.send(request("GET", "/hello", "Connection: close"))
        assert first.get("/hello").status == 200
        assert not any(client.readable(0.05) for client in waiting)
        second.close()
        for client in waiting:
            assert client.read().body == b"hello"
            client.close()
        assert first.get("/hello").status == 200
        assert "connections.full" in server.err.text


def test_connections_leave_descriptors_to_the_application() -> None:
    """Not more than the limit of open files less 128, whatever the flag says."""
    with Server(APP, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (260, 260))) as server:
        with ExitStack() as stack:
            clients = [stack.enter_context(Client(server.address)) for _ in range(132)]
            for client in clients:
                assert client.get("/hello").status == 200
            assert "ulimit -Hn" in server.wait_for("connections.full")
            waiting = stack.enter_context(Client(server.address))
            waiting.send(request("GET", "/hello"))
            assert not waiting.readable(0.1)
            assert open_fds(server.pid) < 260 - 100
            clients[0].close()
            assert waiting.read().body == b"hello"
        assert "accept.failed" not in server.err.text


def test_the_soft_limit_of_open_files_is_raised() -> None:
    """As far as the hard one allows: else 1024, the usual one, would be what --limit-connections means."""
    for hard, expected in ((4096, 4096), (20_000, 11_024)):
        with Server(
            APP, preexec_fn=lambda hard=hard: resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
        ) as server:
            assert resource.prlimit(server.pid, resource.RLIMIT_NOFILE) == (expected, hard)


def test_limit_pipeline_is_fair(gate: Gate) -> None:
    """P24: a pipeline of hundreds does not come before a client with one request."""
    for limit, before_max in (("4", 20), ("1000", 300)):
        with (
            Server(APP, "--limit-pipeline", limit, env=gate.env) as server,
            Client(server.address) as greedy,
            Client(server.address) as modest,
        ):
            assert modest.get("/hello").status == 200
            greedy.send(request("GET", "/gate") + request("GET", "/hello?greedy") * 250)
            gate.wait()
            modest.send(request("GET", "/hello?modest"))
            gate.release()
            assert modest.read().body == b"hello"
            greedy.read()
            for _ in range(250):
                assert greedy.read().body == b"hello"
            order = modest.get("/order").body.decode().split()
            assert order.index("/hello?modest") <= before_max, limit
            if limit == "1000":
                assert order.index("/hello?modest") > 200, "the flag has no effect"


@pytest.mark.parametrize("flags", MODES)
def test_an_endless_pipeliner_does_not_starve_others(flags: tuple[str, ...]) -> None:
    with Server(APP, *flags) as server, Client(server.address) as greedy:
        stop = threading.Event()

        def send() -> None:
            wire = request("GET", "/hello") * 500
            while not stop.is_set():
                greedy.try_send(wire)

        def read() -> None:
            try:
                while greedy.sock.recv(1 << 20):
                    pass
            except OSError:
                return

        threads = [threading.Thread(target=send), threading.Thread(target=read)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                with Client(server.address) as client:
                    assert client.get("/hello").status == 200
        finally:
            stop.set()
            greedy.sock.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


@pytest.mark.parametrize("flags", MODES)
def test_resets_leave_nothing_behind(flags: tuple[str, ...]) -> None:
    """T56, R12: thousands of clients that connect, ask and reset."""
    with Server(APP, *flags) as server:
        with Client(server.address) as client:
            assert client.get("/hello").status == 200
        before = open_sockets(server.pid)
        for _ in range(3000):
            with Client(server.address) as client:
                client.send(request("GET", "/hello"))
                client.reset()
        until(lambda: open_sockets(server.pid) <= before, "all descriptors are closed")
        with Client(server.address) as client:
            assert client.get("/hello").status == 200


def test_half_open_clients_are_closed_in_time() -> None:
    """R13: FIN, and then nothing; the server closes its side by itself."""
    with Server(APP, "--timeout-first-byte", "0.5") as server, ExitStack() as stack:
        before = open_sockets(server.pid)
        clients = [stack.enter_context(Client(server.address)) for _ in range(200)]
        for client in clients[:100]:
            client.end_input()
        until(lambda: open_sockets(server.pid) <= before, "all are closed")


def test_slow_heads_are_all_closed_while_others_are_served() -> None:
    """R01: slowloris, 300 at once."""
    with Server(APP, "--timeout-head", "1.5") as server, ExitStack() as stack:
        before = open_sockets(server.pid)
        clients = [stack.enter_context(Client(server.address)) for _ in range(300)]
        for client in clients:
            client.send(b"GET / HTTP/1.1\r\nHost: t\r\n")
        with Client(server.address) as probe:
            assert probe.get("/hello").status == 200
        for client in clients:
            assert client.read().status == 408
            client.close()
        until(lambda: open_sockets(server.pid) <= before, "all are closed")


# ---- no descriptors (R04, R05)


@pytest.mark.parametrize("flags", MODES)
def test_no_descriptors_left(flags: tuple[str, ...]) -> None:
    """EMFILE: no busy loop, clients that are connected go on, and it recovers."""
    with Server(APP, *flags) as server, ExitStack() as stack:
        old = stack.enter_context(Client(server.address))
        assert old.get("/hello").status == 200
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (open_fds(server.pid) + 8, 4096))
        clients = [stack.enter_context(Client(server.address)) for _ in range(200)]
        for client in clients:
            client.try_send(request("GET", "/hello"))
        server.wait_for("accept.failed")
        assert old.get("/hello").status == 200
        before, began = cpu_s(server.pid), time.monotonic()
        assert not old.readable(1)
        used = (cpu_s(server.pid) - before) / (time.monotonic() - began)
        assert used < 0.25, f"{used:.0%} of a CPU while there is nothing to do"
        assert old.get("/hello").status == 200
        assert server.err.text.count("accept.failed") < 20, "no flood of the log"
        for client in clients:
            client.close()
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (4096, 4096))
        for _ in range(20):
            with Client(server.address) as client:
                assert client.get("/hello").status == 200


def test_without_descriptors_clients_still_get_their_turn() -> None:
    """As descriptors come free, those who wait are accepted; nobody is refused for ever."""
    with Server(APP, "--timeout-keep-alive", "0.3", "--timeout-first-byte", "0.5") as server, ExitStack() as stack:
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (open_fds(server.pid) + 8, 4096))
        clients = [stack.enter_context(Client(server.address)) for _ in range(30)]
        served = 0
        for client in clients:
            client.try_send(request("GET", "/hello", "Connection: close"))
        for client in clients:
            try:
                served += client.read().status == 200
            except (Closed, ConnectionResetError):
                continue  # let go by the reserve descriptor
            client.close()
        assert served >= 8
        with Client(server.address) as client:
            assert client.get("/hello").status == 200


# ---- no room for bodies (R06, R07)


def upload(server: Server, size: int = 2 * MEGABYTE) -> int:
    with Client(server.address) as client, ThreadPoolExecutor(1) as pool:
        sent = pool.submit(client.try_send, request("POST", "/count", body=bytes(size)))
        status = client.read().status
        if status >= 400:
            with suppress(OSError):  # closed already
                client.sock.shutdown(socket.SHUT_RDWR)
        sent.result(30)
        return status


def test_no_directory_for_bodies() -> None:
    with Server(APP, env={"TMPDIR": "/no/such/directory"}) as server:
        assert upload(server) == 507
        assert upload(server, 1000) == 200
        server.wait_for("spool_failed")


def test_file_too_large_for_the_system() -> None:
    """EFBIG, as a quota's EDQUOT: the disk takes no more."""
    with Server(APP) as server:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (MEGABYTE, MEGABYTE))
        for _ in range(3):
            assert upload(server) == 507
            assert upload(server, 300_000) == 200
        assert spool_files(server.pid) == []


def mount_small(directory: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "lanner-test", str(directory)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def test_a_full_disk(tmp_path: Path) -> None:
    """ENOSPC: 507, the file is gone, the next body that fits is served."""
    if os.geteuid() != 0 or not mount_small(tmp_path):
        pytest.skip("no right to mount a small file system")
    try:
        with Server(APP, env={"TMPDIR": str(tmp_path)}) as server:
            for _ in range(3):
                assert upload(server) == 507
                assert upload(server, 700_000) == 200
            until(lambda: os.statvfs(tmp_path).f_bavail * 4096 > 900_000, "the room is given back")
            with Client(server.address) as client:
                assert client.get("/hello").status == 200
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_full_disk_with_threads_is_no_matter() -> None:
    """With threads the body goes to the application as it comes: nothing is spooled."""
    with Server(APP, "--threads", "2", env={"TMPDIR": "/no/such/directory"}) as server:
        assert upload(server) == 200
