"""examples/cards, served: the native application, and the search of the benchmark with Falcon."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from conftest import Serve
from server_process import APPS, ServerProcess

EXAMPLE = APPS.parents[2] / "examples" / "cards"
FIELDS = [
    "name",
    "set_code",
    "collector_number",
    "power",
    "toughness",
    "mana_cost",
    "oracle_text",
    "set_name",
    "type_line",
]
OPTIONAL = {"power", "toughness", "mana_cost", "oracle_text"}
OPT = {
    "name": "Opt",
    "set_code": "xln",
    "collector_number": "65",
    "mana_cost": "{U}",
    "set_name": "Ixalan",
    "type_line": "Instant",
}


@pytest.fixture
def falcon(serve: Serve, threads: int) -> ServerProcess:
    return serve("app:app", "--threads", str(threads), app_dir=EXAMPLE)


@pytest.fixture
def cards(serve: Serve) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=serve("api:app", app_dir=EXAMPLE).url) as client:
        yield client


def found(cards: httpx.Client, **query: Any) -> list[dict[str, str | None]]:
    answer = cards.get("/search", params=query)
    assert answer.status_code == 200, answer.text
    cards_found: list[dict[str, str | None]] = answer.json()
    return cards_found


def test_search_gives_the_100_cards(cards: httpx.Client) -> None:
    answer = cards.get("/search")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-total-count"] == "100"
    assert "link" not in answer.headers
    assert len(answer.json()) == 100
    for card in answer.json():
        assert list(card) == FIELDS
        for name, value in card.items():
            assert isinstance(value, str) or (value is None and name in OPTIONAL), (name, value)
    assert cards.get("/search").json() == answer.json()


def test_search_by_what_a_card_says(cards: httpx.Client) -> None:
    everything = found(cards)
    assert [card for card in everything if "draw" in f"{card['name']}\n{card['oracle_text'] or ''}".lower()] == found(
        cards, q="DRAW"
    )
    assert {card["set_code"] for card in found(cards, set_code=everything[0]["set_code"])} == {
        everything[0]["set_code"]
    }
    assert all("Dragon" in str(card["type_line"]) for card in found(cards, type="dragon"))
    both = found(cards, color=["W", "U"])
    assert both
    assert all("{W}" in str(card["mana_cost"]) and "{U}" in str(card["mana_cost"]) for card in both)
    assert found(cards, q="no card says this") == []
    names = [card["name"] for card in found(cards, sort="name")]
    assert names == sorted(map(str, names))


def test_pages_follow_one_another(cards: httpx.Client) -> None:
    page = cards.get("/search", params={"type": "creature", "sort": "name", "limit": 7})
    total = int(page.headers["x-total-count"])
    seen = page.json()
    while "next" in page.links:
        page = cards.get(page.links["next"]["url"])
        assert page.headers["x-total-count"] == str(total)
        seen += page.json()
    assert seen == found(cards, type="creature", sort="name")
    assert len(seen) == total > 7


def test_what_is_wrong_with_a_search_is_said_at_once(cards: httpx.Client) -> None:
    answer = cards.get("/search?q=x&color=R&color=P&sort=price&limit=0&limt=5")
    assert answer.status_code == 422
    assert [(error["type"], error["loc"]) for error in answer.json()["detail"]] == [
        ("string_too_short", ["query", "q"]),
        ("literal_error", ["query", "color", 1]),
        ("literal_error", ["query", "sort"]),
        ("greater_than_equal", ["query", "limit"]),
        ("extra_forbidden", ["query", "limt"]),
    ]


def test_one_card(cards: httpx.Client) -> None:
    first = found(cards)[0]
    assert cards.get(f"/cards/{first['set_code']}/{first['collector_number']}").json() == first
    answer = cards.get("/cards/xln/65")
    assert (answer.status_code, answer.json()) == (404, {"detail": "xln has no card 65"})


def test_a_card_that_is_added_is_found(cards: httpx.Client) -> None:
    answer = cards.post("/cards", json=OPT)
    assert answer.status_code == 201
    assert answer.json() == {"power": None, "toughness": None, "oracle_text": None, **OPT}
    assert cards.get(answer.headers["location"]).json() == answer.json()
    assert cards.get("/search?q=opt&set_code=xln").json() == [answer.json()]
    again = cards.post("/cards", json=OPT)
    assert (again.status_code, again.json()) == (409, {"detail": "xln has a card 65 already"})


def test_a_card_that_is_none_is_refused(cards: httpx.Client) -> None:
    answer = cards.post("/cards", json=OPT | {"name": "", "set_code": "XLN", "power": 3, "mana_cost": "U"})
    assert answer.status_code == 422
    assert [(error["type"], error["loc"]) for error in answer.json()["detail"]] == [
        ("string_too_short", ["body", "name"]),
        ("string_pattern_mismatch", ["body", "set_code"]),
        ("string_type", ["body", "power"]),
        ("string_pattern_mismatch", ["body", "mana_cost"]),
    ]
    assert cards.post("/cards", content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
    assert len(found(cards)) == 100


def test_what_else_a_client_may_ask(cards: httpx.Client) -> None:
    assert cards.get("/").headers["location"] == "/docs"
    assert cards.get("/nowhere").status_code == 404
    assert cards.post("/search").headers["allow"] == "GET, HEAD, OPTIONS"
    head, get = cards.head("/search").headers, cards.get("/search").headers
    assert [head[name] for name in ("content-type", "content-length")] == [
        get[name] for name in ("content-type", "content-length")
    ]


def test_its_documentation(cards: httpx.Client) -> None:
    assert "swagger-ui" in cards.get("/docs").text
    document = cards.get("/openapi.json").json()
    assert list(document["components"]["schemas"]["Card"]["properties"]) == FIELDS
    assert {name: set(each) for name, each in document["paths"].items()} == {
        "/search": {"get"},
        "/cards/{set_code}/{number}": {"get"},
        "/cards": {"post"},
    }
    assert set(document["paths"]["/cards"]["post"]["responses"]) >= {"201", "409", "422", "507"}


def test_the_one_with_falcon_gives_the_same_cards(falcon: ServerProcess, cards: httpx.Client) -> None:
    with httpx.Client(base_url=falcon.url) as client:
        answer = client.get("/search")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["content-length"] == str(len(answer.content))
        assert answer.json() == cards.get("/search").json()
        assert client.head("/search").headers["content-type"] == answer.headers["content-type"]


def test_what_else_a_client_may_ask_of_falcon(falcon: ServerProcess) -> None:
    with httpx.Client(base_url=falcon.url) as client:
        index = client.get("/")
        assert index.status_code == 200
        assert 'href="/search"' in index.text
        assert client.get("/nowhere").status_code == 404
        assert client.post("/search").status_code == 405
