"""Tracebacks in the log, where the engine does not write them itself."""

from __future__ import annotations

import traceback
from typing import Any

from lanner.log import line, put, stamp


def log_exception(event: str, error: BaseException, request: Any = None) -> None:
    """One line and the traceback behind it, written at once."""
    fields: dict[str, object] = {}
    if request is not None:
        fields = {"method": request.method, "target": request.url.path}
    text = "".join(traceback.format_exception(error)).rstrip("\n")
    put(stamp() + line("error", event, fields) + "\n" + text)
