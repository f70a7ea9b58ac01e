"""Clients that do not read, and clients that send slowly, many at once: the worker stays in its budget.

`--limit-buffers`, docs/design/0006. The short run has as many clients as use up a small budget many times over; the
long one has 10,000.
"""

import contextlib
import resource
import selectors
import socket
import statistics
import time
from collections.abc import Callable, Iterator

import pytest
from server_process import ServerProcess, wait_until
from wire_client import request

MEGABYTE = 1 << 20
LARGE = 1_000_000
# The kernel has to keep what nobody reads: near its own limit (net.ipv4.tcp_mem) it drops segments, and a client that
# sends them again waits for minutes. So 10,000 clients must stay well under it, two such tests at a time.
BODY = 100 * 1024
OVERHEAD = 64 * MEGABYTE  # beside the buffers: Python, the application, the connections themselves
SMALL = request("/small")
QUICK_S = 0.1  # of CPU: what the worker does meanwhile, mostly. The clock would say how busy the machine is
SLOW_S = 120.0  # what a busy machine with a busy disk may take for any answer
SLOW_READERS = ("--timeout-write=600", "--min-write-rate=0")
Serve = Callable[..., ServerProcess]

WAYS = [
    pytest.param("large_answers:app", "/bytes", (), id="wsgi-bytes"),
    pytest.param("large_answers:app", "/iterator", (), id="wsgi-iterator"),
    pytest.param("large_answers:app", "/write", (), id="wsgi-write"),
    pytest.param("large_answers:app", "/bytes", ("--threads", "4"), id="threads-bytes"),
    pytest.param("large_answers:app", "/iterator", ("--threads", "4"), id="threads-iterator"),
    pytest.param("large_answers:app", "/write", ("--threads", "4"), id="threads-write"),
    pytest.param("large_answers_asgi:app", "/bytes", (), id="asgi-one-send"),
    pytest.param("large_answers_asgi:app", "/iterator", (), id="asgi-many-sends"),
]
UPLOADS = [
    pytest.param("large_answers:app", (), id="wsgi"),
    pytest.param("large_answers:app", ("--threads", "4"), id="threads"),
    pytest.param("large_answers_asgi:app", (), id="asgi"),
]
RUNS = [
    pytest.param(120, 8, id="short"),
    pytest.param(10_000, 256, id="10000", marks=pytest.mark.long),
]


@contextlib.contextmanager
def descriptors(count: int) -> Iterator[None]:
    """So many may be open, here and in servers that are started meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        pytest.skip(f"ulimit -Hn is {hard}, this needs {count}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect(server: ServerProcess, reads: bool = False) -> socket.socket:
    sock = socket.socket()
    if not reads:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # the kernel shall not read for us
    sock.settimeout(SLOW_S)
    sock.connect(server.address)
    return sock


class Crowd:
    """Clients that ask and do not read, one after the other; between them somebody else asks for little."""

    def __init__(self, server: ServerProcess, budget: int) -> None:
        self.server = server
        self.most = budget * MEGABYTE + OVERHEAD
        self.clients: list[socket.socket] = []
        self.other = connect(server, reads=True)
        self.waits: list[float] = []  # by the clock
        self.work: list[float] = []  # in the worker's time of CPU
        self.peak = 0
        self.look()

    def look(self) -> None:
        """A small request of another client, on a connection that is open already."""
        began, began_cpu = time.monotonic(), self.server.cpu_s()
        self.other.sendall(SMALL)
        answer = b""
        while not answer.endswith(b"small"):
            piece = self.other.recv(4096)
            assert piece, "the other client's connection was closed"
            answer += piece
        self.waits.append(time.monotonic() - began)
        self.work.append(self.server.cpu_s() - began_cpu)
        self.peak = max(self.peak, self.server.memory("VmHWM"))
        assert self.peak <= self.most, f"{self.peak / MEGABYTE:.0f} MB with {len(self.clients)} clients"

    def grow(self, count: int, first_bytes: bytes, looks: bool = True) -> None:
        for _ in range(count):
            client = connect(self.server)
            client.sendall(first_bytes)
            self.clients.append(client)
            if looks and len(self.clients) % 20 == 0:
                self.look()

    def report(self) -> str:
        waits, work = (
            f"median {statistics.median(seconds) * 1000:.1f} ms, worst {max(seconds) * 1000:.1f} ms"
            for seconds in (self.waits, self.work)
        )
        return f"{len(self.clients)} clients: peak {self.peak / MEGABYTE:.0f} MB, small answers {waits}; of CPU {work}"

    def close(self) -> None:
        for sock in (*self.clients, self.other):
            sock.close()


def read_whole(sock: socket.socket) -> int:
    """Bytes of the body of the one answer that comes, by its Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        assert piece, "cut before the head"
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    count = len(body)
    while count < length and (piece := sock.recv(1 << 20)):
        count += len(piece)
    return count


