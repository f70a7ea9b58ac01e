"""WSGI and ASGI are told apart by the calling convention."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from lanner import interface
from lanner.errors import AppError


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


@pytest.mark.parametrize("app", [asgi2, Asgi2Class])
def test_asgi2(app: Callable[..., object]) -> None:
    assert interface.detect(app) == "asgi2"


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
    ],
)
def test_what_can_not_be_told_says_what_to_do(app: Callable[..., object], says: str) -> None:
    with pytest.raises(AppError) as caught:
        interface.detect(app, "shop")
    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("app", "wanted", "says"),
    [
        (wsgi, "native", "--interface native is not there yet"),
        (asgi2, "auto", "ASGI 2 application; wrap it with asgiref.compatibility.guarantee_single_callable"),
    ],
)
def test_what_is_not_there_yet_is_said(app: Callable[..., object], wanted: str, says: str) -> None:
    with pytest.raises(AppError, match=says):
        interface.choose(app, wanted, "shop")


def test_a_given_interface_is_believed() -> None:
    for name in ("wsgi", "asgi"):
        for app in (any_number, wsgi, asgi):
            assert interface.choose(app, name, "shop") == name


@pytest.mark.parametrize(
    ("app", "kind"), [(wsgi, "wsgi"), (asgi, "asgi"), (asgi_plain, "asgi"), (AsgiEndpoint, "asgi")]
)
def test_auto_is_what_was_found(app: Callable[..., object], kind: str) -> None:
    assert interface.choose(app, "auto", "shop") == kind
