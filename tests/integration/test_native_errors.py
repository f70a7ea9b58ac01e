"""Exception handlers of a native application: nearest class first, statuses, rejections of the router."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_native import Client

from tests.support.server import Server

APPS = Path(__file__).with_name("apps")


@pytest.fixture(scope="module", params=["engine", "asgi"])
def ask(request: pytest.FixtureRequest) -> Iterator[Client]:
    if request.param == "engine":
        with Server("native_errors:app", cwd=APPS) as server:
            yield Client(server)
        return
    sys.path.insert(0, str(APPS))
    try:
        import native_errors

        yield Client(None, native_errors.app)
    finally:
        sys.path.remove(str(APPS))


@pytest.mark.parametrize(
    ("method", "target", "status", "answer"),
    [
        ("GET", "/nope", 404, {"missing": "/nope"}),
        ("GET", "/number/", 404, {"missing": "/number/"}),
        ("POST", "/number", 405, {"status": 405, "why": "Method Not Allowed"}),
        ("GET", "/http/404", 404, {"missing": "/http/404"}),
        ("GET", "/http/418", 418, {"status": 418, "why": "I'm a Teapot"}),
        ("GET", "/number?value=x", 400, {"errors": 1, "body": ""}),
        ("GET", "/lookup", 410, {"lookup": "KeyError"}),
        ("GET", "/other", 500, {"failed": "OSError"}),
    ],
)
def test_who_answers(ask: Client, method: str, target: str, status: int, answer: object) -> None:
    response = ask(method, target)
    assert (response.status_code, response.json()) == (status, answer)


def test_a_rejection_keeps_its_fields(ask: Client) -> None:
    assert ask("POST", "/number").headers["allow"] == "GET, HEAD, OPTIONS"


def test_the_body_of_a_request_that_does_not_fit(ask: Client) -> None:
    body = b'{"a": "x", "b": null}'
    response = ask("POST", "/numbers", content=body)
    assert (response.status_code, response.json()) == (400, {"errors": 2, "body": body.decode()})


def test_a_body_that_is_no_json_is_an_http_exception(ask: Client) -> None:
    response = ask("POST", "/numbers", content=b"{")
    assert response.status_code == 400
    assert response.json()["why"].startswith("The body is not JSON")


def test_what_nobody_expected_is_logged_and_what_is_handled_is_not(ask: Client) -> None:
    if not ask.server:
        pytest.skip("the log of the process that runs the tests")
    since = len(ask.server.err.text)
    ask("GET", "/lookup")
    ask("GET", "/other")
    log = ask.server.err.wait(lambda text: "OSError: disk" in text[since:], "the traceback")
    assert "KeyError" not in log[since:]


def test_an_exception_handler_that_fails_is_a_500(ask: Client) -> None:
    if not ask.server:
        pytest.skip("the exception belongs to the server that runs the app")
    response = ask("GET", "/broken")
    assert response.status_code == 500
    ask.server.err.wait(lambda text: "RuntimeError: the exception handler is broken" in text, "the traceback")


@pytest.mark.parametrize(
    ("target", "status", "location"),
    [
        ("/shop/orders/", 200, None),
        ("/orders/", 200, None),
        ("/shop/orders", 307, "/shop/orders/"),
        ("/shopping/orders/", 404, None),
        ("/shop", 200, None),
    ],
)
def test_routes_are_below_the_root_path(target: str, status: int, location: str | None) -> None:
    with Server("native_app:app", "--root-path", "/shop/", cwd=APPS) as server:
        response = Client(server)("GET", target)
        assert (response.status_code, response.headers.get("location")) == (status, location)


def test_an_answer_that_its_type_forbids_names_route_place_and_type(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(
        "from dataclasses import dataclass\n"
        "from lanner import App\n"
        "app = App()\n"
        "@dataclass\n"
        "class Card:\n"
        "    cost: int\n"
        "@app.get('/cards/{card_id}')\n"
        "def cards(card_id: int) -> list[Card]:\n"
        "    return [Card(1), Card('dear')]\n"
    )
    with Server("wrong:app", cwd=tmp_path) as server:
        assert Client(server)("GET", "/cards/3").status_code == 500
        log = server.wait_for("int expected, not str")
    assert "$[1].cost: int expected, not str" in log
    assert "route=/cards/{card_id} handler=wrong.cards()" in log
