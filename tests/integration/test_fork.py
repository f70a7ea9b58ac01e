"""Applications that fork: the child is theirs, and the server that it came from feels nothing of it.

Whoever returns into the server in a child ends there; signals, descriptors and paths stay the parent's.
"""

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Server, alive, until
from tests.support.wire import Client, refuses, request

WSGI = """
import multiprocessing, os, signal, subprocess, sys, threading, time
CHILDREN = []

def work(ready):
    ready.send_bytes(b"ready")
    signal.pause()

def act(path):
    {actions}
    return b"nothing"

def app(environ, start_response):
    body = act(environ["PATH_INFO"])
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""

ACTIONS = """
    if path == "/pid":
        return b"%d" % os.getpid()
    how = path[1:]
    if how in ("exits", "raises", "returns", "leaves"):
        print("before", flush=True)
        child = os.fork()
        if not child:
            print("from the child")
            if how == "exits":
                sys.exit(7)
            if how == "leaves":
                os._exit(9)
            if how == "raises":
                raise LookupError("in the child")
            return b"from the child"
        return b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if how == "process":
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        child = context.Process(target=work, args=(theirs,), daemon=True)
        child.start()
        theirs.close()
        ours.recv_bytes()
        CHILDREN.append(child)
        return b"%d" % child.pid
    if how in ("terminates", "interrupts"):
        child = CHILDREN.pop()
        if how == "terminates":
            child.terminate()
        else:
            os.kill(child.pid, signal.SIGINT)
        child.join()
        return b"%d" % child.exitcode
    if how == "spawn":
        context = multiprocessing.get_context("spawn")
        child = context.Process(target=os.getpid)
        child.start()
        child.join()
        return b"%d" % child.exitcode
    if how == "subprocess":
        return subprocess.run(["ls", "-l", "/proc/self/fd"], capture_output=True, close_fds=False).stdout
    if how == "posix_spawn":
        child = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 5"], os.environ)
        return b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if how == "threads":
        codes = []
        def fork():
            child = os.fork()
            if not child:
                os._exit(3)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        threads = [threading.Thread(target=fork) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        return repr(codes).encode()
    if how == "orphan":
        child = os.fork()
        if not child:
            signal.pause()
            os._exit(0)
        return b"%d" % child
"""

ASGI = """
import asyncio, multiprocessing, os, signal, subprocess, sys, threading, time
CHILDREN = []

def work(ready):
    ready.send_bytes(b"ready")
    signal.pause()

def act(path):
    {actions}
    return b"nothing"

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({{"type": "lifespan.startup.complete"}})
        await receive()
        print("shut down", flush=True)
        await send({{"type": "lifespan.shutdown.complete"}})
        return
    path = scope["path"]
    if path.startswith("/later/"):
        await asyncio.sleep(0)
    if path.startswith("/thread/"):
        body = await asyncio.to_thread(act, path[7:])
    else:
        body = act(path.removeprefix("/later"))
    await send({{"type": "http.response.start", "status": 200}})
    await send({{"type": "http.response.body", "body": body}})
"""

KINDS = {
    "wsgi": (WSGI, ()),
    "wsgi-threads": (WSGI, ("--threads", "2")),
    "asgi": (ASGI, ("--loop", "lanner")),
    "asgi-asyncio": (ASGI, ("--loop", "asyncio")),
    "asgi-uvloop": (ASGI, ("--loop", "uvloop")),
}
Start = Callable[..., Server]
LINE = re.compile(r"error fork\.child_ended pid=\d+ by=(\w+) exit=(\d+) hint=")


@pytest.fixture(params=list(KINDS))
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Starts the application of one kind."""
    kind = request.param
    if kind.endswith("uvloop"):
        pytest.importorskip("uvloop")
    source, flags = KINDS[kind]
    (tmp_path / "shop.py").write_text(source.format(actions=ACTIONS.strip()))
    with ExitStack() as stack:

        def run(*more: str, **options: Any) -> Server:
            return stack.enter_context(Server("shop:app", *flags, *more, cwd=tmp_path, **options))

        run.kind = kind  # type: ignore[attr-defined]
        yield run


def get(server: Server, path: str) -> bytes:
    with Client(server.address) as client:
        response = client.get(path)
    assert response.status == 200, response
    return response.body


def ways(start: Start) -> list[str]:
    """Where an application may be when it forks."""
    return ["", "/later", "/thread"] if start.kind.startswith("asgi") else [""]  # type: ignore[attr-defined]


# ---- os.fork() in a handler


@pytest.mark.parametrize(
    ("how", "code", "by"), [("exits", 7, "SystemExit"), ("raises", 1, "LookupError"), ("returns", 1, "return")]
)
def test_a_child_that_comes_back_ends_with_a_line(start: Start, how: str, code: int, by: str) -> None:
    """The parent waits for it: it gets the exit code, and answers its client alone."""
    server = start()
    for way in ways(start):
        since = len(server.err.text)
        # Where a task is the loop's from its first step on, uvloop has the child back before anybody sees what it raised.
        codes = (code, 1) if start.kind == "asgi-uvloop" else (code,)  # type: ignore[attr-defined]
        assert int(get(server, f"{way}/{how}")) in codes
        told = server.err.wait(lambda text, since=since: LINE.search(text, since), "the child's end")
        line = LINE.search(told, since)
        assert line
        assert int(line[2]) in codes
        # A task keeps what it raised in a later step: the loop has it back by a return.
        foreign = start.kind in ("asgi-uvloop", "asgi-asyncio")  # type: ignore[attr-defined]
        assert line[1] in ((by, "return") if way or foreign else (by,))
    assert int(get(server, "/pid")) == server.pid
    assert server.stop() == 0
    server.all_gone()
    if how == "exits" and start.kind != "asgi-uvloop":  # type: ignore[attr-defined]
        assert "from the child" in server.out.text


def test_a_child_that_leaves_by_itself_says_nothing(start: Start) -> None:
    server = start()
    for way in ways(start):
        assert get(server, f"{way}/leaves") == b"9"
    assert server.stop() == 0
    assert "fork." not in server.err.text


def test_the_parent_serves_on_after_many_children(start: Start) -> None:
    """With connections open meanwhile, which a child must neither answer, nor close, nor watch."""
    server = start()
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(server.address)) for _ in range(5)]
        for round in range(4):
            for client in clients:
                assert client.get("/returns").body == b"1", round
                assert int(client.get("/pid").body) == server.pid
        for client in clients[::2]:
            client.close()
        assert int(clients[1].get("/pid").body) == server.pid
    assert server.stop() == 0


