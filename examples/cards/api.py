"""The card search API with FastAPI: types give validation and a docs page. GET /search returns 100 cards from memory.

lanner run examples/cards/api.py, then open /docs
"""

from card_data import make_cards
from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from pydantic import BaseModel


class Card(BaseModel):
    """What is printed on a card. Creatures have power and toughness, which may be more than numbers."""

    name: str
    set_code: str
    collector_number: str
    power: str | None = None
    toughness: str | None = None
    mana_cost: str | None = None
    oracle_text: str | None = None
    set_name: str
    type_line: str


CARDS = [Card(**card) for card in make_cards()]

app = FastAPI(title="Cards", version="1.0", description="A search API that answers from memory, served by Lanner.")


@app.get("/", include_in_schema=False)
async def index() -> RedirectResponse:
    """To the docs page."""
    return RedirectResponse("/docs")


@app.get("/search")
async def search() -> list[Card]:
    """All cards."""
    return CARDS
