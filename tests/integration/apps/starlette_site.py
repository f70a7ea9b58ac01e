"""A small site in Starlette: middleware of both kinds, streams, files with ranges, background work, lifespan state."""

import asyncio
import contextlib
import tempfile
from pathlib import Path

from starlette.applications import Starlette
from starlette.background import BackgroundTask, BackgroundTasks
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

log: list[str] = []
directory = Path(tempfile.mkdtemp(prefix="lanner-starlette-"))
(directory / "large.bin").write_bytes(bytes(range(256)) * 4096)


@contextlib.asynccontextmanager
async def lifespan(app):
    yield {"started": "yes"}


class Tagging(BaseHTTPMiddleware):
    """Starlette's own kind of middleware: runs the application in a task group of anyio's."""

    async def dispatch(self, request, call_next):
        response = await call_next(request)
        response.headers["X-Tagged"] = request.url.path
        return response


class Reading(BaseHTTPMiddleware):
    """Reads the body before the endpoint does."""

    async def dispatch(self, request, call_next):
        if request.url.path == "/echo":
            request.state.size = len(await request.body())
        return await call_next(request)


async def hello(request: Request) -> Response:
    return PlainTextResponse(f"hello {request.state.started}")


async def echo(request: Request) -> Response:
    body = await request.body()
    return Response(body, headers={"X-Size": str(request.state.size)})


async def stream(request: Request) -> Response:
    async def blocks():
        for number in range(50):
            yield bytes([65 + number % 26]) * 20_000
            await asyncio.sleep(0)

    return StreamingResponse(blocks(), media_type="application/octet-stream")


async def events(request: Request) -> Response:
    async def ticks():
        try:
            while True:
                yield b"data: tick\n\n"
                await asyncio.sleep(0.005)
        finally:
            log.append("events ended")

    return StreamingResponse(ticks(), media_type="text/event-stream")


async def file(request: Request) -> Response:
    return FileResponse(directory / "large.bin", filename="large.bin")


async def background(request: Request) -> Response:
    tasks = BackgroundTasks([BackgroundTask(log.append, "one"), BackgroundTask(slow, "two")])
    return PlainTextResponse("answered", background=tasks)


async def slow(text: str) -> None:
    await asyncio.sleep(0.01)
    log.append(text)


async def take_log(request: Request) -> Response:
    taken = list(log)
    log.clear()
    return JSONResponse(taken)


async def session(request: Request) -> Response:
    request.session["visits"] = request.session.get("visits", 0) + 1
    return JSONResponse(request.session)


async def fails(request: Request) -> Response:
    raise LookupError("raised by the endpoint")


async def upload(request: Request) -> Response:
    try:
        async for part in request.stream():
            log.append(f"part {bool(part)}")
    except ClientDisconnect:
        log.append("disconnected")
        raise
    return PlainTextResponse("uploaded")


async def facts(request: Request) -> Response:
    return JSONResponse({"url": str(request.url), "client": request.client.host, "path": request.scope["root_path"]})


app = Starlette(
    routes=[
        Route("/hello", hello),
        Route("/echo", echo, methods=["POST"]),
        Route("/stream", stream),
        Route("/events", events),
        Route("/file", file),
        Route("/background", background),
        Route("/log", take_log),
        Route("/session", session),
        Route("/fails", fails),
        Route("/upload", upload, methods=["POST"]),
        Mount("/static", StaticFiles(directory=directory)),
        Mount("/mounted", routes=[Route("/facts", facts)]),
    ],
    middleware=[
        Middleware(SessionMiddleware, secret_key="not secret"),
        Middleware(GZipMiddleware, minimum_size=500),
        Middleware(Tagging),
        Middleware(Reading),
    ],
    lifespan=lifespan,
)