def test_a_child_that_lives_on_keeps_neither_clients_nor_the_port(start: Start) -> None:
    """Its copies of connections and listeners are closed: who reads to the end is not kept waiting."""
    server = start()
    with Client(server.address) as client, Client(server.address) as other:
        assert other.get("/pid")
        client.send(request("GET", "/orphan", "Connection: close"))
        orphan = int(client.read().body)
        client.expect_end()
        assert alive(orphan)
        try:
            assert server.stop() == 0
            other.expect_end()
            assert refuses(server.address)
            assert alive(orphan)
        finally:
            os.kill(orphan, signal.SIGKILL)


def test_an_orphan_of_a_unix_socket_leaves_its_path_alone(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    server = start("--uds", str(path), port=False)
    with Client(str(path)) as client:
        assert client.get("/exits").body in (b"7", b"1")
    assert path.exists()
    with Client(str(path)) as client:
        assert client.get("/pid").body == b"%d" % server.pid
    assert server.stop() == 0
    assert not path.exists()


# ---- multiprocessing and its kind


@pytest.mark.parametrize(("how", "code"), [("terminates", b"-15"), ("interrupts", b"1")])
def test_a_child_of_multiprocessing_ends_by_its_signals(start: Start, how: str, code: bytes) -> None:
    """Not by the server's handlers: SIGTERM ends it, SIGINT is KeyboardInterrupt."""
    server = start()
    for way in ways(start):
        child = int(get(server, f"{way}/process"))
        assert get(server, f"{way}/{how}") == code
        assert not alive(child)
    assert server.stop() == 0


def test_control_c_ends_a_server_with_children_at_work(start: Start) -> None:
    """A terminal sends SIGINT to all of the process group."""
    server = start()
    child = int(get(server, "/process"))
    for pid in (child, server.pid):
        os.kill(pid, signal.SIGINT)
    assert server.wait() == 0
    until(lambda: not alive(child), "the child is gone")


@pytest.mark.parametrize(("how", "body"), [("spawn", b"0"), ("posix_spawn", b"5"), ("threads", b"[3, 3, 3, 3]")])
def test_other_ways_to_a_process_work(start: Start, how: str, body: bytes) -> None:
    server = start()
    for way in ways(start):
        if how == "spawn" and way:
            continue  # a second is enough
        assert get(server, f"{way}/{how}") == body
    assert server.stop() == 0
    assert "fork." not in server.err.text


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["single", "workers"])
def test_a_program_inherits_no_descriptor(start: Start, workers: tuple[str, ...], tmp_path: Path) -> None:
    """Not the listener, nor the client's connection, the board, the logs: all are close-on-exec."""
    server = start("--access-log", "--access-logfile", str(tmp_path / "access.log"), *workers)
    rows = [line.split() for line in get(server, "/subprocess").decode().splitlines() if " -> " in line]
    assert {row[-3] for row in rows} >= {"0", "1", "2"}
    found = [row[-1] for row in rows if int(row[-3]) > 2 and not row[-1].startswith("/proc/")]
    assert found == []
    assert server.stop() == 0
