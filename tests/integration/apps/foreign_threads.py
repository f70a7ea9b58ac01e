"""Applications that use what the server gave them in threads of their own, rightly and wrongly.

WSGI: `app`; ASGI: `asgi`. The answer says what the thread saw.
"""

import asyncio
import socket
import threading

import asgi_dispatch
import dispatch
from asgi_dispatch import answer
from dispatch import text

_left = []


def in_thread(call):
    """What came of `call()` in another thread: its value, or the text of its exception."""
    seen = []

    def run():
        try:
            seen.append(call())
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    return seen[0] if seen else "still at work"


# ---- WSGI


def start(environ, start_response):
    return text(start_response, in_thread(lambda: start_response("500 Wrong", [])))


def write(environ, start_response):
    write_it = start_response("200 OK", [("Content-Type", "text/plain")])
    return [in_thread(lambda: write_it(b"of another thread")).encode()]


def hints(environ, start_response):
    return text(start_response, in_thread(lambda: environ["wsgi.early_hints"]([("Link", "</a>")])))


def read(environ, start_response):
    """As asgiref does: the body is read in the thread of an event loop, while this one waits."""
    return text(start_response, in_thread(lambda: environ["wsgi.input"].read()))


def read_twice(environ, start_response):
    """The body has not come yet: one thread waits for it, this one tries as well."""
    body = environ["wsgi.input"]
    waiting = threading.Thread(target=body.read)
    waiting.start()
    while True:
        try:
            body.read(0)
        except RuntimeError as error:
            return text(start_response, f"RuntimeError: {error}")


def leave_reading(environ, start_response):
    """The request ends while a thread still reads its body."""
    body = environ["wsgi.input"]

    def run():
        try:
            _left.append(f"read {body.read()!r}")
        except Exception as error:
            _left.append(f"{type(error).__name__}: {error}")

    threading.Thread(target=run).start()
    while True:
        try:
            body.read(0)
        except RuntimeError:
            return text(start_response, "left")


def left(environ, start_response):
    return text(start_response, _left[-1] if _left else "")


app = dispatch.router(globals())

# ---- ASGI


async def whole_answer(scope, receive, send):
    """Every send() is called, and awaited, by way of run_coroutine_threadsafe(), as its documentation shows."""
    loop = asyncio.get_running_loop()
    messages = [{"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}]
    messages += [{"type": "http.response.body", "body": b"x" * 1000, "more_body": True} for _ in range(300)]
    messages += [{"type": "http.response.body"}]

    def run():
        for message in messages:
            asyncio.run_coroutine_threadsafe(send(message), loop).result(30)

    await asyncio.to_thread(run)


async def whole_body(scope, receive, send):
    loop = asyncio.get_running_loop()

    def run():
        parts = []
        while True:
            message = asyncio.run_coroutine_threadsafe(receive(), loop).result(30)
            parts.append(message["body"])
            if not message["more_body"]:
                return b"".join(parts)

    await answer(send, str(len(await asyncio.to_thread(run))))


async def not_awaited(scope, receive, send):
    """What was called off the loop's thread, and never awaited, has done nothing."""

    def run():
        send({"type": "http.response.start", "status": 500, "headers": []})
        send({"type": "http.response.body", "body": b"never"})
        receive()

    await asyncio.to_thread(run)
    await answer(send, "nothing happened")


async def other_loop(scope, receive, send):
    """Awaited in another thread's event loop."""

    async def awaits(awaitable):
        return await awaitable

    def run():
        seen = []
        made_here = send({"type": "http.response.start", "status": 500, "headers": []})
        for awaitable in (made_here, receive(), from_loop):
            try:
                asyncio.run(awaits(awaitable))
            except RuntimeError as error:
                seen.append(str(error))
        return seen

    from_loop = receive()
    await answer(send, await asyncio.to_thread(run))


async def transports(scope, receive, send):
    """What asyncio forbids: transports and readers of a running loop in another thread."""
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    _, writer = await asyncio.open_connection(sock=ours)
    calls = {
        "write": lambda: writer.transport.write(b"x"),
        "writelines": lambda: writer.transport.writelines([b"x"]),
        "write_eof": writer.transport.write_eof,
        "close": writer.transport.close,
        "abort": writer.transport.abort,
        "pause_reading": writer.transport.pause_reading,
        "set_write_buffer_limits": writer.transport.set_write_buffer_limits,
        "add_reader": lambda: loop.add_reader(theirs, print),
        "remove_reader": lambda: loop.remove_reader(theirs),
        "add_writer": lambda: loop.add_writer(theirs, print),
        "remove_writer": lambda: loop.remove_writer(theirs),
    }
    seen = await asyncio.to_thread(lambda: {name: in_thread(call) for name, call in calls.items()})
    writer.transport.write(b"of this thread")
    theirs.setblocking(False)
    seen["received"] = (await loop.sock_recv(theirs, 100)).decode()
    writer.close()
    theirs.close()
    await answer(send, seen)


asgi = asgi_dispatch.router(globals())
