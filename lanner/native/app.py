"""App: a native application, whose requests are routed, checked and answered in C++."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from lanner import _core
from lanner.native.errors import HTTPException, RequestValidationError
from lanner.native.failures import ExceptionHandler, Failures
from lanner.native.fallback import plain
from lanner.native.requests import State
from lanner.native.routing import Route, Router, Webhooks
from lanner.native.signature import Coercion, RouteError, described

if TYPE_CHECKING:
    from lanner.json import JSONDecodeError
    from lanner.native.engine import Engine
    from lanner.schema import ValidationError

Function = TypeVar("Function", bound=Callable[..., Any])
Lifespan = Callable[[Any], AbstractAsyncContextManager[Mapping[str, Any] | None]]
Message = MutableMapping[str, Any]
BODY_LIMIT = 8 << 20  # of JSON, in bytes (docs/design: Fastify 1 MiB, Litestar 10 MB)


class App(Router):
    """A native application.

    title, version, summary, description, terms_of_service, contact, license_info, servers, openapi_tags: in the
        documentation. openapi_url, docs_url, redoc_url: where it is; None turns it off.
    lifespan: a function of the app that returns an async context manager: before the first request, after the last.
    sync: "inline" runs `def` handlers on the loop's thread, "pool" in a thread pool; `pool=` of a route says otherwise.
    coerce: "json" is strict, "compat" has pydantic's lax rules. errors: "all" of a request, or the "first".
    duplicate_keys: "last" wins, or "reject". problem_details: errors are answered as RFC 9457 says.
    slashes: "redirect" answers /cards/ with a redirect to /cards if only that is there (and the other way round),
        "ignore" serves both, "strict" is a 404.
    body_limit: bytes of a JSON body; more is a 413. A route may say otherwise.
    exception_handlers: as exception_handler() registers them. default_response_class: JSONResponse unless said.

    Example: `app = App(title="Cards", version="1.0")`
    """

    first_wins: ClassVar[bool] = False  # of two routes for the same requests; otherwise the second is a mistake
    malformed_status: ClassVar[int] = 400  # what malformed() answers, for the documentation

    def __init__(
        self,
        *,
        title: str = "Lanner",
        version: str = "0.1.0",
        summary: str | None = None,
        description: str = "",
        openapi_url: str | None = "/openapi.json",
        docs_url: str | None = "/docs",
        redoc_url: str | None = "/redoc",
        terms_of_service: str | None = None,
        contact: dict[str, Any] | None = None,
        license_info: dict[str, Any] | None = None,
        servers: Sequence[dict[str, Any]] = (),
        openapi_tags: Sequence[dict[str, Any]] = (),
        lifespan: Lifespan | None = None,
        sync: Literal["inline", "pool"] = "inline",
        coerce: Literal["json", "compat"] = "json",
        errors: Literal["all", "first"] = "all",
        duplicate_keys: Literal["last", "reject"] = "last",
        problem_details: bool = False,
        slashes: Literal["redirect", "ignore", "strict"] = "redirect",
        body_limit: int = BODY_LIMIT,
        exception_handlers: Mapping[Any, ExceptionHandler] | None = None,
        **router: Any,
    ) -> None:
        one_of("sync", sync, ("inline", "pool"))
        one_of("coerce", coerce, ("json", "compat"))
        one_of("errors", errors, ("all", "first"))
        one_of("duplicate_keys", duplicate_keys, ("last", "reject"))
        one_of("slashes", slashes, ("redirect", "ignore", "strict"))
        self.title = title
        self.version = version
        self.summary = summary
        self.description = description
        self.openapi_url = openapi_url
        self.docs_url = docs_url if openapi_url else None
        self.redoc_url = redoc_url if openapi_url else None
        self.terms_of_service = terms_of_service
        self.contact = contact
        self.license_info = license_info
        self.servers = list(servers)
        self.openapi_tags = list(openapi_tags)
        self.sync = sync
        self.coercion = Coercion(coerce == "compat", errors, duplicate_keys)
        self.slashes = slashes
        self.body_limit = body_limit
        self.problem_details = problem_details
        self.failures = Failures(exception_handlers, problem_details)
        self.state = State()
        self._lifespan = lifespan
        self._startup: list[Callable[[], Any]] = []
        self._shutdown: list[Callable[[], Any]] = []
        self._taken: dict[tuple[str | None, str, str], Route] = {}
        self._engine: Engine | None = None
        self.openapi_schema: dict[str, Any] | None = None
        super().__init__(**router)
        self.webhooks = Webhooks()

    def add_route(self, route: Route) -> None:
        """Takes a route, and compiles it: a mistake in it is raised here, at import."""
        super().add_route(route)
        if not route.path.startswith("/"):
            self.routes.pop()
            raise RouteError(f"{described(route.endpoint)}: a path begins with '/', and {route.path!r} does not")
        try:
            if problem := _core.route_problem(route.path, route.host or ""):
                raise RouteError(f"{described(route.endpoint)}: {problem}")
            for method in sorted(route.methods):
                self.check_new(method, route)
            route.compile(self.coercion, None)
        except BaseException:
            self.routes.pop()
            raise
        self._taken = {**{shape(method, route): route for method in route.methods}, **self._taken}
        self._engine = None  # made again, with the new route
        self.openapi_schema = None

    def route_like(self, method: str, route: Route) -> Route | None:
        """The one that answers what this one would."""
        return self._taken.get(shape(method, route))

    def check_new(self, method: str, route: Route) -> None:
        before = self.route_like(method, route)
        if before is not None and not self.first_wins:
            raise RouteError(
                f"{method} {route.path} is there twice: {described(before.endpoint)} and {described(route.endpoint)}; "
                "give one of them another path or method"
            )

    def exception_handler(self, key: Any) -> Callable[[Function], Function]:
        """A decorator: the function answers exceptions of that class, or HTTPExceptions of that status.

        Example: `@app.exception_handler(LookupError)` above `def missing(request, error) -> JSONResponse: ...`
        """

        def register(handler: Function) -> Function:
            self.add_exception_handler(key, handler)
            return handler

        return register

    def add_exception_handler(self, key: Any, handler: ExceptionHandler) -> None:
        self.failures.add(key, handler)
        self._engine = None

    def fallback(self, value: Any) -> Any:
        """What is written for a value that JSON can not represent; NotImplemented if there is nothing."""
        return plain(value)

    def invalid(self, error: ValidationError, body: bytes) -> RequestValidationError:
        """What is raised for a request that does not fit. For a subclass to say otherwise."""
        return RequestValidationError(error.errors(), body)

    def malformed(self, error: JSONDecodeError, body: bytes) -> Exception:
        """What is raised for a body that is no JSON: the client's mistake, with its place."""
        return HTTPException(400, f"The body is not JSON: {error}")

    def on_startup(self, function: Function) -> Function:
        """A decorator: called before the first request; may be async."""
        self._startup.append(function)
        return function

    def on_shutdown(self, function: Function) -> Function:
        """A decorator: called after the last request; may be async."""
        self._shutdown.append(function)
        return function

    def url_path_for(self, name: str, /, **params: Any) -> str:
        """The path of a route by its name, with its parameters filled in. LookupError if there is none."""
        return self.engine.path_for(name, params)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, made when first asked for, and again after a new route: a dict that may be changed.

        Example: `app.openapi()["info"]["x-logo"] = {"url": "/logo.png"}`
        """
        if self.openapi_schema is None:
            from lanner.native.openapi import document

            self.openapi_schema = document(self)
        return self.openapi_schema

    @property
    def engine(self) -> Engine:
        """The routes as C++ has them; made when first asked for."""
        if self._engine is None:
            from lanner.native.engine import Engine

            self._engine = Engine(self)
        return self._engine

    @property
    def __lanner__(self) -> Any:
        """What the engine serves; that it is there says that this is a native application."""
        return self.engine.core

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncIterator[Mapping[str, Any] | None]:
        """Start and end: functions registered for them around the context manager of `lifespan=`."""
        async with contextlib.AsyncExitStack() as stack:
            for function in self._startup:
                await called(function)
            for function in reversed(self._shutdown):
                stack.push_async_callback(called, function)
            yield await stack.enter_async_context(self._lifespan(self)) if self._lifespan else None

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """The app as an ASGI application: the same answers, under any ASGI server."""
        from lanner.native import asgi

        await asgi.serve(self, scope, receive, send)


def shape(method: str, route: Route) -> tuple[str | None, str, str]:
    """What no two routes may have in common: host, method and path without the names of its parameters."""
    return route.host, method, re.sub(r"{[^{}:]*", "{", route.path)


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name}={value!r}: {' or '.join(repr(choice) for choice in choices)}")


async def called(function: Callable[[], Any]) -> None:
    result = function()
    if inspect.isawaitable(result):
        await result
