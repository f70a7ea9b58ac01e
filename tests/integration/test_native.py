"""A native application: the same answers from the engine, and as an ASGI application under any client of ASGI."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lanner.testing import TestClient
from tests.support.server import Server, until

APPS = Path(__file__).with_name("apps")
UUID = "0b6f7c9e-1c3d-4b8e-9f2a-5d6c7b8a9e0f"


class Client:
    """Requests over sockets to `lanner run`, or to the app's own __call__."""

    def __init__(self, server: Server | None, app: Any = None) -> None:
        self.server = server
        self.app = app
        self.base = f"http://127.0.0.1:{server.address[1]}" if server else "http://127.0.0.1"  # type: ignore[index]

    def __call__(self, method: str, target: str, **options: Any) -> httpx.Response:
        if self.server:
            with httpx.Client(base_url=self.base) as client:
                return client.request(method, target, **options)
        with TestClient(self.app, self.base, raise_server_exceptions=False, follow_redirects=False) as client:
            return client.request(method, target, **options)


@pytest.fixture(scope="module", params=["engine", "asgi"])
def ask(request: pytest.FixtureRequest) -> Iterator[Client]:
    if request.param == "engine":
        with Server("native_app:app", cwd=APPS) as server:
            yield Client(server)
        return
    sys.path.insert(0, str(APPS))
    try:
        import native_app

        yield Client(None, native_app.app)
    finally:
        sys.path.remove(str(APPS))


@pytest.mark.parametrize(
    ("method", "target", "status", "answer"),
    [
        ("GET", "/async", 200, "Hello, World!"),
        ("GET", "/", 200, "Hello, World!"),
        ("GET", "/sleep", 200, {"slept": True}),
        ("GET", "/cards/3", 200, {"name": "Opt", "cost": 3, "tags": None}),
        ("GET", "/cards/%33", 200, {"name": "Opt", "cost": 3, "tags": None}),
        ("GET", "/cards/404", 404, {"detail": "no such card"}),
        ("GET", "/files/a/b%2Fc/d.txt", 200, {"path": "a/b/c/d.txt"}),
        ("GET", f"/typed/07/{UUID}", 200, {"number": "7", "key": UUID}),
        ("GET", "/typed/x/1", 404, {"detail": "Not Found"}),
        ("GET", "/nope", 404, {"detail": "Not Found"}),
        ("GET", "//cards/3", 404, {"detail": "Not Found"}),
        ("POST", "/", 405, {"detail": "Method Not Allowed"}),
        ("GET", "/filters?q=opt", 200, {"q": "opt", "limit": 20, "sort": "name"}),
        ("GET", "/filters?sort=cost&q=opt&limit=5&q=last", 200, {"q": "last", "limit": 5, "sort": "cost"}),
        ("GET", "/json-text", 200, "text"),
        ("GET", "/nothing", 200, None),
        ("GET", "/html", 200, "<p>caf\u00e9</p>"),
        ("GET", "/without-defaults", 200, {"name": "Opt"}),
        ("GET", "/filtered", 200, {"name": "Opt", "cost": 1}),
        ("GET", "/teapot", 418, {"teapot": "short", "path": "/teapot"}),
        ("GET", "/teapot?later=1", 418, {"teapot": "short", "path": "/teapot"}),
        ("GET", "/admin/users/caf%C3%A9", 200, "caf\u00e9"),
        ("GET", "/pool", 200, False),
    ],
)
def test_answers(ask: Client, method: str, target: str, status: int, answer: object) -> None:
    response = ask(method, target)
    assert response.status_code == status
    json = response.headers["content-type"] == "application/json"
    assert (response.json() if json else response.text) == answer


def test_every_kind_of_query_parameter(ask: Client) -> None:
    target = (
        "/query?text=caf%C3%A9+au%20lait&number=5&ratio=1.5&flag=on&day=2026-12-01&color=blue&price=1.10"
        "&tags=a&tags=b&other-name=xy"
    )
    assert ask("GET", target).json() == {
        "text": "caf\u00e9 au lait",
        "number": 5,
        "ratio": 1.5,
        "flag": True,
        "day": "2026-12-01",
        "color": "blue",
        "price": "1.10",
        "tags": ["a", "b", "end"],
        "alias": "xy",
    }


def test_a_default_is_the_same_for_each_request(ask: Client) -> None:
    for _ in range(3):
        assert ask("GET", "/query?text=a").json()["tags"] == ["end"]


