"""WSGI and ASGI are told apart by the calling convention."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from lanner.errors import AppError
from lanner.worker import interface


def wsgi(environ: Any, start_response: Any) -> Any: ...
def wsgi_with_default(environ: Any, start_response: Any, extra: int = 0) -> Any: ...
async def asgi(scope: Any, receive: Any, send: Any) -> None: ...
def asgi_plain(scope: Any, receive: Any, send: Any) -> Any: ...
def asgi2(scope: Any) -> Any: ...
def any_number(*args: Any) -> Any: ...
def nothing() -> Any: ...
def four(a: Any, b: Any, c: Any, d: Any) -> Any: ...


class WsgiObject:
    def __call__(self, environ: Any, start_response: Any) -> Any: ...
    def method(self, environ: Any, start_response: Any) -> Any: ...


class AsgiObject:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...
    async def method(self, scope: Any, receive: Any, send: Any) -> None: ...


class WsgiClass:
    def __init__(self, environ: Any, start_response: Any) -> None: ...


class Asgi2Class:
    def __init__(self, scope: Any) -> None: ...


class AsgiEndpoint:
    def __init__(self, scope: Any, receive: Any, send: Any) -> None: ...
    def __await__(self) -> Any: ...


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class DecoratedMethod:
    @decorated
    def __call__(self, environ: Any, start_response: Any) -> Any: ...


@pytest.mark.parametrize(
    "app",
    [
        wsgi,
        wsgi_with_default,
        WsgiObject(),
        WsgiObject().method,
        WsgiClass,
        DecoratedMethod(),
        DecoratedMethod().__call__,
        decorated(decorated(wsgi)),
        decorated(WsgiObject().method),
        functools.partial(wsgi_with_default, extra=1),
        functools.partial(asgi_plain, {}),
        lambda environ, start_response: [],
        memoryview(b"x").cast,  # a C function without a signature: WSGI is the old convention
    ],
)
def test_wsgi(app: Callable[..., object]) -> None:
    assert interface.detect(app) == "wsgi"


@pytest.mark.parametrize(
    "app",
    [
        asgi,
        asgi_plain,
        AsgiObject(),
        AsgiObject().method,
        AsgiEndpoint,
        decorated(asgi),
        functools.partial(asgi),
        functools.partial(functools.partial(asgi)),
    ],
)
def test_asgi(app: Callable[..., object]) -> None:
    assert interface.detect(app) == "asgi"


class Request:
    @classmethod
    def application(cls, view: Callable[..., Any]) -> Callable[..., Any]:
        """werkzeug's, in short."""

        @functools.wraps(view)
        def wrapper(*args: Any) -> Any:
            return view(cls())(*args[-2:])

        return wrapper


