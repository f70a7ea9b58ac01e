"""A small site in Litestar."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from litestar import Litestar, Request, delete, get, post
from litestar.background_tasks import BackgroundTask
from litestar.datastructures import State, UploadFile
from litestar.enums import RequestEncodingType
from litestar.params import Body
from litestar.response import File, Response, Stream

log: list[str] = []


@dataclass
class Item:
    name: str
    price: float


@get("/")
async def root(state: State) -> dict[str, str]:
    return {"hello": state.greeting}


@get("/sync", sync_to_thread=True)
def sync() -> str:
    return "sync"


@get("/items/{number:int}")
async def item(number: int, q: str | None = None) -> dict[str, object]:
    return {"number": number, "q": q}


@post("/items")
async def create(data: Item) -> Item:
    return data


@delete("/items/{number:int}")
async def remove(number: int) -> None:
    return None


@post("/body")
async def body(request: Request[None, None, State]) -> dict[str, int]:
    return {"bytes": len(await request.body())}


@post("/upload")
async def upload(
    data: Annotated[UploadFile, Body(media_type=RequestEncodingType.MULTI_PART)],
) -> dict[str, object]:
    return {"name": data.filename, "bytes": len(await data.read())}


@get("/stream")
async def stream() -> Stream:
    async def rows() -> AsyncIterator[str]:
        for number in range(100):
            yield f"{number}\n"
            await asyncio.sleep(0)

    return Stream(rows())


@get("/file")
async def file() -> File:
    return File(path=__file__, filename="site.py")


@get("/background")
async def background() -> Response[str]:
    return Response("answered", background=BackgroundTask(later))


async def later() -> None:
    await asyncio.sleep(0.01)
    log.append("later")


@get("/log")
async def take_log() -> list[str]:
    taken = list(log)
    log.clear()
    return taken


@get("/fails")
async def fails() -> None:
    raise LookupError("raised by the handler")


async def greet(app: Litestar) -> None:
    app.state.greeting = "world"


handlers = [root, sync, item, create, remove, body, upload, stream, file, background, take_log, fails]
app = Litestar(handlers, on_startup=[greet])
