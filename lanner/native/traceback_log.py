"""Tracebacks in the log, where the engine does not write them itself."""

from __future__ import annotations

import traceback
from contextvars import ContextVar
from typing import Any

from lanner.log import line, put, stamp

# Whoever sets a list takes the exceptions in there, and they are not logged: a test that has them raised.
caught: ContextVar[list[BaseException] | None] = ContextVar("lanner caught exceptions", default=None)


def log_exception(event: str, error: BaseException, request: Any = None, **more: object) -> None:
    """One line and the traceback behind it, written at once. more: fields of the line."""
    if (taken := caught.get()) is not None:
        return taken.append(error)
    fields: dict[str, object] = {}
    if request is not None:
        fields = {"method": request.method, "target": request.url.path}
    fields |= more
    text = "".join(traceback.format_exception(error)).rstrip("\n")
    put(stamp() + line("error", event, fields) + "\n" + text)
