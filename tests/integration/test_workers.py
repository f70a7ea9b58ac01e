"""Several worker processes: who serves, who replaces the dead, what survives a stop, how connections are spread.

Rows M01, M05-M07, M11 and M20 of the project's catalogue.
"""

import collections
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.gate import Gate
from tests.support.server import Server, alive, open_sockets, run_to_end, until
from tests.support.wire import Client, Closed, refuses, request

APP = "wsgi_apps:app"
HELLO = request("GET", "/hello")
ALL_MODES = [
    pytest.param((), id="inline"),
    pytest.param(("--threads", "4"), id="threads"),
    pytest.param(("--workers", "2"), id="workers"),
    pytest.param(("--workers", "2", "--threads", "2"), id="workers-threads"),
]
SLACK_S = 10.0  # what a busy machine may add


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path)
    yield made
    made.close()


def pid_of(client: Client) -> int:
    return int(client.get("/pid").body)


# ---- several workers


def serving(server: Server, wanted: int) -> set[int]:
    """The process ids that answer, once there are so many of them; by fresh connections that stay open meanwhile."""
    found: set[int] = set()
    before = {pid: open_sockets(pid) for pid in server.workers()}

    def ask() -> bool:
        with ExitStack() as stack:
            clients = [stack.enter_context(Client(server.address)) for _ in range(4 * wanted)]
            found.update(pid_of(client) for client in clients)
        found.intersection_update(server.workers())
        return len(found) >= wanted

    until(ask, f"{wanted} workers answer")
    until(lambda: all(open_sockets(pid) <= count for pid, count in before.items()), "these connections are gone")
    return found


def test_both_workers_serve_and_the_supervisor_does_not() -> None:
    with Server(APP, "--workers", "2") as server:
        assert serving(server, 2) == set(server.workers())
        assert server.pid not in serving(server, 2)


def test_a_killed_worker_is_replaced_and_the_other_keeps_serving() -> None:
    """M05: only requests of its own are lost."""
    with Server(APP, "--workers", "2") as server, ExitStack() as stack:
        serving(server, 2)
        clients = [stack.enter_context(Client(server.address)) for _ in range(16)]
        by_pid = collections.defaultdict(list)
        for client in clients:
            by_pid[pid_of(client)].append(client)
        assert len(by_pid) == 2
        victim, other = by_pid
        stop, failures = threading.Event(), []

        def load(client: Client) -> None:
            try:
                while not stop.is_set():
                    assert pid_of(client) == other
            except (Closed, OSError, AssertionError) as error:
                failures.append(error)

        threads = [threading.Thread(target=load, args=(client,)) for client in by_pid[other][:4]]
        for thread in threads:
            thread.start()
        os.kill(victim, signal.SIGKILL)
        for client in by_pid[victim]:
            with pytest.raises((Closed, ConnectionResetError, BrokenPipeError)):
                client.get("/pid")
        until(lambda: len(set(server.workers()) - {victim}) == 2, "a new worker")
        after = serving(server, 2)
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert victim not in after
        assert other in after
        text = server.wait_for("worker.exit")
        assert re.search(rf"worker\.exit .*pid={victim} reason=SIGKILL", text), text


def test_new_clients_are_served_while_a_worker_is_replaced() -> None:
    with Server(APP, "--workers", "2") as server:
        victim = min(serving(server, 2))
        os.kill(victim, signal.SIGKILL)
        for _ in range(50):
            with Client(server.address) as client:
                assert client.get("/hello").body == b"hello"


def test_an_orphan_of_a_worker_changes_nothing(tmp_path: Path) -> None:
    """M11: a process that the application started and that outlives its worker."""
    (tmp_path / "forks.py").write_text(
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=subprocess.PIPE)\n"
        "def app(environ, start_response):\n"
        "    body = f'{os.getpid()} {child.pid}'.encode()\n"
        "    start_response('200 OK', [('Content-Length', str(len(body)))])\n"
        "    return [body]\n"
    )
    with Server("forks:app", "--workers", "2", cwd=tmp_path) as server:
        with Client(server.address) as client:
            worker, child = map(int, client.get("/").body.split())
        os.kill(worker, signal.SIGKILL)
        until(lambda: worker not in server.workers() and len(server.workers()) == 2, "a new worker")
        until(lambda: not alive(child), "the orphan's end")  # its stdin ended with the worker
        with Client(server.address) as client:
            assert client.get("/").status == 200
        assert server.stop() == 0
        server.all_gone()


