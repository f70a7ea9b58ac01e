"""Which interface an application speaks, found by its calling convention and never by calling it.

WSGI     app(environ, start_response)
ASGI 3   async app(scope, receive, send)
ASGI 2   app(scope)(receive, send)
"""

from lanner.errors import AppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    App = Callable[..., object]

CO_VARARGS, CO_COROUTINE = 0x04, 0x80  # inspect.CO_*, without importing inspect (2.5 MB)
MANY = 1 << 10


def choose(app: "App", wanted: str, shown: str) -> str:
    """The interface to serve app with, "wsgi" or "asgi": the wanted one, or the one found for "auto".

    Example: `choose(flask_app, "auto", "shop:app")` is `"wsgi"`.
    """
    kind = detect(app, shown) if wanted == "auto" else wanted
    if kind == "asgi2":
        raise AppError(
            f"{shown} is an ASGI 2 application; wrap it with asgiref.compatibility.guarantee_single_callable"
        )
    if kind == "native":
        raise AppError(f"{shown}: --interface native is not there yet; serve a WSGI or ASGI application")
    return kind


def detect(app: "App", shown: str = "the application") -> str:
    """ "wsgi", "asgi" or "asgi2" by what a call would take; AppError when that can not be told.

    Example: `detect(lambda environ, start_response: [])` is `"wsgi"`.
    """
    if isinstance(app, type):
        if hasattr(app, "__await__"):
            return "asgi"
        least, most = arity(app.__init__, bound=True)  # type: ignore[misc]  # the class itself, no subclass
    else:
        function, bound = function_of(app)
        if is_coroutine(function):
            return "asgi"
        least, most = arity(function, bound)
    return by_arity(least, most, shown)


def by_arity(least: int, most: int, shown: str) -> str:
    """The interface by how many positional arguments a call needs at least and takes at most."""
    if least == 2 or (least < 2 and most == 2):
        return "wsgi"
    if least == 3:
        return "asgi"
    if least == most == 0:
        raise AppError(f"{shown} takes no arguments: if it makes the application, add --factory")
    if least == most == 1:
        return "asgi2"
    if least <= 2 <= most:
        raise AppError(f"cannot tell whether {shown} is WSGI or ASGI; add --interface wsgi or --interface asgi")
    raise AppError(f"{shown} takes {least} arguments; a WSGI application takes 2: environ and start_response")


def function_of(app: "App") -> "tuple[App, bool]":
    """The Python function that a call of app runs, and whether its first argument is already bound."""
    found: App = app
    bound = False
    for _ in range(20):  # decorators on decorators; a cycle ends too
        if hasattr(found, "__func__"):  # before __wrapped__, which a method lends from its function
            found, bound = found.__func__, True
        elif hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        elif hasattr(found, "__code__") or not hasattr(type(found).__call__, "__code__"):
            break
        else:
            found, bound = type(found).__call__, True
    return found, bound


def is_coroutine(function: "App") -> bool:
    """inspect.iscoroutinefunction, also for functions marked as such and for functools.partial."""
    while hasattr(function, "func") and hasattr(function, "keywords"):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & CO_COROUTINE:
        return True
    return getattr(function, "_is_coroutine_mark", None) is not None or hasattr(function, "_is_coroutine")


def arity(function: "App", bound: bool) -> tuple[int, int]:
    """Positional arguments that a call needs and takes, self not counted. Unknown ones: as WSGI's."""
    code = getattr(function, "__code__", None)
    if code is None:
        return signature_arity(function)
    most = code.co_argcount - bound
    least = max(0, most - len(getattr(function, "__defaults__", None) or ()))
    return least, MANY if code.co_flags & CO_VARARGS else most


def signature_arity(function: "App") -> tuple[int, int]:
    """The same for what is no Python function: functools.partial, C functions."""
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2, 2
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    most = MANY if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(plain)
    return sum(p.default is p.empty for p in plain), most
