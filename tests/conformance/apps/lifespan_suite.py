"""ASGI applications that differ in their lifespan; each writes what happens to the file $SUITE_NOTES, a word a line."""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def note(what: str) -> None:
    with open(os.environ["SUITE_NOTES"], "a") as file:
        print(what, file=file)


async def answer(scope: Message, receive: Receive, send: Send) -> None:
    note("request")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def events(receive: Receive, send: Send, startup: str, shutdown: str) -> None:
    while True:
        message = await receive()
        note(message["type"].removeprefix("lifespan."))
        ends = message["type"] == "lifespan.shutdown"
        how = shutdown if ends else startup
        if how == "raise":
            raise LookupError("meant")
        reply = {"type": f"{message['type']}.{how}"}
        await send(reply | {"message": "meant to fail"} if how == "failed" else reply)
        if ends:
            note("ended")
            return


def application(
    startup: str = "complete", shutdown: str = "complete"
) -> Callable[[Message, Receive, Send], Awaitable[None]]:
    async def app(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await events(receive, send, startup, shutdown)
        else:
            await answer(scope, receive, send)

    return app


def without(how: str) -> Callable[[Message, Receive, Send], Awaitable[None]]:
    """An application that knows no lifespan."""

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            if how == "raise":
                raise NotImplementedError("no lifespan here")
            return
        await answer(scope, receive, send)

    return app


whole = application()
startup_failed = application(startup="failed")
startup_raises = application(startup="raise")
shutdown_failed = application(shutdown="failed")
shutdown_raises = application(shutdown="raise")
unsupported = without("raise")
returns = without("return")
