"""What routes say for the document: operations, parameters, bodies, answers, one rule each."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, TypedDict

import openapi_spec_validator
import pydantic
import pytest

from lanner.native.app import App
from lanner.native.fastapi import FastAPI
from lanner.native.openapi import behind
from lanner.native.openapi_values import jsonable
from lanner.native.params import Body, Cookie, Header, Query
from lanner.native.requests import Request
from lanner.native.routing import Router
from lanner.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from lanner.testing import TestClient


class Tag(enum.Enum):
    CARDS = "cards"


@dataclasses.dataclass
class Card:
    name: str
    power: int | None = None


def operation(endpoint: Callable[..., Any], path: str = "/", method: str = "get", **said: Any) -> Any:
    """The operation of an app that has this route alone; the whole document is valid."""
    app = App()
    getattr(app, method)(path, **said)(endpoint)
    described = app.openapi()
    openapi_spec_validator.validate(described)
    (item,) = described["paths"].values()
    return item[method]


def content(written: Any, status: str = "200") -> Any:
    return written["responses"][status].get("content")


# ---- operations


def test_a_function_says_summary_description_and_id() -> None:
    def all_cards(set_code: str) -> None:
        """All cards.

            Indented.
        \f
        For us.
        """

    written = operation(all_cards, "/sets/{set_code}/cards")
    assert written["summary"] == "All Cards"
    assert written["description"] == "All cards.\n\n    Indented."
    assert written["operationId"] == "all_cards_sets__set_code__cards_get"


def test_what_the_decorator_says_wins() -> None:
    def cards() -> None:
        """Not this."""

    said = {"summary": "S", "description": "D", "operation_id": "cards", "tags": [Tag.CARDS, "b"], "deprecated": True}
    written = operation(cards, **said)
    assert {name: written[name] for name in written if name != "responses"} == {
        "summary": "S",
        "description": "D",
        "operationId": "cards",
        "tags": ["cards", "b"],
        "deprecated": True,
    }
    assert operation(cards, name="others")["operationId"] == "others__get"


def test_each_method_has_an_id_of_its_own() -> None:
    """FastAPI gives one to all, and warns."""
    app = App()

    @app.api_route("/cards", methods=["GET", "POST", "PURGE"])
    def cards() -> None: ...

    item = app.openapi()["paths"]["/cards"]
    assert [(method, written["operationId"]) for method, written in item.items()] == [
        ("get", "cards_cards_get"),
        ("post", "cards_cards_post"),
    ]  # OpenAPI 3.1 has no PURGE


def test_two_of_one_id_are_warned_of() -> None:
    app = App()
    app.get("/a", operation_id="same")(lambda: None)
    app.get("/b", operation_id="same")(lambda: None)
    with pytest.warns(UserWarning, match=r"Duplicate Operation ID same: .*<lambda>\(\) and .*; give each one"):
        app.openapi()


def test_routes_that_are_not_shown_are_left_out() -> None:
    app = App()
    router = Router(include_in_schema=False)
    app.get("/a", include_in_schema=False)(lambda: None)
    router.get("/b")(lambda: None)
    app.include_router(router)
    app.include_router(router, prefix="/more", include_in_schema=False)
    assert app.openapi()["paths"] == {}


def test_converters_are_no_part_of_a_path() -> None:
    app = App()

    @app.get("/files/{rest:path}")
    def file(rest: str) -> None: ...

    (path,) = app.openapi()["paths"]
    assert path == "/files/{rest}"


def test_a_route_on_a_host_says_its_server() -> None:
    app = App()

    @app.get("/", host="{tenant}.shop.example")
    def tenant(tenant: str) -> None: ...

    @app.get("/", host="shop.example")
    def home() -> None: ...

    described = app.openapi()
    openapi_spec_validator.validate(described)
    written = described["paths"]["/"]["get"]
    assert written["operationId"] == "tenant__get"  # the first: a path has one operation of a method
    assert written["servers"] == [
        {"url": "//{tenant}.shop.example", "variables": {"tenant": {"default": "tenant"}}},
    ]
    assert "parameters" not in written


def test_openapi_extra_is_merged_at_every_depth() -> None:
    extra = {
        "x-limit": Decimal(3),
        "tags": ["more"],
        "responses": {"200": {"description": "Fine", "headers": {"X-A": {"schema": {"type": "string"}}}}},
        "requestBody": {"content": {"text/csv": {"schema": {"type": "string"}}}},
    }
    written = operation(lambda: None, method="post", tags=["first"], openapi_extra=extra)
    assert written["tags"] == ["first", "more"]
    assert written["responses"]["200"].keys() == {"description", "headers", "content"}
    assert written["responses"]["200"]["description"] == "Fine"
    assert "text/csv" in written["requestBody"]["content"]


def test_callbacks_and_webhooks_may_have_addresses_that_nobody_fills() -> None:
    app, asked = App(), Router()

    @asked.post("{$request.query.url}/paid/{$response.body.id}/{card_id}")
    def paid(card_id: int, card: Card) -> Card: ...

    @app.post("/orders", callbacks=asked.routes)
    def order(url: str) -> None: ...

    @app.post("/more", callbacks=[asked])
    def more(url: str) -> None: ...

    @app.webhooks.post("card-sold")
    def sold(card: Card) -> None:
        """A card was sold."""

    described = app.openapi()
    openapi_spec_validator.validate(described)
    for path in ("/orders", "/more"):
        (address,) = described["paths"][path]["post"]["callbacks"]["paid"]
        assert address == "{$request.query.url}/paid/{$response.body.id}/{card_id}"
    assert described["webhooks"]["card-sold"]["post"]["description"] == "A card was sold."


# ---- the app


def test_the_app_says_info_servers_and_tags() -> None:
    app = App(
        title="T",
        version="1",
        summary="S",
        description="""
            D
              more
        """,
        terms_of_service="https://t",
        contact={"name": "N"},
        license_info={"name": "MIT"},
        servers=[{"url": "/v1"}],
        openapi_tags=[{"name": "a", "externalDocs": {"url": "https://d"}}],
    )
    described = app.openapi()
    assert described["info"] == {
        "title": "T",
        "summary": "S",
        "description": "D\n  more",
        "termsOfService": "https://t",
        "contact": {"name": "N"},
        "license": {"name": "MIT"},
        "version": "1",
    }
    assert described["tags"] == [{"name": "a", "externalDocs": {"url": "https://d"}}]
    assert behind(described, "/v1") is described
    assert behind(described, "/app")["servers"] == [{"url": "/app"}, {"url": "/v1"}]
    assert described["servers"] == [{"url": "/v1"}]


# ---- parameters


def parameters(endpoint: Callable[..., Any], path: str = "/") -> dict[str, Any]:
    return {one["name"]: one for one in operation(endpoint, path).get("parameters", ())}


def test_what_is_said_of_a_parameter_is_in_its_schema_and_beside_it() -> None:
    def search(
        q: Annotated[str, Query(title="Text", description="D", deprecated="use p", examples=["a"], min_length=2)],
    ) -> None: ...

    assert parameters(search)["q"] == {
        "name": "q",
        "in": "query",
        "required": True,
        "schema": {
            "type": "string",
            "minLength": 2,
            "title": "Text",
            "description": "D",
            "deprecated": True,
            "examples": ["a"],
        },
        "description": "D",
        "deprecated": True,
    }


def test_what_others_say_in_annotated_counts() -> None:
    def search(q: Annotated[str, pydantic.Field(description="D", max_length=3, deprecated=True)] = "a") -> None: ...

    found = parameters(search)["q"]
    assert (found["description"], found["deprecated"], found["schema"]["maxLength"]) == ("D", True, 3)


def test_examples_of_a_parameter() -> None:
    def search(
        a: Annotated[datetime.date, Query(example=datetime.date(2024, 1, 2))],
        b: Annotated[Tag, Query(openapi_examples={"one": {"value": Tag.CARDS, "summary": "S"}})],
    ) -> None: ...

    found = parameters(search)
    assert found["a"]["example"] == "2024-01-02"
    assert found["b"]["examples"] == {"one": {"value": "cards", "summary": "S"}}


def test_a_default_is_written_as_json_has_it_and_none_is_none() -> None:
    def search(day: datetime.date = datetime.date(2024, 1, 2), tag: Tag = Tag.CARDS, q: str | None = None) -> None: ...

    found = parameters(search)
    assert found["day"]["schema"]["default"] == "2024-01-02"
    assert found["tag"]["schema"] == {"$ref": "#/components/schemas/Tag", "default": "cards"}
    assert "default" not in found["q"]["schema"]
    assert not any(one["required"] for one in found.values())


def test_headers_are_named_as_they_are_sent() -> None:
    def read(
        x_token: Annotated[str, Header()],
        as_is: Annotated[str, Header(convert_underscores=False)],
        other: Annotated[str, Header(alias="X-Other")],
        session_id: Annotated[str, Cookie()],
    ) -> None: ...

    found = parameters(read)
    assert [(one["in"], name) for name, one in found.items()] == [
        ("header", "x-token"),
        ("header", "as_is"),
        ("header", "X-Other"),
        ("cookie", "session_id"),
    ]


@pytest.mark.parametrize("kind", ["dataclass", "pydantic", "optional"])
def test_a_model_of_parameters_is_one_for_each_field(kind: str) -> None:
    class Filter(pydantic.BaseModel):
        limit: Annotated[int, pydantic.Field(ge=1, description="How many")]
        sort_by: str = "name"
        own: Annotated[str, pydantic.Field(alias="own_name")] = ""

    @dataclasses.dataclass
    class Rows:
        limit: Annotated[int, pydantic.Field(ge=1, description="How many")]
        sort_by: str = "name"
        own: Annotated[str, pydantic.Field(alias="own_name")] = ""

    model: Any = {"dataclass": Rows, "pydantic": Filter, "optional": Rows | None}[kind]

    def search(given: Any) -> None: ...

    search.__annotations__["given"] = Annotated[model, Header()]
    if kind == "optional":
        search.__defaults__ = (None,)
    found = parameters(search)
    assert list(found) == ["limit", "sort-by", "own_name"]
    assert found["limit"]["required"] is (kind != "optional")
    assert found["limit"]["description"] == "How many"
    assert found["limit"]["schema"]["minimum"] == 1
    assert found["sort-by"]["schema"]["default"] == "name"


def test_a_dict_of_all_parameters_names_none() -> None:
    def search(given: Annotated[dict[str, str], Query()]) -> None: ...

    assert parameters(search) == {}


def test_what_is_hidden_or_given_by_type_is_left_out() -> None:
    def search(
        request: Request, response: Response, q: Annotated[str, Query(include_in_schema=False)] = ""
    ) -> None: ...

    assert parameters(search) == {}


# ---- bodies


def test_a_body_of_one_and_of_several() -> None:
    def one(card: Card) -> None: ...

    def several(card: Card, count: Annotated[int, Body()], note: Annotated[str, Body()] = "") -> None: ...

    assert operation(one, method="post")["requestBody"] == {
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Card"}}},
        "required": True,
    }
    app = App()
    app.post("/")(several)
    component = app.openapi()["components"]["schemas"]["Body_several__post"]
    assert component["required"] == ["card", "count"]
    assert component["properties"] == {
        "card": {"$ref": "#/components/schemas/Card"},
        "count": {"type": "integer", "title": "Count"},
        "note": {"type": "string", "title": "Note", "default": ""},
    }


def test_what_body_says_is_there() -> None:
    def add(
        card: Annotated[
            Card, Body(media_type="application/x-card", examples=[Card("Opt")], description="D", title="T")
        ] = Card("x"),  # noqa: B008
    ) -> None: ...

    (media_type, said), *_ = operation(add, method="put")["requestBody"]["content"].items()
    assert media_type == "application/x-card"
    assert said["schema"] == {
        "$ref": "#/components/schemas/Card",
        "title": "T",
        "description": "D",
        "examples": [{"name": "Opt", "power": None}],
        "default": {"name": "x", "power": None},
    }
    assert "required" not in operation(add, method="put")["requestBody"]


# ---- answers


def test_return_type_model_or_nothing() -> None:
    def cards() -> list[Card]: ...

    def unsaid(): ...

    def nothing() -> None: ...

    schema = {"type": "array", "items": {"$ref": "#/components/schemas/Card"}, "title": "Response Cards  Get"}
    assert content(operation(cards)) == {"application/json": {"schema": schema}}
    assert content(operation(unsaid)) == {"application/json": {"schema": {}}}
    assert content(operation(cards, response_model=None)) == {"application/json": {"schema": {}}}
    assert content(operation(nothing, status_code=204), "204") is None
    assert content(operation(cards, response_model=Card))["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Card"
    }


def test_a_response_class_says_media_type_and_status() -> None:
    class Csv(Response):
        media_type = "text/csv"

    def rows(): ...

    text = {"schema": {"type": "string"}}
    assert content(operation(rows, response_class=HTMLResponse)) == {"text/html": text}
    assert content(operation(rows, response_class=Csv)) == {"text/csv": text}
    assert list(operation(rows, response_class=RedirectResponse)["responses"]) == ["307"]
    assert content(operation(rows, response_class=RedirectResponse, status_code=303), "303") is None

    def packed(value: Any) -> bytes:
        return b""

    assert content(operation(rows, response_class=packed)) == {"application/json": {"schema": {}}}
    packed.media_type = "application/x-msgpack"  # type: ignore[attr-defined]
    assert content(operation(rows, response_class=packed)) == {"application/x-msgpack": {"schema": {}}}


def test_a_handler_that_makes_its_answer_says_so_by_its_type() -> None:
    """FastAPI calls all of these JSON."""

    def page() -> HTMLResponse: ...

    def text() -> PlainTextResponse: ...

    def moved() -> RedirectResponse: ...

    def data() -> JSONResponse: ...

    def any_of_them() -> Response: ...

    def or_a_card() -> Card | JSONResponse: ...

    assert list(content(operation(page))) == ["text/html"]
    assert list(content(operation(text))) == ["text/plain"]
    assert list(operation(moved)["responses"]) == ["307"]
    for endpoint in (data, any_of_them, or_a_card):
        assert content(operation(endpoint)) == {"application/json": {"schema": {}}}


def test_more_answers() -> None:
    def card(card_id: int) -> Card: ...

    responses = {
        404: {"model": Card},
        "5xx": {"model": list[Card], "content": {"application/json": {"example": [Card("a")]}}},
        200: {"description": "Found", "links": {"next": {"operationId": "card"}}},
        "default": {"description": "Else"},
        499: {},
    }
    written = operation(card, "/{card_id}", responses=responses)["responses"]
    assert list(written) == ["200", "404", "5XX", "default", "499"]  # no 422: the default says
    assert written["404"]["description"] == "Not Found"
    assert written["5XX"]["description"] == "Server Error"
    assert written["5XX"]["content"]["application/json"]["example"] == [{"name": "a", "power": None}]
    assert written["200"] == {
        "description": "Found",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Card"}}},
        "links": {"next": {"operationId": "card"}},
    }
    assert written["499"]["description"] == "Additional Response"


def test_a_422_is_there_where_something_is_read() -> None:
    def reads(q: str = "") -> None: ...

    def reads_nothing(request: Request) -> None: ...

    assert operation(reads)["responses"]["422"]["description"] == "Validation Error"
    assert "422" not in operation(reads_nothing)["responses"]
    assert operation(reads, responses={422: {"description": "Mine"}})["responses"]["422"] == {"description": "Mine"}
    assert "422" not in operation(reads, responses={"4XX": {"description": "Mine"}})["responses"]


def test_malformed_json_is_answered_where_a_body_is_read() -> None:
    def add(card: Card) -> None: ...

    written = operation(add, method="post")["responses"]
    assert list(written) == ["200", "400", "422"]
    assert written["400"]["description"] == "Malformed JSON"
    mine = {"description": "Mine"}
    assert operation(add, method="post", responses={400: mine})["responses"]["400"] == mine
    assert list(operation(add, method="post", responses={"default": mine})["responses"]) == ["200", "default"]
    app = App()
    app.webhooks.post("sold")(add)
    assert list(app.openapi()["webhooks"]["sold"]["post"]["responses"]) == ["200", "422"]  # another server's


def test_the_mode_that_answers_malformed_json_with_a_422_lists_no_400() -> None:
    app = FastAPI()

    @app.post("/cards")
    def add(card: Card) -> None: ...

    assert list(app.openapi()["paths"]["/cards"]["post"]["responses"]) == ["200", "422"]
    assert TestClient(app).post("/cards", content="{", headers={"Content-Type": "application/json"}).status_code == 422


def test_a_partial_and_an_object_are_described() -> None:
    def card(card_id: int, q: str = "") -> Card:
        """One card."""

    class Handler:
        def __call__(self, card_id: int) -> Card: ...

    written = operation(functools.partial(card, q="a"), "/{card_id}", name="partial")
    assert written["summary"] == "Partial"
    assert operation(Handler(), "/{card_id}")["operationId"] == "Handler__card_id__get"


def test_values_become_json() -> None:
    class Model(pydantic.BaseModel):
        day: datetime.date

    class Plain(TypedDict):
        a: int

    values = {Tag.CARDS: [Model(day=datetime.date(2024, 1, 2)), {1}], "b": (Plain(a=1), Decimal("1.5"), None, True)}
    assert jsonable(values) == {"cards": [{"day": "2024-01-02"}, [1]], "b": [{"a": 1}, "1.5", None, True]}
