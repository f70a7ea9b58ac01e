"""A signal that comes while the engine is made: the listeners are closed once, by whoever owns them."""

import os
import signal
import socket

import pytest

from lanner import _core
from lanner.process.engine import make_server
from lanner.process.job import Job
from lanner.process.stop_requests import Stopped, StopRequests


def app(environ: object, start_response: object) -> list[bytes]:
    return []


def own_listener() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return os.dup(listener.fileno())


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def test_a_signal_just_after_the_engine_took_its_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _core.Server

    def interrupted(*arguments: object) -> _core.Server:
        server = made(*arguments)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGTERM)
        return server

    monkeypatch.setattr(_core, "Server", interrupted)
    fd = own_listener()
    with StopRequests() as stop, pytest.raises(Stopped):
        make_server(app, Job(app, listeners=[fd], options={"own_listeners": True}), stop)
    assert not is_open(fd)


def test_a_signal_just_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        raise MemoryError

    monkeypatch.setattr(_core, "Server", refused)
    fd = own_listener()
    with StopRequests() as stop, pytest.raises(MemoryError):
        make_server(app, Job(app, listeners=[fd], options={"own_listeners": True}), stop)
    assert not is_open(fd)
    assert stop.requested == signal.SIGTERM
