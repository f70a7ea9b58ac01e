"""Loads the application object that a target names.

    target = module [":" attribute] | path ".py" [":" attribute]
    attribute = name *("." name) ["(" literal arguments ")"]

Without an attribute, `app` and then `application` are looked for.
"""

import importlib
import os
import sys

from lanner.errors import AppError
from lanner.process.stop_requests import Stopped
from lanner.report import load_failed
from lanner.spelling import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    App = Callable[..., object]

DEFAULTS = ("app", "application")
FACTORIES = ("create_app", "create", "make_app", "get_app")


def load(target: str, app_dir: str = ".", factory: bool = False) -> "App":
    """The application that a target names; AppError explains why there is none.

    Example: `load("shop.wsgi:application")`, `load("site/app.py")`, `load("shop:create", factory=True)`
    """
    where, colon, attribute = target.partition(":")
    if not where or (colon and not attribute):
        raise AppError(f"target {target!r} is not complete; write module:attribute, for example shop.wsgi:application")
    path, parenthesis, arguments = attribute.partition("(")
    module = import_file(where, target) if is_file(where) else import_name(where, target, app_dir)
    found = walk(module, path, target) if path else default(module, target)
    if parenthesis:
        found = call(found, target, *literals("(" + arguments, target))
    elif factory:
        found = call(found, target, (), {})
    if not callable(found):
        raise AppError(f"{target} is not an application: {type(found).__name__} objects can not be called")
    return found


def is_file(where: str) -> bool:
    return where.endswith(".py") or os.sep in where


def put_first(directory: str) -> None:
    """Makes a directory the first that modules are looked for in."""
    if sys.path[:1] != [directory]:
        sys.path.insert(0, directory)


def import_file(where: str, target: str) -> "ModuleType":
    """A module by its path; a package's parts keep their dotted names, so that relative imports work."""
    path = os.path.abspath(where)
    if not os.path.isfile(path):
        raise AppError(f"cannot load {target}: there is no file {path}")
    directory, name = os.path.split(path.removesuffix(".py"))
    parts = [] if name == "__init__" else [name]
    while os.path.isfile(os.path.join(directory, "__init__.py")):
        directory, package = os.path.split(directory)
        parts.insert(0, package)
    put_first(directory)
    dotted = ".".join(parts)
    module = import_module(dotted, target)
    found = os.path.abspath(getattr(module, "__file__", None) or "")
    if found != path:
        raise AppError(
            f"cannot load {target}: another module is named {dotted} ({found or 'built in'}); rename the file"
        )
    return module


def import_name(name: str, target: str, app_dir: str) -> "ModuleType":
    directory = os.path.abspath(app_dir)
    if not all(part.isidentifier() for part in name.split(".")):
        raise AppError(f"cannot load {target}: {name!r} is not a module name; write module:attribute or path/file.py")
    put_first(directory)
    return import_module(name, target)


def import_module(name: str, target: str) -> "ModuleType":
    """Imports a module. A missing module is reported as one line, an exception in a module with its traceback."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name == missing or name.startswith(missing + "."):
            raise AppError(f"cannot load {target}: {absent(name, missing)}") from None
        raise load_failed(target, error) from error
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException as error:
        raise load_failed(target, error) from error


def absent(name: str, missing: str) -> str:
    """Which part of a dotted name is missing, and what to do."""
    if missing == name.partition(".")[0]:
        names = {entry.removesuffix(".py") for entry in os.listdir(sys.path[0])}
        near = hint(missing, names)
        return f"there is no module {missing!r} in {sys.path[0]}" + (near or "; check the name, or give --app-dir")
    if not hasattr(sys.modules.get(missing.rpartition(".")[0]), "__path__"):
        return f"{missing.rpartition('.')[0]!r} is not a package; write : before the attribute"
    return f"there is no module {missing!r}"


def walk(module: "ModuleType", path: str, target: str) -> object:
    """The attribute of a module by its dotted path."""
    found: object = module
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            near = hint(name, [known for known in dir(found) if not known.startswith("__")])
            inside = module.__name__ if found is module else type(found).__name__
            raise AppError(f"cannot load {target}: {inside} has no attribute {name!r}{near}") from None
    return found


def default(module: "ModuleType", target: str) -> object:
    for name in DEFAULTS:
        if hasattr(module, name):
            return getattr(module, name)
    for name in FACTORIES:
        if callable(getattr(module, name, None)):
            raise AppError(f"{target} has neither app nor application; did you mean {target}:{name} --factory?")
    raise AppError(f"{target} has neither app nor application; name the application: {target}:NAME")


def call(found: object, target: str, args: tuple[object, ...], keywords: dict[str, object]) -> object:
    if not callable(found):
        raise AppError(f"{target} is not a factory: {type(found).__name__} objects can not be called")
    try:
        made = found(*args, **keywords)
    except (KeyboardInterrupt, Stopped):
        raise
    except BaseException as error:
        failed = load_failed(target, error)
        if isinstance(error, TypeError) and not failed.report:  # the call itself is wrong
            raise AppError(
                f"{failed}; arguments of a factory belong to the target: {target}('prod', debug=False)"
            ) from None
        raise failed from error
    return checked_factory(made, target)


def checked_factory(made: object, target: str) -> object:
    """The result of a factory, unless it is a coroutine: then the factory is async by mistake."""
    if hasattr(made, "cr_frame") and hasattr(made, "close"):
        made.close()
        raise AppError(f"{target} is async; a factory must be a plain function that returns the application")
    return made


def literals(text: str, target: str) -> tuple[tuple[object, ...], dict[str, object]]:
    """The arguments of gunicorn's call syntax, `module:create("prod", debug=False)`."""
    import ast

    try:
        tree = ast.parse("f" + text, mode="eval").body
        if not isinstance(tree, ast.Call) or any(keyword.arg is None for keyword in tree.keywords):
            raise ValueError("not one call")
        args = tuple(ast.literal_eval(arg) for arg in tree.args)
        return args, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in tree.keywords}
    except (SyntaxError, ValueError):
        raise AppError(
            f"{target}: the arguments of a factory must be literals, as in create('prod', debug=False)"
        ) from None
