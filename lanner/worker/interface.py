"""Which interface an application speaks, found by its signature and never by calling it.

WSGI     app(environ, start_response)
ASGI 3   async app(scope, receive, send)
ASGI 2   app(scope)(receive, send)

The signature of the object that the server calls decides. Only where that is a bare `*args`, as decorators write it,
the function that it wraps is looked at.
"""

from lanner.errors import AppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    App = Callable[..., object]

CO_VARARGS, CO_COROUTINE = 0x04, 0x80  # inspect.CO_*, without importing inspect (2.5 MB)
MANY = 1 << 10
C_METHOD = type(object.__init__)
DEPTH_MAX = 20  # wrappers around wrappers; a cycle ends too


class Shape:
    """What a call takes. Example: `shape_of(lambda environ, start_response: []).names` has two names."""

    def __init__(
        self,
        names: "tuple[str, ...]" = (),
        defaults: int = 0,
        many: bool = False,
        coroutine: bool = False,
        needs: "tuple[str, ...]" = (),
        known: bool = True,
    ) -> None:
        self.names = names  # positional parameters
        self.defaults = defaults  # how many of them, from the end, have a default
        self.many = many  # *args
        self.coroutine = coroutine
        self.needs = needs  # keyword-only parameters without a default
        self.known = known  # False: a C function without a signature

    @property
    def least(self) -> int:
        return max(0, len(self.names) - self.defaults)

    @property
    def most(self) -> int:
        return MANY if self.many else len(self.names)

    def takes(self, count: int) -> bool:
        return self.least <= count <= self.most

    def without(self, count: int, keywords: "tuple[str, ...]" = ()) -> "Shape":
        """The shape that is left when so many positional arguments, and these keywords, are bound."""
        names = self.names[count:]
        defaults = min(self.defaults, len(names))
        bound = next((index for index, name in enumerate(names) if name in keywords), len(names))
        if bound < len(names):  # that one, and those behind it, can only be given by name now
            defaults = max(0, defaults - (len(names) - bound))
        needs = tuple(name for name in self.needs if name not in keywords)
        many = self.many and bound == len(names)
        return Shape(names[:bound], defaults, many, self.coroutine, needs, self.known)


def choose(app: "App", wanted: str, label: str) -> str:
    """The interface to serve app with, "wsgi", "asgi" or "native": the wanted one, or that found for "auto".

    Example: `choose(flask_app, "auto", "shop:app")` is `"wsgi"`.
    """
    native = isinstance(getattr(type(app), "__lanner__", None), property)
    if wanted == "native" and not native:
        raise AppError(f"--interface native: {label} is no lanner.App; give --interface auto")
    if native and wanted in ("auto", "native"):
        return "native"
    if wanted != "auto":
        check(app, wanted, label)
        return wanted
    kind = detect(app, label)
    if kind == "asgi2":
        raise AppError(
            f"{label} is an ASGI 2 application; wrap it with asgiref.compatibility.guarantee_single_callable"
        )
    return kind


def check(app: "App", wanted: str, label: str) -> None:
    """Refuses an interface that the application cannot speak: every request would fail."""
    shape = shape_of(app)
    if not shape.known:
        return
    if wanted == "wsgi" and shape.coroutine:
        raise AppError(f"--interface wsgi: {label} is async, so it is an ASGI application; give --interface asgi")
    count = 2 if wanted == "wsgi" else 3
    if not shape.takes(count):
        parameters = "environ and start_response" if wanted == "wsgi" else "scope, receive and send"
        other = "asgi" if wanted == "wsgi" else "wsgi"
        fix = f"; give --interface {other}" if shape.takes(5 - count) else ""
        raise AppError(
            f"--interface {wanted}: {label} takes {counted(shape)}, "
            f"and {wanted.upper()} calls it with {count}, {parameters}{fix}"
        )


def detect(app: "App", label: str = "the application") -> str:
    """ "wsgi", "asgi" or "asgi2" by the signature; AppError when the signature fits neither.

    Example: `detect(lambda environ, start_response: [])` is `"wsgi"`.
    """
    shape = shape_of(app)
    if shape.needs:
        raise AppError(f"{label} needs {shape.needs[0]}=, which no server gives; bind it with functools.partial")
    if shape.coroutine:
        if shape.takes(3):
            return "asgi"
        raise AppError(
            f"{label} is async and takes {counted(shape)}; an ASGI application takes 3: scope, receive and send"
        )
    least, most = shape.least, shape.most
    if least == 2 or (least < 2 and most == 2) or not shape.known:
        return "wsgi"
    if least == 3:
        return "asgi"
    if least == most == 0:
        raise AppError(f"{label} takes no arguments: if it makes the application, add --factory")
    if least == most == 1:
        return "asgi2"
    if least <= 2 <= most:
        raise AppError(f"cannot tell whether {label} is WSGI or ASGI; add --interface wsgi or --interface asgi")
    raise AppError(f"{label} takes {counted(shape)}; a WSGI application takes 2: environ and start_response")


