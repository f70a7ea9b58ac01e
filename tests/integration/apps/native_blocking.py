"""A native application with handlers that block the loop, and some that do not."""

import asyncio
import time

from lanner import App

app = App()
BLOCKED_S = 0.15


@app.get("/blocks")
def blocks() -> str:
    time.sleep(BLOCKED_S)
    return "blocked"


@app.get("/computes/{number}")
def computes(number: int) -> int:
    end = time.monotonic() + BLOCKED_S
    while time.monotonic() < end:
        number += 1
    return number


@app.get("/pooled", pool=True)
def pooled() -> str:
    time.sleep(BLOCKED_S)
    return "pooled"


@app.get("/waits")
async def waits() -> str:
    await asyncio.sleep(BLOCKED_S)
    return "waited"


@app.get("/quick")
def quick() -> str:
    return "quick"
