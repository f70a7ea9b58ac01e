"""One application, built with FastAPI and with lanner.FastAPI: the names that its definition uses, and who asks it."""

import dataclasses
import re
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx

import lanner
import lanner.responses
from lanner.testing import TestClient
from tests.support.fastapi_differences import DIFFERENCES

NAMES = (
    "APIRouter",
    "BackgroundTasks",
    "Body",
    "Cookie",
    "FastAPI",
    "HTTPException",
    "Header",
    "Path",
    "Query",
    "Request",
    "Response",
)
RESPONSES = ("HTMLResponse", "JSONResponse", "PlainTextResponse", "RedirectResponse")
FIELDS = ("allow", "content-type", "location", "set-cookie", "www-authenticate")
Define = Callable[[Any, Any], None]  # (names, app)


def names_of_fastapi() -> SimpleNamespace:
    import fastapi
    import fastapi.exceptions
    import fastapi.responses

    found = {name: getattr(fastapi, name) for name in NAMES}
    found |= {name: getattr(fastapi.responses, name) for name in RESPONSES}
    return SimpleNamespace(**found, RequestValidationError=fastapi.exceptions.RequestValidationError)


def names_of_lanner() -> SimpleNamespace:
    found = {name: getattr(lanner, name) for name in NAMES}
    found |= {name: getattr(lanner.responses, name) for name in RESPONSES}
    return SimpleNamespace(**found, RequestValidationError=lanner.RequestValidationError)


def build(names: SimpleNamespace, define: Define) -> Any:
    app = names.FastAPI()
    define(names, app)
    return app


@dataclasses.dataclass
class Ask:
    """One request. differs: why the answers are not the same, a key of DIFFERENCES."""

    method: str
    target: str
    differs: str | None
    options: dict[str, Any]

    @property
    def id(self) -> str:
        shown = " ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.method} {self.target} {shown}"[:150].strip()


def ask(method: str, target: str, differs: str | None = None, **options: Any) -> Ask:
    return Ask(method, target, differs, options)


def get(*targets: str, differs: str | None = None, **options: Any) -> list[Ask]:
    return [ask("GET", target, differs, **options) for target in targets]


def post(target: str, *bodies: Any, differs: str | None = None) -> list[Ask]:
    return [ask("POST", target, differs, json=body) for body in bodies]


@dataclasses.dataclass
class Answer:
    """What both must have in common: status, body, and the fields that an application or a client looks at."""

    status: int | None
    body: Any
    fields: list[tuple[str, str]]

    @classmethod
    def of(cls, response: httpx.Response) -> "Answer":
        is_json = response.headers.get("content-type", "").startswith("application/json")
        body = response.json() if is_json and response.content else response.text
        fields = [
            (name, re.sub("expires=[^;]+", "expires=...", value))
            for name, value in response.headers.multi_items()
            if name in FIELDS or name.startswith("x-")
        ]
        return cls(response.status_code, body, sorted(fields))

    def without(self, parts: frozenset[str]) -> "Answer":
        """The answer where these parts do not count."""
        return Answer(
            None if "status" in parts else self.status,
            None if "body" in parts else self.body,
            [pair for pair in self.fields if pair[0] not in parts],
        )


class Twins:
    """The application in both. define: registers its routes. engine: where `lanner run` serves it, too."""

    def __init__(self, define: Define, engine: str | None = None) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # FastAPI's: of httpx, of what is deprecated there
            from fastapi.testclient import TestClient as TheirClient

            theirs = TheirClient(build(names_of_fastapi(), define), raise_server_exceptions=False)
        ours = TestClient(build(names_of_lanner(), define), raise_server_exceptions=False)
        self.clients: list[Any] = [theirs, ours]
        if engine:
            headers = {"Host": "testserver", "User-Agent": "testclient"}
            self.clients.append(httpx.Client(base_url=engine, headers=headers))

    def ask(self, asked: Ask) -> list[Answer]:
        """What FastAPI answers, what Lanner does, and what its engine does."""
        answers = []
        for client in self.clients:
            client.cookies.clear()
            response = client.request(asked.method, asked.target, **{"follow_redirects": False, **asked.options})
            answers.append(Answer.of(response))
        return answers

    def close(self) -> None:
        for client in self.clients:
            client.close()

    def check(self, asked: Ask) -> None:
        """All answer the same, except where a difference is stated, and then no other parts differ."""
        theirs, *all_ours = self.ask(asked)
        for ours in all_ours:
            if asked.differs is None:
                assert ours == theirs
            else:
                parts = DIFFERENCES[asked.differs].parts
                assert ours != theirs, f"there is no difference any more: {asked.differs}"
                assert ours.without(parts) == theirs.without(parts)
        assert all_ours[0] == all_ours[-1], "the engine answers otherwise than the ASGI application"
