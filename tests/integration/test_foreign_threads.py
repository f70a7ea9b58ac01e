"""Threads of the application's own that use what the engine gave it: nothing of the engine's is touched off its thread."""

import json
from typing import Any

import pytest
from conftest import Pool
from server_process import ServerProcess, wait_until
from wire_client import Wire, fetch, request

pytest_plugins = ["asgi_fixtures"]
APP = "foreign_threads:app"
OFF = "was called off the thread that runs its request"


# ---- WSGI


@pytest.mark.parametrize(
    ("path", "name"), [("/start", "start_response()"), ("/write", "write()"), ("/hints", "wsgi.early_hints")]
)
def test_wsgi_callables_are_the_requests_threads(server: ServerProcess, path: str, name: str) -> None:
    answer = fetch(server.address, path)
    assert (answer.status, answer.body.decode()) == (200, f"RuntimeError: {name} {OFF}")


def test_the_body_may_be_read_in_another_thread(server: ServerProcess) -> None:
    """asgiref runs async views so; Django reads request.body there."""
    body = bytes(range(256)) * 2000
    for options in ({"body": body}, {"chunks": [body[:1000], body[1000:]]}):
        answer = fetch(server.address, "/read", "POST", **options)
        assert (answer.status, answer.body) == (200, body)


def test_the_body_is_read_by_one_thread_at_a_time(pool: Pool) -> None:
    server = pool.take(APP, "--threads", "4")
    with Wire(server.address) as wire:
        wire.send(request("/read_twice", "POST", [("Content-Length", "5")]) + b"ab")
        assert wire.answer().body == b"RuntimeError: wsgi.input is being read by another thread"


def test_a_thread_that_still_reads_outlives_its_request(pool: Pool) -> None:
    server = pool.take(APP, "--threads", "4")
    for _ in range(20):
        with Wire(server.address) as wire:
            wire.send(request("/leave_reading", "POST", [("Content-Length", "5")]) + b"ab")
            assert wire.answer().body == b"left"
        wait_until(lambda: server.get("/left") != b"", "the reader has been told")
        assert server.get("/left").decode().split(":")[0] in ("ConnectionResetError", "ValueError")


# ---- ASGI


@pytest.fixture
def site(pool: Pool, loop: str) -> ServerProcess:
    return pool.take("foreign_threads:asgi", "--loop", loop)


def test_send_called_in_a_thread_acts_when_it_is_awaited(site: ServerProcess) -> None:
    for _ in range(3):
        answer = fetch(site.address, "/whole_answer")
        assert (answer.status, answer.body) == (200, b"x" * 300_000)


@pytest.mark.parametrize("size", [0, 1000, 500_000])
def test_receive_called_in_a_thread_acts_when_it_is_awaited(site: ServerProcess, size: int) -> None:
    assert fetch(site.address, "/whole_body", "POST", body=b"x" * size).body == str(size).encode()


def test_what_is_not_awaited_does_nothing(site: ServerProcess) -> None:
    answer = fetch(site.address, "/not_awaited")
    assert (answer.status, answer.body) == (200, b"nothing happened")


def test_awaited_in_another_threads_loop_it_is_refused(site: ServerProcess) -> None:
    seen = json.loads(fetch(site.address, "/other_loop").body)
    assert [text.split(" was awaited off the thread")[0] for text in seen] == [
        "send(message)",
        "receive()",
        "receive()",
    ]


def test_transports_of_a_running_loop_are_its_threads(pool: Pool) -> None:
    site = pool.take("foreign_threads:asgi", "--loop", "lanner")
    seen: dict[str, Any] = json.loads(fetch(site.address, "/transports").body)
    assert seen.pop("received") == "of this thread"
    words = "was used off the thread that runs its event loop: use loop.call_soon_threadsafe()"
    for name, text in seen.items():
        what = name if name.startswith(("add", "remove")) else "a transport"
        assert text == f"RuntimeError: {what} {words}", name
