"""A native application of the bench: a text, 100 cards, an order that is read and written, and a refusal."""

from dataclasses import dataclass
from typing import Annotated

from lanner import App, Query
from lanner.responses import PlainTextResponse


@dataclass(slots=True)
class Card:
    name: str
    set_code: str
    number: int
    power: str | None
    price: float


@dataclass
class Item:
    name: str
    price: float
    qty: int


@dataclass
class Order:
    id: int
    customer: str
    items: list[Item]


CARDS = [Card(f"Card {n} \u2014 of the set", f"S{n % 7}", n, str(n % 5) if n % 3 else None, n / 4) for n in range(100)]
app = App()


@app.get("/hello", response_class=PlainTextResponse)
def hello() -> str:
    return "Hello, world!\n"


@app.get("/async", response_class=PlainTextResponse)
async def hello_async() -> str:
    return "Hello, world!\n"


@app.get("/cards")
def cards() -> list[Card]:
    return CARDS


@app.post("/order")
def order(order: Order) -> Order:
    return order


@app.get("/limited")
def limited(limit: Annotated[int, Query(ge=1, le=100)]) -> int:
    return limit
