"""The OpenAPI document: valid, and FastAPI's but for what docs/openapi.md says."""

from __future__ import annotations

import json
from typing import Any

import fastapi
import openapi_spec_validator
import pytest

from lanner.native.openapi import document
from tests.support import openapi_shop as shop
from tests.support.openapi_names import FASTAPI, LANNER

Place = tuple[str, ...]
Difference = tuple[Place, Any, Any]


def answer(path: str, method: str, status: str) -> Place:
    return ("paths", path, method, "responses", status, "content", "application/json", "schema")


NULL = {"type": "null", "title": "Response Optional Optional Put"}
PETS = [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
TAGS = {
    "propertyName": "type",
    "mapping": {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"},
}
# What docs/openapi.md says of FastAPI's document: a place, what FastAPI has there and what Lanner has.
DIFFERENCES: list[Difference] = [
    (("info", "contact", "url"), "https://shop.example/", "https://shop.example"),
    (answer("/optional", "put", "200"), {}, NULL),
    (
        ("components", "schemas", "Card", "description"),
        "A card.\n\nWith more to say.\n",
        "A card.\n\nWith more to say.",
    ),
]
OF_DATACLASSES: list[Difference] = [
    *DIFFERENCES,
    (
        answer("/pet", "post", "200"),
        {"anyOf": PETS, "title": "Response Pet Pet Post"},
        {"oneOf": PETS, "discriminator": TAGS, "title": "Response Pet Pet Post"},
    ),
]


def comparable(value: Any, key: str = "") -> Any:
    """Parameters by their names, and lists without an order sorted."""
    if isinstance(value, dict):
        return {name: comparable(item, name) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    if key == "parameters":
        return {f"{item['in']} {item['name']}": comparable(item) for item in value}
    items = [comparable(item) for item in value]
    return sorted(items, key=str) if key in ("required", "enum") else items


def take_malformed(described: Any) -> None:
    """Takes the 400 of malformed JSON away from all that read a body; FastAPI has a 422 for that."""
    reference = {"$ref": "#/components/schemas/HTTPError"}
    malformed = {"description": "Malformed JSON", "content": {"application/json": {"schema": reference}}}
    for item in described["paths"].values():
        for operation in item.values():
            if "requestBody" in operation:
                assert operation["responses"].pop("400") == malformed
            assert "400" not in operation["responses"]
    assert described["components"]["schemas"].pop("HTTPError")["required"] == ["detail"]


def parent(described: Any, place: Place) -> Any:
    for key in place[:-1]:
        described = described[key]
    return described


@pytest.mark.filterwarnings("ignore:.*email")
@pytest.mark.parametrize(
    ("models", "differences"),
    [
        pytest.param(shop.PYDANTIC, DIFFERENCES, id="pydantic"),
        pytest.param(shop.dataclasses_of_the_shop(), OF_DATACLASSES, id="dataclasses"),
    ],
)
def test_the_document_is_fastapis(models: Any, differences: list[Difference]) -> None:
    theirs = json.loads(json.dumps(shop.build(FASTAPI, shop.PYDANTIC).openapi()))
    ours = json.loads(json.dumps(shop.build(LANNER, models).openapi()))
    take_malformed(ours)
    for place, has, have in differences:
        assert (parent(theirs, place)[place[-1]], parent(ours, place)[place[-1]]) == (has, have)
        parent(theirs, place)[place[-1]] = have
    assert comparable(ours) == comparable(theirs)


@pytest.mark.parametrize("models", [shop.PYDANTIC, shop.dataclasses_of_the_shop()], ids=["pydantic", "dataclasses"])
def test_the_document_is_valid(models: Any) -> None:
    described = shop.build(LANNER, models).openapi()
    openapi_spec_validator.validate(described)
    assert json.loads(json.dumps(described)) == described  # plain JSON


def test_paths_components_parameters_and_answers_are_in_fastapis_order() -> None:
    theirs, ours = shop.build(FASTAPI, shop.PYDANTIC).openapi(), shop.build(LANNER, shop.PYDANTIC).openapi()
    take_malformed(ours)
    assert list(ours["paths"]) == list(theirs["paths"])
    assert list(ours["components"]["schemas"]) == list(theirs["components"]["schemas"])
    for path, item in theirs["paths"].items():
        for method, operation in item.items():
            written = ours["paths"][path][method]
            assert list(written["responses"]) == list(operation["responses"])
            names = [parameter["name"] for parameter in operation.get("parameters", ())]
            assert [parameter["name"] for parameter in written.get("parameters", ())] == names


def test_an_empty_app_has_a_document() -> None:
    app = LANNER.App(title="Empty", version="1")
    assert document(app) == {"openapi": "3.1.0", "info": {"title": "Empty", "version": "1"}, "paths": {}}
    openapi_spec_validator.validate(document(app))
    assert document(app)["openapi"] == fastapi.FastAPI(title="Empty", version="1").openapi()["openapi"]


def test_the_document_is_kept_until_there_is_a_new_route() -> None:
    app = LANNER.App()
    described = app.openapi()
    described["info"]["x-logo"] = {"url": "/logo.png"}
    assert app.openapi() is described

    @app.get("/new")
    def new() -> int:
        return 1

    assert list(app.openapi()["paths"]) == ["/new"]
