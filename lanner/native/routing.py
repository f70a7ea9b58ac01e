"""Routes and routers: which handler answers which path and methods, and what is said of it."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, TypeVar

from lanner.native import operation
from lanner.native.params import MISSING
from lanner.native.responses import JSONResponse
from lanner.native.signature import Coercion, RouteError, Signature, described, read

Handler = TypeVar("Handler", bound=Callable[..., Any])
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
PARAMETER = re.compile(r"{([^{}:]*)(?::([^{}]*))?}")
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


@dataclasses.dataclass
class Route:
    """One handler on one path. What is None is taken from the router and the app."""

    path: str
    methods: frozenset[str]
    endpoint: Callable[..., Any]
    name: str
    host: str | None = None
    status_code: int | None = None
    response_model: Any = MISSING
    response_class: Any = None
    exclude: dict[str, Any] = dataclasses.field(default_factory=dict)
    pool: bool | None = None
    body_limit: int | None = None
    # For the documentation.
    tags: list[str | Enum] = dataclasses.field(default_factory=list)
    summary: str | None = None
    description: str | None = None
    response_description: str = "Successful Response"
    responses: dict[int | str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    deprecated: bool | None = None
    operation_id: str | None = None
    include_in_schema: bool = True
    openapi_extra: dict[str, Any] | None = None
    callbacks: list[Any] = dataclasses.field(default_factory=list)
    # Compiled, when the app takes the route.
    signature: Signature | None = None
    body: operation.BodyPlan | None = None
    answer: operation.AnswerPlan | None = None
    coroutine: bool = False

    @property
    def status(self) -> int:
        return self.status_code or 200

    @property
    def path_names(self) -> list[str]:
        """The parameters of the path and of the host, in order."""
        return [match[1] for match in PARAMETER.finditer((self.host or "") + self.path)]

    def compile(self, coercion: Coercion, default_class: Any, *, served: bool = True) -> None:
        """Reads the handler's signature. Raises RouteError for what can not be served.

        served: False for a callback or webhook, whose path may have names that the function does not take.
        """
        where = f"{described(self.endpoint)} for {self.path}"
        self.response_class = self.response_class or default_class or JSONResponse
        names = self.path_names
        if not served:
            names = [name for name in names if name in inspect.signature(self.endpoint).parameters]
        self.signature = read(self.endpoint, self.path, names, coercion)
        operation.check_body(self.methods, self.signature, where)
        self.body = operation.body_plan(self.signature, coercion, where)
        self.answer = operation.answer_plan(
            self.signature, self.response_model, self.response_class, self.exclude, self.status, where
        )
        if coercion.converts_answers and self.answer.schema is not None:
            self.answer.convert = operation.converter(self.answer.schema.type)
        self.coroutine = operation.is_coroutine_function(self.endpoint)


class Router:
    """Routes with a common prefix and tags; an app is one, and includes others.

    prefix: before each path, such as "/cards". tags, responses, deprecated, include_in_schema,
    default_response_class: of each route, unless it says otherwise. host: "api.example.com" or "{tenant}.example.com".

    Example: `cards = Router(prefix="/cards", tags=["cards"]); app.include_router(cards)`
    """

    starts: ClassVar[tuple[str, ...]] = (
        "/",
        "{$",
    )  # of paths; an expression of OpenAPI begins the address of a callback

    def __init__(
        self,
        *,
        prefix: str = "",
        tags: Sequence[str | Enum] = (),
        responses: Mapping[int | str, dict[str, Any]] | None = None,
        deprecated: bool | None = None,
        include_in_schema: bool = True,
        default_response_class: Any = None,
        host: str | None = None,
    ) -> None:
        check_prefix(prefix)
        self.prefix = prefix
        self.tags = list(tags)
        self.responses = dict(responses or {})
        self.deprecated = deprecated
        self.include_in_schema = include_in_schema
        self.default_response_class = default_response_class
        self.host = host
        self.routes: list[Route] = []

    def add_api_route(
        self, path: str, endpoint: Callable[..., Any], *, methods: Iterable[str] = ("GET",), **said: Any
    ) -> None:
        """Registers a handler: what the decorators do. Raises RouteError, a TypeError, for what can not be served."""
        if path and not path.startswith(self.starts):
            raise RouteError(f"{described(endpoint)} for {path!r}: a path begins with '/'; write {'/' + path!r}")
        self.add_route(make_route(self.prefix + path, endpoint, methods, said))

    def add_route(self, route: Route) -> None:
        route.tags = [*self.tags, *(tag for tag in route.tags if tag not in self.tags)]
        route.responses = {**self.responses, **route.responses}
        route.deprecated = route.deprecated if route.deprecated is not None else self.deprecated
        route.include_in_schema = route.include_in_schema and self.include_in_schema
        route.response_class = route.response_class or self.default_response_class
        route.host = route.host or self.host
        self.routes.append(route)

    def include_router(
        self,
        router: Router,
        *,
        prefix: str = "",
        tags: Sequence[str | Enum] = (),
        responses: Mapping[int | str, dict[str, Any]] | None = None,
        deprecated: bool | None = None,
        include_in_schema: bool = True,
        default_response_class: Any = None,
    ) -> None:
        """Takes the routes that another router has now, behind `prefix`."""
        if router is self:
            raise RouteError("a router can not include itself")
        check_prefix(prefix)
        for route in router.routes:
            if not prefix and not route.path:
                raise RouteError(f"{described(route.endpoint)}: the path and the prefix are both empty; write '/'")
            self.add_route(
                dataclasses.replace(
                    route,
                    path=self.prefix + prefix + route.path,
                    tags=[*tags, *route.tags],
                    responses={**(responses or {}), **route.responses},
                    deprecated=route.deprecated if route.deprecated is not None else deprecated,
                    include_in_schema=route.include_in_schema and include_in_schema,
                    response_class=route.response_class or default_response_class,
                )
            )

    def api_route(self, path: str, *, methods: Iterable[str] = ("GET",), **said: Any) -> Callable[[Handler], Handler]:
        """A decorator for several methods. Example: `@app.api_route("/cards", methods=["GET", "HEAD"])`."""

        def register(endpoint: Handler) -> Handler:
            self.add_api_route(path, endpoint, methods=methods, **said)
            return endpoint

        return register

    route = api_route

    def get(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        """Example: `@app.get("/cards/{card_id}")`. The keywords are those of Route, and FastAPI's."""
        return self.api_route(path, methods=("GET",), **said)

    def post(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("POST",), **said)

    def put(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("PUT",), **said)

    def patch(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("PATCH",), **said)

    def delete(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("DELETE",), **said)

    def head(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("HEAD",), **said)

    def options(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("OPTIONS",), **said)

    def trace(self, path: str, **said: Any) -> Callable[[Handler], Handler]:
        return self.api_route(path, methods=("TRACE",), **said)


