"""The routes of an app as C++ has them (lanner._core.NativeApp), and what C++ asks Python for."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from lanner import _core, json
from lanner.native import docs
from lanner.native.background import BackgroundTask, BackgroundTasks
from lanner.native.errors import HTTPException, RequestValidationError
from lanner.native.params import MISSING
from lanner.native.requests import Request
from lanner.native.responses import Response
from lanner.native.routing import PARAMETER, Route
from lanner.native.schemas import is_model, wire_names
from lanner.native.selection import selected
from lanner.native.signature import Parameter, RouteError, Signature
from lanner.native.signature import described as named
from lanner.native.traceback_log import log_exception

if TYPE_CHECKING:
    from lanner.native.app import App
    from lanner.native.operation import AnswerPlan

CONVERTERS = {"int": int, "float": float}
IMMUTABLE = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset)


class Engine:
    """One app, frozen. `core` is served by the engine; the rest is for those who drive it from Python."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.routes = [*app.routes, *docs.routes(app)]
        self.converters = [converters_of(route) for route in self.routes]
        self.sources = [{parameter.source for parameter in signature_of(route).parameters} for route in self.routes]
        failures = app.failures
        hooks = {
            "request": self.request,
            "response": injected,
            "tasks": BackgroundTasks,
            "response_type": Response,
            "failed": self.failed,
            "invalid": app.invalid
            if RequestValidationError in failures.by_class or Exception in failures.by_class
            else None,
            "malformed": app.malformed,
            "rejected": self.rejected if failures.sees_rejections else None,
            "background": run_background,
            "together": together,
            "slashes": app.slashes,
            "first_wins": app.first_wins,
            "problem_details": app.problem_details,
            "errors_max": 64 if app.coercion.errors == "all" else 1,
        }
        try:
            self.described = [described(app, route) for route in self.routes]
            self.core = _core.NativeApp(self.described, hooks)
        except ValueError as error:
            raise RouteError(str(error)) from None

    def request(
        self, scope: MutableMapping[str, Any], body: bytes, route: int | None, values: tuple[str, ...]
    ) -> Request:
        """The Request of a handler that asks for it; route: None where none was found."""
        scope["app"] = self.app
        if route is None:
            return Request(scope, body)
        scope["route"] = self.routes[route]
        names = self.converters[route]
        scope["path_params"] = {name: convert(text) for (name, convert), text in zip(names, values, strict=True)}
        return Request(scope, body)

    def failed(self, error: Exception, request: Request) -> tuple[Response | Awaitable[Response], bool]:
        """What answers an exception, and whether nobody expected it."""
        return self.app.failures.answer(error, request)

    def call(self, number: int, arguments: tuple[Any, ...]) -> Any:
        """What the handler returns, which may be a coroutine."""
        keywords = self.described[number]["keywords"]
        count = len(arguments) - len(keywords)
        return self.described[number]["function"](
            *arguments[:count], **dict(zip(keywords, arguments[count:], strict=True))
        )

    def rejected(self, status: int, headers: dict[str, str] | None) -> HTTPException:
        return HTTPException(status, headers=headers)

    def path_for(self, name: str, params: dict[str, Any]) -> str:
        return self.core.url_for(name, {key: str(value) for key, value in params.items()})[1]


def injected() -> Response:
    """The Response that a handler sets status, fields and cookies on: no status until it says one."""
    response = Response()
    response.status_code = None
    return response


background: set[asyncio.Task[None]] = set()


def run_background(function: Any) -> None:
    """Calls it after the answer, in a task of its own."""
    task = asyncio.get_running_loop().create_task(in_background(function), name="lanner background")
    background.add(task)
    task.add_done_callback(background.discard)


def together(*functions: Callable[[], Any]) -> BackgroundTasks:
    return BackgroundTasks([BackgroundTask(function) for function in functions])


async def in_background(function: Any) -> None:
    try:
        result = function()
        if inspect.isawaitable(result):
            await result
    except Exception as error:
        log_exception("app.background_error", error)


