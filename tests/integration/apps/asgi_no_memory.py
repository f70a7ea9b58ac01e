"""ASGI applications to run while Python's allocator fails; see no_memory.py."""

import _testcapi
import asyncio

from asgi_dispatch import answer, arguments, read, router
from asgi_leaks import stats
from no_memory import PIECES

__all__ = ["app", "stats"]


async def arm(scope, receive, send):
    query = arguments(scope)
    await answer(send, b"armed")
    _testcapi.set_nomemory(int(query["first"]), int(query["last"]))


async def disarm(scope, receive, send):
    _testcapi.remove_mem_hooks()
    await answer(send, b"disarmed")


async def plain(scope, receive, send):
    await answer(send, b"plain")


async def stream(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"b")]})
    for piece in PIECES:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body"})


async def body(scope, receive, send):
    await answer(send, await read(receive))


async def suspended(scope, receive, send):
    await asyncio.sleep(0)
    await answer(send, b"suspended")


async def fails(scope, receive, send):
    raise LookupError("of the application")


app = router(globals())
