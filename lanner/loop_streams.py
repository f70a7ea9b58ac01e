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

    def close(self) -> None:
        super().close()
        if self._streams is not None:
            self._streams.close()
