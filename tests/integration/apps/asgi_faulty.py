"""An ASGI application that raises, or is cancelled, at a point of its choice: /run?at=POINT&error=NAME."""

import asyncio
import pathlib
import time

from asgi_dispatch import arguments, note, router
from asgi_leaks import stats

__all__ = ["app", "stats"]


class OwnBaseException(BaseException):
    pass


FAILURES = {
    "Exception": lambda: Exception("plain"),
    "OSError": lambda: OSError(5, "of the application"),
    "MemoryError": MemoryError,
    "CancelledError": asyncio.CancelledError,
    "StopIteration": lambda: StopIteration("stray"),
    "GeneratorExit": GeneratorExit,
    "OwnBaseException": OwnBaseException,
}


class _Trip:
    """Raises when it comes to the point; "cancel": the task is cancelled at its next await that waits."""

    def __init__(self, query):
        self.at = query.get("at", "nowhere")
        self.error = query.get("error", "Exception")

    def __call__(self, point):
        if point != self.at:
            return
        if self.error != "cancel":
            raise FAILURES[self.error]()
        asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)


async def run(scope, receive, send):
    """&suspend=1: waits between any two steps."""
    query = arguments(scope)
    trip = _Trip(query)

    async def between(point):
        trip(point)
        if "suspend" in query:
            await asyncio.sleep(0)

    try:
        await between("called")
        more = True
        while more:
            message = await receive()
            more = message.get("more_body", False)
            trip("received")
        await between("read_all")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"b")]})
        await between("started")
        for number, block in enumerate((b"block", b"b" * 20_000, b"block")):
            await send({"type": "http.response.body", "body": block, "more_body": True})
            await between(f"sent{number}")
        await send({"type": "http.response.body"})
        await between("ended")
        if "linger" in query:  # for the client's end
            await receive()
            await between("disconnected")
    finally:
        trip("finally")


async def gone(scope, receive, send):
    """In its first step: waits until the client is gone (the test makes the file ?until=), and sends then."""
    query = arguments(scope)
    pathlib.Path(query["began"]).touch()
    until = time.monotonic() + 30
    while not pathlib.Path(query["until"]).exists() and time.monotonic() < until:
        time.sleep(0.001)
    start = {"type": "http.response.start", "status": 200}
    messages = {
        "hint": [{"type": "http.response.early_hint", "links": [b"</a>"]}],
        "hints": [{"type": "http.response.early_hint", "links": [b"</a>"]}] * 2,
        "body": [start, *[{"type": "http.response.body", "body": b"x" * 300_000, "more_body": True}] * 3],
        "whole": [start, {"type": "http.response.body", "body": b"x"}],
    }
    try:
        for message in messages[query["what"]]:
            try:
                await send(message)
            except OSError as error:
                note(scope, type(error).__name__)
        for _ in range(3):
            note(scope, (await receive())["type"])
    except asyncio.CancelledError:
        note(scope, "cancelled")
        raise


app = router(globals())
