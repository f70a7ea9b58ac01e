"""Answers as FastAPI has them: response models, statuses, what is set on the injected Response, Response classes."""

import dataclasses
import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from tests.support.fastapi_twins import Ask, ask, get, post


class Item(BaseModel):
    name: str
    description: str | None = None
    price: float
    tax: float = 10.5
    tags: list[str] = []


class UserIn(BaseModel):
    username: str
    password: str


class UserOut(BaseModel):
    username: str


class Child(UserOut):
    secret: str = "s"


class Aliased(BaseModel):
    first: int = Field(alias="firstName")


class Inner(BaseModel):
    a: int = 1
    b: int | None = None


class Outer(BaseModel):
    inner: Inner
    rows: list[Inner] = []
    name: str = "n"


class Color(enum.Enum):
    red = "r"


class Level(enum.IntEnum):
    one = 1


@dataclasses.dataclass
class Card:
    name: str
    cost: int = 0
    note: str | None = None
    at: datetime | None = None


@dataclasses.dataclass
class Pack:
    cards: list[Card]
    best: Card | None = None


class Thing:
    """What is neither a model nor a dataclass."""

    def __init__(self) -> None:
        self.name = "thing"
        self.size = 3


ITEMS = {
    "foo": {"name": "Foo", "price": 50.2},
    "bar": {"name": "Bar", "description": "The bartenders", "price": 62, "tax": 20.2},
    "baz": {"name": "Baz", "description": None, "price": 50.2, "tax": 10.5, "tags": []},
}
CARD = Card("Opt", 1, None, datetime(2026, 12, 1, 10, 11, 12, tzinfo=UTC))


def define(api: Any, app: Any) -> None:
    define_models(api, app)
    define_filters(api, app)
    define_values(api, app)
    define_injected(api, app)
    define_made(api, app)


def define_models(api: Any, app: Any) -> None:
    @app.post("/user", response_model=UserOut)
    def user(user: UserIn) -> Any:
        return user

    @app.post("/user-annotated")
    async def user_annotated(user: UserIn) -> UserOut:
        return user  # type: ignore[return-value]

    @app.get("/child")
    def child() -> UserOut:
        return Child(username="u")

    @app.get("/dict-as-model", response_model=UserOut)
    def dict_as_model() -> Any:
        return {"username": "u", "password": "p"}

    @app.get("/list", response_model=list[Item])
    def listed() -> Any:
        return list(ITEMS.values())

    @app.get("/mapping")
    def mapping() -> dict[str, float]:
        return {"foo": 2.3, "bar": 3}

    @app.get("/union")
    def union() -> Item | UserOut:
        return UserOut(username="u")

    @app.get("/no-model", response_model=None)
    def no_model() -> UserOut:
        return Child(username="u")

    @app.get("/response-or-dict", response_model=None)
    def response_or_dict(raw: bool = False) -> Any:
        return api.PlainTextResponse("raw") if raw else {"raw": False}

    @app.get("/card")
    def card() -> Card:
        return CARD

    @app.get("/card-from-dict", response_model=Card)
    def card_from_dict() -> Any:
        return {"name": "Opt", "cost": "3", "other": 1}

    @app.get("/card-without-default", response_model=list[Card])
    def card_without_default() -> Any:
        return [{"name": "Opt"}, Card("Ow")]

    @app.get("/pack")
    def pack() -> Pack:
        return Pack([CARD, Card("Ow")], None)

    @app.get("/aliased")
    def aliased() -> Aliased:
        return Aliased(firstName=1)

    @app.get("/wrong")
    def wrong() -> Item:
        return {"name": "x"}  # type: ignore[return-value]

    @app.get("/wrong-int")
    def wrong_int() -> int:
        return "x"  # type: ignore[return-value]

    @app.get("/lax-int")
    def lax_int() -> int:
        return "3"  # type: ignore[return-value]

    @app.get("/wrong-none")
    def wrong_none() -> Item:
        return None  # type: ignore[return-value]

    @app.get("/optional-none")
    def optional_none() -> Item | None:
        return None


