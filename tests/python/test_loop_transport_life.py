"""How long stream transports live, and what they leave."""

import asyncio
import contextlib
import gc
import os
import socket
import threading
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from lanner.loop import EngineLoop
from tests.support.stream_peers import (
    BOTH,
    Loop,
    Recorder,
    connect,
    receive,
    run,
)

pytestmark = pytest.mark.usefixtures("no_descriptors_left")


@contextlib.contextmanager
def unclosed() -> Iterator[None]:
    """What is done in here leaves a transport to the garbage collector, which says so."""
    with warnings.catch_warnings():  # of the tests before
        warnings.simplefilter("ignore")
        gc.collect()
    with pytest.warns(ResourceWarning, match="^unclosed transport <"):
        yield


@BOTH
def test_a_transport_that_nobody_closed_warns_and_closes_its_socket(make_loop: Loop) -> None:
    async def main() -> socket.socket:
        protocol, theirs = await connect()
        protocol.transport.pause_reading()  # a reading one is held by its loop
        with unclosed():
            del protocol
            gc.collect()
        assert await receive(theirs, 1) == b""
        return theirs  # type: ignore[no-any-return]

    run(make_loop, main).close()


@BOTH
def test_a_closed_loop_lets_go_of_its_transports(make_loop: Loop) -> None:
    with asyncio.Runner(loop_factory=make_loop) as runner:
        protocol, theirs = runner.run(connect())
    reference = weakref.ref(protocol.transport)
    with pytest.raises(RuntimeError, match=r"^Event loop is closed$"):
        protocol.transport.close()
    with unclosed():
        del protocol
        gc.collect()
    assert reference() is None
    assert theirs.recv(1) == b""
    theirs.close()


@BOTH
def test_a_loop_that_nobody_closed_is_collected_with_its_transports(make_loop: Loop) -> None:
    loop = make_loop()
    protocol, theirs = loop.run_until_complete(connect())
    references = [weakref.ref(loop), weakref.ref(protocol), weakref.ref(protocol.transport)]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        del loop, protocol
        gc.collect()
    assert any(str(one.message).startswith("unclosed transport <") for one in said)
    assert [reference() for reference in references] == [None] * 3
    theirs.close()


@BOTH
def test_a_closed_transport_keeps_no_loop_alive(make_loop: Loop) -> None:
    async def main() -> Recorder:
        protocol, theirs = await connect()
        theirs.close()
        await protocol.lost
        return protocol  # type: ignore[no-any-return]

    with asyncio.Runner(loop_factory=make_loop) as runner:
        reference = weakref.ref(runner.get_loop())
        transport = runner.run(main()).transport
    del runner
    gc.collect()
    assert reference() is None
    transport.write(b"x")  # and is of no use, as asyncio's
    transport.close()
    transport.abort()
    transport.pause_reading()
    transport.resume_reading()
    transport.write_eof()
    assert (transport.is_closing(), transport.get_write_buffer_size()) == (True, 0)
    assert " closed fd=" in repr(transport)


def test_the_descriptor_is_ours_until_the_connection_is_lost() -> None:
    """Who closes the socket object under a transport does not make it write to a descriptor of somebody else's."""

    async def main() -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        protocol = Recorder()
        await asyncio.get_running_loop().create_connection(lambda: protocol, sock=ours)
        number = ours.fileno()
        ours.close()
        other = os.open("/dev/null", os.O_RDONLY)
        assert other != number
        protocol.transport.write(b"x")
        assert await receive(theirs, 1) == b"x"
        protocol.transport.close()
        await protocol.lost
        assert await receive(theirs, 1) == b""
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)
        os.close(other)
        theirs.close()

    run(EngineLoop, main)


@BOTH
def test_a_server_waits_for_its_transports(make_loop: Loop) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        made: asyncio.Queue[Recorder] = asyncio.Queue()
        server = await loop.create_server(lambda: Recorder(connection_made=made.put_nowait), "127.0.0.1", 0)
        client = socket.create_connection(server.sockets[0].getsockname())
        protocol = await made.get()
        assert server._active_count == 1 if hasattr(server, "_active_count") else len(server._clients) == 1
        server.close()
        client.close()
        await protocol.lost
        await server.wait_closed()

    run(make_loop, main)


def test_ten_thousand_connections_leave_nothing() -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(100):
                writer.write(data)
        writer.close()

    async def client(address: tuple[str, int], index: int) -> None:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"ping")
        assert await reader.readexactly(4) == b"ping"
        if index % 3 == 0:
            writer.transport.abort()
        else:
            writer.close()
            await writer.wait_closed()

    async def main() -> tuple[int, int, int]:
        server = await asyncio.start_server(echo, "127.0.0.1", 0, backlog=1000)
        address, quiet = server.sockets[0].getsockname(), len(asyncio.all_tasks())

        async def batch(size: int) -> None:
            await asyncio.gather(*(client(address, index) for index in range(size)))
            while len(asyncio.all_tasks()) > quiet:
                await asyncio.sleep(0)
            gc.collect()

        await batch(1000)
        before = len(gc.get_objects()), descriptors()
        for _ in range(10):
            await batch(1000)
        grown = len(gc.get_objects()) - before[0], descriptors() - before[1]
        left = len(asyncio.get_running_loop()._transports)  # type: ignore[attr-defined]
        server.close()
        await server.wait_closed()
        return (*grown, left)

    objects, files, transports = run(EngineLoop, main)
    assert (files, transports) == (0, 0)
    assert objects < 500  # not one for twenty connections


def test_a_transport_is_collected_in_whatever_thread() -> None:
    async def main() -> None:
        protocol, theirs = await connect()
        protocol.transport.pause_reading()
        reference = weakref.ref(protocol.transport)
        with unclosed():
            del protocol
            await asyncio.to_thread(gc.collect)
        assert reference() is None
        theirs.close()

    run(EngineLoop, main)


def test_half_a_million_bytes_each_way_between_threads_of_two_loops() -> None:
    message, results = os.urandom(500_000), []

    async def server(ready: "threading.Event", address: list[Any]) -> None:
        done = asyncio.get_running_loop().create_future()

        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readexactly(len(message)))
            await writer.drain()
            writer.close()
            await writer.wait_closed()
            done.set_result(None)

        listening = await asyncio.start_server(echo, "127.0.0.1", 0)
        address.append(listening.sockets[0].getsockname())
        ready.set()
        await done
        listening.close()

    async def client(address: tuple[str, int]) -> None:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(message)
        results.append(await reader.read(-1))
        writer.close()
        await writer.wait_closed()

    ready, address = threading.Event(), []  # type: ignore[var-annotated]
    thread = threading.Thread(target=lambda: run(EngineLoop, lambda: server(ready, address)))
    thread.start()
    ready.wait(60)
    run(EngineLoop, lambda: client(address[0]))
    thread.join()
    assert results == [message]
