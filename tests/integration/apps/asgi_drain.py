"""An application for drains: it says on stdout what happens, and waits for what the test does to files in $DIRECTORY."""

import asyncio
import os
import signal

from asgi_dispatch import answer, router

DIRECTORY = os.environ.get("DIRECTORY", "")


def say(text):
    os.write(1, f"{text}\n".encode())  # in one piece: workers write to one pipe


async def until(name):
    """Until the test has made that file."""
    while not os.path.exists(os.path.join(DIRECTORY, name)):
        await asyncio.sleep(0.005)


async def pid(scope, receive, send):
    await answer(send, str(os.getpid()))


async def waits(scope, receive, send):
    say("waits")
    await until("go")
    await answer(send, b"waited")


async def background(scope, receive, send):
    await answer(send, b"answered")
    say("background")
    await until("go")
    say("background done")


async def events(scope, receive, send):
    """Server-sent events without end, as most write them: never looks at receive()."""
    try:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        while True:
            await send({"type": "http.response.body", "body": b"data: x\n\n", "more_body": True})
            await asyncio.sleep(0.005)
    except asyncio.CancelledError:
        say("events: cancelled")
        raise
    except OSError:
        say("events: OSError")
        raise
    finally:
        say("events: over")


async def listens(scope, receive, send):
    """Waits for the disconnect, and answers nothing."""
    try:
        while (message := await receive())["type"] != "http.disconnect":
            say("listens")
        say("listens: " + message["type"])
    except asyncio.CancelledError:
        say("listens: cancelled")
        raise


async def cleans_up(scope, receive, send):
    """Needs a moment after it was cancelled."""
    try:
        say("cleans up later")
        await asyncio.sleep(3600)
    finally:
        await asyncio.sleep(0.2)
        say("cleaned up")


async def swallows(scope, receive, send):
    """Takes no cancellation."""
    say("swallows")
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            say("swallowed")


async def swallows_in_background(scope, receive, send):
    await answer(send, b"answered")
    await swallows(scope, receive, send)


async def adds_handler(scope, receive, send):
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: say("SIGUSR1"))
    os.kill(os.getpid(), signal.SIGUSR1)
    await answer(send, b"added")


http = router(globals())


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        say(f"started {os.getpid()}")
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if os.environ.get("SLOW_SHUTDOWN"):
            say("shutting down")
            await until("go")
        say("shut down")
        return await send({"type": "lifespan.shutdown.complete"})
    await http(scope, receive, send)
