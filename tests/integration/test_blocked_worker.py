"""A worker that is blocked takes no connections: no client waits for it while another worker is idle.

The board says "working" from the end of a wait on, whoever runs then (process/board.h): a request's first step, what
comes after its await, a timer.
"""

import collections
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.gate import Gate
from tests.support.server import Server
from tests.support.wire import Client, request

ASGI = """
import asyncio, os, gate

async def app(scope, receive, send):
    path = scope["path"]
    body = str(os.getpid()).encode()
    if path == "/first":
        gate.enter()
    elif path == "/later":
        await asyncio.sleep(0.001)
        gate.enter()
    elif path == "/timer":
        asyncio.get_running_loop().call_later(0.001, gate.enter)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})
"""

WSGI = """
import os, gate

def app(environ, start_response):
    body = str(os.getpid()).encode()
    if environ["PATH_INFO"] == "/first":
        gate.enter()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""

LOOPS = ["lanner", "asyncio", "uvloop"]
SCENES = [
    *[
        pytest.param(ASGI, path, ("--loop", loop), id=f"{loop}{path}")
        for loop in LOOPS
        for path in ("/later", "/timer")
    ],
    pytest.param(ASGI, "/first", (), id="asgi/first"),
    pytest.param(WSGI, "/first", (), id="wsgi/first"),
]
SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize(("source", "path", "flags"), SCENES)
def test_a_new_client_is_served_by_the_idle_worker(
    source: str, path: str, flags: tuple[str, ...], tmp_path: Path, gate: Gate
) -> None:
    """Some 30 connections on one worker, which leaves new ones to the other for that; the other has one, blocked."""
    if "uvloop" in flags:
        pytest.importorskip("uvloop")
    (tmp_path / "shop.py").write_text(source)
    (tmp_path / "gate.py").symlink_to(SUPPORT / "gate.py")
    with Server("shop:app", "--workers", "2", *flags, cwd=tmp_path, env=gate.env) as server, ExitStack() as stack:
        by_pid: dict[int, list[Client]] = collections.defaultdict(list)
        for _ in range(60):
            client = stack.enter_context(Client(server.address))
            by_pid[int(client.get("/pid").body)].append(client)
        idle, blocked = sorted(by_pid)
        for client in by_pid[blocked][1:]:
            client.close()
        assert len(by_pid[idle]) >= 20
        by_pid[blocked][0].send(request("GET", path))
        gate.wait()
        for _ in range(4):
            with Client(server.address) as client:
                assert int(client.get("/pid").body) == idle
        gate.release()
        server.stop()
