"""One shop for two frameworks: FastAPI and Lanner build their documents of the same handlers."""

import dataclasses
import datetime
import enum
import types
import uuid
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
from pydantic import Field

T = TypeVar("T")


class Color(enum.Enum):
    """What a card costs."""

    WHITE = "white"
    BLUE = "blue"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Tag(enum.Enum):
    CARDS = "cards"


class Printing(pydantic.BaseModel):
    set_code: str
    day: datetime.date | None = None


class Card(pydantic.BaseModel):
    """A card.

    With more to say.
    \f
    Not in the document.
    """

    name: Annotated[str, Field(min_length=1, max_length=40, description="As printed", examples=["Opt"])]
    colors: list[Color] = Field(default_factory=list)
    power: int | None = None
    kind: Literal["creature", "spell"] = "spell"
    printings: dict[str, Printing] = Field(default_factory=dict)
    made_at: datetime.datetime | None = None
    id: uuid.UUID | None = None


class Priced(pydantic.BaseModel):
    """Read as number or text, written as text: two components."""

    card: Card
    price: Decimal


class Page(pydantic.BaseModel, Generic[T]):
    items: list[T]
    next: int | None = None


class Cat(pydantic.BaseModel):
    type: Literal["cat"]
    lives: Annotated[int, Field(ge=1, le=9)] = 9


class Dog(pydantic.BaseModel):
    type: Literal["dog"]
    name: str


class Filter(pydantic.BaseModel):
    limit: Annotated[int, Field(gt=0, le=100, description="How many")] = 20
    color: Color | None = None
    order_by: Literal["name", "price"] = "name"
    tags: list[str] = Field(default_factory=list)


class Missing(pydantic.BaseModel):
    detail: str


PYDANTIC = types.SimpleNamespace(
    **{cls.__name__: cls for cls in (Printing, Card, Priced, Page, Cat, Dog, Filter, Missing)}
)


def dataclasses_of_the_shop() -> types.SimpleNamespace:
    """The same models as dataclasses, with the same names and docstrings."""

    @dataclasses.dataclass
    class Printing:
        set_code: str
        day: datetime.date | None = None

    @dataclasses.dataclass
    class Card:
        """A card.

        With more to say.
        \f
        Not in the document.
        """

        name: Annotated[str, Field(min_length=1, max_length=40, description="As printed", examples=["Opt"])]
        colors: list[Color] = dataclasses.field(default_factory=list)
        power: int | None = None
        kind: Literal["creature", "spell"] = "spell"
        printings: dict[str, Printing] = dataclasses.field(default_factory=dict)
        made_at: datetime.datetime | None = None
        id: uuid.UUID | None = None

    @dataclasses.dataclass
    class Priced:
        """Read as number or text, written as text: two components."""

        card: Card
        price: Decimal

    @dataclasses.dataclass
    class Page(Generic[T]):
        items: list[T]
        next: int | None = None

    @dataclasses.dataclass
    class Cat:
        type: Literal["cat"]
        lives: Annotated[int, Field(ge=1, le=9)] = 9

    @dataclasses.dataclass
    class Dog:
        type: Literal["dog"]
        name: str

    @dataclasses.dataclass
    class Filter:
        limit: Annotated[int, Field(gt=0, le=100, description="How many")] = 20
        color: Color | None = None
        order_by: Literal["name", "price"] = "name"
        tags: list[str] = dataclasses.field(default_factory=list)

    @dataclasses.dataclass
    class Missing:
        detail: str

    return types.SimpleNamespace(
        **{cls.__name__: cls for cls in (Printing, Card, Priced, Page, Cat, Dog, Filter, Missing)}
    )


def build(f: Any, m: Any) -> Any:
    """The shop. f: the framework's names (FastAPI, APIRouter, Query, ...). m: the models."""
    app = f.App(
        title="Shop",
        version="2.1",
        summary="Cards",
        description="Sells **cards**.",
        terms_of_service="https://shop.example/terms",
        contact={"name": "Shop", "url": "https://shop.example", "email": "a@shop.example"},
        license_info={"name": "MIT", "identifier": "MIT"},
        servers=[{"url": "https://api.shop.example", "description": "Production"}],
        openapi_tags=[{"name": "cards", "description": "All of them"}],
    )
    add_parameters(app, f, m)
    add_bodies(app, f, m)
    add_answers(app, f, m)
    add_callbacks(app, f, m)
    router = f.Router(prefix="/admin", tags=["admin"], responses={403: {"description": "Not you"}})

    @router.delete("/cards/{card_id}", status_code=204, tags=["danger"])
    def remove(card_id: int) -> None:
        """Removes it."""

    app.include_router(router, prefix="/v1", tags=["v1"], deprecated=True)
    return app


