"""The report when an application fails to load: the traceback of the user's frames, and a line."""

import os
import sys

from lanner.errors import AppError, LannerError
from lanner.log import Log, notice, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traceback import TracebackException

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def load_failed(label: str, error: BaseException) -> AppError:
    """The AppError for an exception that escaped from the user's code while it was loaded or called.

    Example: `load_failed("shop:app", KeyError("DATABASE_URL"))` says `cannot load shop:app: KeyError: 'DATABASE_URL'`.
    """
    if isinstance(error, SystemExit):
        return AppError(f"cannot load {label}: it called sys.exit({error.code!r})", trimmed(error))
    return AppError(f"cannot load {label}: {summary(error)}", trimmed(error))


def print_error(error: LannerError) -> None:
    """Prints an error that ends the process: for the user of the command line, or as a line of a running server's log.

    Example: `print_error(ConfigError("--port: 'x' is not a whole number"))`
    """
    report = error.report.rstrip("\n") if isinstance(error, AppError) else ""
    if error.while_serving:
        Log().error("app.failed", error=error)
    if report:
        put(report)
    if not error.while_serving:
        notice(str(error))


def summary(error: BaseException) -> str:
    """An exception as one line. Example: `summary(KeyError("x"))` is `"KeyError: 'x'"`."""
    first = str(error).strip().splitlines()[:1]
    return type(error).__name__ + (f": {first[0]}" if first else "")


def trimmed(error: BaseException) -> str:
    """The traceback without Lanner's and importlib's frames, or "" when no frame of the user's is left."""
    from traceback import TracebackException

    whole = TracebackException.from_exception(error)
    if not sum(trim(part) for part in chain(whole)):
        return ""
    return "".join(whole.format())


def chain(whole: "TracebackException") -> "list[TracebackException]":
    """The exception with its causes and contexts."""
    found: list[TracebackException] = []
    waiting: list[TracebackException | None] = [whole]
    while waiting:
        part = waiting.pop()
        if part is not None and not any(part is known for known in found):
            found.append(part)
            waiting += [
                part.__cause__,
                part.__context__,
                *(getattr(part, "exceptions", None) or ()),
            ]
    return found


def trim(part: "TracebackException") -> int:
    """Drops our frames of one exception; a SyntaxError's place in the user's file counts as a frame."""
    kept = [frame for frame in part.stack if not ours(frame.filename)]
    part.stack[:] = kept
    return len(kept) + (1 if getattr(part, "filename", None) else 0)


def ours(filename: str) -> bool:
    return filename.startswith((PACKAGE, "<frozen importlib", "<frozen runpy")) or filename == stdlib_importlib()


def stdlib_importlib() -> str:
    module = sys.modules.get("importlib")
    return getattr(module, "__file__", None) or ""
