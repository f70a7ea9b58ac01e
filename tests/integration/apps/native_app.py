"""A native application that does what the tests of tests/integration/test_native.py ask of it."""

import asyncio
import contextvars
import enum
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from lanner import App, BackgroundTasks, Body, Cookie, Header, HTTPException, Path, Query, Request, Response, Router
from lanner.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse

ran: list[str] = []
seen = contextvars.ContextVar("seen", default=0)


class Color(enum.Enum):
    red = "red"
    blue = "blue"


@dataclass
class Card:
    name: str
    cost: int = 0
    tags: list[str] | None = None


@dataclass(slots=True)
class Filters:
    q: str
    limit: Annotated[int, Query(ge=1, le=100)] = 20
    sort: Literal["name", "cost"] = "name"


class Teapot(Exception):
    pass


@asynccontextmanager
async def lifespan(app: App) -> AsyncIterator[dict[str, str]]:
    app.state.pool = "open"
    yield {"shelf": "full"}
    app.state.pool = "closed"


app = App(title="Native", lifespan=lifespan)


@app.on_startup
def started() -> None:
    ran.append("started")


@app.get("/", response_class=PlainTextResponse)
def hello() -> str:
    return "Hello, World!"


@app.get("/async", response_class=PlainTextResponse)
async def hello_async() -> str:
    return "Hello, World!"


@app.get("/sleep")
async def sleep() -> dict[str, bool]:
    await asyncio.sleep(0.001)
    return {"slept": True}


@app.get("/large")
def large(count: int) -> list[Card]:
    return [Card(f"card {number}", number) for number in range(count)]


@app.get("/cards/{card_id}")
def card(card_id: Annotated[int, Path(ge=1)]) -> Card:
    if card_id == 404:
        raise HTTPException(404, "no such card", headers={"X-Why": "missing"})
    return Card("Opt", card_id)


@app.get("/files/{path:path}")
def file(path: str) -> dict[str, str]:
    return {"path": path}


@app.get("/typed/{number:int}/{key}")
def typed(number: int, key: UUID) -> dict[str, str]:
    return {"number": str(number), "key": str(key)}


@app.get("/query")
def query(
    text: str,
    number: int = 3,
    ratio: float | None = None,
    flag: bool = False,
    day: date | None = None,
    color: Color = Color.red,
    price: Decimal | None = None,
    tags: Annotated[list[str], Query()] = [],  # noqa: B006 - copied for each request
    alias: Annotated[str | None, Query(alias="other-name", min_length=2)] = None,
) -> dict[str, object]:
    tags.append("end")
    return {
        "text": text,
        "number": number,
        "ratio": ratio,
        "flag": flag,
        "day": day,
        "color": color,
        "price": price,
        "tags": tags,
        "alias": alias,
    }


@app.get("/filters")
def filters(filters: Annotated[Filters, Query()]) -> Filters:
    return filters


@app.get("/head")
def head(
    user_agent: Annotated[str | None, Header()] = None,
    x_many: Annotated[list[str] | None, Header()] = None,
    session: Annotated[str | None, Cookie()] = None,
) -> dict[str, object]:
    return {"user_agent": user_agent, "x_many": x_many, "session": session}


@app.post("/cards", status_code=201)
def add(card: Card) -> Card:
    return card


@app.put("/both")
async def both(card: Card, amount: Annotated[int, Body(gt=0)], note: Annotated[str, Body()] = "-") -> dict[str, object]:
    return {"name": card.name, "amount": amount, "note": note}


@app.post("/embedded")
def embedded(card: Annotated[Card, Body(embed=True)]) -> str:
    return card.name


@app.post("/any")
def anything(value: Annotated[object, Body()] = None) -> object:
    return value


@app.post("/small", body_limit=100)
def small(card: Card) -> Card:
    return card


@app.get("/request")
async def show(request: Request) -> dict[str, object]:
    return {
        "method": request.method,
        "url": str(request.url),
        "query": dict(request.query_params),
        "agent": request.headers["user-agent"],
        "cookies": request.cookies,
        "pool": request.app.state.pool,
        "shelf": request.state.shelf,
        "client": request.client is not None,
    }


@app.post("/request/{name}")
async def body(request: Request, name: str) -> dict[str, object]:
    return {
        "name": name,
        "params": request.path_params,
        "body": (await request.body()).decode(),
        "json": await request.json(),
    }


@app.get("/response")
def response(response: Response) -> dict[str, int]:
    response.headers["X-Cards"] = "3"
    response.set_cookie("seen", "1", max_age=60, httponly=True)
    response.set_cookie("more", "a b")
    response.status_code = 202
    return {"cards": 3}


@app.get("/html", response_class=HTMLResponse)
def html() -> str:
    return "<p>caf\u00e9</p>"


@app.get("/json-text")
def json_text() -> str:
    return "text"


@app.get("/nothing")
def nothing() -> None:
    return None


@app.delete("/cards/{card_id}", status_code=204)
def remove(card_id: int) -> None:
    ran.append(f"removed {card_id}")


@app.get("/made")
def made() -> JSONResponse:
    return JSONResponse({"made": True}, status_code=203, headers={"X-Made": "yes"})


@app.get("/redirect")
def redirect() -> RedirectResponse:
    return RedirectResponse("/cards/3?a=\u00e9", status_code=303)


@app.get("/wrong")
def wrong() -> Card:
    return 3  # type: ignore[return-value]


@app.get("/boom")
def boom() -> None:
    raise ZeroDivisionError("boom")


@app.get("/boom-async")
async def boom_async() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError("boom")


@app.get("/teapot")
async def teapot(later: bool = False) -> None:
    if later:
        await asyncio.sleep(0)
    raise Teapot("short")


@app.exception_handler(Teapot)
async def on_teapot(request: Request, error: Teapot) -> JSONResponse:
    await asyncio.sleep(0)
    return JSONResponse({"teapot": str(error), "path": request.url.path}, status_code=418)


@app.get("/tasks")
def tasks(tasks: BackgroundTasks, name: str) -> dict[str, str]:
    async def later() -> None:
        await asyncio.sleep(0)
        ran.append(f"later {name}")

    tasks.add_task(ran.append, f"now {name}")
    tasks.add_task(later)
    return {"queued": name}


@app.get("/defer")
async def defer(response: Response, name: str) -> str:
    response.defer(ran.append, f"deferred {name}")
    return name


@app.get("/ran")
def have_run() -> list[str]:
    return ran


@app.get("/pool", pool=True)
def pool() -> bool:
    return threading.current_thread() is threading.main_thread()


@app.get("/context")
async def context() -> int:
    seen.set(seen.get() + 1)
    return seen.get()


@app.get("/without-defaults", response_model_exclude_defaults=True)
def without_defaults() -> Card:
    return Card("Opt")


@app.get("/filtered", response_model=Card, response_model_exclude={"tags"})
def filtered() -> dict[str, object]:
    return {"name": "Opt", "cost": 1, "secret": "no"}


@app.get("/orders/")
def orders() -> str:
    return "orders"


admin = Router(prefix="/admin", tags=["admin"], default_response_class=PlainTextResponse)


@admin.get("/users/{name}", name="admin_user")
def user(name: str) -> str:
    return name


app.include_router(admin)


@app.get("/url-for")
def url_for(request: Request) -> list[str]:
    return [app.url_path_for("card", card_id=3), request.url_for("admin_user", name="a/b \u00e9")]
