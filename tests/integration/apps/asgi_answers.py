"""Applications that answer in every way, right and wrong."""

import asyncio
import os
import pathlib
import tempfile

from asgi_dispatch import answer, arguments, gate, note, read, router

BLOCK = bytes(range(256)) * 256
START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}


def body(data, more=True):
    return {"type": "http.response.body", "body": data, "more_body": more}


async def stream(scope, receive, send):
    await send(START)
    for piece in (b"one", b"", b"two", b"", b"three"):
        await send(body(piece))
    await send(body(b"", more=False))


async def gated_stream(scope, receive, send):
    """Each piece when the test lets it."""
    await send(START)
    for number in range(3):
        await gate(scope)
        await send(body(b"piece %d" % number))
    await gate(scope)
    await send(body(b"", more=False))


async def block(scope, receive, send):
    """?n= bytes at once, as ?kind=."""
    kind = {"bytes": bytes, "bytearray": bytearray, "memoryview": memoryview}[arguments(scope).get("kind", "bytes")]
    data = (BLOCK * (int(arguments(scope)["n"]) // len(BLOCK) + 1))[: int(arguments(scope)["n"])]
    await send(START)
    await send({"type": "http.response.body", "body": kind(data)})


async def blocks(scope, receive, send):
    """?n= blocks of 64 KiB, whose memory is changed as soon as send() has returned."""
    await send(START)
    for number in range(int(arguments(scope)["n"])):
        changing = bytearray(BLOCK)
        await send(body(changing))
        changing[:] = bytes([number % 256]) * len(changing)
    await send(body(b"", more=False))


async def endless(scope, receive, send):
    """Blocks without end, or &size=0 empty ones; notes how many were sent, and how it ended."""
    block = BLOCK[: int(arguments(scope).get("size", len(BLOCK)))]
    await send(START)
    totals = _totals.setdefault(arguments(scope)["id"], {"sent": 0, "sending": 0})
    try:
        while True:
            totals["sending"] += 1
            await send(body(block))
            totals["sent"] += 1
    except OSError as error:
        note(scope, type(error).__name__)
        try:
            await send(body(block))
        except OSError as error:
            note(scope, type(error).__name__)
        note(scope, (await receive())["type"])
        note(scope, (await receive())["type"])
        if "raise" in arguments(scope):
            raise


_totals = {}


async def totals(scope, receive, send):
    await answer(send, _totals.get(arguments(scope)["id"], {}))


async def two_senders(scope, receive, send):
    """Two tasks send at the same time, more than the buffer takes."""
    await send(START)

    async def sender(letter):
        for _ in range(30):
            await send(body(letter * 65536))

    await asyncio.gather(sender(b"a"), sender(b"b"))
    await send(body(b"", more=False))


async def send_tasks(scope, receive, send):
    """send() as tasks, and as what wait_for takes."""
    await asyncio.create_task(send(START))
    await asyncio.wait_for(send(body(b"one")), 10)
    await asyncio.gather(send(body(b"two")))
    await asyncio.create_task(send(body(b"three", more=False)))


async def raises(scope, receive, send):
    """After so many messages (?after=), and ?awaits= turns of the loop."""
    messages = [START, body(b"x"), body(b"y"), body(b"z", more=False)]
    for _ in range(int(arguments(scope).get("awaits", "0"))):
        await asyncio.sleep(0)
    for message in messages[: int(arguments(scope)["after"])]:
        await send(message)
    raise LookupError("raised by the application " + arguments(scope)["mark"])


async def returns(scope, receive, send):
    messages = [START, body(b"x"), body(b"y")]
    for message in messages[: int(arguments(scope)["after"])]:
        await send(message)


async def catches(scope, receive, send):
    """Sends something wrong first, as ?wrong= says, then a right answer."""
    wrong = {
        "type": {"type": "http.response.bodyy"},
        "early": body(b"x"),
        "status": START | {"status": "200"},
        "header": START | {"headers": [("x", "y")]},
    }[arguments(scope)["wrong"]]
    try:
        await send(wrong)
    except (RuntimeError, TypeError, ValueError):
        await answer(send, b"right after all")


# ---- extensions


def path_of(scope):
    return os.path.join(tempfile.gettempdir(), arguments(scope)["path"])


async def pathsend(scope, receive, send):
    path = path_of(scope)
    if "as" in arguments(scope):
        path = {"bytes": os.fsencode, "path": pathlib.Path}[arguments(scope)["as"]](path)
    fields = [(b"content-length", arguments(scope)["length"].encode())] if "length" in arguments(scope) else []
    await send(START | {"headers": fields})
    try:
        await send({"type": "http.response.pathsend", "path": path})
        note(scope, "sent")
    except BaseException as error:
        note(scope, [type(error).__name__, str(error)])
        raise


async def zerocopysend(scope, receive, send):
    """The parts of ?parts=offset:count,... of a file; an empty offset or count is left out."""
    await send(START)
    with open(path_of(scope), "rb") as file:
        file.seek(int(arguments(scope).get("at", "0")))
        try:
            for part in arguments(scope)["parts"].split(","):
                offset, _, count = part.partition(":")
                given = {key: int(text) for key, text in (("offset", offset), ("count", count)) if text}
                message = {"type": "http.response.zerocopysend", "file": file, "more_body": True}
                await send(message | given)
                note(scope, os.lseek(file.fileno(), 0, os.SEEK_CUR))
        except BaseException as error:
            note(scope, [type(error).__name__, str(error)])
            raise
    await send(body(b"end", more=False))


async def zerocopysend_whole(scope, receive, send):
    """The whole file as the only message, closed at once."""
    await send(START)
    with open(path_of(scope), "rb") as file:
        await send({"type": "http.response.zerocopysend", "file": file.fileno()})


async def zerocopysend_pipe(scope, receive, send):
    read_end, write_end = os.pipe()
    await send(START)
    try:
        await send({"type": "http.response.zerocopysend", "file": read_end})
    finally:
        os.close(read_end)
        os.close(write_end)


async def hints(scope, receive, send):
    await send({"type": "http.response.early_hint", "links": [b"</a.css>; rel=preload", b"</b.js>; rel=preload"]})
    await send({"type": "http.response.early_hint", "links": [b"</c.css>; rel=preload"]})
    await gate(scope)
    await answer(send, b"hinted")


async def trailers(scope, receive, send):
    """A body and trailers, in ?messages=; &single=1: the body is one message."""
    await send(START | {"trailers": True})
    if "single" not in arguments(scope):
        await send(body(b"with "))
    await send(body(b"trailers", more=False))
    fields = [[(b"x-digest", b"abc"), (b"x-two", b"1")], [(b"x-two", b"2")]][: int(arguments(scope)["messages"])]
    for number, headers in enumerate(fields, 1):
        more = number < len(fields)
        await send({"type": "http.response.trailers", "headers": headers, "more_trailers": more})


async def debugged(scope, receive, send):
    await send({"type": "http.response.debug", "info": {"template": object()}})
    await answer(send, b"plain")


async def read_and_answer(scope, receive, send):
    await answer(send, await read(receive))


app = router(globals())
