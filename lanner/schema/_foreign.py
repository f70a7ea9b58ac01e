"""Types that pydantic validates: the calls of pydantic, and its errors as dicts."""

from __future__ import annotations

import sys
import typing
from collections.abc import Iterable
from typing import Annotated, Any

from lanner.schema._raw import Refused

KNOWN = {"AfterValidator", "Discriminator", "FieldInfo"}  # read by _rules, with the functions and fields they hold


def errors_of(error: BaseException | None) -> list[dict[str, Any]] | None:
    """The errors of a pydantic ValidationError, or of a Raw that was refused; None: it is another exception."""
    if isinstance(error, Refused):
        return error.errors
    core = sys.modules.get("pydantic_core")
    if core is None or not isinstance(error, core.ValidationError):
        return None
    errors: list[dict[str, Any]] = error.errors(include_url=False)
    return errors


def is_pydantics(tp: Any, metadata: Iterable[object]) -> bool:
    """Whether only pydantic supports the type or its metadata: EmailStr, Json, BeforeValidator, ..."""
    hook = "__get_pydantic_core_schema__"
    if isinstance(tp, type) and hasattr(tp, hook) and not hasattr(tp, "__pydantic_validator__"):
        return True
    return any(
        hasattr(item, hook)
        and not (type(item).__name__ in KNOWN and not callable(getattr(item, "discriminator", None)))
        for item in metadata
    )


def holds_model(tp: Any) -> bool:
    """Whether a type is a pydantic model, or a union of such."""
    return hasattr(tp, "__pydantic_validator__") or any(map(holds_model, typing.get_args(tp)))


def adapter_of(tp: Any, metadata: tuple[Any, ...]) -> Any:
    """pydantic's TypeAdapter for the type with its metadata; TypeError without pydantic."""
    pydantic = sys.modules.get("pydantic")
    if pydantic is None:
        raise TypeError(f"{tp!r} is pydantic's own; import pydantic, or register_type() the type")
    try:
        return pydantic.TypeAdapter(Annotated[(tp, *metadata)] if metadata else tp)
    except pydantic.errors.PydanticUserError as error:
        raise TypeError(f"{tp!r}: pydantic says: {error.message}") from error
