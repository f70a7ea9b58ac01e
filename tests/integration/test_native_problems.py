"""Problem details (RFC 9457), and all work after one answer: the engine and the ASGI application say the same."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest
from test_native import Client

from tests.support.server import Server, until

APPS = Path(__file__).with_name("apps")
JSON = {"Content-Type": "application/json"}
MALFORMED = "The body is not JSON: a value is expected: line 1 column 1 (byte 0)"


@pytest.fixture(scope="module", params=["engine", "asgi"])
def ask(request: pytest.FixtureRequest) -> Iterator[Client]:
    if request.param == "engine":
        with Server("native_problems:app", cwd=APPS) as server:
            yield Client(server)
        return
    sys.path.insert(0, str(APPS))
    try:
        import native_problems

        yield Client(None, native_problems.app)
    finally:
        sys.path.remove(str(APPS))


@pytest.mark.parametrize(
    ("method", "target", "options", "problem"),
    [
        ("GET", "/nope", {}, {"title": "Not Found", "status": 404}),
        ("GET", "/cards/1", {}, {"title": "Not Found", "status": 404}),
        ("GET", "/cards/2", {}, {"title": "Conflict", "status": 409, "detail": "taken"}),
        ("GET", "/cards/3", {}, {"title": "Internal Server Error", "status": 500}),
        ("PUT", "/cards", {}, {"title": "Method Not Allowed", "status": 405}),
        ("POST", "/cards", {"content": b"x" * 101, "headers": JSON}, {"title": "Content Too Large", "status": 413}),
        ("POST", "/cards", {"content": b"x" * 500_000, "headers": JSON}, {"title": "Content Too Large", "status": 413}),
        (
            "POST",
            "/cards",
            {"content": b"{}", "headers": {"Content-Type": "text/plain"}},
            {"title": "Unsupported Media Type", "status": 415},
        ),
        (
            "POST",
            "/cards",
            {"content": b"]", "headers": JSON},
            {"title": "Bad Request", "status": 400, "detail": MALFORMED},
        ),
    ],
)
def test_errors_are_problems(
    ask: Client, method: str, target: str, options: dict[str, Any], problem: dict[str, Any]
) -> None:
    response = ask(method, target, **options)
    assert response.status_code == problem["status"]
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == problem


@pytest.mark.parametrize(
    ("method", "target", "options", "locs"),
    [
        ("GET", "/cards/x", {}, [["path", "card_id"]]),
        ("POST", "/cards", {"json": {}}, [["body", "name"]]),
    ],
)
def test_what_does_not_fit_is_one_problem(
    ask: Client, method: str, target: str, options: dict[str, Any], locs: list[list[str]]
) -> None:
    response = ask(method, target, **options)
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert [error["loc"] for error in problem.pop("errors")] == locs
    assert problem == {"title": "Unprocessable Content", "status": 422}


def test_fields_are_kept(ask: Client) -> None:
    assert ask("GET", "/cards/2").headers["x-taken"] == "yes"
    assert ask("PUT", "/cards").headers["allow"] == "OPTIONS, POST"


def test_the_document_says_so(ask: Client) -> None:
    described = ask("GET", "/openapi.json").json()
    openapi_spec_validator.validate(described)
    for status in ("400", "422"):
        content = described["paths"]["/cards"]["post"]["responses"][status]["content"]
        assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def test_all_that_was_to_be_done_after_the_answer_is_done(ask: Client) -> None:
    before = len(ask("GET", "/done").json())
    assert ask("POST", "/later").status_code == 200
    until(lambda: ask("GET", "/done").json()[before:] == ["own", "task", "deferred"], "all three")