def described(app: App, route: Route) -> dict[str, Any]:
    """A route and its handler as `_core.NativeApp` reads it."""
    assert route.answer is not None
    parameters = ordered(signature_of(route).parameters)
    answer = route.answer
    pooled = not route.coroutine and (route.pool if route.pool is not None else app.sync == "pool")
    kind = answer.kind if answer.kind in ("json", "text", "empty") else "made"
    more = {name for name in ("include", "exclude") if name in answer.exclude}
    if kind == "json" and more:
        kind = "made"
    return {
        "path": route.path,
        "host": route.host,
        "name": route.name,
        "methods": tuple(sorted(route.methods)),
        "function": in_pool(route.endpoint) if pooled else route.endpoint,
        "title": named(route.endpoint),
        "inline": not pooled and not route.coroutine,
        "arguments": [argument(route, parameter) for parameter in parameters],
        "keywords": tuple(parameter.name for parameter in parameters if parameter.keyword_only),
        "body": None
        if route.body is None
        else {"schema": route.body.schema, "whole": route.body.whole, "required": route.body.required},
        "body_limit": app.body_limit if route.body_limit is None else route.body_limit,
        "answer": {
            "kind": kind,
            "status": route.status,
            "media_type": answer.media_type if kind in ("json", "text") else None,
            "schema": answer.schema if kind == "json" else None,
            "maker": maker(app, route) if kind == "made" else None,
            "convert": answer.convert,
            "fallback": app.fallback,
            **{name: answer.exclude.get(name, False) for name in ("exclude_none", "exclude_unset", "exclude_defaults")},
        },
    }


def signature_of(route: Route) -> Signature:
    assert route.signature is not None  # compiled by App.add_route
    return route.signature


def ordered(parameters: list[Parameter]) -> list[Parameter]:
    return sorted(parameters, key=lambda parameter: parameter.keyword_only)


def argument(route: Route, parameter: Parameter) -> dict[str, Any]:
    made: dict[str, Any] = {"source": parameter.source}
    if parameter.source in ("request", "response", "tasks"):
        return made
    if parameter.source == "body" and route.body is not None and not route.body.whole:
        made["source"] = "member"
    made["name"] = parameter.wire_name
    made["schema"] = parameter.schema
    made["many"] = parameter.many
    made["whole"] = parameter.whole
    made["in_order"] = parameter.whole and is_model(parameter.type)
    if parameter.source == "header" and parameter.whole:
        assert parameter.schema is not None
        convert = getattr(parameter.info, "convert_underscores", True)
        names = wire_names(parameter.schema)
        made["headers"] = tuple((name.lower().replace("_", "-") if convert else name.lower(), name) for name in names)
    if parameter.source == "path":
        name = parameter.name if parameter.name in route.path_names else parameter.wire_name
        made["path_index"] = route.path_names.index(name)
    if parameter.factory is not None:
        made["factory"] = parameter.factory
    elif parameter.default is not MISSING:
        if isinstance(parameter.default, IMMUTABLE):
            made["default"] = parameter.default
        else:  # a request must not change the next one's
            made["factory"] = functools.partial(copy.deepcopy, parameter.default)
    return made


def converters_of(route: Route) -> list[tuple[str, Callable[[str], Any]]]:
    found = PARAMETER.finditer((route.host or "") + route.path)
    return [(match[1], CONVERTERS.get(match[2] or "str", str)) for match in found]


def in_pool(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `def` handler as a coroutine function: it runs in the loop's thread pool."""

    @functools.wraps(function)
    async def pooled(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(function, *args, **kwargs)

    return pooled


def maker(app: App, route: Route) -> Callable[[Any], Response]:
    """value -> Response, for a response class of one's own, a function that gives bytes, include= and exclude=."""
    answer = route.answer
    assert answer is not None
    options = dict(answer.exclude)
    include, exclude = options.pop("include", None), options.pop("exclude", None)

    def content(value: Any) -> Any:
        if answer.schema is None:
            return value
        return selected(json.loads(encoded(answer, value, options)), include, exclude)

    def make(value: Any) -> Response:
        if answer.kind == "call":
            return Response(answer.maker(content(value)), route.status, media_type=answer.media_type)
        cls = answer.maker if answer.kind == "class" else route.response_class
        made: Response = cls(content(value))
        if route.status_code is not None:
            made.status_code = route.status_code
        return made

    return make


def encoded(answer: AnswerPlan, value: Any, options: dict[str, Any]) -> bytes:
    assert answer.schema is not None
    return answer.schema.encode(answer.convert(value, None) if answer.convert else value, **options)
