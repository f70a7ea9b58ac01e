"""What must leave nothing behind, and /stats: what there is."""

import asyncio
import collections
import gc
import os

from asgi_dispatch import answer, router


async def plain(scope, receive, send):
    await receive()
    await answer(send, b"plain")


async def streaming(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"1")]})
    for _ in range(3):
        await send({"type": "http.response.body", "body": b"piece", "more_body": True})
    await send({"type": "http.response.body"})


async def suspended(scope, receive, send):
    await asyncio.sleep(0)
    await receive()
    await asyncio.sleep(0)
    await answer(send, b"suspended")


async def raises(scope, receive, send):
    raise LookupError("raised")


async def raises_later(scope, receive, send):
    await asyncio.sleep(0)
    raise LookupError("raised")


async def refuses(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"a\r\nb")]})


async def background(scope, receive, send):
    await answer(send, b"answered")
    await asyncio.sleep(0)


async def child_task(scope, receive, send):
    await asyncio.create_task(answer(send, b"answered"))


async def keeps_itself(scope, receive, send):
    """A cycle through scope, receive and send, for the collector."""
    scope["me"] = (scope, receive, send, asyncio.current_task())
    await answer(send, b"answered")


async def unawaited(scope, receive, send):
    """Results of receive() and send() that nobody awaits."""
    receive()
    send({"type": "http.response.start", "status": 200})
    send({"type": "http.response.body", "body": b"x"})


async def waits_for_disconnect(scope, receive, send):
    while (await receive())["type"] != "http.disconnect":
        pass


async def endless(scope, receive, send):
    await send({"type": "http.response.start", "status": 200})
    while True:
        await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})
        await asyncio.sleep(0)


async def stats(scope, receive, send):
    for _ in range(3):
        gc.collect()
        await asyncio.sleep(0)
    kinds = collections.Counter(type(one).__name__ for one in gc.get_objects())
    found = {"objects": sum(kinds.values()), "tasks": len(asyncio.all_tasks()), "kinds": dict(kinds.most_common(25))}
    await answer(send, found | {"fds": len(os.listdir("/proc/self/fd"))})


app = router(globals())