@pytest.mark.parametrize(("count", "budget"), RUNS)
@pytest.mark.parametrize(("app", "target", "flags"), WAYS)
def test_clients_that_do_not_read(
    serve: Serve, app: str, target: str, flags: tuple[str, ...], count: int, budget: int
) -> None:
    with descriptors(count + 500):
        server = serve(app, f"--limit-buffers={budget}M", "--limit-connections", "11000", *SLOW_READERS, *flags)
        crowd = Crowd(server, budget)
        try:
            crowd.grow(count, request(target))
            for _ in range(20):
                crowd.look()
            print(crowd.report())
            assert statistics.median(crowd.work) < QUICK_S
            assert server.alive
            for client in crowd.clients[:: max(count // 20, 1)]:  # whoever reads after all gets all of it
                assert read_whole(client) == LARGE
            crowd.look()
        finally:
            crowd.close()


@pytest.mark.parametrize(("count", "budget"), RUNS)
@pytest.mark.parametrize(("app", "flags"), UPLOADS)
def test_clients_that_send_slowly(serve: Serve, app: str, flags: tuple[str, ...], count: int, budget: int) -> None:
    looks = "--threads" not in flags  # there a body that comes slowly holds its thread
    head = request("/count", "POST", [("Content-Length", str(BODY))])
    piece = bytes(BODY // 10)
    flags = (*flags, "--timeout-body=300", "--min-body-rate=0")
    with descriptors(count + 500):
        server = serve(app, f"--limit-buffers={budget}M", "--limit-connections", "11000", *flags)
        crowd = Crowd(server, budget)
        try:
            crowd.grow(count, head, looks)
            for _ in range(9):
                for number, client in enumerate(crowd.clients):
                    client.sendall(piece)
                    if looks and number % 100 == 0:
                        crowd.look()
            for client in crowd.clients:
                client.sendall(piece)
                client.setblocking(False)
            print(crowd.report())
            assert answers(crowd.clients) == [str(BODY).encode()] * count
            crowd.look()
        finally:
            crowd.close()


def answers(clients: list[socket.socket]) -> list[bytes]:
    """The bodies of the answers, in whatever order they come."""
    got = {sock: b"" for sock in clients}
    wanted = len(str(BODY))
    with selectors.DefaultSelector() as selector:
        for sock in clients:
            selector.register(sock, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(SLOW_S)
            assert ready, f"{len(selector.get_map())} have no answer"
            for key, _ in ready:
                sock = key.fileobj
                assert isinstance(sock, socket.socket)
                piece = sock.recv(65536)
                got[sock] += piece
                _, end, body = got[sock].partition(b"\r\n\r\n")
                if not piece or (end and len(body) >= wanted):
                    selector.unregister(sock)
    return [data.partition(b"\r\n\r\n")[2] for data in got.values()]


def test_at_the_budget_new_clients_wait_and_the_log_says_so(serve: Serve) -> None:
    """Connections alone use it up: nothing of them can go to a file."""
    with descriptors(12_000):
        server = serve("large_answers:app", "--limit-buffers=4M", "--limit-connections", "11000", "--backlog", "64")
        clients = []
        try:
            while "memory.full" not in server.output() and len(clients) < 10_000:
                sock = socket.socket()
                sock.setblocking(False)
                sock.connect_ex(server.address)
                clients.append(sock)
            assert server.output().count("memory.full") == 1, server.output()
            assert "--limit-buffers" in server.output()
            clients[0].setblocking(True)
            clients[0].settimeout(SLOW_S)
            clients[0].sendall(SMALL)
            assert clients[0].recv(4096).endswith(b"small")
        finally:
            for sock in clients:
                sock.close()
        wait_until(lambda: server.get("/small") == b"small", "it accepts again")
