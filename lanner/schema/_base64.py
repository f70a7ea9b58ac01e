"""Base64: what says in Annotated that bytes are text in base64."""

from __future__ import annotations

from typing import Any


class Base64:
    """bytes as text in base64 (RFC 4648, section 4; with urlsafe=True section 5), padded.

    Example: `Schema(Annotated[bytes, Base64]).decode(b'"aGk="')` is `b"hi"`
    """

    def __init__(self, *, urlsafe: bool = False) -> None:
        self.urlsafe = urlsafe


def is_base64(item: Any) -> bool:
    return item is Base64 or isinstance(item, Base64)
