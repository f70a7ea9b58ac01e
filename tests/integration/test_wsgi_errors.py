"""Applications that fail: what the client sees, what is logged, and that the server goes on."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Serve
from server_process import APPS, READY, ServerProcess, environment, wait_until
from wire_client import CutError, Wire, fetch, request

APP = "failing:app"

FAILURES = {
    "Exception": "Exception: plain",
    "OSError": "OSError: [Errno 5] of the application",
    "ConnectionResetError": "ConnectionResetError: of the application's database",
    "StopIteration": "StopIteration: stray",
    "GeneratorExit": "GeneratorExit",
    "SystemExit": "SystemExit: exit at once",
    "SystemExit0": "SystemExit: 0",
    "KeyboardInterrupt": "KeyboardInterrupt",
    "RecursionError": "RecursionError: maximum recursion depth exceeded",
    "MemoryError": "MemoryError",
    "OwnBaseException": "OwnBaseException: own",
    "BadStr": "BadStr",
    "SyntaxError": "SyntaxError: invalid syntax",
    "UnicodeError": "UnicodeDecodeError",
    "Surrogate": "Exception: ",
    "RuntimeError": "KeyError: 'the cause'",
    "ExceptionGroup": "TypeError: two",
}

each_failure = pytest.mark.parametrize("error", FAILURES)


def wait_for_line(server: ServerProcess, pattern: str, since: int) -> None:
    """The pattern begins a line: nothing else was written in between."""
    wait_until(
        lambda: re.search(r"^\S+ \[\d+\] " + pattern, server.output(since), re.MULTILINE), f"a log line {pattern}"
    )


@each_failure
@pytest.mark.parametrize("when", ["before", "started", "first_step"])
def test_an_exception_before_the_first_byte_is_a_500(server: ServerProcess, when: str, error: str) -> None:
    """T09, A01, A17: the connection goes on, and so does the server; the log has the traceback."""
    since = server.position()
    with Wire(server.address) as wire:
        answer = wire.get(f"/{when}?error={error}", "POST", body=b"read by nobody")
        assert (answer.status, answer.reason) == (500, "Internal Server Error")
        assert answer.body
        assert answer.get("X-First") is None
        assert error.encode() not in answer.body
        assert wire.get("/hello").body == b"hello"
    output = server.wait_for_output(FAILURES[error], since)
    assert "Traceback (most recent call last)" in output
    assert f", in {when}\n" in output
    wait_for_line(server, rf"error app\.error .*target=.*{when}.* after_start=(0|false)", since)


@each_failure
@pytest.mark.parametrize("app", ["after", "after_write"])
def test_an_exception_after_the_first_byte_cuts_the_answer(server: ServerProcess, app: str, error: str) -> None:
    """A02: without a clean end, so that nobody takes it for whole."""
    since = server.position()
    with Wire(server.address) as wire:
        wire.send(request(f"/{app}?error={error}") + request("/hello"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.body == b"first"
    server.wait_for_output(FAILURES[error], since)
    wait_for_line(server, r"error app\.error .* after_start=(1|true)", since)
    assert server.get("/hello") == b"hello"


def test_an_exception_within_a_declared_length_cuts_the_answer(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(request("/after?error=Exception&length=100"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.body == b"first"


def test_an_exception_after_the_whole_declared_length_leaves_the_answer_whole(server: ServerProcess) -> None:
    since = server.position()
    with Wire(server.address) as wire:
        wire.send(request("/after?error=Exception&length=5"))
        assert wire.answer().body == b"first"
    server.wait_for_output("Exception: plain", since)


def test_a_head_request_to_a_failing_application_has_no_body(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        assert wire.get("/before?error=Exception", "HEAD").status == 500
        assert wire.get("/hello").body == b"hello"


def test_a_traceback_shows_the_cause_too(server: ServerProcess) -> None:
    since = server.position()
    fetch(server.address, "/before?error=RuntimeError")
    output = server.wait_for_output("RuntimeError: the effect", since)
    assert "KeyError: 'the cause'" in output
    assert "direct cause" in output


def test_a_traceback_has_no_frame_of_the_server(server: ServerProcess) -> None:
    since = server.position()
    fetch(server.address, "/before?error=Exception")
    output = server.wait_for_output("Exception: plain", since)
    files = re.findall(r'File "([^"]+)"', output)
    assert files
    assert all(Path(file).parent == APPS for file in files), files


def test_500_failures_in_a_row_harm_nobody(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        for name in ("before", "started", "first_step"):
            wire.send(request(f"/{name}?error=Exception") * 167)
            for _ in range(167):
                assert wire.answer().status == 500
        assert wire.get("/hello").body == b"hello"


# ---- the log (A24)


Piped = tuple["subprocess.Popen[bytes]", int, tuple[str, int]]  # the server, the reader's end, the address


@pytest.fixture
def full_pipe(threads: int) -> Iterator[Piped]:
    """A server whose stdout and stderr are a pipe that nobody reads after the banner."""
    command = [sys.executable, "-P", "-m", "lanner", "run", APP, "--app-dir", str(APPS), "--port", "0"]
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [*command, "--access-log", "--threads", str(threads)], stderr=writer, stdout=writer, env=environment({})
    )
    os.close(writer)
    try:
        banner = b""
        while READY.encode() not in banner:
            data = os.read(reader, 4096)
            assert data, banner
            banner += data
        found = re.search(rb"http://[\d.]+:(\d+)", banner)
        assert found
        yield process, reader, ("127.0.0.1", int(found[1]))
    finally:
        process.kill()
        process.wait()
        os.close(reader)


def test_a_full_log_pipe_stops_nobody(full_pipe: Piped) -> None:
    """A24: 1000 tracebacks and nobody reads them."""
    _, _, address = full_pipe
    with Wire(address) as wire:
        for _ in range(1000):
            assert wire.get("/before?error=Exception").status == 500
        assert wire.get("/hello").body == b"hello"


def test_a_broken_log_pipe_stops_nobody(full_pipe: Piped) -> None:
    process, reader, address = full_pipe
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, reader)  # the reader is gone: EPIPE from now on
    os.close(null)
    with Wire(address) as wire:
        for _ in range(200):
            assert wire.get("/before?error=Exception").status == 500
        assert wire.get("/hello").body == b"hello"
    assert process.poll() is None


# ---- what else an application does to its process


def test_programs_and_forks_and_threads_work_in_a_handler(server: ServerProcess) -> None:
    """A16."""
    with Wire(server.address) as wire:
        for _ in range(3):
            assert wire.get("/fork").body == b"7"
            assert wire.get("/run").body == b"from a child\n"
            assert wire.get("/in_thread").body == b"helper"
            assert wire.get("/background").body == b"left"
        assert wire.get("/hello").body == b"hello"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_programs_started_by_the_application_inherit_no_descriptor(serve: Serve, threads: int, workers: str) -> None:
    """Else the port would stay taken as long as they run."""
    server = serve(APP, "--threads", str(threads), "--workers", workers)
    listing = fetch(server.address, "/inherited").body.decode()
    opened = dict(re.findall(r" (\d+) -> (.+)", listing))
    assert opened.keys() == {"0", "1", "2", "3"}, listing  # 3 is the directory that ls reads
    assert "socket" not in listing


@pytest.mark.parametrize(
    ("how", "reason"), [("exit", "9"), ("kill", "SIGKILL"), ("segv", "SIGSEGV"), ("abort", "SIGABRT")]
)
def test_a_worker_that_dies_is_replaced_and_the_log_says_why(serve: Serve, threads: int, how: str, reason: str) -> None:
    """A16."""
    server = serve(APP, "--workers", "2", "--threads", str(threads))
    with Wire(server.address) as wire:
        dead = wire.get("/pid").body
        wire.send(request(f"/end?how={how}"))
        assert wire.ended()
    for _ in range(20):
        assert server.get("/hello") == b"hello"
    output = server.wait_for_output("worker.exit")
    assert re.search(rf"worker\.exit .*pid={int(dead)} .*{reason}", output), output
    wait_until(lambda: all_alive(server, 2, dead), "a new worker")
    assert server.alive


def all_alive(server: ServerProcess, count: int, dead: bytes) -> bool:
    """So many different workers answer, and none of them is the dead one."""
    found = {fetch(server.address, "/pid").body for _ in range(50)}
    return len(found) >= count and dead not in found


# ---- asyncio inside of a handler


def test_asyncio_may_be_used_inside_of_a_handler(serve: Serve, threads: int) -> None:
    """There is no loop, neither imported nor running, until the application makes one (docs/architecture.md)."""
    server = serve(APP, "--threads", str(threads))
    with Wire(server.address) as wire:
        assert wire.get("/imported?names=asyncio,asgiref,concurrent.futures").body == b""
        assert wire.get("/running_loop").body == b"none"
        for _ in range(3):
            assert wire.get("/asyncio_run").body == b"[0, 1, 2]"
            assert wire.get("/async_to_sync").body == b"42"
            assert wire.get("/running_loop").body == b"none"
        if threads == 1:
            assert wire.get("/asyncio_child").body == b"child\n"
        assert wire.get("/hello").body == b"hello"
    assert server.terminate() == 0
