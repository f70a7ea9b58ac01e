"""What becomes of an exception of a handler: an answer, by the exception handler registered for it or the usual one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from lanner.native.errors import HTTPException, RequestValidationError, reason
from lanner.native.responses import JSONResponse, PlainTextResponse, Response

ExceptionHandler = Callable[[Any, Any], Response | Awaitable[Response]]


class Failures:
    """The exception handlers of an app: by class, the nearest base first, and by status for HTTPException."""

    def __init__(self, handlers: Mapping[Any, ExceptionHandler] | None = None, problem_details: bool = False) -> None:
        self.default = problem_answer if problem_details else default_answer
        self.by_class: dict[type[BaseException], ExceptionHandler] = {}
        self.by_status: dict[int, ExceptionHandler] = {}
        for key, handler in (handlers or {}).items():
            self.add(key, handler)

    def add(self, key: Any, handler: ExceptionHandler) -> None:
        if isinstance(key, int) and not isinstance(key, bool):
            self.by_status[key] = handler
        elif isinstance(key, type) and issubclass(key, Exception):
            self.by_class[key] = handler
        else:
            raise TypeError(f"exception_handler({key!r}): a class of exceptions, or a status such as 404")

    @property
    def sees_rejections(self) -> bool:
        """Whether a 404 or 405 of the router is anybody's business; otherwise it never enters Python."""
        return HTTPException in self.by_class or Exception in self.by_class or bool({404, 405} & self.by_status.keys())

    def find(self, error: BaseException) -> ExceptionHandler | None:
        if isinstance(error, HTTPException) and error.status_code in self.by_status:
            return self.by_status[error.status_code]
        for cls in type(error).__mro__:
            if cls in self.by_class:
                return self.by_class[cls]
        return None if isinstance(error, (HTTPException, RequestValidationError)) else self.by_status.get(500)

    def answer(self, error: Exception, request: Any) -> tuple[Response | Awaitable[Response], bool]:
        """The answer to an exception, or what becomes one when it is awaited; and whether nobody expected it."""
        handler = self.find(error)
        usual = isinstance(error, (HTTPException, RequestValidationError))
        unexpected = not usual and (handler is None or catches_all(self, handler))
        return (handler(request, error) if handler is not None else self.default(error)), unexpected


def catches_all(failures: Failures, handler: ExceptionHandler) -> bool:
    return handler is failures.by_class.get(Exception) or handler is failures.by_status.get(500)


class ProblemResponse(JSONResponse):
    """RFC 9457's answer to an error; its members have the order of the examples there."""

    media_type = "application/problem+json"


def problem_answer(error: Exception) -> Response:
    """What is answered where no handler is registered and the app has problem_details."""
    if isinstance(error, HTTPException):
        if error.status_code in (204, 205, 304) or error.status_code < 200:
            return default_answer(error)
        return ProblemResponse(problem(error.status_code, error.detail), error.status_code, error.headers)
    if isinstance(error, RequestValidationError):
        return ProblemResponse({**problem(422), "errors": error.errors()}, 422)
    return ProblemResponse(problem(500), 500)


def problem(status: int, detail: Any = None) -> dict[str, Any]:
    """The members that every problem has. Example: `problem(404)` is `{"title": "Not Found", "status": 404}`."""
    title = TITLES.get(status) or reason(status)
    said = {} if detail in (None, title, reason(status)) else {"detail": detail}
    return {"title": title, "status": status, **said}


TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}  # RFC 9110's; Python's table has older ones


def default_answer(error: Exception) -> Response:
    """What is answered where no handler is registered."""
    if isinstance(error, HTTPException):
        if error.status_code in (204, 205, 304) or error.status_code < 200:
            return Response(b"", error.status_code, error.headers)
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)
    if isinstance(error, RequestValidationError):
        return JSONResponse({"detail": error.errors()}, 422)
    return PlainTextResponse("Internal Server Error", 500)
