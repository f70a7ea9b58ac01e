"""Transports of httpx that end at an ASGI application in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from urllib.parse import unquote

from lanner.testing.exchange import ASGIApp, Exchange, Message
from lanner.testing.http_library import httpx
from lanner.testing.portal import Portal

PORTS = {"http": 80, "https": 443}


class Served:
    """An application, and what each of its requests is told.

    state: of its lifespan, copied for each request.
    """

    def __init__(self, app: ASGIApp, raises: bool, root_path: str, client: tuple[str, int]) -> None:
        self.app = app
        self.raises = raises
        self.root_path = root_path
        self.client = client
        self.state: dict[str, object] = {}

    def exchange(self, request: httpx.Request, pieces: AsyncIterator[bytes]) -> Exchange:
        return Exchange(self.app, self.scope(request), pieces, self.raises)

    def scope(self, request: httpx.Request) -> Message:
        url = request.url
        raw_path = url.raw_path.partition(b"?")[0]
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.5"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": url.scheme,
            "path": unquote(raw_path.decode("ascii")),
            "raw_path": raw_path,
            "query_string": url.query,
            "root_path": self.root_path,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": self.client,
            "server": (url.host, url.port or PORTS.get(url.scheme, 80)),
            "state": dict(self.state),
            "extensions": {},
        }


class Transport(httpx.BaseTransport):
    """Runs the application on the portal's loop while its answer is waited for."""

    def __init__(self, served: Served, portal: Portal) -> None:
        self.served = served
        self.portal = portal

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        exchange = self.served.exchange(request, in_turn(request.stream))
        body = Body(exchange, self.portal, request.method == "HEAD")
        try:
            status, fields = self.portal.run(exchange.start())
        except BaseException:
            body.close()
            raise
        return httpx.Response(status, headers=fields, stream=body, request=request)


class AsyncTransport(httpx.AsyncBaseTransport):
    """Runs the application on the loop of the test."""

    def __init__(self, served: Served) -> None:
        self.served = served

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        exchange = self.served.exchange(request, aiter(request.stream))
        body = AsyncBody(exchange, request.method == "HEAD")
        try:
            status, fields = await exchange.start()
        except BaseException:
            await body.aclose()
            raise
        return httpx.Response(status, headers=fields, stream=body, request=request)


class Body(httpx.SyncByteStream):
    """The body of an answer, made while it is read. without: it is not sent (HEAD)."""

    def __init__(self, exchange: Exchange, portal: Portal, without: bool) -> None:
        self.exchange = exchange
        self.portal = portal
        self.without = without

    def __iter__(self) -> Iterator[bytes]:
        while (piece := self.portal.run(self.exchange.piece())) is not None:
            if not self.without:
                yield piece

    def close(self) -> None:
        if not self.exchange.ended:
            self.portal.run(self.exchange.close())


class AsyncBody(httpx.AsyncByteStream):
    """The same on the loop of the test."""

    def __init__(self, exchange: Exchange, without: bool) -> None:
        self.exchange = exchange
        self.without = without

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self.exchange.piece()) is not None:
            if not self.without:
                yield piece

    async def aclose(self) -> None:
        if not self.exchange.ended:
            await self.exchange.close()


async def in_turn(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
