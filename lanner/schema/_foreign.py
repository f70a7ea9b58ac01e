"""Errors of classes that validate themselves (pydantic), as dicts."""

from __future__ import annotations

import sys
from typing import Any


def errors_of(error: BaseException | None) -> list[dict[str, Any]] | None:
    """The errors of a pydantic ValidationError; None: it is another exception."""
    core = sys.modules.get("pydantic_core")
    if core is None or not isinstance(error, core.ValidationError):
        return None
    errors: list[dict[str, Any]] = error.errors(include_url=False)
    return errors
