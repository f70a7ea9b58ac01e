"""Protocols that keep what they are called with, and the plain sockets at the other end; for tests of transports."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from lanner.loop import EngineLoop

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "engine": EngineLoop,
    "asyncio": asyncio.SelectorEventLoop,
}
Loop = Callable[[], asyncio.AbstractEventLoop]
BOTH = pytest.mark.parametrize("make_loop", list(LOOPS.values()), ids=list(LOOPS))
HIGH = 64 * 1024


class Recorder(asyncio.Protocol):
    """Keeps what it is called with; `acts` maps the name of a call to what is done inside it."""

    def __init__(self, **acts: Callable[["Recorder"], object]) -> None:
        self.acts = acts
        self.calls: list[str] = []
        self.data = bytearray()
        self.transport: Any = None
        self.why: BaseException | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waits: dict[str, asyncio.Future[None]] = {}

    def called(self, name: str) -> object:
        self.calls.append(name)
        waits = self.waits.pop(name, None)
        if waits is not None and not waits.done():
            waits.set_result(None)
        return self.acts[name](self) if name in self.acts else None

    def call_of(self, name: str) -> "asyncio.Future[None]":
        """The next call of that name."""
        return self.waits.setdefault(name, asyncio.get_running_loop().create_future())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.called("connection_made")

    def data_received(self, data: bytes) -> None:
        self.data += data
        self.called("data_received")

    def eof_received(self) -> Any:
        return self.called("eof_received")

    def pause_writing(self) -> None:
        self.called("pause_writing")

    def resume_writing(self) -> None:
        self.called("resume_writing")

    def connection_lost(self, exc: BaseException | None) -> None:
        self.why = exc
        if not self.lost.done():
            self.lost.set_result(None)
        self.called("connection_lost")


class IntoBuffer(asyncio.BufferedProtocol):
    """A Recorder of the buffered kind."""

    def __init__(self, inner: Recorder, buffer: Any = None) -> None:
        self.inner = inner
        self.buffer = bytearray(4096) if buffer is None else buffer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.inner.connection_made(transport)

    def get_buffer(self, sizehint: int) -> Any:
        assert sizehint == -1
        self.inner.called("get_buffer")
        return self.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.inner.data += self.buffer[:nbytes]
        self.inner.called("buffer_updated")

    def eof_received(self) -> Any:
        return self.inner.eof_received()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.inner.connection_lost(exc)


async def connect(*args: Any, family: int = socket.AF_UNIX, **acts: Callable[[Recorder], object]) -> Any:
    """A protocol on one end of a connection; the other end is a plain socket that does not block."""
    ours, theirs = socket.socketpair() if family == socket.AF_UNIX else tcp_pair()
    for one in (ours, theirs):
        one.setblocking(False)
    protocol = Recorder(**acts)
    wrapped = args[0](protocol, *args[1:]) if args else protocol
    await asyncio.get_running_loop().create_connection(lambda: wrapped, sock=ours)
    return protocol, theirs


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = socket.create_connection(listener.getsockname())
        return one, listener.accept()[0]


async def receive(theirs: socket.socket, size: int) -> bytes:
    """Exactly that many bytes, or fewer at the end."""
    loop, data = asyncio.get_running_loop(), bytearray()
    while len(data) < size and (part := await loop.sock_recv(theirs, size - len(data))):
        data += part
    return bytes(data)


def run(make_loop: Loop, main: Callable[[], Coroutine[Any, Any, Any]], **more: Any) -> Any:
    with asyncio.Runner(loop_factory=make_loop, **more) as runner:
        return runner.run(asyncio.wait_for(main(), 60))


class Broke(Exception):
    pass


def handler_of(loop: asyncio.AbstractEventLoop) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda loop, context: told.append(context))
    return told


def raises(error: BaseException) -> Callable[[Recorder], object]:
    def act(self: Recorder) -> None:
        raise error

    return act