def test_all_errors_of_a_request_are_in_one_list(ask: Client) -> None:
    response = ask("GET", "/query?number=x&ratio=nan&flag=maybe&color=green&other-name=y")
    assert response.status_code == 422
    assert [(error["loc"], error["type"]) for error in response.json()["detail"]] == [
        (["query", "text"], "missing"),
        (["query", "number"], "int_parsing"),
        (["query", "ratio"], "float_parsing"),
        (["query", "flag"], "bool_parsing"),
        (["query", "color"], "enum"),
        (["query", "other-name"], "string_too_short"),
    ]


def test_errors_of_a_whole_model_name_its_fields(ask: Client) -> None:
    detail = ask("GET", "/filters?limit=0&sort=age").json()["detail"]
    assert [(error["loc"], error["type"]) for error in detail] == [
        (["query", "q"], "missing"),
        (["query", "limit"], "greater_than_equal"),
        (["query", "sort"], "literal_error"),
    ]


def test_a_part_of_the_path_is_checked(ask: Client) -> None:
    response = ask("GET", "/cards/0")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["path", "card_id"]
    assert ask("GET", "/cards/x").json()["detail"][0]["type"] == "int_parsing"


def test_fields_and_cookies(ask: Client) -> None:
    headers = [
        ("User-Agent", b"caf\xe9"),
        ("X-Many", "a"),
        ("x-many", "b"),
        ("Cookie", 'session="one two"; other=3'),
    ]
    assert ask("GET", "/head", headers=headers).json() == {
        "user_agent": "caf\u00e9",
        "x_many": ["a", "b"],
        "session": "one two",
    }


def test_a_body(ask: Client) -> None:
    response = ask("POST", "/cards", json={"name": "Opt", "tags": ["a"]})
    assert (response.status_code, response.json()) == (201, {"name": "Opt", "cost": 0, "tags": ["a"]})


def test_a_body_in_pieces(ask: Client) -> None:
    response = ask("POST", "/cards", content=iter([b'{"name":', b' "Opt"}']) if ask.server else b'{"name": "Opt"}')
    assert (response.status_code, response.json()["name"]) == (201, "Opt")


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"name": 1}, [(["body", "name"], "string_type")]),
        ({"cost": "x"}, [(["body", "name"], "missing"), (["body", "cost"], "int_type")]),
        ([], [(["body"], "dataclass_type")]),
        ({"name": "a", "tags": ["b", 3]}, [(["body", "tags", 1], "string_type")]),
    ],
)
def test_a_body_that_does_not_fit(ask: Client, body: object, errors: list[object]) -> None:
    response = ask("POST", "/cards", json=body)
    assert response.status_code == 422
    assert [(error["loc"], error["type"]) for error in response.json()["detail"]] == errors


def test_no_body(ask: Client) -> None:
    response = ask("POST", "/cards")
    assert response.status_code == 422
    assert response.json() == {"detail": [{"type": "missing", "loc": ["body"], "msg": "Field required", "input": None}]}
    assert ask("POST", "/any").json() is None


def test_a_body_that_is_no_json(ask: Client) -> None:
    response = ask("POST", "/cards", content=b'{"name": "Opt",}')
    assert response.status_code == 400
    assert "line 1 column 16" in response.json()["detail"]


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 201),
        ("APPLICATION/JSON; charset=utf-8", 201),
        ("application/vnd.api+json", 201),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
    ],
)
def test_a_body_of_another_type(ask: Client, content_type: str, status: int) -> None:
    response = ask("POST", "/cards", content=b'{"name": "Opt"}', headers={"Content-Type": content_type})
    assert response.status_code == status


def test_a_route_bounds_its_body(ask: Client) -> None:
    refused = ask("POST", "/small", json={"name": "x" * 200})
    assert (refused.status_code, refused.json()) == (413, {"detail": "Content Too Large"})
    assert ask("POST", "/small", json={"name": "x" * 50}).status_code == 200


def test_several_bodies_are_members_of_one_object(ask: Client) -> None:
    body: dict[str, Any] = {"card": {"name": "Opt"}, "amount": 2}
    assert ask("PUT", "/both", json=body).json() == {"name": "Opt", "amount": 2, "note": "-"}
    body = {"card": {"name": 3}, "amount": 0}
    assert [error["loc"] for error in ask("PUT", "/both", json=body).json()["detail"]] == [
        ["body", "card", "name"],
        ["body", "amount"],
    ]
    assert [error["loc"] for error in ask("PUT", "/both").json()["detail"]] == [["body", "card"], ["body", "amount"]]


