"""asyncio and anyio inside ASGI applications: one real task from the first step to the last, a context of its own.

Rows A16, A17, A20 and A22 of the project's catalogue, and decision 3.
"""

import ast
import json
import os
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from asgi_ledger import events, log_since, noted, release, wait_for_event
from conftest import Serve
from server_process import ServerProcess, wait_until
from wire_client import Wire, fetch, request

pytest_plugins = ["asgi_fixtures"]
APP = "asgi_tasks:app"


def test_the_task_is_one_from_the_first_step_on(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        for _ in range(2):
            assert ast.literal_eval(wire.get("/current").body.decode()) == {
                "kind": True,
                "among all": True,
                "loop": True,
                "coroutine": True,
                "name": True,
                "done": False,
                "tasks": 1,
            }


WORKS = {
    "child_tasks": b"4950",
    "cancels_itself": b"cancelled and alive",
    "runs_nested": b"asyncio.run() cannot be called from a running event loop",
    "timeout": b"timed out",
    "timeout_zero": b"timed out",
    "task_group": b"45",
    "task_group_fails": b"True",
    "any_move_on": b"True",
    "any_fail_after": b"timed out",
    "any_group": b"45",
    "any_group_of_callables": b"grouped",
    "any_thread": b"True mine back",
    "any_cancelled_first": b"http.request asyncio",
    "any_events": b"set",
    "executor": b"True",
    "subprocess": b"FROM A CHILD 3",
    "subprocess_killed": b"-15",
    "signals": b"told True",
    "reader": b"read False xxxxxxxxxx",
    "reader_of_a_pipe": b"read",
    "connection": b"True",
    "refused": b"refused",
    "itself": b"hello",
    "datagrams": b"datagram",
    "names": b"True",
    "timers": b"013 True",
    "from_a_thread": b"from a thread",
    "coroutine_from_a_thread": b"threadsafe",
    "queues": b"190",
    "generator": b"[True]",
    "exception_handler": b"LookupError('in a callback')",
    "context_of_children": b"parent parent parent parent parent",
    "callable": b"a callable object",
}


@pytest.mark.parametrize("name", WORKS)
def test_works_in_a_handler(asgi: ServerProcess, name: str) -> None:
    since = asgi.position()
    with Wire(asgi.address) as wire:
        for _ in range(2):
            answer = wire.get(f"/{name}")
            assert (answer.status, answer.body) == (200, WORKS[name])
    assert log_since(asgi, since) == ""


def test_works_in_asyncios_debug_mode(serve: Serve, loop: str) -> None:
    server = serve(APP, "--loop", loop, env={"PYTHONASYNCIODEBUG": "1"})
    for name in WORKS:
        answer = fetch(server.address, f"/{name}")
        assert (answer.status, answer.body) == (200, WORKS[name])


def test_works_on_asyncios_own_loop(serve: Serve) -> None:
    server = serve(APP, "--loop", "asyncio")
    for name in WORKS:
        answer = fetch(server.address, f"/{name}")
        assert (answer.status, answer.body) == (200, WORKS[name])


def test_the_loop_is_what_was_asked_for(asgi: ServerProcess, loop: str) -> None:
    facts = json.loads(fetch(asgi.address, "/loop_facts").body)
    module = "uvloop" if loop == "uvloop" else "lanner"
    assert facts == {"module": module, "running": True, "closed": False, "policy": True, "asyncio": True}


def test_many_requests_at_a_time(asgi: ServerProcess, place: str) -> None:
    count = 200
    before = json.loads(fetch(asgi.address, "/count").body)
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(asgi.address)) for _ in range(count)]
        for number, wire in enumerate(wires):
            wire.send(request(f"/suspended?id={place}&number={number}"))
        assert len(events(asgi, place, count)) == count
        for _ in range(count):
            release(asgi, place)
        assert {int(wire.answer().body) for wire in wires} == set(range(count))
    wait_until(lambda: json.loads(fetch(asgi.address, "/count").body) == before, "all tasks ended")


@pytest.mark.parametrize("path", ["is_cancelled", "raises_cancelled"])
def test_a_handler_that_is_cancelled_is_500(asgi: ServerProcess, path: str) -> None:
    with Wire(asgi.address) as wire:
        assert wire.get(f"/{path}").status == 500
        assert wire.get("/hello").body == b"hello"


# ---- context variables (A20)


@pytest.mark.parametrize("awaits", [0, 1, 3])
def test_contextvars_are_fresh_for_each_request(asgi: ServerProcess, awaits: int) -> None:
    with Wire(asgi.address) as wire:
        for number in range(5):
            assert wire.get(f"/context?awaits={awaits}&set={number}").body == b"unset"


@pytest.mark.parametrize("awaits", [0, 1, 3])
def test_contextvars_are_fresh_for_pipelined_requests(asgi: ServerProcess, awaits: int) -> None:
    with Wire(asgi.address) as wire:
        wire.send(b"".join(request(f"/context?awaits={awaits}&set={number}") for number in range(20)))
        assert [wire.answer().body for _ in range(20)] == [b"unset"] * 20