def define_filters(api: Any, app: Any) -> None:
    def item(name: str) -> Any:
        return ITEMS[name]

    options: dict[str, dict[str, Any]] = {
        "unset": {"response_model_exclude_unset": True},
        "defaults": {"response_model_exclude_defaults": True},
        "none": {"response_model_exclude_none": True},
        "include": {"response_model_include": {"name", "price"}},
        "include-list": {"response_model_include": ["name", "tax"]},
        "exclude": {"response_model_exclude": {"tax"}},
        "both": {"response_model_include": {"name", "tax"}, "response_model_exclude": {"tax"}},
        "exclude-unset": {"response_model_exclude": {"name"}, "response_model_exclude_unset": True},
    }
    for name, option in options.items():
        app.get(f"/{name}/{{name}}", response_model=Item, **option)(item)

    @app.get("/nested", response_model_exclude={"inner": {"a"}, "rows": {"__all__": {"b"}}})
    def nested() -> Outer:
        return Outer(inner=Inner(), rows=[Inner(), Inner(b=2)])

    @app.get("/nested-include", response_model_include={"inner": {"b"}, "name": True})
    def nested_include() -> Outer:
        return Outer(inner=Inner(), rows=[Inner()])

    @app.get("/listed", response_model=list[Item], response_model_exclude_unset=True)
    def listed() -> Any:
        return list(ITEMS.values())

    @app.get("/card-none", response_model_exclude_none=True)
    def card_none() -> Pack:
        return Pack([CARD, Card("Ow")])

    @app.get("/card-defaults", response_model_exclude_defaults=True)
    def card_defaults() -> Card:
        return Card("Ow")


def define_values(api: Any, app: Any) -> None:
    values: dict[str, Any] = {
        "str": "text",
        "int": 3,
        "float": 1.0,
        "small": 1e-7,
        "large": 1e22,
        "bool": True,
        "null": None,
        "text": 'caf\u00e9 \U0001f600 "\\ \n\x01 </script>',
        "list": [1, [2, (3, 4)], {"a": None}],
        "keys": {"b": 1, "a": 2},
        "dates": [datetime(2026, 12, 1, 10, 0, 0, 5000), CARD.at, date(2026, 1, 2), time(3, 4)],
        "timedelta": timedelta(days=1, seconds=3),
        "decimal": Decimal("1.10"),
        "uuid": UUID(int=5),
        "bytes": b"caf\xc3\xa9",
        "enum": [Color.red, Level.one, {"c": Color.red}],
        "set": {3},
        "frozenset": frozenset(["x"]),
        "path": Path("/a/b"),
        "card": CARD,
        "cards": [CARD, {"card": CARD}],
        "item": Item(name="a", price=1),
        "items": {"items": [Item(name="a", price=1)], "aliased": Aliased(firstName=3)},
        "thing": Thing(),
        "things": [Thing()],
        "int-keys": {1: "a", 2: "b"},
    }

    def returning(value: Any, annotation: Any = None) -> Any:
        def plain():  # type: ignore[no-untyped-def]
            return value

        if annotation is not None:
            plain.__annotations__ = {"return": annotation}
        return plain

    for name, value in values.items():
        app.get(f"/value/{name}")(returning(value))
        if "thing" not in name:
            app.get(f"/any/{name}")(returning(value, Any))
            app.get(f"/in-dict/{name}")(returning({"value": value}, dict[str, Any]))
    types = {
        "dates": list[Any],
        "decimal": Decimal,
        "timedelta": timedelta,
        "bytes": bytes,
        "uuid": UUID,
        "set": set[int],
    }
    for name, type in types.items():
        app.get(f"/typed/{name}")(returning(values[name], type))

    @app.get("/generator")
    def generator() -> Any:
        return (number for number in range(3))

    @app.get("/not-finite")
    def not_finite():  # type: ignore[no-untyped-def]
        return [float("nan")]


def define_injected(api: Any, app: Any) -> None:
    @app.get("/injected")
    def injected(response: api.Response) -> Any:
        response.headers["X-Cat-Dog"] = "alone"
        response.headers["X-Two"] = "1"
        response.status_code = 202
        response.set_cookie("session", "s1", max_age=60, httponly=True, secure=True, samesite="strict")
        response.set_cookie(key="other", value="a b", path="/x", domain="example.com")
        response.delete_cookie("gone")
        return {"message": "hello"}

    @app.put("/upsert/{name}", status_code=200)
    def upsert(name: str, response: api.Response) -> str:
        if name not in ITEMS:
            response.status_code = 201
        return name

    @app.get("/injected-and-made")
    def both(response: api.Response) -> Any:
        response.headers["X-A"] = "injected"
        response.status_code = 203
        return api.JSONResponse({"made": True}, headers={"X-B": "made"})

    @app.get("/tasks")
    async def tasks(tasks: api.BackgroundTasks) -> Any:
        tasks.add_task(len, "x")
        return "queued"

    for status in (200, 201, 202, 203, 206, 301, 400, 404, 418, 500):
        app.get(f"/status/{status}", status_code=status)(lambda: {"a": 1})
    for status in (204, 205, 304):
        app.get(f"/status/{status}", status_code=status)(lambda: None)


