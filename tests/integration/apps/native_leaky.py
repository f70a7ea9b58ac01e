"""Small native handlers to be asked ten thousand times, and what the process holds afterwards."""

import asyncio
import gc
import os
import sys
from dataclasses import dataclass
from typing import Annotated

from lanner import App, BackgroundTasks, Cookie, HTTPException, Query, Request, Response


@dataclass
class Card:
    name: str
    tags: list[str]


app = App()
LARGE = [Card(f"card {number}", ["a"]) for number in range(2000)]


@app.get("/counts")
def counts() -> dict[str, int]:
    """What a leak would make grow: objects, blocks of Python's allocator, descriptors."""
    gc.collect()
    return {
        "objects": len(gc.get_objects()),
        "blocks": sys.getallocatedblocks(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "garbage": len(gc.garbage),
    }


@app.get("/")
def hello() -> str:
    return "Hello"


@app.get("/async")
async def hello_async() -> str:
    return "Hello"


@app.get("/sleep")
async def sleep() -> str:
    await asyncio.sleep(0)
    return "slept"


@app.get("/cards/{card_id}")
def card(card_id: int, q: str, tags: Annotated[list[str], Query()], a: Annotated[str, Cookie()]) -> Card:
    return Card(q, [*tags, a])


@app.post("/cards")
def add(card: Card) -> Card:
    return card


@app.get("/given")
def given(request: Request, response: Response, tasks: BackgroundTasks) -> str:
    response.headers["x"] = request.method
    tasks.add_task(len, "task")
    return "given"


@app.get("/teapot")
def teapot() -> str:
    raise HTTPException(418, {"short": "stout"})


@app.get("/large")
def large() -> list[Card]:
    return LARGE
