"""asyncio servers on Lanner's loop: connections that arrive as a server closes, and TLS that begins on a stream."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from lanner.loop import EngineLoop
from tests.support.stream_peers import Recorder, run

PEM = Path(__file__).parents[1] / "support" / "localhost.pem"

pytestmark = pytest.mark.usefixtures("no_descriptors_left")


def server_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    return context


def client_tls() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(PEM))


# ---- close() of a server between accept and attach (cpython#109564)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_a_connection_accepted_by_a_server_that_has_closed_is_dropped(tls: bool) -> None:
    async def main() -> None:
        loop: Any = asyncio.get_running_loop()
        told: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda loop, context: told.append(context))
        made: list[Recorder] = []

        def protocol() -> Recorder:
            made.append(Recorder())
            return made[-1]

        server: Any = await loop.create_server(protocol, "127.0.0.1", 0, ssl=server_tls() if tls else None)
        attach = loop._accept_connection2

        async def attach_later(*args: Any, **options: Any) -> None:
            server.close()
            await attach(*args, **options)

        loop._accept_connection2 = attach_later
        with socket.create_connection(server.sockets[0].getsockname()) as client:
            client.setblocking(False)
            assert await loop.sock_recv(client, 1) == b""
        await server.wait_closed()
        assert (server._active_count, told) == (0, [])
        assert [one.calls for one in made] == ([[]] if tls else [["connection_made", "connection_lost"]])

    run(EngineLoop, main)


def test_a_connection_attached_before_close_counts_until_it_is_lost() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        made: asyncio.Future[Recorder] = loop.create_future()

        def protocol() -> Recorder:
            recorder = Recorder(connection_made=made.set_result)
            return recorder

        server: Any = await loop.create_server(protocol, "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()):
            recorder = await made
            server.close()
            assert server._active_count == 1
        await recorder.lost
        await server.wait_closed()
        assert server._active_count == 0

    run(EngineLoop, main)


# ---- TLS that begins on a stream, the ClientHello behind the last line in one segment (cpython#142352)

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def with_early_hello(line: bytes, serve: Serve) -> bytes:
    """What a client reads that sends `line` and its ClientHello in one segment."""
    loop = asyncio.get_running_loop()
    served: asyncio.Future[None] = loop.create_future()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
            served.set_result(None)
        except BaseException as error:
            served.set_exception(error)
        writer.close()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    read = await asyncio.to_thread(talk_early, address, line)
    await served
    server.close()
    await server.wait_closed()
    return read


def talk_early(address: tuple[str, int], line: bytes) -> bytes:
    """A TLS client by hand: its first flight goes out behind `line`."""
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = client_tls().wrap_bio(into, out, server_hostname="localhost")
    early = line
    with socket.create_connection(address, timeout=20) as client:

        def until_done(step: Callable[[], Any]) -> Any:
            nonlocal early
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    client.sendall(early + out.read())
                    early = b""
                    into.write(client.recv(65536))

        until_done(tls.do_handshake)
        tls.write(b"ping\n")
        client.sendall(out.read())
        return until_done(lambda: tls.read(100))  # type: ignore[no-any-return]


def test_a_hello_behind_a_proxy_line_is_the_handshakes() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readline() == b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"
        await writer.start_tls(server_tls())
        assert await reader.readline() == b"ping\n"
        writer.write(b"pong\n")
        await writer.drain()

    line = b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"
    assert run(EngineLoop, lambda: with_early_hello(line, serve)) == b"pong\n"


def test_bytes_in_front_of_a_clients_own_tls_are_not_the_handshakes() -> None:
    """Only a server may be spoken to early: what a client has read in the clear stays in the clear."""

    async def main() -> bytes:
        async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 ready\nearly")
            await reader.readline()
            await writer.start_tls(server_tls())
            writer.write(b"inside")
            writer.close()

        server = await asyncio.start_server(on_connection, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.readline() == b"220 ready\n"
        writer.write(b"STARTTLS\n")
        await writer.start_tls(client_tls(), server_hostname="localhost")
        read = await reader.read()
        writer.close()
        server.close()
        await server.wait_closed()
        return read

    assert run(EngineLoop, main) == b"earlyinside"
