"""examples/cards, served: the search API of the benchmark."""

import httpx
import pytest
from conftest import Serve
from server_process import APPS, ServerProcess

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


@pytest.fixture
def cards(serve: Serve, threads: int) -> ServerProcess:
    return serve("app:app", "--threads", str(threads), app_dir=APPS.parents[2] / "examples" / "cards")


def test_search_gives_the_100_cards(cards: ServerProcess) -> None:
    with httpx.Client(base_url=cards.url) as client:
        answer = client.get("/search")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["content-length"] == str(len(answer.content))
        found = answer.json()
        assert len(found) == 100
        for card in found:
            assert list(card) == FIELDS
            for name, value in card.items():
                assert isinstance(value, str) or (value is None and name in OPTIONAL), (name, value)
        assert client.get("/search").json() == found


def test_what_else_a_client_may_ask(cards: ServerProcess) -> None:
    with httpx.Client(base_url=cards.url) as client:
        index = client.get("/")
        assert index.status_code == 200
        assert 'href="/search"' in index.text
        assert client.get("/nowhere").status_code == 404
        assert client.post("/search").status_code == 405
        assert client.head("/search").headers["content-type"] == client.get("/search").headers["content-type"]


@pytest.fixture
def typed_cards(serve: Serve) -> ServerProcess:
    return serve("api:app", app_dir=APPS.parents[2] / "examples" / "cards")


def test_the_typed_one_gives_the_same_cards(typed_cards: ServerProcess, cards: ServerProcess) -> None:
    with httpx.Client() as client:
        assert client.get(f"{typed_cards.url}/search").json() == client.get(f"{cards.url}/search").json()


def test_the_typed_one_has_a_docs_page(typed_cards: ServerProcess) -> None:
    with httpx.Client(base_url=typed_cards.url) as client:
        assert client.get("/").headers["location"] == "/docs"
        assert "swagger" in client.get("/docs").text.lower()
        schema = client.get("/openapi.json").json()
        assert list(schema["components"]["schemas"]["Card"]["properties"]) == FIELDS