def test_a_crash_loop_at_import_is_exit_3_that_names_the_exception(tmp_path: Path) -> None:
    """M07: no endless restarting, no flood of the log."""
    (tmp_path / "shop.py").write_text("raise RuntimeError('no database')\n")
    found = run_to_end("run", "shop:app", "--port", "0", "--workers", "2", cwd=tmp_path)
    assert found.returncode == 3
    assert found.stderr.count("Traceback") == 1
    assert found.stderr.splitlines()[-1].endswith("RuntimeError: no database")
    assert len(found.stderr.splitlines()) < 10


def test_a_worker_that_cannot_start_again_is_backed_off(tmp_path: Path) -> None:
    """The application breaks while it serves: the other worker serves on, and the log is not flooded."""
    (tmp_path / "shop.py").write_text(
        "import os\n"
        "if os.path.exists('broken'):\n"
        "    raise RuntimeError('broken')\n"
        "def app(environ, start_response):\n"
        "    start_response('200 OK', [('Content-Length', '2')])\n"
        "    return [b'ok']\n"
    )
    with Server("shop:app", "--workers", "2", cwd=tmp_path) as server:
        victim = server.workers()[0]
        (tmp_path / "broken").touch()
        os.kill(victim, signal.SIGKILL)
        text = server.err.wait(lambda all: all.count("worker.exit") >= 3, "three deaths")
        assert text.count("Traceback") <= 1
        waits = [float(wait) for wait in re.findall(r"restart_s=([\d.]+)", text)]
        assert waits == sorted(waits)
        assert waits[-1] > waits[0]
        with Client(server.address) as client:
            assert client.get("/").body == b"ok"
        (tmp_path / "broken").unlink()
        server.wait_for("worker.ready")


class Load:
    """Clients in threads that ask again and again until the server is gone, and count what fails."""

    def __init__(self, server: Server, clients: int, keep_alive: bool) -> None:
        self.address = server.address
        self.keep_alive = keep_alive
        self.served = 0
        self.failures: list[str] = []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self) -> None:
        while True:
            try:
                client = Client(self.address)
            except (ConnectionRefusedError, ConnectionResetError):
                return  # no longer there
            with client:
                if not self.ask(client):
                    return

    def ask(self, client: Client) -> bool:
        """Requests on one connection; False once one failed."""
        fresh = True
        while True:
            try:
                client.send(HELLO if self.keep_alive else request("GET", "/hello", "Connection: close"))
                response = client.read()
                assert response.body == b"hello", response
            except (Closed, OSError, AssertionError) as error:
                # An idle connection may be closed at any time: a client sends such a request again (RFC 9112, 9.3.1).
                if (
                    not fresh
                    and not client.buffer
                    and isinstance(error, Closed | ConnectionResetError | BrokenPipeError)
                ):
                    return True
                with self.lock:
                    self.failures.append(repr(error))
                return False
            fresh = False
            with self.lock:
                self.served += 1
            if response.closes:
                return True

    def join(self) -> None:
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive()


@pytest.mark.parametrize("flags", ALL_MODES)
@pytest.mark.parametrize("keep_alive", [False, True], ids=["fresh", "keep-alive"])
def test_no_request_fails_at_sigterm_under_load(keep_alive: bool, flags: tuple[str, ...]) -> None:
    """M01: who could connect is served."""
    with Server(APP, *flags) as server:
        load = Load(server, 8, keep_alive)
        until(lambda: load.served > 500, "the load runs")
        assert server.stop() == 0
        load.join()
        assert load.failures == []


