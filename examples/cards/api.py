"""The card search API: typed search, pages, cards that are added and checked, errors. GET /search returns 100 cards.

lanner run examples/cards/api.py
"""

from typing import Annotated
from urllib.parse import urlencode

from card_data import make_cards
from card_models import Card, Problem, Search
from card_shelf import CardExists, Shelf, ShelfFull

from lanner import App, HTTPException, Query, Request, Response
from lanner.responses import JSONResponse, RedirectResponse

shelf = Shelf([Card(**card) for card in make_cards()])
app = App(title="Cards", version="1.0", description="A search API that answers from memory, served by Lanner.")


@app.get("/", include_in_schema=False)
def index() -> RedirectResponse:
    """To the documentation page."""
    return RedirectResponse("/docs")


@app.get("/search")
def search(wanted: Annotated[Search, Query()], request: Request, response: Response) -> list[Card]:
    """One page of the cards that fit; `X-Total-Count` says how many there are, `Link` where the next page is."""
    found = shelf.find(wanted)
    end = wanted.offset + wanted.limit
    response.headers["X-Total-Count"] = str(len(found))
    if end < len(found):
        query = [pair for pair in request.query_params.multi_items() if pair[0] != "offset"]
        response.headers["Link"] = f'</search?{urlencode([*query, ("offset", end)])}>; rel="next"'
    return found[wanted.offset : end]


@app.get("/cards/{set_code}/{number}", responses={404: {"model": Problem}})
def card(set_code: str, number: str) -> Card:
    """One card by its set and its number in there."""
    if found := shelf.get(set_code, number):
        return found
    raise HTTPException(404, f"{set_code} has no card {number}")


@app.post("/cards", status_code=201, responses={409: {"model": Problem}, 507: {"model": Problem}})
def add(card: Card, response: Response) -> Card:
    """Puts a card on the shelf, until the server is stopped."""
    shelf.add(card)
    response.headers["Location"] = app.url_path_for("card", set_code=card.set_code, number=card.collector_number)
    return card


@app.exception_handler(CardExists)
def card_exists(request: Request, error: CardExists) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=409)


@app.exception_handler(ShelfFull)
def shelf_full(request: Request, error: ShelfFull) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=507)
