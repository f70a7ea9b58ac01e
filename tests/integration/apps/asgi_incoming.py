"""Applications that receive() in every way."""

import asyncio
import gc
import hashlib
import inspect
from collections.abc import Coroutine

from asgi_dispatch import answer, arguments, gate, note, read, router


def summary(message):
    """A message as JSON takes it."""
    return {key: value.decode("latin-1") if isinstance(value, bytes) else value for key, value in message.items()}


async def first(scope, receive, send):
    """The first message, and whether a second one comes at once."""
    message = await receive()
    await answer(send, summary(message))


async def digest(scope, receive, send):
    body = await read(receive)
    await answer(send, {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()})


async def at_once(scope, receive, send):
    """What the first receive() gives without a wait, in the application's first step; and the whole body."""
    waiting = receive()
    found = {"ready": False}
    body = b""
    more = True
    try:
        waiting.send(None)
    except StopIteration as stop:
        body, more = stop.value["body"], stop.value["more_body"]
        found = {"ready": True, "first": len(body), "more": more}
    waiting.close()
    if more:
        body += await read(receive)
    await answer(send, found | {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()})


async def gated_digest(scope, receive, send):
    """Does not read until the test lets it; keeps nothing."""
    await gate(scope)
    count, digest = 0, hashlib.sha256()
    while True:
        message = await receive()
        assert message["type"] == "http.request", message
        count += len(message["body"])
        digest.update(message["body"])
        if not message["more_body"]:
            return await answer(send, {"bytes": count, "sha256": digest.hexdigest()})


