"""Stream transports of Lanner's loop: TCP, unix and TLS connections are served in C++ (`_core.StreamTransport`)."""

import asyncio
import socket
from asyncio import constants, sslproto
from typing import TYPE_CHECKING, Any

from lanner import _core

if TYPE_CHECKING:
    import ssl


class StreamsMixin(asyncio.SelectorEventLoop):
    """asyncio's ways to a connection (create_connection, create_server, start_tls, ...) end in two methods; here they
    make the engine's transports.

    Example: `class Loop(StreamsMixin, asyncio.SelectorEventLoop)`, where a base is `_core.LoopBase`.
    """

    _streams: _core.StreamHub | None = None

    def _make_socket_transport(
        self,
        sock: socket.socket,
        protocol: asyncio.BaseProtocol,
        waiter: "asyncio.Future[None] | None" = None,
        *,
        extra: dict[str, object] | None = None,
        server: asyncio.AbstractServer | None = None,
    ) -> asyncio.Transport:
        if not issubclass(type(sock), socket.socket):
            # Like a socket, without a descriptor of the system's: only its methods can be called.
            return super()._make_socket_transport(sock, protocol, waiter, extra=extra, server=server)  # type: ignore[misc,no-any-return]
        streams = self._streams
        if streams is None:
            streams = self._streams = _core.StreamHub(self)
        return streams.make(sock, protocol, waiter, extra, server)

    def _make_ssl_transport(
        self,
        rawsock: socket.socket,
        protocol: asyncio.BaseProtocol,
        sslcontext: "ssl.SSLContext",
        waiter: "asyncio.Future[None] | None" = None,
        *,
        server_side: bool = False,
        server_hostname: str | None = None,
        extra: dict[str, object] | None = None,
        server: asyncio.AbstractServer | None = None,
        ssl_handshake_timeout: float | None = constants.SSL_HANDSHAKE_TIMEOUT,
        ssl_shutdown_timeout: float | None = constants.SSL_SHUTDOWN_TIMEOUT,
    ) -> asyncio.Transport:
        make: Any = sslproto.SSLProtocol
        tls = make(
            self,
            protocol,
            sslcontext,
            waiter,
            server_side,
            server_hostname,
            ssl_handshake_timeout=ssl_handshake_timeout,
            ssl_shutdown_timeout=ssl_shutdown_timeout,
        )
        self._make_socket_transport(rawsock, tls, extra=extra, server=server)
        transport: asyncio.Transport = tls._app_transport
        return transport

    async def start_tls(
        self,
        transport: asyncio.BaseTransport,
        protocol: asyncio.BaseProtocol,
        sslcontext: "ssl.SSLContext",
        *,
        server_side: bool = False,
        server_hostname: str | None = None,
        ssl_handshake_timeout: float | None = None,
        ssl_shutdown_timeout: float | None = None,
    ) -> asyncio.Transport | None:
        """As asyncio's; on the server's side, bytes that a StreamReader holds already are the handshake's.

        A client may send its ClientHello right behind the line after which TLS begins (PROXY protocol, STARTTLS).
        asyncio has it so from 3.13.12 and 3.14.3 on (cpython#142352).
        """
        early = take_early(protocol) if server_side else b""
        if early:  # runs when the TLS protocol is the transport's and its handshake has not begun
            self.call_soon(lambda: transport.get_protocol()._incoming.write(early))  # type: ignore[attr-defined]
        return await super().start_tls(
            transport,  # type: ignore[arg-type,unused-ignore]
            protocol,
            sslcontext,
            server_side=server_side,
            server_hostname=server_hostname,
            ssl_handshake_timeout=ssl_handshake_timeout,
            ssl_shutdown_timeout=ssl_shutdown_timeout,
        )

    def close(self) -> None:
        super().close()
        if self._streams is not None:
            self._streams.close()


def take_early(protocol: asyncio.BaseProtocol) -> bytes:
    """What a protocol of streams has received and nobody has read.

    Example: `take_early(asyncio.Protocol())` is `b""`.
    """
    reader = getattr(protocol, "_stream_reader", None) if isinstance(protocol, asyncio.StreamReaderProtocol) else None
    buffer = getattr(reader, "_buffer", None)
    if not buffer:
        return b""
    early = bytes(buffer)
    buffer.clear()
    return early
