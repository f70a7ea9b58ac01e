"""What a handler raises to answer, and what a request that does not fit raises."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any


class HTTPException(Exception):
    """Answers with a status: `{"detail": detail}` unless a handler is registered for it.

    detail: any value that is JSON; without one, the status's reason phrase (RFC 9110, section 15).
    headers: more fields of the answer.

    Example: `raise HTTPException(404, "no such card")`
    """

    def __init__(self, status_code: int, detail: Any = None, headers: Mapping[str, str] | None = None) -> None:
        if not 100 <= status_code <= 599:
            raise ValueError(f"HTTPException({status_code}): a status is between 100 and 599")
        self.status_code = status_code
        self.detail = reason(status_code) if detail is None else detail
        self.headers = dict(headers) if headers else None
        super().__init__(status_code, self.detail)

    def __str__(self) -> str:
        return f"{self.status_code}: {self.detail}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(status_code={self.status_code!r}, detail={self.detail!r})"


class RequestValidationError(ValueError):
    """A request whose parameters or body do not fit; `errors()` lists all of them.

    body: the body as bytes, if there was one; in lanner.FastAPI what its JSON says.

    Example: `@app.exception_handler(RequestValidationError)`
    """

    def __init__(self, errors: list[dict[str, Any]], body: Any = None) -> None:
        super().__init__(errors)
        self._errors = errors
        self.body = body

    def errors(self) -> list[dict[str, Any]]:
        """The errors as a 422 lists them: type, loc, msg, input, and ctx where there is more to say."""
        return self._errors

    def __str__(self) -> str:
        lines = [f"{len(self._errors)} validation error{'' if len(self._errors) == 1 else 's'}"]
        lines += [f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in self._errors]
        return "\n  ".join(lines)


def reason(status_code: int) -> str:
    """The reason phrase of a status; "" for one that has none. Example: `reason(404)` is "Not Found"."""
    try:
        return HTTPStatus(status_code).phrase
    except ValueError:
        return ""