def test_contextvars_do_not_leak_between_connections(asgi: ServerProcess) -> None:
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(asgi.address)) for _ in range(20)]
        for _ in range(3):
            for number, wire in enumerate(wires):
                wire.send(request(f"/context?awaits={number % 4}&set={number}"))
            assert {wire.answer().body for wire in wires} == {b"unset"}


def test_contextvars_hold_across_sends_that_wait(asgi: ServerProcess) -> None:
    with Wire(asgi.address, receive_bytes=65536) as wire:
        assert wire.get("/context_in_a_stream").body.endswith(b"xstreaming")


# ---- work after the answer (A22)


def test_the_answer_does_not_wait_for_the_background(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        for _ in range(3):
            assert wire.get(f"/background?id={place}").body == b"answered"
        assert len(wait_for_event(asgi, place, "at the gate")) == 3
    for _ in range(3):
        release(asgi, place)
    wait_until(lambda: noted(asgi, place).count("done in the background") == 3, "the background work is done")


def test_a_task_outlives_its_request(asgi: ServerProcess, place: str) -> None:
    assert fetch(asgi.address, f"/background_task?id={place}").body == b"answered"
    wait_for_event(asgi, place, "at the gate")
    release(asgi, place)
    wait_for_event(asgi, place, "task done")


def test_an_exception_in_a_task_of_the_applications_is_logged_by_asyncio(asgi: ServerProcess, place: str) -> None:
    since = asgi.position()
    assert fetch(asgi.address, f"/task_that_fails?id={place}").body == b"answered"
    log = log_since(asgi, since)
    assert log.count("Task exception was never retrieved") == 1
    assert log.count(f"LookupError: nobody looked at {place}") == 1


# ---- applications that misbehave (A16, A17)


@pytest.mark.parametrize("awaits", [0, 1])
@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("exit", "SystemExit: 5"),
        ("recursion", "RecursionError: "),
        ("memory", "MemoryError: misbehaved"),
        ("base", "Odd: misbehaved"),
        ("generator+exit", "GeneratorExit: misbehaved"),
        ("stop", "StopAsyncIteration: misbehaved"),
    ],
)
def test_whatever_a_handler_raises_is_500(asgi: ServerProcess, how: str, says: str, awaits: int) -> None:
    """A16: also sys.exit(), which is the request's end and not the server's."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        assert wire.get(f"/misbehaves?how={how}&awaits={awaits}").status == 500
        assert wire.get("/hello").body == b"hello"
    log = log_since(asgi, since)
    assert log.count("error app.error ") == 1
    assert log.count(says) == 1


def test_a_handler_that_blocks_holds_the_others_up_and_loses_none(asgi: ServerProcess, tmp_path: Path) -> None:
    """A15, in short: what came meanwhile is served afterwards."""
    os.mkfifo(tmp_path / "fifo")
    with Wire(asgi.address) as blocking, ExitStack() as stack:
        blocking.send(request(f"/blocks?fifo={tmp_path}/fifo"))
        letting_go = os.open(tmp_path / "fifo", os.O_WRONLY)  # opens once the other end is open
        wires = [stack.enter_context(Wire(asgi.address)) for _ in range(20)]
        for wire in wires:
            wire.send(request("/hello"))
        os.close(letting_go)
        assert blocking.answer().body == b"went on"
        assert [wire.answer().body for wire in wires] == [b"hello"] * 20


# ---- applications that are no coroutine functions


@pytest.mark.parametrize(
    ("target", "body"),
    [("asgi_tasks:future_app", b"a future"), ("asgi_tasks:Endpoint", b"an endpoint")],
)
def test_whatever_can_be_awaited_is_an_application(serve: Serve, loop: str, target: str, body: bytes) -> None:
    """As `await app(scope, receive, send)` takes it: a class with __await__, a function that returns a future."""
    server = serve(target, "--loop", loop, "--interface", "asgi", "--lifespan", "off")
    with Wire(server.address) as wire:
        for _ in range(2):
            assert wire.get("/").body == body


def test_a_function_that_forgot_its_async_is_500(serve: Serve, loop: str) -> None:
    server = serve("asgi_tasks:nothing_app", "--loop", loop)
    with Wire(server.address) as wire:
        for _ in range(2):
            assert wire.get("/").status == 500
    server.wait_for_output("TypeError: ")


# ---- WebSocket


def test_a_websocket_handshake_is_501_and_one_line(asgi: ServerProcess) -> None:
    """Until it is served: said to the client, said once in the log, and the application does not see it."""
    since = asgi.position()
    fields = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Version", "13"),
    ]
    answer = fetch(asgi.address, "/hello", fields=fields)
    assert (answer.status, answer.get("Upgrade")) == (501, None)
    lines = [line for line in log_since(asgi, since).splitlines() if line]
    assert len(lines) == 1
    assert "websocket" in lines[0].lower()


def test_another_upgrade_is_a_plain_request(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        fields = [("Connection", "Upgrade"), ("Upgrade", "h2c")]
        assert wire.get("/hello", fields=fields).body == b"hello"
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.ended()
