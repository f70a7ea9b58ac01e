"""The life of a process that serves ASGI: drain, cancellation, workers, threads of the executor.

Rows T52, A14, A22, M01 and M02 of the project's catalogue.
"""

import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from server_process import APPS

from tests.support.server import Server
from tests.support.wire import Client, Closed, request

pytest_plugins = ["asgi_fixtures"]
LIMIT_S = 0.5  # the drain's, where it is reached
FORCED_S = 5.0  # beyond it, for who ignores being cancelled
SLACK_S = 10.0  # what a busy machine may add

Run = Callable[..., Server]
WORKERS = [pytest.param((), id="single"), pytest.param(("--workers", "2"), id="workers")]


@pytest.fixture
def run(loop: str, tmp_path: Path) -> Any:
    """Starts asgi_drain:app, or another, on each loop."""
    with ExitStack() as stack:

        def start(*flags: str, target: str = "asgi_drain:app", **variables: str) -> Server:
            env = {"DIRECTORY": str(tmp_path), **variables}
            return stack.enter_context(Server(target, "--loop", loop, *flags, cwd=APPS, env=env))

        yield start


def lines(server: Server) -> list[str]:
    """What the application said, without its starts."""
    return [line for line in server.out.text.splitlines() if not line.startswith("started ")]


def stop_within(server: Server, seconds: float) -> int:
    began = time.monotonic()
    code = server.stop()
    assert time.monotonic() - began < seconds + SLACK_S
    server.all_gone()
    return code


def connect_until_refused(address: tuple[str, int]) -> None:
    """The port is given up soon after the signal."""
    for _ in range(2000):
        Client(address).close()


def read_all_chunks(client: Client) -> None:
    while client.read_chunk():
        pass


@pytest.mark.parametrize("flags", WORKERS)
def test_a_request_in_flight_finishes(run: Run, tmp_path: Path, flags: tuple[str, ...]) -> None:
    """T52: with Connection: close, exit 0, the lifespan's shutdown last."""
    server = run(*flags)
    with Client(server.address) as client:
        client.send(request("GET", "/waits"))
        server.wait_for_log("waits")
        server.send_signal(signal.SIGTERM)
        with pytest.raises(OSError, match="refused"):
            connect_until_refused(server.address)
        (tmp_path / "go").touch()
        response = client.read()
        assert (response.body, response.closes) == (b"waited", True)
        client.expect_end()
    assert server.wait() == 0
    server.all_gone()
    assert lines(server)[-1] == "shut down"


@pytest.mark.parametrize("flags", WORKERS)
def test_idle_connections_end_at_once(run: Run, flags: tuple[str, ...]) -> None:
    server = run(*flags)
    with Client(server.address) as client, Client(server.address) as silent:
        client.get("/hello")
        assert stop_within(server, 0) == 0
        client.expect_end()
        silent.expect_closed()


def test_a_client_that_leaves_at_the_signal_holds_nothing_up(run: Run) -> None:
    """The last event of the loop is also the last that it waits for."""
    for _ in range(6):
        server = run()
        with Client(server.address) as client:
            client.get("/hello")
            server.send_signal(signal.SIGTERM)
        assert server.wait(6) == 0
        server.all_gone()
        assert lines(server) == ["shut down"]


def test_background_work_finishes(run: Run, tmp_path: Path) -> None:
    """Work after the answer is work in flight: Starlette's BackgroundTask."""
    server = run()
    with Client(server.address) as client:
        assert client.get("/background").body == b"answered"
        server.wait_for_log("background")
        server.send_signal(signal.SIGTERM)
        client.expect_end()
        (tmp_path / "go").touch()
    assert server.wait(SLACK_S) == 0  # at once, not at the limit
    server.all_gone()
    assert lines(server) == ["background", "background done", "shut down"]


@pytest.mark.parametrize("flags", WORKERS)
def test_an_endless_stream_is_cut_at_the_limit(run: Run, flags: tuple[str, ...]) -> None:
    """T52, M02: the application is cancelled, exit 0, the shutdown comes last."""
    server = run("--timeout-graceful-shutdown", str(LIMIT_S), *flags)
    with Client(server.address) as client:
        client.send(request("GET", "/events"))
        assert client.read_head().status == 200
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        with pytest.raises((Closed, ConnectionResetError)):
            read_all_chunks(client)
        assert time.monotonic() - began > LIMIT_S * 0.8
        assert server.wait(LIMIT_S + FORCED_S + SLACK_S) == 0
    server.all_gone()
    said = [line for line in lines(server) if line != "shut down"]
    assert said[0] in ("events: cancelled", "events: OSError")
    assert lines(server)[-2:] == ["events: over", "shut down"]
    assert "Traceback" not in server.err.text


def test_who_waits_in_receive_is_told_at_the_limit(run: Run) -> None:
    server = run("--timeout-graceful-shutdown", str(LIMIT_S))
    with Client(server.address) as client:
        client.send(request("GET", "/listens"))
        server.wait_for_log("listens")
        assert stop_within(server, LIMIT_S) == 0
        client.expect_closed()
    assert lines(server)[1] in ("listens: http.disconnect", "listens: cancelled")
    assert lines(server)[-1] == "shut down"