async def echo(scope, receive, send):
    """Sends each piece back as it comes."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    while True:
        message = await receive()
        note(scope, message["type"])
        if message["type"] == "http.disconnect":
            return
        await send({"type": "http.response.body", "body": message["body"], "more_body": message["more_body"]})
        if not message["more_body"]:
            return


async def unread(scope, receive, send):
    await answer(send, b"not read", 401)


async def gated_read(scope, receive, send):
    """Asks for the body only when the test lets it."""
    await gate(scope)
    await answer(send, await read(receive))


async def until_disconnect(scope, receive, send):
    """Reads the body, then waits for the client to leave; &answer=1: answers then, though."""
    note(scope, "body " + (await read(receive)).decode())
    note(scope, (await receive())["type"])
    note(scope, (await receive())["type"])
    if "answer" in arguments(scope):
        await answer(send, b"an answer nevertheless")


async def pieces_until_disconnect(scope, receive, send):
    """Every message as it comes, &after=1: once more after the answer."""
    while True:
        message = await receive()
        note(scope, [message["type"], len(message.get("body", b"")), message.get("more_body")])
        if message["type"] == "http.disconnect":
            return


async def after_the_end(scope, receive, send):
    """receive() after a complete answer."""
    await read(receive)
    await answer(send, b"answered")
    note(scope, summary(await receive()))
    note(scope, summary(await receive()))


async def after_an_answer_without_reading(scope, receive, send):
    await answer(send, b"answered")
    note(scope, summary(await receive()))


async def watched(scope, receive, send):
    """A task of its own waits in receive() while the answer is made, and outlives the request."""

    async def watch():
        note(scope, "watches")
        note(scope, (await receive())["type"])

    await read(receive)
    task = asyncio.create_task(watch())
    note(scope, "started")
    await asyncio.sleep(0)
    await answer(send, b"watched")
    tasks.add(task)
    task.add_done_callback(tasks.discard)


tasks = set()


async def two_readers(scope, receive, send):
    """Two tasks receive at the same time."""
    found = []

    async def reader(number):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                note(scope, "disconnect")
                return
            found.append((number, message["body"]))
            if not message["more_body"]:
                note(scope, "end")
                await answer(send, b"".join(body for _, body in found))
                note(scope, len({number for number, body in found if body}))
            await asyncio.sleep(0)

    await asyncio.gather(reader(1), reader(2))


async def gathered(scope, receive, send):
    """receive() as an argument of gather, of wait, and of ensure_future."""
    one, two = await asyncio.gather(receive(), asyncio.sleep(0, "slept"))
    assert two == "slept"
    parts = [one["body"]]
    while one["more_body"]:
        done, _ = await asyncio.wait({asyncio.ensure_future(receive())})
        one = done.pop().result()
        parts.append(one["body"])
    await answer(send, b"".join(parts))


async def created(scope, receive, send):
    """Each receive() is a task."""
    parts = []
    while True:
        task = asyncio.create_task(receive(), name="receiving")
        assert "receiving" in repr(task)
        message = await task
        parts.append(message["body"])
        if not message["more_body"]:
            return await answer(send, b"".join(parts))


async def impatient(scope, receive, send):
    """Gives each receive() too little time, again and again, and loses nothing."""
    count, digest, timeouts = 0, hashlib.sha256(), 0
    limits = [0, 0.0001, 0.001, None]
    number = 0
    while True:
        number += 1
        try:
            message = await asyncio.wait_for(receive(), limits[number % 4])
        except TimeoutError:
            timeouts += 1
            continue
        count += len(message["body"])
        digest.update(message["body"])
        if not message["more_body"]:
            return await answer(send, {"bytes": count, "sha256": digest.hexdigest(), "timeouts": timeouts})


async def cancelled_in_time(scope, receive, send):
    """Cancels a receive() in the same turn in which its message has come."""
    found = []
    while True:
        task = asyncio.create_task(receive())
        await asyncio.sleep(0)
        note(scope, "waits")
        while not task.done() and not woken(task):
            await asyncio.sleep(0)
        task.cancel()
        try:
            message = await task
        except asyncio.CancelledError:
            message = await receive()
        found.append(message["body"])
        if not message["more_body"]:
            return await answer(send, b"".join(found))


def woken(task):
    """The future that a task waits for is done, but the task has not run since."""
    waits_for = getattr(task, "_fut_waiter", None)
    return waits_for is None or waits_for.done()


async def never_ran(scope, receive, send):
    """A receive() that was cancelled before its first step, one that was closed, and one that was forgotten."""
    task = asyncio.create_task(receive())
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    receive().close()
    forgotten = receive()
    del forgotten
    await answer(send, summary(await asyncio.wait_for(receive(), 10)))


async def many_cancelled(scope, receive, send):
    """Futures that are alive after many receives that were cancelled while they waited."""
    await read(receive)

    def futures():
        gc.collect()
        return sum(isinstance(one, asyncio.Future) for one in gc.get_objects())

    before = futures()
    for _ in range(5000):
        task = asyncio.create_task(receive())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
    del task
    await answer(send, {"more": futures() - before})


async def as_coroutine(scope, receive, send):
    """What receive() returns is a coroutine in all that asyncio and others ask."""
    ready = receive()
    found = {
        "abc": isinstance(ready, Coroutine),
        "awaitable": inspect.isawaitable(ready),
        "asyncio": asyncio.iscoroutine(ready),
    }
    try:
        ready.send(None)
    except StopIteration as stop:
        found["ready"] = summary(stop.value)
    waiting = receive()
    future = waiting.send(None)
    found["waits"] = asyncio.isfuture(future)
    try:
        waiting.throw(KeyError("thrown"))
    except KeyError as error:
        found["thrown"] = error.args[0]
    waiting.close()
    for wrong in ((), (1,)):
        try:
            receive(*wrong, extra=1)
        except TypeError:
            found["arguments"] = "TypeError"
    await answer(send, found)


async def chatty(scope, receive, send):
    """Waits for a disconnect and sends at the same time, as Starlette's listen_for_disconnect does."""

    async def listen():
        while (await receive())["type"] != "http.disconnect":
            pass
        note(scope, "told")

    await send({"type": "http.response.start", "status": 200})
    listening = asyncio.create_task(listen())
    sent = 0
    while not listening.done():
        try:
            await send({"type": "http.response.body", "body": b"tick\n", "more_body": True})
        except OSError as error:
            note(scope, type(error).__name__)
            break
        sent += 1
        await asyncio.sleep(0.001)
    await listening
    note(scope, "left")


app = router(globals())
