"""examples/cards: the API as its README says it is."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "cards"
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


@pytest.fixture
def app(imports: None, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("falcon")
    pytest.importorskip("orjson")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    return importlib.import_module("app")


def test_search_returns_the_100_cards(app: ModuleType) -> None:
    from falcon import testing

    answer = testing.TestClient(app.app).simulate_get("/search")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json == app.CARDS
    assert len(answer.json) == 100
    assert [list(card) for card in answer.json] == [FIELDS] * 100


def test_optional_fields_are_text_or_null(app: ModuleType) -> None:
    for card in app.CARDS:
        assert all(isinstance(card[name], str) for name in FIELDS if name not in ("power", "toughness", "oracle_text"))
    for name in ("power", "toughness", "oracle_text"):
        kinds = {type(card[name]) for card in app.CARDS}
        assert kinds == {str, type(None)}, name


def test_the_cards_are_the_same_every_time(app: ModuleType) -> None:
    data = importlib.import_module("card_data")
    assert data.make_cards() == data.make_cards() == app.CARDS


def test_the_index_says_what_to_open(app: ModuleType) -> None:
    from falcon import testing

    answer = testing.TestClient(app.app).simulate_get("/")
    assert answer.headers["content-type"].startswith("text/html")
    assert 'href="/search"' in answer.text