def add_parameters(app: Any, f: Any, m: Any) -> None:
    async def plain(q: str, limit: int = 20, exact: bool = False, color: Color | None = None) -> Any: ...

    async def constrained(
        card_id: Annotated[int, f.Path(ge=1, title="The card", description="Its number", examples=[3])],
        q: Annotated[str | None, f.Query(min_length=2, max_length=9, pattern="^a", alias="query")] = None,
        ranks: Annotated[list[Rank] | None, f.Query(deprecated=True, description="Which")] = None,
        ratio: Annotated[float, f.Query(gt=0, lt=1, multiple_of=0.25)] = 0.5,
        hidden: Annotated[str, f.Query(include_in_schema=False)] = "",
        many: Annotated[list[int], f.Query(max_length=3)] = [1],  # noqa: B006
        day: Annotated[datetime.date, f.Query(json_schema_extra={"x-order": 1})] = datetime.date(2024, 1, 2),
        sort: Annotated[
            str,
            f.Query(openapi_examples={"up": {"summary": "Up", "value": "name"}, "down": {"value": "-name"}}),
        ] = "name",
    ) -> Any: ...

    async def headers(
        user_agent: Annotated[str | None, f.Header()] = None,
        x_token: Annotated[list[str] | None, f.Header(description="Tokens")] = None,
        as_is: Annotated[str, f.Header(convert_underscores=False)] = "",
        other: Annotated[str, f.Header(alias="X-Other")] = "",
        session: Annotated[str | None, f.Cookie()] = None,
        user_id: Annotated[uuid.UUID | None, f.Cookie(description="Who")] = None,
    ) -> Any: ...

    async def spread(given: Annotated[m.Filter, f.Query()]) -> Any: ...

    async def dashed(given: Annotated[m.Filter, f.Header()], rest: str) -> Any: ...

    async def request_only(request: f.Request, response: f.Response, tasks: f.BackgroundTasks) -> Any: ...

    async def defaults(when: datetime.timedelta, at: datetime.time, kind: Literal["a", "b"], one: Literal[1] = 1): ...

    app.get("/plain")(plain)
    app.get("/cards/{card_id}", tags=[Tag.CARDS])(constrained)
    app.get("/headers")(headers)
    app.get("/spread")(spread)
    app.get("/files/{rest:path}")(dashed)
    app.get("/request")(request_only)
    app.get("/defaults")(defaults)


def add_bodies(app: Any, f: Any, m: Any) -> None:
    def whole(card: m.Card) -> m.Card:
        """Adds a card.

        And says so.
        \f
        For us.
        """

    def priced(priced: m.Priced) -> m.Priced: ...

    def optional(card: m.Card | None = None) -> None: ...

    def several(
        card: m.Card,
        printing: m.Printing,
        count: Annotated[int, f.Body(gt=0, description="How many")] = 1,
    ) -> list[m.Card]: ...

    def embedded(card: Annotated[m.Card, f.Body(embed=True, title="One")]) -> dict[str, m.Card]: ...

    def scalar(text: Annotated[str, f.Body(media_type="text/x-card", examples=["Opt"])]) -> str: ...

    def listed(
        cards: Annotated[
            list[m.Card], f.Body(openapi_examples={"none": {"summary": "Nothing", "value": []}}, description="All")
        ],
    ) -> list[m.Card]: ...

    def pet(pet: Annotated[m.Cat | m.Dog, f.Body(discriminator="type")]) -> m.Cat | m.Dog: ...

    def both(card_id: int, card: m.Card, q: str | None = None) -> m.Page[m.Card]: ...

    app.post("/cards", status_code=201, response_description="The card")(whole)
    app.post("/priced")(priced)
    app.put("/optional")(optional)
    app.post("/several")(several)
    app.post("/embedded")(embedded)
    app.patch("/scalar")(scalar)
    app.post("/listed")(listed)
    app.post("/pet")(pet)
    app.put("/both/{card_id}")(both)


def add_answers(app: Any, f: Any, m: Any) -> None:
    def anything(): ...

    def documented(card_id: int): ...

    def text(): ...

    def page(): ...

    def moved(): ...

    def pages() -> m.Page[m.Page[int]]: ...

    def union() -> m.Card | m.Missing | None: ...

    def named() -> m.Card: ...

    def quiet(): ...

    app.get("/anything", summary="All", description="Of *it*.", operation_id="anything")(anything)
    app.get(
        "/documented/{card_id}",
        response_model=m.Card,
        responses={
            200: {"content": {"image/png": {}}, "description": "As data or picture"},
            404: {"model": m.Missing},
            "4XX": {"model": list[m.Missing], "description": "Yours"},
            "default": {"description": "Else"},
            302: {"headers": {"Location": {"schema": {"type": "string"}}}},
        },
        openapi_extra={"x-owner": "us", "parameters": [{"name": "more", "in": "query", "schema": {"type": "string"}}]},
    )(documented)
    app.get("/text", response_class=f.PlainTextResponse, response_model=None)(text)
    app.get("/page", response_class=f.HTMLResponse, response_model=None, deprecated=True)(page)
    app.get("/moved", response_class=f.RedirectResponse, response_model=None)(moved)
    app.get("/pages")(pages)
    app.get("/union")(union)
    app.get("/named", name="by_name", response_model_exclude_none=True)(named)
    app.get("/quiet", include_in_schema=False)(quiet)


def add_callbacks(app: Any, f: Any, m: Any) -> None:
    asked = f.Router()

    def paid(body: m.Missing): ...

    def order(card: m.Card, callback_url: str | None = None): ...

    def sold(body: m.Card): ...

    asked.post("{$callback_url}/orders/{$request.body.id}", response_model=m.Printing)(paid)
    app.post("/orders", callbacks=asked.routes)(order)
    app.webhooks.post("sold")(sold)