def test_an_embedded_body(ask: Client) -> None:
    assert ask("POST", "/embedded", json={"card": {"name": "Opt"}}).json() == "Opt"
    assert ask("POST", "/embedded", json={"name": "Opt"}).json()["detail"][0]["loc"] == ["body", "card"]


def test_a_request_by_type(ask: Client) -> None:
    response = ask("GET", "/request?a=1&b=%20", headers={"User-Agent": "test", "Cookie": "c=2"})
    shown = response.json()
    assert shown.pop("url").endswith("/request?a=1&b=%20")
    assert shown == {
        "method": "GET",
        "query": {"a": "1", "b": " "},
        "agent": "test",
        "cookies": {"c": "2"},
        "pool": "open",
        "shelf": "full",
        "client": True,
    }
    assert ask("POST", "/request/caf%C3%A9", json=[1]).json() == {
        "name": "caf\u00e9",
        "params": {"name": "caf\u00e9"},
        "body": "[1]",
        "json": [1],
    }


def test_a_response_by_type_takes_status_fields_and_cookies(ask: Client) -> None:
    response = ask("GET", "/response")
    assert (response.status_code, response.json(), response.headers["x-cards"]) == (202, {"cards": 3}, "3")
    assert response.headers.get_list("set-cookie") == [
        "seen=1; HttpOnly; Max-Age=60; Path=/; SameSite=lax",
        'more="a b"; Path=/; SameSite=lax',
    ]


def test_answers_that_the_handler_makes(ask: Client) -> None:
    response = ask("GET", "/made")
    assert (response.status_code, response.json(), response.headers["x-made"]) == (203, {"made": True}, "yes")
    response = ask("GET", "/redirect")
    assert (response.status_code, response.headers["location"]) == (303, "/cards/3?a=%C3%A9")


def test_no_content(ask: Client) -> None:
    response = ask("DELETE", "/cards/7")
    assert (response.status_code, response.content) == (204, b"")
    assert "content-length" not in response.headers
    assert "removed 7" in ask("GET", "/ran").json()


def test_head_follows_get(ask: Client) -> None:
    response = ask("HEAD", "/cards/3")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-length"] == str(len(ask("GET", "/cards/3").content))


def test_options_and_allow_list_all_methods_of_a_path(ask: Client) -> None:
    response = ask("OPTIONS", "/cards/3")
    assert (response.status_code, response.headers["allow"]) == (204, "DELETE, GET, HEAD, OPTIONS")
    assert ask("PATCH", "/cards/3").headers["allow"] == "DELETE, GET, HEAD, OPTIONS"


def test_a_slash_too_much_or_too_few_is_a_relative_redirect(ask: Client) -> None:
    response = ask("GET", "/orders?a=1")
    assert (response.status_code, response.headers["location"]) == (307, "/orders/?a=1")
    response = ask("GET", "/cards/3/")
    assert (response.status_code, response.headers["location"]) == (307, "/cards/3")
    assert ask("GET", "/nope/").status_code == 404


def test_names_of_routes(ask: Client) -> None:
    first, second = ask("GET", "/url-for").json()
    assert first == "/cards/3"
    assert second.endswith("/admin/users/a%2Fb%20%C3%A9")


def test_tasks_run_after_the_answer(ask: Client) -> None:
    assert ask("GET", "/tasks?name=a").json() == {"queued": "a"}
    assert ask("GET", "/defer?name=b").json() == "b"
    wanted = {"now a", "later a", "deferred b"}
    until(lambda: wanted <= set(ask("GET", "/ran").json()), "the tasks have run")


def test_each_request_has_a_context_of_its_own(ask: Client) -> None:
    assert [ask("GET", "/context").json() for _ in range(3)] == [1, 1, 1]


def test_a_large_answer(ask: Client) -> None:
    response = ask("GET", "/large?count=2000")
    assert len(response.content) > 65536
    assert response.json()[1999] == {"name": "card 1999", "cost": 1999, "tags": None}


def test_mistakes_of_a_handler_are_a_500_and_a_traceback(ask: Client) -> None:
    for target in ("/boom", "/boom-async", "/wrong"):
        response = ask("GET", target)
        assert (response.status_code, response.text) == (500, "Internal Server Error")
    if ask.server:
        log = ask.server.err.wait(lambda text: "$: Card expected, not int" in text, "the last traceback")
        assert log.count("ZeroDivisionError: boom") == 2
        assert "target=/wrong" in log
