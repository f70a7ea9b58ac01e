"""TestClient and AsyncTestClient: httpx's clients, whose requests go to an application in this process."""

from __future__ import annotations

from typing import Any, Self

from lanner.testing.exchange import ASGIApp
from lanner.testing.http_library import httpx
from lanner.testing.lifespan import Lifespan
from lanner.testing.portal import Portal
from lanner.testing.transport import AsyncTransport, Served, Transport

AGENT = "testclient"


class TestClient(httpx.Client):
    """For tests that are plain functions. Any ASGI application, lanner.App included; no sockets, no threads.

    When a call returns, the whole request is over, with its background tasks. `with client.stream(...)` gives an
    answer as it is made, which need not end. The application's lifespan runs in `with TestClient(app) as client:`;
    other tasks that it starts go on only while a request is waited for.

    raise_server_exceptions: what the application raises is raised by the call; False makes it the 500 that a user gets.
    root_path: of the scope. client: the address that requests come from. Others: httpx.Client's.

    Example: `TestClient(app).get("/cards/3").json()`
    """

    __test__ = False  # for pytest: no class of tests

    def __init__(
        self,
        app: ASGIApp,
        base_url: str = "http://testserver",
        raise_server_exceptions: bool = True,
        root_path: str = "",
        *,
        headers: Any = None,
        follow_redirects: bool = True,
        client: tuple[str, int] = ("testclient", 50000),
        **options: Any,
    ) -> None:
        self.app = checked(app)
        self._portal = Portal()
        self._served = Served(app, raise_server_exceptions, root_path, client)
        self._app_lifespan: Lifespan | None = None
        super().__init__(
            base_url=base_url,
            headers=with_agent(headers),
            follow_redirects=follow_redirects,
            transport=Transport(self._served, self._portal),
            **options,
        )

    def __enter__(self) -> Self:
        """Starts the application; what that raises is raised here. A client can be entered again."""
        lifespan = Lifespan(self.app)
        self._portal.run(lifespan.start())
        self._app_lifespan, self._served.state = lifespan, lifespan.state
        return self

    def __exit__(self, *_: object) -> None:
        lifespan, self._app_lifespan, self._served.state = self._app_lifespan, None, {}
        try:
            if lifespan is not None:
                self._portal.run(lifespan.stop())
        finally:
            self._portal.close()

    def close(self) -> None:
        super().close()
        self._portal.close()


class AsyncTestClient(httpx.AsyncClient):
    """The same for `async def` tests, on their loop. The lifespan runs in `async with AsyncTestClient(app) as client:`.

    Example: `(await AsyncTestClient(app).get("/cards/3")).json()`
    """

    __test__ = False

    def __init__(
        self,
        app: ASGIApp,
        base_url: str = "http://testserver",
        raise_server_exceptions: bool = True,
        root_path: str = "",
        *,
        headers: Any = None,
        follow_redirects: bool = True,
        client: tuple[str, int] = ("testclient", 50000),
        **options: Any,
    ) -> None:
        self.app = checked(app)
        self._served = Served(app, raise_server_exceptions, root_path, client)
        self._app_lifespan: Lifespan | None = None
        super().__init__(
            base_url=base_url,
            headers=with_agent(headers),
            follow_redirects=follow_redirects,
            transport=AsyncTransport(self._served),
            **options,
        )

    async def __aenter__(self) -> Self:
        lifespan = Lifespan(self.app)
        await lifespan.start()
        self._app_lifespan, self._served.state = lifespan, lifespan.state
        return self

    async def __aexit__(self, *_: object) -> None:
        lifespan, self._app_lifespan, self._served.state = self._app_lifespan, None, {}
        if lifespan is not None:
            await lifespan.stop()


def checked(app: ASGIApp) -> ASGIApp:
    if not callable(app):
        raise TypeError(f"{app!r} is no ASGI application: it can not be called")
    return app


def with_agent(headers: Any) -> httpx.Headers:
    made = httpx.Headers(headers)
    made.setdefault("user-agent", AGENT)
    return made
