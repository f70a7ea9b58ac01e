"""The smallest ASGI application: what Lanner itself costs, and nothing of a framework."""

from collections.abc import Awaitable, Callable
from typing import Any

Send = Callable[[dict[str, Any]], Awaitable[None]]
HEADERS = [(b"content-type", b"text/plain")]


async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
    if scope["type"] != "http":
        raise RuntimeError("only http")
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": b"Hello, world!\n"})


async def suspends(scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
    """The same, but its task has to be resumed by the loop once."""
    import asyncio

    await asyncio.sleep(0)
    await app(scope, receive, send)