def adapted(view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    def wrapper(environ: Any, start_response: Any) -> Any: ...

    return wrapper


def served(view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    async def wrapper(scope: Any, receive: Any, send: Any) -> None: ...

    return wrapper


def async_args(view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    async def wrapper(*args: Any) -> None: ...

    return wrapper


def self_and_args(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(self: Any, *args: Any) -> Any: ...

    return wrapper


def view(request: Any) -> Any: ...
async def async_view(request: Any) -> Any: ...


class Views:
    @Request.application
    def __call__(self, request: Any) -> Any: ...

    @self_and_args
    def wsgi(self, environ: Any, start_response: Any) -> Any: ...

    @self_and_args
    async def asgi(self, scope: Any, receive: Any, send: Any) -> None: ...

    @classmethod
    def of_class(cls, environ: Any, start_response: Any) -> Any: ...

    @staticmethod
    async def of_none(scope: Any, receive: Any, send: Any) -> None: ...

    partial = functools.partialmethod(lambda self, extra, environ, start_response: [], 1)


class Middleware:
    """One that looks like what it wraps."""

    def __init__(self, app: Any) -> None:
        functools.update_wrapper(self, app)

    def __call__(self, environ: Any, start_response: Any) -> Any: ...


class StaticCall:
    @staticmethod
    async def __call__(scope: Any, receive: Any, send: Any) -> None: ...


class CallByAttribute:
    __call__ = WsgiObject()


class MadeByNew:
    def __new__(cls, environ: Any, start_response: Any) -> Any: ...


@pytest.mark.parametrize(
    ("app", "kind"),
    [
        (Request.application(view), "wsgi"),
        (adapted(view), "wsgi"),
        (adapted(async_view), "wsgi"),
        (adapted(asgi), "wsgi"),
        (served(view), "asgi"),
        (served(wsgi), "asgi"),
        (decorated(adapted(async_view)), "wsgi"),
        (decorated(served(view)), "asgi"),
        (async_args(view), "asgi"),
        (async_args(asgi), "asgi"),
        (Views(), "wsgi"),
        (Views().wsgi, "wsgi"),
        (Views().asgi, "asgi"),
        (Views.of_class, "wsgi"),
        (Views.of_none, "asgi"),
        (Views().partial, "wsgi"),
        (Middleware(asgi), "wsgi"),
        (StaticCall(), "asgi"),
        (CallByAttribute(), "wsgi"),
        (MadeByNew, "wsgi"),
        (functools.partial(lambda db, scope, receive, send: None, 1), "asgi"),
        (functools.partial(lambda environ, start_response, db: None, db=1), "wsgi"),
        (functools.partial(lambda environ, start_response, *, db: None, db=1), "wsgi"),
        (functools.partial(decorated(asgi)), "asgi"),
        (functools.lru_cache(wsgi), "wsgi"),
        (staticmethod(wsgi), "wsgi"),
    ],
)
def test_what_is_called_decides(app: Callable[..., object], kind: str) -> None:
    assert interface.detect(app) == kind


@pytest.mark.parametrize("app", [asgi2, Asgi2Class, decorated(asgi2)])
def test_asgi2(app: Callable[..., object]) -> None:
    assert interface.detect(app) == "asgi2"


def test_werkzeug_is_found() -> None:
    wrappers = pytest.importorskip("werkzeug.wrappers")

    @wrappers.Request.application
    def app(request: Any) -> Any: ...

    assert interface.detect(app) == "wsgi"
    assert interface.detect(wrappers.Response("x")) == "wsgi"


def test_wrapped_frameworks_are_found() -> None:
    flask = pytest.importorskip("flask")
    middleware = pytest.importorskip("werkzeug.middleware.proxy_fix")
    routing = pytest.importorskip("starlette.routing")
    asgiref = pytest.importorskip("asgiref.wsgi")
    cors = pytest.importorskip("starlette.middleware.cors")

    app = flask.Flask("x")
    assert interface.detect(middleware.ProxyFix(app)) == "wsgi"
    assert interface.detect(app.wsgi_app) == "wsgi"
    assert interface.detect(decorated(app)) == "wsgi"
    assert interface.detect(asgiref.WsgiToAsgi(app)) == "asgi"
    router = routing.Router([])
    assert interface.detect(cors.CORSMiddleware(router)) == "asgi"
    assert interface.detect(routing.request_response(view)) == "asgi"
    assert interface.detect(routing.request_response(async_view)) == "asgi"


def test_django_is_found() -> None:
    handlers = pytest.importorskip("django.core.handlers.wsgi")
    static = pytest.importorskip("django.contrib.staticfiles.handlers")
    assert interface.detect(handlers.WSGIHandler.__new__(handlers.WSGIHandler)) == "wsgi"
    assert interface.detect(static.StaticFilesHandler.__new__(static.StaticFilesHandler)) == "wsgi"
    assert interface.detect(static.ASGIStaticFilesHandler.__new__(static.ASGIStaticFilesHandler)) == "asgi"


def test_frameworks_are_found() -> None:
    falcon = pytest.importorskip("falcon")
    flask = pytest.importorskip("flask")
    from falcon import asgi as falcon_asgi

    assert interface.detect(falcon.App()) == "wsgi"
    assert interface.detect(flask.Flask("x")) == "wsgi"
    assert interface.detect(falcon_asgi.App()) == "asgi"


@pytest.mark.parametrize(
    ("module", "make"),
    [
        ("fastapi", "FastAPI()"),
        ("starlette.applications", "Starlette()"),
        ("litestar", "Litestar()"),
        ("quart", "Quart('x')"),
        ("django.core.handlers.asgi", "ASGIHandler.__new__(ASGIHandler)"),
    ],
)
def test_asgi_frameworks_are_found(module: str, make: str) -> None:
    found = pytest.importorskip(module)
    assert interface.detect(eval(make, vars(found))) == "asgi"


@pytest.mark.parametrize(
    ("app", "says"),
    [
        (any_number, "cannot tell whether shop is WSGI or ASGI; add --interface wsgi or --interface asgi"),
        (nothing, "shop takes no arguments: if it makes the application, add --factory"),
        (four, "shop takes 4 arguments; a WSGI application takes 2: environ and start_response"),
        (decorated(async_view), "cannot tell whether shop is WSGI or ASGI; add --interface wsgi or --interface asgi"),
        (decorated(nothing), "shop takes no arguments: if it makes the application, add --factory"),
        (async_view, "shop is async and takes 1 argument; an ASGI application takes 3: scope, receive and send"),
        (
            lambda environ, start_response, *, db: [],
            "shop needs db=, which no server gives; bind it with functools.partial",
        ),
    ],
)
def test_what_can_not_be_told_says_what_to_do(app: Callable[..., object], says: str) -> None:
    with pytest.raises(AppError) as caught:
        interface.detect(app, "shop")
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("app", "wanted", "says"),
    [
        (wsgi, "native", "--interface native: shop is no lanner.App; give --interface auto"),
        (asgi2, "auto", "ASGI 2 application; wrap it with asgiref.compatibility.guarantee_single_callable"),
    ],
)
def test_what_can_not_be_served_says_what_to_do(app: Callable[..., object], wanted: str, says: str) -> None:
    with pytest.raises(AppError, match=says):
        interface.choose(app, wanted, "shop")


def test_a_given_interface_is_believed() -> None:
    for app in (any_number, decorated(any_number), memoryview(b"x").cast, lambda a, b, c=None: None):
        assert interface.choose(app, "wsgi", "shop") == "wsgi"
        assert interface.choose(app, "asgi", "shop") == "asgi"


@pytest.mark.parametrize(
    ("app", "wanted", "says"),
    [
        (asgi, "wsgi", "shop is async, so it is an ASGI application; give --interface asgi"),
        (AsgiObject(), "wsgi", "shop is async, so it is an ASGI application; give --interface asgi"),
        (
            asgi_plain,
            "wsgi",
            "shop takes 3 arguments, and WSGI calls it with 2, environ and start_response; give --interface asgi",
        ),
        (
            wsgi,
            "asgi",
            "shop takes 2 arguments, and ASGI calls it with 3, scope, receive and send; give --interface wsgi",
        ),
        (asgi2, "asgi", "shop takes 1 argument, and ASGI calls it with 3, scope, receive and send"),
        (nothing, "wsgi", "shop takes 0 arguments, and WSGI calls it with 2, environ and start_response"),
    ],
)
def test_an_interface_that_every_request_would_fail_with_is_refused(
    app: Callable[..., object], wanted: str, says: str
) -> None:
    with pytest.raises(AppError) as caught:
        interface.choose(app, wanted, "shop")
    assert str(caught.value) == f"--interface {wanted}: {says}"


@pytest.mark.parametrize(
    ("app", "kind"), [(wsgi, "wsgi"), (asgi, "asgi"), (asgi_plain, "asgi"), (AsgiEndpoint, "asgi")]
)
def test_auto_is_what_was_found(app: Callable[..., object], kind: str) -> None:
    assert interface.choose(app, "auto", "shop") == kind
