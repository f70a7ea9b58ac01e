"""A small shop in FastAPI: coroutines and plain functions, models, dependencies, background work, files, streams."""

import asyncio
import contextlib
import hashlib
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Annotated

from fastapi import BackgroundTasks, Cookie, Depends, FastAPI, Form, Header, HTTPException, Request, UploadFile
from fastapi.responses import FileResponse, RedirectResponse, StreamingResponse
from pydantic import BaseModel, Field

log: list[str] = []


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
    app.state.items = {}
    yield {"opened": True}


app = FastAPI(title="Shop", lifespan=lifespan)


class Item(BaseModel):
    name: str = Field(min_length=1, max_length=20)
    price: float = Field(gt=0)
    tags: list[str] = []


@app.get("/")
async def root(request: Request) -> dict[str, object]:
    return {"hello": "world", "opened": request.state.opened}


@app.get("/sync")
def sync() -> dict[str, bool]:
    """In a thread of anyio's."""
    return {"main": threading.current_thread() is threading.main_thread()}


@app.post("/items", status_code=201)
async def create(item: Item, request: Request) -> Item:
    request.app.state.items[item.name] = item
    return item


@app.put("/items/{name}")
def replace(name: str, item: Item, request: Request) -> dict[str, object]:
    if name not in request.app.state.items:
        raise HTTPException(404, f"no {name}", headers={"X-Error": "none"})
    request.app.state.items[name] = item
    return {"replaced": item}


@app.get("/items/{name}")
async def get(name: str, request: Request, limit: int = 10, q: str | None = None) -> dict[str, object]:
    if name not in request.app.state.items:
        raise HTTPException(404, f"no {name}")
    return {"item": request.app.state.items[name], "limit": limit, "q": q}


@app.delete("/items/{name}", status_code=204)
async def delete(name: str, request: Request) -> None:
    request.app.state.items.pop(name, None)


@app.get("/fields")
async def fields(x_token: Annotated[str, Header()], session: Annotated[str, Cookie()] = "none") -> dict[str, str]:
    return {"token": x_token, "session": session}


@app.post("/form")
async def form(user: Annotated[str, Form()], password: Annotated[str, Form()]) -> dict[str, object]:
    return {"user": user, "length": len(password)}


# ---- dependencies


async def connection() -> AsyncIterator[str]:
    log.append("opened")
    try:
        yield "connection"
    except LookupError:
        log.append("failed")
        raise
    finally:
        log.append("closed")


def transaction(connection: Annotated[str, Depends(connection)]) -> Iterator[str]:
    log.append("begun")
    yield f"transaction on {connection}"
    log.append("committed")


@app.get("/depends")
async def depends(found: Annotated[str, Depends(transaction)]) -> dict[str, str]:
    log.append("handled")
    return {"found": found}


@app.get("/depends/fails")
async def depends_fails(found: Annotated[str, Depends(connection)]) -> dict[str, str]:
    raise LookupError(found)


@app.get("/log")
async def take_log() -> list[str]:
    taken = list(log)
    log.clear()
    return taken


@app.get("/background")
async def background(tasks: BackgroundTasks) -> str:
    tasks.add_task(log.append, "sync task")
    tasks.add_task(later, "async task")
    return "answered"


async def later(text: str) -> None:
    await asyncio.sleep(0.01)
    log.append(text)


# ---- files and streams


@app.post("/upload")
async def upload(file: UploadFile, note: Annotated[str, Form()] = "") -> dict[str, object]:
    digest = hashlib.sha256()
    while part := await file.read(65536):
        digest.update(part)
    return {"name": file.filename, "bytes": file.size, "sha256": digest.hexdigest(), "note": note}


@app.post("/digest")
async def digest(request: Request) -> dict[str, object]:
    count, digest = 0, hashlib.sha256()
    async for part in request.stream():
        count += len(part)
        digest.update(part)
    return {"bytes": count, "sha256": digest.hexdigest()}


@app.get("/stream/{count}")
async def stream(count: int) -> StreamingResponse:
    async def rows() -> AsyncIterator[str]:
        for number in range(count):
            yield f"{number}\n"
            if number % 100 == 0:
                await asyncio.sleep(0)

    return StreamingResponse(rows(), media_type="text/plain")


@app.get("/stream-sync/{count}")
def stream_sync(count: int) -> StreamingResponse:
    return StreamingResponse((f"{number}\n" for number in range(count)), media_type="text/plain")


@app.get("/events")
async def events(request: Request) -> StreamingResponse:
    """Without end, until the client leaves."""

    async def data() -> AsyncIterator[str]:
        try:
            while not await request.is_disconnected():
                yield "data: tick\n\n"
                await asyncio.sleep(0.005)
        finally:
            log.append("events ended")

    return StreamingResponse(data(), media_type="text/event-stream")


@app.get("/stream-fails")
async def stream_fails() -> StreamingResponse:
    async def rows() -> AsyncIterator[bytes]:
        yield b"first"
        raise LookupError("raised in a stream")

    return StreamingResponse(rows())


@app.get("/file")
async def file() -> FileResponse:
    return FileResponse(Path(__file__), filename="shop.py", media_type="text/x-python")


@app.get("/redirect")
async def redirect() -> RedirectResponse:
    return RedirectResponse("/")


@app.get("/raise")
async def raises() -> None:
    raise LookupError("raised in a coroutine")


@app.get("/raise-sync")
def raises_sync() -> None:
    raise LookupError("raised in a function")
