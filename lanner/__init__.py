"""Lanner: an application server and web framework for Python with its core in C++20.

import lanner

app = lanner.App()

@app.get("/cards/{card_id}")
def card(card_id: int) -> dict[str, int]:
    return {"id": card_id}

lanner.run(app, port=8000)
"""

TYPE_CHECKING = False  # typing.TYPE_CHECKING without importing typing (1.8 MB) into every worker
if TYPE_CHECKING:
    from lanner.cli.launch import run
    from lanner.cli.launch import serve_async as serve
    from lanner.native.app import App
    from lanner.native.background import BackgroundTasks
    from lanner.native.errors import HTTPException, RequestValidationError
    from lanner.native.fastapi import FastAPI
    from lanner.native.params import Body, Cookie, Header, Path, Query
    from lanner.native.requests import Request
    from lanner.native.routing import Router
    from lanner.native.routing import Router as APIRouter
    from lanner.responses import Response
    from lanner.schema import Model, register_type
del TYPE_CHECKING

__version__: str
__all__ = [
    "APIRouter",
    "App",
    "BackgroundTasks",
    "Body",
    "Cookie",
    "FastAPI",
    "HTTPException",
    "Header",
    "Model",
    "Path",
    "Query",
    "Request",
    "RequestValidationError",
    "Response",
    "Router",
    "__version__",
    "register_type",
    "run",
    "serve",
]

# name -> module, name there
_HOMES = {
    "APIRouter": ("lanner.native.routing", "Router"),
    "App": ("lanner.native.app", "App"),
    "BackgroundTasks": ("lanner.native.background", "BackgroundTasks"),
    "Body": ("lanner.native.params", "Body"),
    "Cookie": ("lanner.native.params", "Cookie"),
    "FastAPI": ("lanner.native.fastapi", "FastAPI"),
    "HTTPException": ("lanner.native.errors", "HTTPException"),
    "Header": ("lanner.native.params", "Header"),
    "Model": ("lanner.schema", "Model"),
    "Path": ("lanner.native.params", "Path"),
    "Query": ("lanner.native.params", "Query"),
    "Request": ("lanner.native.requests", "Request"),
    "RequestValidationError": ("lanner.native.errors", "RequestValidationError"),
    "Response": ("lanner.responses", "Response"),
    "Router": ("lanner.native.routing", "Router"),
    "register_type": ("lanner.schema", "register_type"),
    "run": ("lanner.cli.launch", "run"),
    "serve": ("lanner.cli.launch", "serve_async"),
}


def __getattr__(name: str) -> object:
    """Imports a public name on first use: a worker needs neither the flags nor the supervisor."""
    if name == "__version__":
        from lanner import _core

        return _core.version()
    if name not in _HOMES:
        raise AttributeError(f"module 'lanner' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"_HOMES"})
