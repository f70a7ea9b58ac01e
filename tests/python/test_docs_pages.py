"""The documentation pages as text: no script of their own, no address of another host, nothing that is not escaped."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from lanner.native import docs
from lanner.native.app import App

ROOT = Path(__file__).parents[2]
PAGES = pytest.mark.parametrize("write", [docs.swagger_page, docs.redoc_page])
Write = Callable[[str, str, Callable[[str], str]], str]


def written(write: Write, title: str = "Cards", url: str = "openapi.json") -> str:
    return write(title, url, lambda name: f"assets/{name}?a=1&v=2")


@PAGES
def test_a_page_has_no_script_in_it_and_names_no_other_host(write: Write) -> None:
    page = written(write)
    assert re.findall(r"<script[^>]*>(.*?)</script>", page) == ["", ""]
    assert not re.search(r"//|\son\w+=", page)
    assert "assets/start.js?a=1&amp;v=2" in page


@PAGES
def test_what_the_app_says_is_escaped(write: Write) -> None:
    page = written(write, '<b>"A & B', "a'\"><x>&.json")
    assert "<title>&lt;b&gt;&quot;A &amp; B</title>" in page
    assert "<x>" not in page
    (url,) = re.findall(r'data-openapi="([^"]*)"', page)
    assert unescape(url) == "a'\"><x>&.json"


@pytest.mark.parametrize(
    ("target", "page", "address"),
    [
        ("/openapi.json", "/docs", "openapi.json"),
        ("/docs/assets/a.js", "/docs", "docs/assets/a.js"),
        ("/docs/assets/a.js", "/docs/", "assets/a.js"),
        ("/openapi.json", "/docs/", "../openapi.json"),
        ("/openapi.json", "/api/docs", "../openapi.json"),
        ("/api/openapi.json", "/docs", "api/openapi.json"),
        ("/assets/a.js", "/", "assets/a.js"),
    ],
)
def test_addresses_are_relative_to_the_page(target: str, page: str, address: str) -> None:
    assert docs.relative(target, page) == address


def test_the_files_of_the_pages_are_those_that_are_fetched() -> None:
    pinned = tomllib.loads((ROOT / "tools/assets.toml").read_text())
    fetched = {said["folder"]: {Path(name).name for name in said["files"]} for said in pinned.values()}
    for folder, files in (("swagger-ui", docs.SWAGGER_FILES), ("redoc", docs.REDOC_FILES)):
        rest = fetched[folder] - set(files)
        assert set(files) <= fetched[folder]
        assert "LICENSE" in rest
        assert all("LICENSE" in name or name == "NOTICE" for name in rest)


def test_an_app_has_the_routes_that_it_says() -> None:
    def paths(app: App) -> list[str]:
        return [route.path for route in docs.routes(app) if "/assets/" not in route.path]

    assert paths(App()) == ["/openapi.json", "/docs", "/redoc"]
    assert paths(App(redoc_url=None)) == ["/openapi.json", "/docs"]
    assert paths(App(docs_url=None, openapi_url="/a.json")) == ["/a.json", "/redoc"]
    assert paths(App(openapi_url=None)) == []
    assert paths(App(prefix="/v1")) == ["/v1/openapi.json", "/v1/docs", "/v1/redoc"]
    assert App().routes == []
