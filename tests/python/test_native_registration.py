"""Mistakes in a handler or route are raised when it is registered, with what to write instead."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from lanner import App, Body, FastAPI, Header, Path, Query, Request, Router
from lanner.native.signature import RouteError
from lanner.testing import TestClient


@dataclass
class Card:
    name: str


def takes_card(card: Card) -> None: ...
def wrong_default(number: int = "x") -> None: ...  # type: ignore[assignment]
def none_default(number: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013
def nothing() -> None: ...
def many(*values: int) -> None: ...
def keywords(**values: int) -> None: ...
def unknown_name(value: "Nope") -> None: ...  # type: ignore[name-defined]  # noqa: F821
def unknown_type(value: complex) -> None: ...
def unknown_answer() -> complex: ...  # type: ignore[empty-body]
def no_path(value: Annotated[int, Path()]) -> None: ...
def path_default(card_id: int = 3) -> None: ...
def path_model(card_id: Card) -> None: ...
def two_sources(value: Annotated[int, Query(), Header()]) -> None: ...
def same_alias(a: Annotated[int, Query(alias="x")], b: Annotated[int, Query(alias="x")]) -> None: ...
def same_header(a: Annotated[int, Header(alias="X-A")], b: Annotated[int, Header(alias="x-a")]) -> None: ...
def same_body(a: Annotated[int, Body(alias="x")], b: Annotated[int, Body(alias="x")]) -> None: ...
def wrong_rule(value: Annotated[int, Query(min_length=3)]) -> None: ...


@pytest.mark.parametrize(
    ("path", "handler", "message"),
    [
        ("/x", takes_card, "card would be read from the body, and GET has none; write Annotated[Card, Query()]"),
        ("/x", wrong_default, "the default 'x' is no int; write a default that is int"),
        ("/x", none_default, "the default None is no int; write int | None"),
        ("/x/{id}", nothing, "the path has {id}, the function no parameter of that name; add `id: str`"),
        ("/x", many, "*values can not be filled from a request"),
        ("/x", keywords, "*values can not be filled from a request"),
        ("/x", unknown_name, "names 'Nope', which is not defined here"),
        ("/x", unknown_type, "value: complex is no type that a schema knows; register_type(complex"),
        ("/x", unknown_answer, "returns complex: complex is no type that a schema knows"),
        ("/x", no_path, "comes from the path, which has no {value}; write it there, or use Query()"),
        ("/x/{card_id}", path_default, "is in the path, so it always has a value; take the default away"),
        ("/x/{card_id}", path_model, "is a part of the path, so it is one scalar, not Card"),
        ("/x", two_sources, "is said to come from Query() and from Header(); keep one"),
        ("/x", same_alias, "a and b are both query 'x'; give one an alias"),
        ("/x", same_header, "a and b are both header 'x-a'; give one an alias"),
        ("/x", wrong_rule, "min_length"),
        ("x", nothing, "a path begins with '/'; write '/x'"),
        ("/{a", nothing, "{"),
        ("/{a:nope}", nothing, "nope"),
        ("/{rest:path}/more", nothing, "rest"),
    ],
)
def test_mistakes(path: str, handler: Any, message: str) -> None:
    app = App()
    with pytest.raises(RouteError) as caught:
        app.get(path)(handler)
    assert message in str(caught.value)


def test_two_bodies_of_one_name() -> None:
    with pytest.raises(RouteError, match="a and b are both body 'x'; give one an alias"):
        App().post("/x")(same_body)


def test_a_route_that_is_there_twice() -> None:
    app = App()
    app.get("/cards/{a}")(lambda a: a)
    with pytest.raises(RouteError, match=r"GET /cards/\{b\} is there twice"):
        app.get("/cards/{b}")(lambda b: b)
    app.post("/cards/{b}")(lambda b: b)
    app.get("/cards/{b:int}")(lambda b: b)
    assert len(app.routes) == 3


def test_of_two_such_routes_the_first_wins_in_fastapi_mode() -> None:
    app = FastAPI()
    app.get("/cards/{a}", summary="first")(lambda a: ["first", a])
    app.get("/cards/{b}", summary="second")(lambda b: ["second", b])
    assert TestClient(app).get("/cards/1").json() == ["first", "1"]
    assert app.openapi()["paths"]["/cards/{a}"]["get"]["summary"] == "first"
    assert list(app.openapi()["paths"]) == ["/cards/{a}"]


def test_a_refused_route_leaves_nothing_behind() -> None:
    app = App()
    with pytest.raises(RouteError):
        app.get("/x")(takes_card)
    app.get("/x")(nothing)
    assert [route.endpoint for route in app.routes] == [nothing]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"tag": ["a"]}, "there is no tag=; did you mean tags=?"),
        ({"response_model_by_alias": False}, "response_model_by_alias=False is not there"),
        ({"response_class": 3}, "response_class=3 is neither a Response class nor a function of the value"),
    ],
)
def test_keywords(said: dict[str, Any], message: str) -> None:
    with pytest.raises(RouteError) as caught:
        App().get("/x", **said)(nothing)
    assert message in str(caught.value)


def test_methods_are_tokens() -> None:
    with pytest.raises(RouteError, match="'GE T' is no method"):
        App().api_route("/x", methods=["GE T"])(nothing)


@pytest.mark.parametrize("prefix", ["x", "/x/", "/"])
def test_prefixes(prefix: str) -> None:
    with pytest.raises(RouteError, match="a prefix begins with '/' and does not end with it"):
        Router(prefix=prefix)


def test_a_router_without_a_path() -> None:
    inner = Router()
    inner.get("")(nothing)
    with pytest.raises(RouteError, match="the path and the prefix are both empty"):
        App().include_router(inner)
    app = App()
    app.include_router(inner, prefix="/cards")
    assert [route.path for route in app.routes] == ["/cards"]


@pytest.mark.parametrize(
    "options",
    [{"sync": "threads"}, {"coerce": "lax"}, {"errors": "some"}, {"duplicate_keys": "all"}, {"slashes": "no"}],
)
def test_options_of_an_app(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        App(**options)  # type: ignore[arg-type]


def test_exception_handlers_are_for_exceptions() -> None:
    with pytest.raises(TypeError, match="a class of exceptions, or a status such as 404"):
        App().exception_handler("404")(nothing)


def test_a_request_may_read_the_path_itself() -> None:
    app = App()

    @app.get("/cards/{card_id}")
    def card(request: Request) -> str:
        return str(request.path_params["card_id"])

    assert app.url_path_for("card", card_id="a b") == "/cards/a%20b"
    with pytest.raises(LookupError, match="nope"):
        app.url_path_for("nope")
    with pytest.raises(LookupError, match="card_id"):
        app.url_path_for("card")
