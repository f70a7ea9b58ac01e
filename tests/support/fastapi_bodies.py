"""JSON bodies as FastAPI has them: models of pydantic and dataclasses, several bodies, what is malformed."""

import dataclasses
import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field, HttpUrl, field_validator, model_validator

from tests.support.fastapi_twins import Ask, ask, post

T = TypeVar("T")


class Item(BaseModel):
    name: str
    description: str | None = None
    price: float
    tax: float | None = None


class User(BaseModel):
    username: str
    full_name: str | None = None


class Image(BaseModel):
    url: HttpUrl
    name: str = "picture"


class Offer(BaseModel):
    name: str = Field(min_length=1, max_length=5)
    price: float = Field(gt=0, le=100)
    items: list[Item] = []
    tags: set[str] = set()
    images: list[Image] | None = None
    weights: dict[int, float] = {}
    kind: Literal["a", "b"] = "a"


class Aliased(BaseModel):
    first: int = Field(alias="firstName")
    second: str = Field("x", validation_alias="secondName", serialization_alias="2nd")


class Strict(BaseModel):
    model_config = {"extra": "forbid", "strict": True}

    number: int
    flag: bool = False


class Checked(BaseModel):
    password: str
    again: str

    @field_validator("password")
    @classmethod
    def long_enough(cls, value: str) -> str:
        if len(value) < 3:
            raise ValueError("too short")
        return value.strip()

    @model_validator(mode="after")
    def same(self) -> "Checked":
        assert self.password == self.again, "not the same"
        return self


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: bool = True


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


class Color(enum.Enum):
    red = "red"
    blue = "blue"


@dataclasses.dataclass
class Card:
    name: str
    cost: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)
    color: Color | None = None


@dataclasses.dataclass
class Deck:
    title: Annotated[str, Field(min_length=2)]
    cards: list[Card]
    best: Card | None = None


class Times(BaseModel):
    day: date | None = None
    at: datetime | None = None
    hour: time | None = None
    span: timedelta | None = None
    key: UUID | None = None
    price: Decimal | None = None
    data: bytes | None = None
    number: int | None = None
    ratio: float | None = None
    flag: bool | None = None
    text: str | None = None


def define(api: Any, app: Any) -> None:
    define_models(api, app)
    define_several(api, app)
    define_others(api, app)


def define_models(api: Any, app: Any) -> None:
    models = {
        "item": Item,
        "offer": Offer,
        "aliased": Aliased,
        "strict": Strict,
        "checked": Checked,
        "card": Card,
        "deck": Deck,
        "times": Times,
        "tree": Tree,
        "page": Page[Item],
        "pet": Annotated[Cat | Dog, Field(discriminator="kind")],
        "union": Item | User,
        "cards": list[Card],
        "items": list[Item],
        "weights": dict[int, float],
        "dict": dict[str, Any],
    }
    for name, model in models.items():

        def take(body):  # type: ignore[no-untyped-def]
            return body

        take.__annotations__ = {"body": model, "return": model}
        app.post(f"/{name}")(take)

    @app.put("/items/{item_id}")
    async def update(item_id: int, item: Item, q: str | None = None) -> Any:
        return {"item_id": item_id, **item.model_dump(), "q": q}

    @app.post("/optional")
    def optional(item: Item | None = None) -> Any:
        return item

    @app.patch("/patch")
    def patch(item: Item) -> dict[str, Any]:
        return item.model_dump(exclude_unset=True)

    @app.delete("/delete")
    def delete(item: Annotated[Card, api.Body()]) -> Card:
        return item


def define_several(api: Any, app: Any) -> None:
    @app.put("/two")
    def two(item: Item, user: User, importance: Annotated[int, api.Body(gt=0)]) -> Any:
        return {"item": item, "user": user, "importance": importance}

    @app.put("/two-optional")
    def two_optional(item: Item | None = None, card: Card | None = None, note: str = api.Body("-")) -> Any:
        return [item, card, note]

    @app.put("/embed")
    def embed(item: Annotated[Item, api.Body(embed=True)]) -> Any:
        return item

    @app.put("/embed-optional")
    def embed_optional(number: Annotated[int | None, api.Body(embed=True)] = None) -> Any:
        return number

    @app.put("/alias")
    def alias(a: Annotated[int, api.Body(alias="A")], b: Annotated[str, api.Body(alias="b-b")] = "x") -> Any:
        return [a, b]


def define_others(api: Any, app: Any) -> None:
    @app.put("/number")
    def number(value: Annotated[int, api.Body(ge=3)]) -> Any:
        return value

    @app.put("/text")
    def text(value: Annotated[str, api.Body()]) -> Any:
        return value

    @app.put("/list")
    def numbers(value: list[int]) -> Any:
        return value

    @app.put("/list-default")
    def list_default(value: list[int] = api.Body([1])) -> Any:  # noqa: B008
        return value

    @app.put("/any")
    def anything(value: Any = api.Body(None)) -> Any:  # noqa: B008
        return value

    @app.post("/read")
    async def read(request: api.Request) -> Any:
        return [await request.json(), len(await request.body())]


