"""ASGI applications behind the wire tests: `app` has the behaviours of wsgi_apps.py that concern the wire, by path.

/hello    "hello" with a Content-Length            /free     the same, streamed without one
/stream   "one", "", "two", "", "three"            /count    reads the body, answers its size
/status   ?code=204 with a body nevertheless       /nobody   answers without reading the body
/raise    an exception                             /nothing  returns without an answer
any other: b"REQ " + base64 of the body, as ../vectors/http1 wants it

With $TURNS every request first waits so many turns of the loop: its exchange is kept, and answered later.
"""

import asyncio
import base64
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

TURNS = int(os.environ.get("TURNS", "0"))

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


async def read(receive: Receive) -> bytes:
    """The whole body; what broke off is an error."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionResetError("the body broke off")
        parts.append(message["body"])
        if not message["more_body"]:
            return b"".join(parts)


async def text(send: Send, body: bytes, status: int = 200) -> None:
    fields = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def stream(send: Send, *pieces: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body"})


async def app(scope: Message, receive: Receive, send: Send) -> None:
    assert scope["type"] == "http"
    for _ in range(TURNS):
        await asyncio.sleep(0)
    match scope["path"]:
        case "/hello":
            await text(send, b"hello")
        case "/free":
            await stream(send, b"hello")
        case "/stream":
            await stream(send, b"one", b"", b"two", b"", b"three")
        case "/count":
            await text(send, str(len(await read(receive))).encode())
        case "/status":
            code = int(parse_qs(scope["query_string"].decode())["code"][0])
            await send({"type": "http.response.start", "status": code, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"a body"})
        case "/nobody":
            await text(send, b"not read")
        case "/raise":
            raise LookupError("raised by the application")
        case "/nothing":
            return
        case _:
            await text(send, b"REQ " + base64.b64encode(await read(receive)))
