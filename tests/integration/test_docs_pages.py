"""The documentation's addresses over HTTP: by the engine, and by the app under another server."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lanner.native import docs
from tests.support.server import Server

APPS = Path(__file__).with_name("apps")
needs_files = pytest.mark.skipif(not docs.ASSETS.exists(), reason="tools/fetch_assets.py has not fetched the files")


class Client:
    """Requests to one app after the other: over sockets, or to its own __call__ with a root path."""

    def __init__(self, engine: bool) -> None:
        self.engine = engine
        self.servers: dict[str, Server] = {}

    def __call__(
        self, name: str, target: str, method: str = "GET", root_path: str = "", **options: Any
    ) -> httpx.Response:
        if self.engine:
            arguments = ("--root-path", root_path) if root_path else ()
            key = f"{name} {root_path}"
            if key not in self.servers:
                self.servers[key] = Server(f"documented:{name}", *arguments, cwd=APPS).__enter__()
            base = f"http://127.0.0.1:{self.servers[key].address[1]}"
            return httpx.request(method, base + target, **options)
        return asyncio.run(self.inside(name, target, method, root_path, options))

    async def inside(self, name: str, target: str, method: str, root_path: str, options: Any) -> httpx.Response:
        import documented

        transport = httpx.ASGITransport(app=getattr(documented, name), root_path=root_path)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, target, **options)

    def close(self) -> None:
        for server in self.servers.values():
            server.__exit__(None, None, None)


@pytest.fixture(scope="module", params=["engine", "asgi"])
def ask(request: pytest.FixtureRequest) -> Iterator[Client]:
    client = Client(request.param == "engine")
    sys.path.insert(0, str(APPS))
    yield client
    sys.path.remove(str(APPS))
    client.close()


def files(page: str) -> list[str]:
    return re.findall(r'(?:src|href)="([^"]+)"', page)


@needs_files
@pytest.mark.parametrize(("app", "path"), [("app", "/docs"), ("app", "/redoc"), ("moved", "/api/docs"), ("moved", "/")])
def test_a_page_finds_its_files_and_the_document(ask: Client, app: str, path: str) -> None:
    page = ask(app, path)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in page.headers["content-security-policy"]
    here = httpx.URL("http://127.0.0.1").join(path)
    for address in [*files(page.text), *re.findall(r'data-openapi="([^"]+)"', page.text)]:
        if not address.startswith("data:"):
            assert ask(app, str(here.join(address).raw_path, "ascii")).status_code == 200


@needs_files
def test_a_file_is_kept_for_a_year_by_its_versioned_address(ask: Client) -> None:
    for address in files(ask("app", "/docs").text):
        response = ask("app", f"/{address}")
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        kind = response.headers["content-type"].split(";")[0]
        assert kind in ("text/javascript", "text/css", "image/png")
        assert response.headers["x-content-type-options"] == "nosniff"
        assert ask("app", f"/{address}0").headers["cache-control"] == "no-cache"  # another version's
        assert ask("app", f"/{address.partition('?')[0]}").headers["cache-control"] == "no-cache"


@needs_files
@pytest.mark.parametrize("path", ["/docs", "/docs/assets/swagger-ui-bundle.js", "/openapi.json"])
def test_who_has_it_is_told_so(ask: Client, path: str) -> None:
    etag = ask("app", path).headers["etag"]
    for known in (etag, f'"other", W/{etag}', "*"):
        response = ask("app", path, headers={"if-none-match": known})
        assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", etag)
    assert ask("app", path, headers={"if-none-match": '"other"'}).status_code == 200


@needs_files
@pytest.mark.parametrize("path", ["/docs", "/docs/assets/swagger-ui.css", "/openapi.json", "/redoc"])
def test_head_follows_get(ask: Client, path: str) -> None:
    got, head = ask("app", path), ask("app", path, "HEAD")
    assert head.content == b""
    without_date = [{**response.headers, "date": ""} for response in (got, head)]
    assert without_date[0] == without_date[1]


def test_the_document_names_the_path_that_the_app_is_below(ask: Client) -> None:
    assert "servers" not in ask("app", "/openapi.json").json()
    below = ask("app", "/shop/openapi.json", root_path="/shop")
    assert below.json()["servers"] == [{"url": "/shop"}]
    assert below.headers["content-type"] == "application/json"


@needs_files
def test_a_page_below_a_path_has_the_same_addresses(ask: Client) -> None:
    """They are relative: it does not matter whether a proxy took the prefix off, or said so."""
    assert ask("app", "/shop/docs", root_path="/shop").text == ask("app", "/docs").text


def test_what_is_turned_off_is_not_there(ask: Client) -> None:
    for path in ("/openapi.json", "/docs", "/redoc", "/docs/assets/swagger-ui.css"):
        assert ask("silent", path).status_code == 404
    assert ask("moved", "/docs").status_code == 404
    assert ask("moved", "/api/v1/openapi.json").json()["paths"] == {}


def test_a_route_of_ones_own_answers(ask: Client) -> None:
    assert ask("own", "/docs").json() == "mine"
    assert list(ask("own", "/openapi.json").json()["paths"]) == ["/docs"]


def test_the_documentation_is_in_no_document(ask: Client) -> None:
    assert list(ask("app", "/openapi.json").json()["paths"]) == ["/cards/{card_id}", "/cards"]


def test_without_the_files_the_pages_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(docs, "ASSETS", tmp_path)
    monkeypatch.syspath_prepend(APPS)
    ask = Client(engine=False)
    for path in ("/docs", "/redoc", "/docs/assets/swagger-ui.css"):
        response = ask("app", path)
        assert response.status_code == 503
        assert "tools/fetch_assets.py" in response.text
    assert ask("app", "/openapi.json").status_code == 200