def define_made(api: Any, app: Any) -> None:
    @app.get("/html", response_class=api.HTMLResponse)
    def html() -> str:
        return "<h1>caf\u00e9</h1>"

    @app.get("/text", response_class=api.PlainTextResponse)
    async def text() -> str:
        return "caf\u00e9"

    @app.get("/redirect", response_class=api.RedirectResponse)
    def redirect() -> str:
        return "/caf\u00e9 x?a=1&b=%20"

    @app.get("/redirect-status", response_class=api.RedirectResponse, status_code=302)
    def redirect_status() -> str:
        return "https://example.com/"

    @app.get("/made/{kind}")
    def made(kind: str) -> Any:
        return {
            "json": lambda: api.JSONResponse({"a": "\u00e9"}, 203, {"X-Made": "yes"}),
            "html": lambda: api.HTMLResponse("<p>", headers={"X-Made": "yes"}),
            "text": lambda: api.PlainTextResponse("t", 404),
            "bytes": lambda: api.Response(b"\x00\x01", media_type="application/octet-stream"),
            "empty": lambda: api.Response(),
            "no-content": lambda: api.Response(status_code=204),
            "xml": lambda: api.Response("<a/>", media_type="application/xml"),
            "css": lambda: api.Response("a{}", media_type="text/css"),
            "type": lambda: api.Response("x", headers={"Content-Type": "text/x-own"}),
            "redirect": lambda: api.RedirectResponse("/x", 303),
            "null": lambda: api.JSONResponse(None),
        }[kind]()

    @app.get("/annotated-response")
    def annotated(portal: bool = False) -> api.Response:
        response = api.JSONResponse({"portal": portal})
        response.set_cookie("a", "b")
        return response

    class Pretty(api.JSONResponse):  # type: ignore[misc,name-defined]
        media_type = "application/vnd.pretty+json"

    @app.get("/own-class", response_class=Pretty)
    def own_class() -> Any:
        return {"a": 1}


def names(*options: str) -> Iterator[str]:
    for option in options:
        yield from (f"/{option}/{name}" for name in ITEMS)


VALUES = [
    "str",
    "int",
    "float",
    "small",
    "large",
    "bool",
    "null",
    "text",
    "list",
    "keys",
    "dates",
    "timedelta",
    "decimal",
    "uuid",
    "bytes",
    "enum",
    "set",
    "frozenset",
]
VALUES += ["path", "card", "cards", "item", "items", "int-keys"]
DIFFERS = ("decimal", "timedelta")
REQUESTS: list[Ask] = [
    *post("/user", {"username": "u", "password": "p"}),
    *post("/user-annotated", {"username": "u", "password": "p"}),
    *get("/child", "/dict-as-model", "/list", "/mapping", "/union", "/no-model", "/response-or-dict"),
    *get(
        "/response-or-dict?raw=1",
        "/card",
        "/card-from-dict",
        "/card-without-default",
        "/pack",
        "/aliased",
        "/wrong",
        "/wrong-int",
        "/lax-int",
    ),
    *get("/wrong-none", "/optional-none"),
    *get(*names("unset", "defaults", "none", "include", "include-list", "exclude", "both", "exclude-unset")),
    *get("/nested", "/nested-include", "/listed", "/card-none", "/card-defaults"),
    *get(*[f"/value/{name}" for name in [*VALUES, "thing", "things"] if name not in DIFFERS]),
    *[each for name in DIFFERS for each in get(f"/value/{name}", differs=name)],
    *get(*[f"/any/{name}" for name in VALUES]),
    *get(*[f"/in-dict/{name}" for name in VALUES]),
    *get(*[f"/typed/{name}" for name in ("dates", "decimal", "timedelta", "bytes", "uuid", "set")]),
    *get("/generator", "/not-finite", "/injected", "/tasks"),
    *get("/injected-and-made", differs="injected"),
    ask("PUT", "/upsert/foo"),
    ask("PUT", "/upsert/new"),
    *get(*[f"/status/{status}" for status in (200, 201, 202, 203, 206, 301, 400, 404, 418, 500)]),
    *get(*[f"/status/{status}" for status in (204, 205, 304)], differs="no-content"),
    *get("/html", "/text", "/redirect", "/redirect-status", "/annotated-response", "/own-class"),
    *get(
        *[
            f"/made/{kind}"
            for kind in [
                "json",
                "html",
                "text",
                "bytes",
                "empty",
                "no-content",
                "xml",
                "css",
                "type",
                "redirect",
                "null",
            ]
        ]
    ),
]