class Webhooks(Router):
    """Requests that the app makes to others, only described. Example: `@app.webhooks.post("card-sold")`."""

    starts = ("",)  # a name

    def add_route(self, route: Route) -> None:
        super().add_route(route)
        route.compile(Coercion(), None, served=False)


KEYWORDS = frozenset(field.name for field in dataclasses.fields(Route)) - {
    "path",
    "methods",
    "endpoint",
    "exclude",
    "signature",
    "body",
    "answer",
    "coroutine",
}
EXCLUDES = {
    "response_model_exclude_none": "exclude_none",
    "response_model_exclude_unset": "exclude_unset",
    "response_model_exclude_defaults": "exclude_defaults",
    "response_model_include": "include",
    "response_model_exclude": "exclude",
    "response_model_by_alias": "by_alias",
}


def make_route(path: str, endpoint: Callable[..., Any], methods: Iterable[str], said: dict[str, Any]) -> Route:
    """A route out of the keywords of a decorator."""
    where = f"{described(endpoint)} for {path!r}"
    if not callable(endpoint):
        raise RouteError(f"{where}: {endpoint!r} can not be called")
    names = frozenset(method.upper() for method in methods)
    for method in names:
        if not TOKEN.fullmatch(method):
            raise RouteError(f"{where}: {method!r} is no method (RFC 9110, section 9.1)")
    if said.get("response_model_by_alias", True) is False:
        raise RouteError(f"{where}: response_model_by_alias=False is not there; names on the wire are the aliases")
    given = {to: said.pop(name, None) for name, to in EXCLUDES.items()}
    exclude = {name: value for name, value in given.items() if value not in (None, False) and name != "by_alias"}
    for name in said:
        if name not in KEYWORDS:
            from lanner.spelling import nearest

            near = nearest(name, [*KEYWORDS, *EXCLUDES])
            raise RouteError(f"{where}: there is no {name}={f'; did you mean {near}=?' if near else ''}")
    if "name" not in said or said["name"] is None:
        said["name"] = getattr(endpoint, "__name__", type(endpoint).__name__)
    for name in ("tags", "callbacks"):
        said[name] = list(said.get(name) or ())
    said["responses"] = dict(said.get("responses") or {})
    if said.get("description") is None:
        said["description"] = docstring(endpoint)
    return Route(path, names, endpoint, exclude=exclude, **said)


def docstring(endpoint: Callable[..., Any]) -> str | None:
    """The docstring up to a form feed, as FastAPI takes it."""
    text = inspect.getdoc(endpoint) if inspect.isroutine(endpoint) else None
    return text.split("\f")[0].strip() if text else None


def check_prefix(prefix: str) -> None:
    if prefix and (not prefix.startswith("/") or prefix.endswith("/")):
        raise RouteError(f"prefix={prefix!r}: a prefix begins with '/' and does not end with it")
