"""Answers of 1 MB in every way, small ones, and bodies that are counted; ASGI."""

import random
from collections.abc import Awaitable, Callable

LARGE = 1_000_000
PIECE = 50_000
Message = dict[str, object]


def letter() -> bytes:
    """Not known beforehand: what is multiplied by it is memory of its own, and all of it is written."""
    return random.choice([b"x", b"y"])


async def app(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    if scope["type"] != "http":
        return
    path = scope["path"]
    body, total, more = b"small", 0, True
    if path == "/count":
        while more:
            message = await receive()
            total += len(message.get("body", b""))  # type: ignore[arg-type]
            more = bool(message.get("more_body"))
        body = b"%d" % total
    large = path in ("/bytes", "/iterator")
    size = LARGE if large else len(body)
    fields = [(b"content-length", b"%d" % size)]
    await send({"type": "http.response.start", "status": 200, "headers": fields})
    if path == "/iterator":
        for _ in range(LARGE // PIECE):
            await send({"type": "http.response.body", "body": letter() * PIECE, "more_body": True})
        body = b""
    await send({"type": "http.response.body", "body": letter() * LARGE if path == "/bytes" else body})