ITEM = {"name": "Foo", "price": 50.5}
MODELS: list[Ask] = [
    *post("/item", ITEM, ITEM | {"description": "d", "tax": 1}, {"name": "Foo"}, {}, [], None, "text", 3),
    *post("/item", {"name": None, "price": "50.5"}, {"name": 3, "price": "x"}, {"name": ["a"], "price": True}),
    *post(
        "/item", ITEM | {"extra": 1}, ITEM | {"tax": "1.5"}, ITEM | {"tax": None}, {"name": "\U0001f600", "price": 0}
    ),
    *post("/offer", {"name": "a", "price": 1}, {"name": "", "price": 0}, {"name": "abcdef", "price": 100.5}),
    *post("/offer", {"name": "a", "price": 1, "items": [ITEM, {"name": "b"}], "tags": ["x", "x"]}),
    *post("/offer", {"name": "a", "price": 1, "tags": ["x", "x"], "weights": {"1": 2, "2": "3.5"}, "kind": "b"}),
    *post("/offer", {"name": "a", "price": 1, "weights": {"x": 1, "2": "y"}, "kind": "c", "items": {}}),
    *post("/offer", {"name": "a", "price": 1, "images": [{"url": "http://example.com/a"}, {"url": "x"}]}),
    *post("/aliased", {"firstName": 1, "secondName": "y"}, {"first": 1}, {"firstName": "x"}),
    *post("/strict", {"number": 1}, {"number": "1"}, {"number": 1.0, "flag": 1}, {"number": 1, "more": 2}),
    *post("/checked", {"password": "abc ", "again": "abc"}, {"password": 3}),
    *post("/checked", {"password": "ab", "again": "ab"}, {"password": "abc", "again": "abd"}, differs="reason"),
    *post("/card", {"name": "Opt"}, {"name": "Opt", "cost": "3", "tags": ["a"], "color": "red"}, {"cost": 1.0}),
    *post("/card", {"name": "Opt", "cost": 1.5, "color": "pink", "tags": "a"}, [], "x", {"name": 1}, {"name": None}),
    *post("/card", {"name": "Opt", "cost": True}, {"name": "Opt", "extra": 1}, {"name": "Opt", "tags": [1, None]}),
    *post("/deck", {"title": "ab", "cards": [{"name": "a"}], "best": None}, {"title": "a", "cards": [{"cost": 1}]}),
    *post("/deck", {"title": "ab", "cards": {"name": "a"}, "best": []}, {"title": "ab"}),
    *post(
        "/tree",
        {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]},
        {"name": "a", "children": [{}]},
    ),
    *post("/page", {"items": [ITEM], "total": 1}, {"items": [{}], "total": "x"}),
    *post("/pet", {"kind": "cat", "lives": 9}, {"kind": "dog"}, {"kind": "cow"}, {}, {"kind": "cat", "lives": "x"}, []),
    *post("/union", ITEM, {"username": "u"}, {"username": "u", "name": "n", "price": 1}, {}),
    *post("/cards", [], [{"name": "a"}, {"cost": "x"}], {}, [3]),
    *post("/items", [ITEM, ITEM], [ITEM, {}], {"0": ITEM}),
    *post("/weights", {"1": 0.5}, {"a": 0.5, "2": "x"}, []),
    *post("/dict", {"a": [1, 2.5, None, {"b": True}]}, []),
    *post("/optional", ITEM, None, {"name": 1}),
    ask("POST", "/optional"),
    ask("PUT", "/items/3?q=x", json=ITEM),
    ask("PUT", "/items/x", json={"name": "a"}),
    ask("PATCH", "/patch", json=ITEM),
    ask("DELETE", "/delete", json={"name": "Opt"}),
]
TIMES: list[Ask] = [
    *post("/times", {"day": "2026-12-01", "at": "2026-12-01T10:11:12Z", "hour": "10:11", "span": "P1DT1H"}),
    *post(
        "/times", {"at": "2026-12-01 10:11:12.123456+05:30", "span": 3600, "key": "0b6f7c9e1c3d4b8e9f2a5d6c7b8a9e0f"}
    ),
    *post("/times", {"at": 1700000000, "day": 1700006400, "hour": 3600, "span": 1.5}),
    *post("/times", {"day": "x", "at": "y", "hour": "z", "span": "w", "key": "v", "price": "u", "data": 3}),
    *post("/times", {"price": "1.50", "data": "caf\u00e9"}, {"price": 1.5}, {"price": 3}, {"price": True}),
    *post("/times", {"number": "3"}, {"number": 3.0}, {"number": 3.5}, {"number": "3.0"}, {"number": " 3 "}),
    *post("/times", {"number": True}, {"number": "x"}, {"number": None}, {"number": 10**30}, {"number": "1_000"}),
    *post("/times", {"ratio": 3}, {"ratio": "3.5"}, {"ratio": "x"}, {"ratio": False}, {"ratio": [1]}),
    *post("/times", {"flag": 1}, {"flag": "on"}, {"flag": "yes"}, {"flag": 2}, {"flag": 0.0}, {"flag": "maybe"}),
    *post("/times", {"text": 3}, {"text": True}, {"text": ["a"]}, {"text": {"a": 1}}, {"day": True}, {"at": {}}),
]
TWO = {"item": ITEM, "user": {"username": "u"}, "importance": 5}
SEVERAL: list[Ask] = [
    ask("PUT", "/two", json=TWO),
    ask("PUT", "/two", json=TWO | {"importance": 0}),
    ask("PUT", "/two", json={"item": {}, "user": 3}),
    ask("PUT", "/two", json=ITEM),
    ask("PUT", "/two", "several", json=[]),
    ask("PUT", "/two", json=None),
    ask("PUT", "/two"),
    ask("PUT", "/two-optional"),
    ask("PUT", "/two-optional", json={}),
    ask("PUT", "/two-optional", json={"item": None, "card": {"name": "Opt"}, "note": "n"}),
    ask("PUT", "/two-optional", json={"item": ITEM, "card": {}, "note": 3}),
    ask("PUT", "/embed", json={"item": ITEM}),
    ask("PUT", "/embed", json=ITEM),
    ask("PUT", "/embed", json={"item": {"name": 1}}),
    ask("PUT", "/embed"),
    ask("PUT", "/embed-optional"),
    ask("PUT", "/embed-optional", json={"number": 3}),
    ask("PUT", "/embed-optional", json={"number": "x"}),
    ask("PUT", "/embed-optional", json={}),
    ask("PUT", "/alias", json={"A": 1, "b-b": "y"}),
    ask("PUT", "/alias", json={"a": 1}),
]
JSON = {"Content-Type": "application/json"}
OTHERS: list[Ask] = [
    *[ask("PUT", "/number", json=value) for value in (3, 2, "3", "x", None, [3], 3.5)],
    ask("PUT", "/number"),
    *[ask("PUT", "/text", json=value) for value in ("a", 3, None, {})],
    *[ask("PUT", "/list", json=value) for value in ([1, 2], ["1", "x"], {}, None, "1")],
    ask("PUT", "/list"),
    ask("PUT", "/list-default"),
    ask("PUT", "/list-default", json=[2]),
    *[ask("PUT", "/any", json=value) for value in ({"a": [None, 1.5, "\u00e9"]}, None, "x", [], False)],
    ask("PUT", "/any"),
    ask("POST", "/read", json={"a": 1}),
    ask("POST", "/item", content=b'{"name": "Foo", "price": 50.5', headers=JSON),
    ask("POST", "/item", content=b'{"name": "Foo", "price": 50.5,}', headers=JSON),
    ask("POST", "/item", content=b'{"name": "Foo" "price": 50.5}', headers=JSON),
    ask("POST", "/item", content=b"{'name': 1}", headers=JSON),
    ask("POST", "/item", content=b'{"name": "\xc3\xa9", x}', headers=JSON),
    ask("POST", "/item", content=b'{"name": nope}', headers=JSON),
    ask("POST", "/item", content=b"[1, 2,", headers=JSON),
    ask("POST", "/item", content=b"  ", headers=JSON),
    ask("POST", "/item", content=b"", headers=JSON),
    ask("POST", "/item", content=b'{"name": "a", "price": 1} x', headers=JSON),
    ask("POST", "/item", content=b'{"name": "\x01", "price": 1}', headers=JSON),
    ask("POST", "/item", content=b'{"name": "a", "name": "b", "price": 1}', headers=JSON),
    ask("POST", "/item", content=b'{"name": "a", "price": 1}', headers={"Content-Type": "application/vnd.a+json"}),
    ask(
        "POST",
        "/item",
        content=b'{"name": "a", "price": 1}',
        headers={"Content-Type": "APPLICATION/JSON; charset=utf-8"},
    ),
    ask("POST", "/item", "type", content=b'{"name": "a", "price": 1}', headers={"Content-Type": "text/plain"}),
    ask("POST", "/item", "no-type", content=b'{"name": "a", "price": 1}'),
    ask("POST", "/item", "numbers", content=b'{"name": "a", "price": NaN}', headers=JSON),
    ask("POST", "/item", "numbers", content=b'{"name": "a", "price": 1e400}', headers=JSON),
    ask("POST", "/item", "surrogate", content=b'{"name": "\\ud800", "price": 1}', headers=JSON),
    ask("POST", "/item", content=b"\xff", headers=JSON),
    ask("POST", "/item", "type", data={"name": "a", "price": "1"}),
]
REQUESTS: list[Ask] = MODELS + TIMES + SEVERAL + OTHERS
