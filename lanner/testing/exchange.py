"""Exchange: one request to an ASGI application and its answer, as messages in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from lanner.native.traceback_log import caught

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Message, Receive, Send], Awaitable[None]]
Fields = list[tuple[bytes, bytes]]

GONE_S = 1.0  # for an application to end when its client has gone; then it is cancelled
FAILED: list[Message] = [
    {
        "type": "http.response.start",
        "status": 500,
        "headers": [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"21")],
    },
    {"type": "http.response.body", "body": b"Internal Server Error"},
]


class Exchange:
    """The application runs in a task of its own, which waits until each piece of its answer is taken.

    pieces: of the request's body. raises: what the application raises is raised here, what it answered with a 500
    included; otherwise it is logged by an App, and becomes a 500 if nothing is answered.

    Example: `status, fields = await exchange.start()`, then `await exchange.piece()` until it is None
    """

    def __init__(self, app: ASGIApp, scope: Message, pieces: AsyncIterator[bytes], raises: bool) -> None:
        self.app = app
        self.scope = scope
        self.raises = raises
        self._pieces = pieces
        self._body_is_read = False
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue(1)  # None: the application has ended
        self._said = "nothing"  # of the answer: nothing, start, body; all
        self._closed = False  # by the client
        self._over = asyncio.Event()  # the answer is complete, or the client has gone
        self._task: asyncio.Task[None] | None = None
        self._failed: list[BaseException] = []

    @property
    def ended(self) -> bool:
        """Nothing runs: it was not started, or has come to its end."""
        return self._task is None or self._task.done()

    async def start(self) -> tuple[int, Fields]:
        """Status and fields of the answer."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="lanner.testing request")
        message = await self._messages.get()
        self._raise()
        assert message is not None  # else there was an error
        return message["status"], [(bytes(name), bytes(value)) for name, value in message.get("headers", ())]

    async def piece(self) -> bytes | None:
        """The next of the answer's body; None: that was all, and the application has ended."""
        while (message := await self._messages.get()) is not None:
            if message.get("body"):
                return bytes(message["body"])
        self._raise()
        return None

    async def close(self) -> None:
        """The client goes, with the whole answer or without."""
        self._closed = True
        self._over.set()
        if self._task is None or self._task.done():
            return self._raise()
        if not self._messages.empty():
            self._messages.get_nowait()
        await asyncio.wait({self._task}, timeout=GONE_S)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})
        self._raise()

    async def _run(self) -> None:
        if self.raises:
            caught.set(self._failed)
        try:
            await self.app(self.scope, self._receive, self._send)
            if self._said != "all" and not self._closed:
                raise RuntimeError(f"the application has returned, and said {self._said} of its answer")
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # asyncio's cancellation included
            if not self._closed:
                self._failed.append(error)
            if self._said == "nothing" and not self.raises:
                for message in FAILED:
                    await self._put(message)
        self._over.set()
        await self._put(None)

    async def _put(self, message: Message | None) -> None:
        if not self._closed:
            await self._messages.put(message)

    async def _receive(self) -> Message:
        if self._body_is_read:
            await self._over.wait()
            return {"type": "http.disconnect"}
        piece = await anext(self._pieces, None)
        if piece is None:
            self._body_is_read = True
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def _send(self, message: Message) -> None:
        kind = message["type"]
        if kind == "http.response.start" and self._said == "nothing":
            self._said = "start"
        elif kind == "http.response.body" and self._said in ("start", "body"):
            self._said = "body" if message.get("more_body", False) else "all"
        else:
            raise RuntimeError(f"send() of {kind!r} after {self._said} of the answer")
        if self._closed:
            raise OSError("the client has gone")
        await self._put(message)
        if self._said == "all":
            self._over.set()

    def _raise(self) -> None:
        if self.raises and self._failed:
            raise self._failed.pop(0)
