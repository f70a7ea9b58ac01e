"""Many small ASGI applications in one: the first part of the path names a function of the module.

Also what tests look at them with: /ledger?id=X is what the application noted under that id, /release?id=X lets
what waits at gate() go on.
"""

import asyncio
import json
from urllib.parse import parse_qsl

_ledger = {}
_gates = {}


def arguments(scope):
    """The query as a dict."""
    return dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))


def note(scope, event):
    """Writes down that something happened, under the request's ?id=."""
    _ledger.setdefault(arguments(scope)["id"], []).append(event)


async def gate(scope):
    """Waits for /release?id= of the request's ?id=."""
    note(scope, "at the gate")
    await _gates.setdefault(arguments(scope)["id"], asyncio.Semaphore(0)).acquire()


async def answer(send, body=b"", status=200, headers=()):
    """A whole answer; what is not bytes goes as JSON."""
    kind = b"text/plain"
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        kind, body = b"application/json", json.dumps(body).encode()
    fields = [(b"content-type", kind), *headers]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def read(receive):
    """The whole body of the request; a disconnect is an error."""
    parts = []
    while True:
        message = await receive()
        assert message["type"] == "http.request", message
        parts.append(message["body"])
        if not message["more_body"]:
            return b"".join(parts)


async def hello(scope, receive, send):
    await answer(send, b"hello")


async def ledger(scope, receive, send):
    await answer(send, _ledger.get(arguments(scope)["id"], []))


async def release(scope, receive, send):
    _gates.setdefault(arguments(scope)["id"], asyncio.Semaphore(0)).release()
    await answer(send, b"released")


async def silent(scope, receive, send):
    """No answer, which the server logs: what was logged before it is in the log by then."""


def router(functions, otherwise=None):
    """The application of a module: `app = router(globals())`. It has no lifespan, and says so by an exception.

    otherwise: what answers paths that begin with no function's name.
    """
    table = {"ledger": ledger, "release": release, "silent": silent, "hello": hello} | functions

    async def app(scope, receive, send):
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        name = scope["path"].split("/")[1]
        function = table.get(name, otherwise)
        if function is None:
            raise KeyError(name)
        await function(scope, receive, send)

    return app
