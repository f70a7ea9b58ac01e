"""A native app with documentation, and others with it elsewhere, without it, and below a path."""

from dataclasses import dataclass
from typing import Annotated

from lanner.native.app import App
from lanner.native.params import Query


@dataclass
class Card:
    """A card."""

    name: str
    power: int | None = None


app = App(title="Cards & <more>", version="1.0", description="All **cards**.")
moved = App(title="Cards", openapi_url="/api/v1/openapi.json", docs_url="/api/docs", redoc_url="/")
silent = App(title="Cards", openapi_url=None)
own = App(title="Cards")


@app.get("/cards/{card_id}", tags=["cards"])
def card(card_id: int, upper: Annotated[bool, Query(description="In capitals")] = False) -> Card:
    """One card."""
    return Card(("OPT" if upper else "Opt") + str(card_id))


@app.post("/cards", status_code=201, tags=["cards"])
def add(card: Card) -> Card:
    return card


@own.get("/docs")
def docs() -> str:
    return "mine"
