"""Python's allocator fails at the first allocation behind a request, at the second, and so on.

The client gets its answer, a 500 or a cut connection; the server goes on, and nothing is left of it. An event loop
that has no memory to step a task loses it, and says so: then there is no answer, as with any server on that loop.
"""

import json
import re
import select
from collections.abc import Callable
from typing import Any

import pytest
from server_process import APPS, ServerProcess, wait_until
from wire_client import Answer, CutError, Wire, request

pytest_plugins = ["asgi_fixtures"]
pytestmark = pytest.mark.long

NUMBERS = range(1, 50)  # more allocations than a request makes behind the engine's caches
WARM_UP = NUMBERS[::4]
TRIES = 100
BODY = b"line one\n" + b"rest " * 50
OBJECTS_MAX = 150
LOST = re.compile(r"^(?:handle: |.*(?:Handle|_run_once|callback ).*)", re.MULTILINE)

testcapi = pytest.importorskip("_testcapi", reason="set_nomemory is in CPython's test module, which is not installed")
if not hasattr(testcapi, "set_nomemory"):
    pytest.skip("this CPython has no set_nomemory", allow_module_level=True)

WHOLE = {
    "plain": b"plain",
    "stream": b"a" * 20 + b"b" * 30_000 + b"c",
    "body": BODY,
    "file": (APPS / "no_memory.py").read_bytes(),
    "written": b"onetwo",
    "suspended": b"suspended",
    "fails": None,
}


@pytest.fixture
def server(pool: Any, threads: int) -> ServerProcess:
    taken: ServerProcess = pool.take("no_memory:app", "--threads", str(threads))
    return taken


@pytest.fixture
def asgi(pool: Any) -> ServerProcess:
    # On Lanner's loop: uvloop itself loses its callbacks, or ends, when it has no memory.
    taken: ServerProcess = pool.take("asgi_no_memory:app", "--loop", "lanner")
    return taken


def wire_of(path: str) -> bytes:
    if path == "body":
        return request("/body", "POST", chunks=[BODY[:100], BODY[100:]])
    return request("/" + path)


def answer_or_loss(server: ServerProcess, wire: Wire, since: int) -> Answer | None:
    """None: cut, or the event loop has lost the task."""
    wait_until(
        lambda: select.select([wire.socket], [], [], 0)[0] or LOST.search(server.output(since)),
        "an answer, or a word of the loop",
    )
    if not select.select([wire.socket], [], [], 0)[0]:
        wire.reset()  # who only ends his side is still owed an answer
        return None
    try:
        return wire.answer()
    except (CutError, ConnectionResetError):
        return None


def try_until(claim: Callable[[], bool]) -> None:
    """Memory is there again, but for the one allocation that may still be to fail."""
    for _ in range(TRIES):
        try:
            if claim():
                return
        except (CutError, ConnectionResetError):
            pass
    raise AssertionError(f"not in {TRIES} tries")


def ask_without_memory(server: ServerProcess, path: str, first: int, last: int) -> None:
    since = server.position()
    with Wire(server.address) as wire:
        assert wire.get(f"/arm?first={first}&last={last}").body == b"armed"
        wire.send(wire_of(path))
        answer = answer_or_loss(server, wire, since)
    if answer is not None and answer.status == 200:
        assert answer.body == WHOLE[path], (path, first)
    elif answer is not None:
        assert answer.status == 500, (path, first)
    try_until(lambda: disarmed(server))
    assert server.get("/hello") == b"hello", (path, first)


def disarmed(server: ServerProcess) -> bool:
    since = server.position()
    with Wire(server.address) as wire:
        wire.send(request("/disarm"))
        answer = answer_or_loss(server, wire, since)
        return answer is not None and answer.status == 200


def settled(server: ServerProcess, path: str) -> dict[str, Any]:
    """The counts, once they are twice the same."""
    last: dict[str, Any] = {}

    def twice() -> bool:
        nonlocal last
        before, last = last, json.loads(server.get(path))
        return before == last

    wait_until(twice, "the server is at rest")
    return last


def survives(server: ServerProcess, counts: str, path: str, failures: int) -> None:
    for first in WARM_UP:
        ask_without_memory(server, path, first, first + failures)
    before = settled(server, counts)
    for first in NUMBERS:
        ask_without_memory(server, path, first, first + failures)
    after = settled(server, counts)
    descriptors = "descriptors" if "descriptors" in before else "fds"
    assert after[descriptors] == before[descriptors]
    assert after.get("tasks") == before.get("tasks")
    assert after["objects"] - before["objects"] < OBJECTS_MAX, (before, after)
    assert server.alive


@pytest.mark.parametrize(
    ("path", "failures"),
    [("plain", 1), ("plain", 20), ("stream", 1), ("body", 1), ("body", 20), ("file", 1), ("written", 1), ("fails", 1)],
)
def test_wsgi_survives_without_memory(server: ServerProcess, path: str, failures: int) -> None:
    survives(server, "/counts", path, failures)


@pytest.mark.parametrize(
    ("path", "failures"),
    [("plain", 1), ("plain", 20), ("stream", 1), ("body", 1), ("suspended", 1), ("fails", 1)],
)
def test_asgi_survives_without_memory(asgi: ServerProcess, path: str, failures: int) -> None:
    survives(asgi, "/stats", path, failures)
