"""The pages of an app's documentation: Swagger UI and ReDoc, with every file from this server, and /openapi.json.

The pages have no script and no address of another host in them, and say so to the browser (Content-Security-Policy).
Their files are in lanner/native/assets: tools/fetch_assets.py puts them there when Lanner is built.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanner import json
from lanner.native.requests import Request
from lanner.native.responses import PlainTextResponse, Response
from lanner.native.routing import Route, make_route

if TYPE_CHECKING:
    from lanner.native.app import App

ASSETS = Path(__file__).with_name("assets")
YEAR = "public, max-age=31536000, immutable"
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
SWAGGER_FILES = ("swagger-ui-bundle.js", "swagger-ui.css", "index.css", "favicon-32x32.png")
REDOC_FILES = ("redoc.standalone.js",)
SWAGGER_START = b"""\
"use strict";
{
  const element = document.getElementById("swagger-ui");
  const url = new URL(element.dataset.openapi, location.href).href;
  window.ui = SwaggerUIBundle({
    ...JSON.parse(element.dataset.options), url, domNode: element, presets: [SwaggerUIBundle.presets.apis],
  });
}
"""
REDOC_START = b"""\
"use strict";
{
  const element = document.getElementById("redoc");
  Redoc.init(new URL(element.dataset.openapi, location.href).href, JSON.parse(element.dataset.options), element);
}
"""
SWAGGER_OPTIONS = {
    "deepLinking": True,
    "layout": "BaseLayout",
    "showCommonExtensions": True,
    "showExtensions": True,
    "validatorUrl": None,  # it would ask another host
}
REDOC_OPTIONS: dict[str, Any] = {}
# Requests that are tried out may go to any server of the document. Both pages make styles while they run.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'self'; worker-src 'self' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self' http: https:"
)


class FileMissing(LookupError):
    """A file of the pages was not there when Lanner was built."""


def swagger_page(title: str, openapi_url: str, assets: Callable[[str], str]) -> str:
    """The page of Swagger UI. assets: the address of a file, by its name."""
    return page(
        title,
        [
            f'<link rel="icon" type="image/png" href="{escape(assets("favicon-32x32.png"))}">',
            f'<link rel="stylesheet" href="{escape(assets("swagger-ui.css"))}">',
            f'<link rel="stylesheet" href="{escape(assets("index.css"))}">',
        ],
        element("swagger-ui", openapi_url, SWAGGER_OPTIONS),
        [assets("swagger-ui-bundle.js"), assets("start.js")],
    )


def redoc_page(title: str, openapi_url: str, assets: Callable[[str], str]) -> str:
    """The page of ReDoc. assets: the address of a file, by its name."""
    return page(
        title,
        ['<link rel="icon" href="data:,">', "<style>body { margin: 0; }</style>"],
        element("redoc", openapi_url, REDOC_OPTIONS),
        [assets("redoc.standalone.js"), assets("start.js")],
    )


def element(name: str, openapi_url: str, options: dict[str, Any]) -> str:
    """Where a page goes, with what its script reads."""
    return f'<div id="{name}" data-openapi="{escape(openapi_url)}" data-options="{escape(json.dumps(options))}"></div>'


def page(title: str, head: list[str], body: str, scripts: list[str]) -> str:
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        *head,
        "</head>",
        "<body>",
        "<noscript>This page is made by JavaScript.</noscript>",
        body,
        *(f'<script src="{escape(script)}"></script>' for script in scripts),
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def routes(app: App) -> list[Route]:
    """The routes of the document, the pages and their files, at the addresses that the app says; None turns one off.

    They are none of app.routes. Where the app has a route of its own at such an address, that one answers.
    """
    if app.openapi_url is None:
        return []
    swagger = Page(app, "swagger-ui", f"{app.title} - Swagger UI", swagger_page, SWAGGER_FILES, SWAGGER_START)
    redoc = Page(app, "redoc", f"{app.title} - ReDoc", redoc_page, REDOC_FILES, REDOC_START)
    found = [route(app, app.openapi_url, openapi_handler(app), "openapi")]
    if app.docs_url is not None:
        found += swagger.routes(app.docs_url)
    if app.redoc_url is not None:
        found += redoc.routes(app.redoc_url)
    return [one for one in found if app.route_like("GET", one) is None]


def route(app: App, path: str, handler: Callable[[Request], Response], name: str) -> Route:
    made = make_route(app.prefix + path, handler, ("GET",), {"name": name, "include_in_schema": False, "pool": False})
    made.host = app.host
    made.compile(app.coercion, None)
    return made


class Page:
    """One page and its files, which are below it."""

    def __init__(
        self,
        app: App,
        folder: str,
        title: str,
        write: Callable[[str, str, Callable[[str], str]], str],
        files: tuple[str, ...],
        start: bytes,
    ) -> None:
        self.app = app
        self.folder = folder
        self.title = title
        self.write = write
        self.files = files
        self.start = start

    def routes(self, path: str) -> list[Route]:
        place = f"{path.rstrip('/')}/assets"
        made = [route(self.app, path, self.handler(path, place), self.folder)]
        for name in (*self.files, "start.js"):
            made.append(route(self.app, f"{place}/{name}", self.file_handler(name), f"{self.folder}/{name}"))
        return made

    def read(self, name: str) -> bytes:
        """A file. Raises FileMissing."""
        if name == "start.js":
            return self.start
        try:
            return (ASSETS / self.folder / name).read_bytes()
        except FileNotFoundError:
            raise FileMissing(
                f"{self.folder}/{name} is not there: this Lanner was built without the files of its documentation "
                "pages; tools/fetch_assets.py fetches them"
            ) from None

    def handler(self, path: str, place: str) -> Callable[[Request], Response]:
        def documentation(request: Request) -> Response:
            here = path.rstrip("/") + "/" if request.url.path.endswith("/") else path

            def address(name: str) -> str:
                return relative(f"{place}/{name}?v={tag(self.read(name))}", here)

            assert self.app.openapi_url is not None
            try:
                text = self.write(self.title, relative(self.app.openapi_url, here), address)
            except FileMissing as error:
                return PlainTextResponse(f"{error}\n", 503)
            return answer(request, text.encode(), "text/html", {"content-security-policy": POLICY})

        return documentation

    def file_handler(self, name: str) -> Callable[[Request], Response]:
        def file(request: Request) -> Response:
            try:
                data = self.read(name)
            except FileMissing as error:
                return PlainTextResponse(f"{error}\n", 503)
            return answer(request, data, MEDIA_TYPES[Path(name).suffix])

        return file


def openapi_handler(app: App) -> Callable[[Request], Response]:
    def openapi_document(request: Request) -> Response:
        from lanner.native.openapi import behind

        root_path = request.scope.get("root_path", "").rstrip("/")
        return answer(request, json.dumpb(behind(app.openapi(), root_path)), "application/json")

    return openapi_document


def answer(request: Request, data: bytes, media_type: str, headers: dict[str, str] | None = None) -> Response:
    """The bytes, or a 304 to a client that has them (RFC 9110, section 13.1.2). Kept for a year where the address says
    which bytes they are.
    """
    version = tag(data)
    etag = f'"{version}"'
    fields = {
        "etag": etag,
        "cache-control": YEAR if request.query_params.get("v") == version else "no-cache",
        "x-content-type-options": "nosniff",
        **(headers or {}),
    }
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if etag in known or known == ["*"]:
        return Response(None, 304, fields)
    return Response(data, 200, fields, media_type)


def relative(target: str, page: str) -> str:
    """The address of a file as a page refers to it, so that it holds behind a proxy that adds a prefix, too.

    Example: `relative("/openapi.json", "/api/docs")` is `"../openapi.json"`
    """
    return posixpath.relpath(target, posixpath.dirname(page) or "/")


def tag(data: bytes) -> str:
    """What tells the bytes of a file from others."""
    import hashlib

    return hashlib.sha256(data).hexdigest()[:16]