def counted(shape: Shape) -> str:
    """Example: `counted(Shape(("request",)))` is `"1 argument"`."""
    least, most = shape.least, shape.most
    if most == MANY:
        return f"{least} or more arguments"
    return f"{most} argument" + "s" * (most != 1) if least == most else f"{least} to {most} arguments"


def shape_of(app: "App", depth: int = 0) -> Shape:
    """What a call of app takes; of a bare *args, what the function that it wraps takes."""
    if depth > DEPTH_MAX:
        return Shape(many=True)
    shape = outer_shape(app, depth)
    inner = None if hasattr(app, "__func__") else getattr(app, "__wrapped__", None)
    if bare(shape) and callable(inner):
        shape = through(shape, shape_of(inner, depth + 1))
    shape.coroutine = shape.coroutine or hasattr(app, "_is_coroutine_mark") or hasattr(app, "_is_coroutine")
    return shape


def bare(shape: Shape) -> bool:
    """Whether the shape says nothing about the number of arguments."""
    return not shape.known or (shape.many and not shape.names and not shape.needs)


def through(outer: Shape, inner: Shape) -> Shape:
    """The shape of a wrapper that takes a bare `*args`, given the shape of the wrapped function."""
    if outer.coroutine:
        return Shape(inner.names, inner.defaults, inner.many, True) if inner.takes(3) else outer
    if inner.least == inner.most == 1 and inner.names[0] != "scope":
        # A wrapper that makes the argument out of its own: WSGI's, as werkzeug's @Request.application around
        # app(request). Around an async function it could be either.
        return outer if inner.coroutine else Shape(("environ", "start_response"))
    if not inner.takes(2) and inner.least > 3:
        return outer
    inner.coroutine = False
    return inner


def outer_shape(app: "App", depth: int) -> Shape:
    """What a call of this very object takes."""
    if isinstance(app, type):
        return class_shape(app, depth)
    if hasattr(app, "__func__"):
        return bound_shape(app.__func__, depth) if hasattr(app, "__self__") else shape_of(app.__func__, depth + 1)
    if hasattr(app, "func") and hasattr(app, "args") and hasattr(app, "keywords"):  # functools.partial
        return shape_of(app.func, depth + 1).without(len(app.args), tuple(app.keywords))
    if hasattr(app, "__code__"):
        return function_shape(app)
    call = attribute_of_type(type(app), "__call__")
    if isinstance(call, C_METHOD):
        return c_shape(app)
    return shape_of(call.__get__(app, type(app)) if hasattr(call, "__get__") else call, depth + 1)


def bound_shape(function: "App", depth: int) -> Shape:
    """The shape of a method without self; likewise of the function wrapped by `def wrapper(self, *args)` or `*args`."""
    shape = outer_shape(function, depth + 1).without(1)
    inner = getattr(function, "__wrapped__", None)
    if bare(shape) and callable(inner):
        return through(shape, shape_of(inner, depth + 1).without(1))
    return shape


def class_shape(app: type, depth: int) -> Shape:
    """A class takes the arguments of its __init__, or of its __new__ if it defines only that."""
    init, new = attribute_of_type(app, "__init__"), attribute_of_type(app, "__new__")
    made_by = getattr(new, "__func__", new) if init is object.__init__ else init
    shape = shape_of(made_by, depth + 1).without(1)
    shape.coroutine = hasattr(app, "__await__")
    return shape


def attribute_of_type(kind: type, name: str) -> "App":
    """The attribute as stored in the class, unbound."""
    for base in kind.__mro__:
        if name in base.__dict__:
            found: App = base.__dict__[name]
            return found
    raise AttributeError(name)


def function_shape(function: "App") -> Shape:
    """The shape of a Python function, without importing inspect."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    given = getattr(function, "__kwdefaults__", None) or {}
    return Shape(
        names,
        len(getattr(function, "__defaults__", None) or ()),
        bool(code.co_flags & CO_VARARGS),
        bool(code.co_flags & CO_COROUTINE),
        tuple(name for name in by_name if name not in given),
    )


def c_shape(function: "App") -> Shape:
    """The shape of a C function, if it has a signature."""
    import inspect

    try:
        parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return Shape(many=True, known=False)
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return Shape(tuple(p.name for p in plain), sum(p.default is not p.empty for p in plain), many)
