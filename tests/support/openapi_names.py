"""The names of two frameworks that tests/support/openapi_shop.py builds its shop with."""

import types
from typing import Any

import fastapi
import fastapi.responses

from lanner import responses
from lanner.native import app, background, params, requests, routing

PARAMETERS = ("Path", "Query", "Header", "Cookie", "Body")
CLASSES = ("PlainTextResponse", "HTMLResponse", "RedirectResponse")


def named(module: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(module, name) for name in names}


FASTAPI = types.SimpleNamespace(
    App=fastapi.FastAPI,
    Router=fastapi.APIRouter,
    **named(fastapi, (*PARAMETERS, "Request", "Response", "BackgroundTasks")),
    **named(fastapi.responses, CLASSES),
)
LANNER = types.SimpleNamespace(
    App=app.App,
    Router=routing.Router,
    Request=requests.Request,
    BackgroundTasks=background.BackgroundTasks,
    **named(params, PARAMETERS),
    **named(responses, (*CLASSES, "Response")),
)
