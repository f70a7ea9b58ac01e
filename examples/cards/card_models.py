"""What goes over the wire: a card, and the parameters of a search."""

from typing import Annotated, Literal

import lanner
from lanner import Body, Query

Text = Annotated[str, Body(min_length=1, max_length=1000)]
Points = Annotated[str, Body(pattern="^[0-9*X]{1,3}$")]  # more than numbers: "*" counts something


class Card(lanner.Model):
    """What is printed on a card. Creatures have power and toughness, which may be more than numbers."""

    name: Annotated[str, Body(min_length=1, max_length=100)]
    set_code: Annotated[str, Body(pattern="^[a-z0-9]{3}$")]
    collector_number: Annotated[str, Body(pattern="^[0-9]{1,5}$")]
    power: Points | None = None
    toughness: Points | None = None
    mana_cost: Annotated[str, Body(pattern=r"^(\{[0-9A-Z]{1,2}\})+$", max_length=60)] | None = None
    oracle_text: Text | None = None
    set_name: Annotated[str, Body(min_length=1, max_length=100)]
    type_line: Annotated[str, Body(min_length=1, max_length=100)]


class Search(lanner.Model, forbid_extra=True):
    """Which cards, in which order, and which page of them. A parameter of another name is an error, not ignored."""

    q: Annotated[str, Query(min_length=2, max_length=50, description="in the name or the text")] | None = None
    set_code: str | None = None
    type: Annotated[str, Query(min_length=2, max_length=50, description="in the type line")] | None = None
    color: list[Literal["W", "U", "B", "R", "G"]] | None = None
    sort: Literal["printed", "name", "set"] = "printed"
    limit: Annotated[int, Query(ge=1, le=100)] = 100
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0


class Problem(lanner.Model):
    """What an error says."""

    detail: str
