"""An App under any ASGI server: the same decoding and encoding in C++, driven from Python."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lanner.native.background import BackgroundTasks
from lanner.native.engine import in_background, injected
from lanner.native.errors import HTTPException
from lanner.native.requests import Request
from lanner.native.responses import Response
from lanner.native.signature import described
from lanner.native.traceback_log import log_exception
from lanner.schema import JSONDecodeError, ValidationError

if TYPE_CHECKING:
    from lanner.native.app import App
    from lanner.native.engine import Engine

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes, Any]


REFUSALS = {404: b"Not Found", 405: b"Method Not Allowed", 413: b"Content Too Large", 415: b"Unsupported Media Type"}


class TooLarge(Exception):
    """The body is longer than its route allows."""


class Gone(Exception):
    """The client has gone before its body was there."""


async def serve(app: App, scope: Message, receive: Receive, send: Send) -> None:
    """One connection of ASGI: an HTTP request, or the lifespan."""
    if scope["type"] == "lifespan":
        return await run_lifespan(app, scope, receive, send)
    if scope["type"] == "websocket":
        await receive()
        return await send({"type": "websocket.close", "code": 1000})
    if scope["type"] != "http":
        raise ValueError(f"a scope of type {scope['type']!r} is not known")
    try:
        status, fields, body, background = await answered(app, scope, receive)
    except Gone:
        return
    names = {name for name, _ in fields}
    if status >= 200 and status not in (204, 304) and b"content-length" not in names:
        fields.append((b"content-length", b"%d" % len(body)))
    if scope["method"] == "HEAD" or status in (204, 304):
        body = b""
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})
    if background is not None:
        await in_background(background)


async def answered(app: App, scope: Message, receive: Receive) -> Answer:
    """What the engine does for a request, step by step."""
    engine = app.engine
    headers = [(bytes(name).lower(), bytes(value)) for name, value in scope["headers"]]
    query = scope["query_string"]
    found = engine.core.match(scope["method"], path_of(scope), field(headers, b"host"), query, root_of(scope))
    if found[0] != 200:
        return await rejected(engine, scope, *found)
    _, number, raw_values, values = found
    route = engine.routes[number]
    sources = engine.sources[number]
    body = b""
    if sources & {"body", "request"}:
        try:
            body = await read_body(receive, app.body_limit if route.body_limit is None else route.body_limit)
        except TooLarge:
            return plain(413, app.problem_details)
        if body and not engine.core.takes_type(number, field(headers, b"content-type")):
            return plain(415, app.problem_details)
    request = engine.request(scope, body, number, values)
    response = injected() if "response" in sources else None
    tasks = BackgroundTasks() if "tasks" in sources else None
    try:
        arguments = engine.core.arguments(number, raw_values, query, headers, body, request, response, tasks)
    except ValidationError as error:
        return await failed(engine, request, app.invalid(error, body))
    except JSONDecodeError as error:
        return await failed(engine, request, app.malformed(error, body))
    try:
        value = engine.call(number, arguments)
        if inspect.iscoroutine(value):
            value = await value
        return engine.core.answer(number, value, response, tasks)
    except Exception as error:
        return await failed(engine, request, error)


def path_of(scope: Message) -> bytes:
    """The path as it was sent."""
    raw: bytes | None = scope.get("raw_path")
    return raw or encoded(scope["path"])


def root_of(scope: Message) -> bytes:
    """What a proxy in front has its own routes by."""
    return encoded(scope.get("root_path", "").rstrip("/"))


def encoded(path: str) -> bytes:
    return quote(path, safe="/:@!$&'()*+,;=~").encode("ascii")


def field(headers: list[tuple[bytes, bytes]], name: bytes) -> bytes:
    return next((value for key, value in headers if key == name), b"")


async def read_body(receive: Receive, limit: int) -> bytes:
    pieces = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        pieces += message.get("body", b"")
        if len(pieces) > limit:
            raise TooLarge
        if not message.get("more_body", False):
            return bytes(pieces)


def plain(status: int, problem: bool) -> Answer:
    """A refusal, worded as in python/native/refusal.h."""
    if problem:
        body = b'{"title":"%s","status":%d}' % (REFUSALS[status], status)
        return status, [(b"content-type", b"application/problem+json")], body, None
    body = b'{"detail":"%s"}' % REFUSALS[status]
    return status, [(b"content-type", b"application/json")], body, None


async def rejected(engine: Engine, scope: Message, status: int, name: str | None, value: str | None) -> Answer:
    """404, 405, a redirect, or OPTIONS without a handler."""
    if engine.app.failures.sees_rejections and status in (404, 405):
        scope["app"] = engine.app
        error = HTTPException(status, headers={name: value} if name and value else None)
        return await failed(engine, Request(scope), error)
    known = status in REFUSALS
    status, fields, body, background = plain(status, engine.app.problem_details) if known else (status, [], b"", None)
    if name and value:
        fields.append((name.encode("ascii"), value.encode("latin-1")))
    return status, fields, body, background


async def failed(engine: Engine, request: Request, error: Exception) -> Answer:
    made, unexpected = engine.failed(error, request)
    if unexpected:
        route = request.scope.get("route")
        who = {"route": route.path, "handler": described(route.endpoint)} if route else {}
        log_exception("app.error", error, request, **who)
    if inspect.isawaitable(made):
        made = await made
    assert isinstance(made, Response)
    fields = [(key.lower().encode("latin-1"), value.encode("latin-1")) for key, value in made.headers.raw]
    return made.status_code or 200, fields, made.body, made.background


async def run_lifespan(app: App, scope: Message, receive: Receive, send: Send) -> None:
    """Start and end of the app, as messages (ASGI Lifespan 2.0). What fails is said, and raised."""
    await receive()
    started = False
    try:
        async with app.lifespan() as state:
            scope.get("state", {}).update(state or {})
            started = True
            await send({"type": "lifespan.startup.complete"})
            await receive()
    except Exception as error:
        what = "lifespan.shutdown.failed" if started else "lifespan.startup.failed"
        await send({"type": what, "message": "".join(traceback.format_exception(error))})
        raise
    await send({"type": "lifespan.shutdown.complete"})