def test_a_request_that_is_cancelled_may_clean_up(run: Run) -> None:
    """asyncio's rule: who is cancelled may still await in its finally."""
    server = run("--timeout-graceful-shutdown", str(LIMIT_S))
    with Client(server.address) as client:
        client.send(request("GET", "/cleans_up"))
        server.wait_for_log("cleans up later")
        assert stop_within(server, LIMIT_S) == 0
    assert lines(server) == ["cleans up later", "cleaned up", "shut down"]


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        pytest.param("/swallows", (), id="single"),
        pytest.param("/swallows_in_background", ("--workers", "2"), id="workers"),
    ],
)
def test_who_swallows_its_cancellation_ends_with_the_process(run: Run, path: str, flags: tuple[str, ...]) -> None:
    """A14: forced at the limit and 5 s, exit 0, and the others' shutdown runs."""
    server = run("--timeout-graceful-shutdown", str(LIMIT_S), *flags)
    with Client(server.address) as client:
        client.send(request("GET", path))
        server.wait_for_log("swallows")
        assert stop_within(server, LIMIT_S + FORCED_S) == 0
    assert "swallowed" in lines(server)
    assert "shut down" in lines(server)


def test_a_second_signal_ends_at_once(run: Run) -> None:
    server = run()
    with Client(server.address) as client:
        client.send(request("GET", "/waits"))
        server.wait_for_log("waits")
        assert server.insist(signal.SIGTERM) == 128 + signal.SIGTERM


def test_no_request_is_lost_at_the_signal(run: Run) -> None:
    """M01: those that were sent before are answered."""
    server = run()
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(server.address)) for _ in range(100)]
        for client in clients:
            client.send(request("GET", "/hello"))
        server.send_signal(signal.SIGTERM)
        assert [client.read().body for client in clients] == [b"hello"] * 100
    assert server.wait() == 0


# ---- the access log


def test_each_request_is_one_line_of_the_access_log(run: Run) -> None:
    """Those too that are answered later, in pieces, by an error, or never."""
    server = run("--access-log", "--access-log-format", "%(m)s %(U)s %(s)s %(B)s", target="asgi_answers:app")
    with Client(server.address) as client:
        for path in ("/hello", "/stream", "/send_tasks", "/raises?after=0&awaits=1&mark=", "/returns?after=0"):
            client.send(request("GET", path))
            client.read()
        client.send(request("GET", "/raises?after=2&awaits=1&mark="))
        with pytest.raises((Closed, ConnectionResetError)):
            client.read()
    assert stop_within(server, 0) == 0
    found = server.out.text.splitlines()
    assert found[:3] == ["GET /hello 200 5", "GET /stream 200 11", "GET /send_tasks 200 11"]
    assert [line.split()[:3] for line in found[3:]] == [
        ["GET", "/raises", "500"],
        ["GET", "/returns", "500"],
        ["GET", "/raises", "200"],
    ]


# ---- workers


def test_workers_share_the_work(run: Run) -> None:
    server = run("--workers", "2")
    pids = set()
    for _ in range(200):
        with Client(server.address) as client:
            pids.add(int(client.get("/pid").body))
        if len(pids) == 2:
            break
    assert pids == set(server.workers())
    assert stop_within(server, 0) == 0


def test_more_signals_do_not_cut_a_workers_shutdown_short(run: Run, tmp_path: Path) -> None:
    """Service managers signal the whole group, and the supervisor forwards what it gets."""
    server = run("--workers", "2", SLOW_SHUTDOWN="1")
    workers = server.workers()
    server.out.wait(lambda text: text.count("started ") == 2, "both serve")
    for worker in workers:
        os.kill(worker, signal.SIGTERM)
    server.send_signal(signal.SIGTERM)
    server.out.wait(lambda text: text.count("shutting down") == 2, "both shut down")
    for number in (signal.SIGTERM, signal.SIGINT):
        for worker in workers:
            os.kill(worker, number)
    (tmp_path / "go").touch()
    assert server.wait() == 0
    server.all_gone()
    assert lines(server).count("shut down") == 2


@pytest.mark.parametrize("flags", WORKERS)
def test_a_signal_handler_of_the_applications_keeps_the_drain(run: Run, flags: tuple[str, ...]) -> None:
    """asyncio and uvloop have one descriptor for all signals of a process (signal.set_wakeup_fd)."""
    server = run(*flags)
    pids = set()
    while len(pids) < (2 if flags else 1):
        with Client(server.address) as client:
            pids.add(client.get("/pid").body)
            assert client.get("/adds_handler").body == b"added"
    server.wait_for_log("SIGUSR1")
    assert stop_within(server, 0) == 0
    assert "shut down" in lines(server)


# ---- the default executor


@pytest.mark.parametrize("flags", WORKERS)
def test_threads_sizes_the_default_executor(run: Run, flags: tuple[str, ...]) -> None:
    server = run("--threads", "3", *flags, target="asgi_tasks:app")
    with Client(server.address) as client:
        assert json.loads(client.get("/executor_size?at_least=3").body) == 3
    assert stop_within(server, 0) == 0


def test_with_one_thread_the_executor_is_asyncios_own(run: Run) -> None:
    """--threads 1 is no limit for what run_in_executor and to_thread may do at once."""
    server = run(target="asgi_tasks:app")
    with Client(server.address) as client:
        assert json.loads(client.get("/executor_size?at_least=4").body) >= 4