def test_200_requests_in_flight_survive_sigterm() -> None:
    """M01, whole: requests sent before the signal, their bodies complete after it."""
    with Server(APP, "--workers", "2") as server, ExitStack() as stack:
        clients = [stack.enter_context(Client(server.address)) for _ in range(200)]
        for client in clients:
            assert client.get("/hello").status == 200
            client.send(request("POST", "/count", "Content-Length: 10") + b"12345")
        with Client(server.address) as last:
            pids = {pid_of(last)}
        while len(pids) < 2:  # both workers have read what came before
            with Client(server.address) as last:
                pids.add(pid_of(last))
        server.send_signal(signal.SIGTERM)
        until(lambda: refuses(server.address), "the port is given up")
        for client in clients:
            client.send(b"67890")
        for client in clients:
            response = client.read()
            assert (response.status, response.body, response.closes) == (200, b"10", True)
        assert server.wait() == 0


def test_workers_end_when_the_supervisor_is_killed() -> None:
    """M06: no orphan holds the port; requests in flight are still finished."""
    with Server(APP, "--workers", "2") as server:
        workers = server.workers()
        with Client(server.address) as client:
            client.send(request("POST", "/count", "Content-Length: 4") + b"12")
            with Client(server.address) as other:
                assert other.get("/hello").status == 200
            server.send_signal(signal.SIGKILL)
            server.wait()
            client.send(b"34")
            assert client.read().body == b"4"
        server.all_gone()
        until(lambda: not any(alive(worker) for worker in workers), "the end of the workers")
        assert refuses(server.address)


# ---- how connections are spread (decision 1; M20)


@pytest.mark.parametrize("count", [64, 256])
def test_connections_are_spread_evenly(count: int) -> None:
    """max / mean <= 1.3 over 4 workers."""
    with Server(APP, "--workers", "4") as server, ExitStack() as stack:
        serving(server, 4)
        clients = [stack.enter_context(Client(server.address)) for _ in range(count)]
        found = collections.Counter(pid_of(client) for client in clients)
        assert len(found) == 4, found
        assert max(found.values()) <= 1.3 * count / 4, found


@pytest.mark.parametrize("count", [64, 256])
def test_connections_that_come_one_by_one_are_spread_evenly(count: int) -> None:
    with Server(APP, "--workers", "4") as server, ExitStack() as stack:
        serving(server, 4)
        found: collections.Counter[int] = collections.Counter()
        for _ in range(count):
            found[pid_of(stack.enter_context(Client(server.address)))] += 1
        assert max(found.values()) <= 1.3 * count / 4, found


def test_connections_are_spread_again_after_they_have_gone() -> None:
    with Server(APP, "--workers", "4") as server:
        serving(server, 4)
        idle = {pid: open_sockets(pid) for pid in server.workers()}
        for _ in range(3):
            with ExitStack() as stack:
                clients = [stack.enter_context(Client(server.address)) for _ in range(64)]
                found = collections.Counter(pid_of(client) for client in clients)
                assert max(found.values()) <= 1.3 * 16, found
            until(lambda: all(open_sockets(pid) <= count for pid, count in idle.items()), "all connections are gone")


@pytest.mark.parametrize("stuck", [1, 3])
def test_new_clients_do_not_wait_for_a_worker_in_a_long_request(stuck: int, gate: Gate) -> None:
    """While some workers are inside a request that does not end, the others take all new clients."""
    with Server(APP, "--workers", "4", env=gate.env) as server, ExitStack() as stack:
        serving(server, 4)
        busy: set[int] = set()
        for _ in range(stuck):
            client = stack.enter_context(Client(server.address))
            client.send(request("GET", "/gate"))
            gate.wait()
        began = time.monotonic()
        fresh = [stack.enter_context(Client(server.address)) for _ in range(100)]
        for client in fresh:
            busy.add(pid_of(client))  # would wait for ever if a stuck worker had accepted it
        assert len(busy) <= 4 - stuck
        assert time.monotonic() - began < SLACK_S
        gate.release(stuck)
