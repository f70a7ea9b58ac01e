"""The errors of a ValidationError as JSON, for any input."""

from __future__ import annotations

from typing import Any

from lanner.json import dumps

REPR_MAX = 1024  # characters


def shown(value: Any) -> str:
    """The beginning of the value's repr(), in ASCII."""
    try:
        return ascii(value)[:REPR_MAX]
    except Exception:  # of user code, or nested too deep
        return f"<{type(value).__qualname__}>"


def written(value: Any) -> str:
    return dumps(value, default=shown, nan_as_null=True, non_str_keys=True)


def representable(value: Any) -> Any:
    """The value, or its repr() if JSON cannot represent it (a lone surrogate, a cycle, a key that is not a scalar)."""
    try:
        written([{"input": value}])  # as deep as it will stand
    except Exception:
        return shown(value)
    return value


def to_json(errors: list[dict[str, Any]]) -> str:
    try:
        return written(errors)
    except Exception:
        return written(
            [{name: part if name == "loc" else representable(part) for name, part in e.items()} for e in errors]
        )
