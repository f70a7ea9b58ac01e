"""What a native application writes: values of all kinds, and parts of response models."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any

import pydantic
import pytest

import lanner
import lanner.json
from lanner.native.selection import selected
from lanner.testing import TestClient

CARD = {
    "name": "Opt",
    "set": {"code": "xln", "size": 279},
    "prints": [{"year": 2017, "foil": True}, {"year": 2020, "foil": False}],
}


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        ({"name"}, None, {"name": "Opt"}),
        (["name", "nope"], None, {"name": "Opt"}),
        (None, {"set", "prints"}, {"name": "Opt"}),
        ({"name", "set"}, {"set"}, {"name": "Opt"}),
        ({"set": {"code"}}, None, {"set": {"code": "xln"}}),
        ({"set": ...}, {"set": {"size": True}}, {"set": {"code": "xln"}}),
        ({"prints": {"__all__": {"year"}}}, None, {"prints": [{"year": 2017}, {"year": 2020}]}),
        ({"prints": {0: {"year"}, -1: True}}, None, {"prints": [{"year": 2017}, {"year": 2020, "foil": False}]}),
        ({"prints": {1}}, None, {"prints": [{"year": 2020, "foil": False}]}),
        ({"prints"}, {"prints": {0: True, 1: {"foil"}}}, {"prints": [{"year": 2020}]}),
        ({"prints"}, {"prints": {"__all__": {"foil"}, 0: {"year"}}}, {"prints": [{}, {"year": 2020}]}),
    ],
)
def test_parts_of_a_value(include: Any, exclude: Any, left: object) -> None:
    assert selected(CARD, include, exclude) == left


def test_names_apply_to_each_item_of_a_list() -> None:
    assert selected([CARD, CARD], {"name"}, None) == [{"name": "Opt"}] * 2


@dataclass
class Card:
    name: str
    cost: int = 0


class Model(pydantic.BaseModel):
    name: str = pydantic.Field(alias="theName")


class Thing:
    def __init__(self) -> None:
        self.name = "thing"
        self._sa_instance_state = object()


VALUES = {
    "model": ([Model(theName="a")], [{"theName": "a"}]),
    "timedelta": (timedelta(hours=1), "PT1H"),
    "bytes": (b"caf\xc3\xa9", "caf\u00e9"),
    "path": (PurePosixPath("/a"), "/a"),
    "keys": ({1: "a"}, {"1": "a"}),
}


@pytest.mark.parametrize("annotation", [None, Any, dict[str, Any]])
@pytest.mark.parametrize("name", VALUES)
def test_values_without_a_type(name: str, annotation: Any) -> None:
    value, expected = VALUES[name]

    def returning():  # type: ignore[no-untyped-def]
        return {"value": value}

    if annotation is not None:
        returning.__annotations__ = {"return": annotation}
    app = lanner.App()
    app.get("/")(returning)
    assert TestClient(app).get("/").json() == {"value": expected}


def test_what_is_no_json_is_an_error_with_its_place() -> None:
    app = lanner.App()
    app.get("/")(lambda: {"a": [Thing()]})
    with pytest.raises(lanner.json.JSONEncodeError, match=r"^\$\.a\[0\]: .*Thing has no form in JSON$"):
        TestClient(app).get("/")


def test_fastapi_writes_the_attributes_of_any_object() -> None:
    app = lanner.FastAPI()
    app.get("/")(lambda: {"a": [Thing()], "b": (number for number in range(2))})
    assert TestClient(app).get("/").json() == {"a": [{"name": "thing"}], "b": [0, 1]}


def test_an_answer_is_converted_by_fastapi_and_refused_by_app() -> None:
    def card() -> Card:
        return {"name": "Opt", "cost": "3", "more": 1}  # type: ignore[return-value]

    def short() -> Card:
        return {"name": "Opt"}  # type: ignore[return-value]

    def wrong() -> Card:
        return {"cost": 3}  # type: ignore[return-value]

    fast, app = lanner.FastAPI(), lanner.App()
    for each in (fast, app):
        each.get("/card")(card)
        each.get("/short")(short)
        each.get("/part", response_model_include={"cost"})(short)
        each.get("/wrong")(wrong)
    assert TestClient(fast).get("/card").json() == {"name": "Opt", "cost": 3}
    assert TestClient(fast).get("/short").json() == {"name": "Opt", "cost": 0}
    assert TestClient(fast).get("/part").json() == {"cost": 0}
    for client, path, error in (
        (TestClient(fast), "/wrong", "$: Card expected, not dict"),
        (TestClient(app), "/card", "$.cost: int expected, not str"),
    ):
        with pytest.raises(lanner.json.JSONEncodeError) as caught:
            client.get(path)
        assert str(caught.value) == error
