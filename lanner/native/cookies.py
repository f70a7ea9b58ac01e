"""The line of a Set-Cookie field (RFC 6265, section 4.1)."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
NOT_IN_VALUES = frozenset(' ",;\\')


def cookie_line(
    key: str,
    value: str,
    max_age: int | None,
    expires: Any,
    path: str | None,
    domain: str | None,
    secure: bool,
    httponly: bool,
    samesite: str | None,
    partitioned: bool,
) -> str:
    """`key=value; Path=/; ...`. ValueError for a key, value or attribute that a cookie can not hold.

    A value with blanks, commas, quotes or other characters than visible ASCII is quoted, as http.cookies does.
    """
    if not key or not set(key) <= TOKEN:
        raise ValueError(f"{key!r} is no name of a cookie: letters, digits and !#$%&'*+-.^_`|~")
    parts = [f"{key}={cookie_value(key, value)}"]
    if domain:
        parts.append(f"Domain={attribute('domain', domain)}")
    if expires is not None:
        parts.append(f"expires={cookie_date(expires)}")
    if httponly:
        parts.append("HttpOnly")
    if max_age is not None:
        parts.append(f"Max-Age={int(max_age)}")
    if partitioned:
        parts.append("Partitioned")
    if path:
        parts.append(f"Path={attribute('path', path)}")
    if samesite is not None:
        if samesite.lower() not in ("lax", "strict", "none"):
            raise ValueError(f'samesite={samesite!r}: "lax", "strict", "none" or None')
        parts.append(f"SameSite={samesite.lower()}")
    if secure:
        parts.append("Secure")
    return "; ".join(parts)


def cookie_value(key: str, value: str) -> str:
    if any(ord(char) < 32 or ord(char) == 127 for char in value):
        raise ValueError(f"the value of cookie {key} has a control character: {value!r}")
    if value and all(33 <= ord(char) < 127 and char not in NOT_IN_VALUES for char in value):
        return value
    return '"' + "".join(map(quoted, value)) + '"'


def quoted(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char in ",;" or ord(char) > 126:
        return "".join(f"\\{byte:03o}" for byte in char.encode("latin-1" if ord(char) < 256 else "utf-8"))
    return char


def attribute(name: str, value: str) -> str:
    if any(ord(char) < 32 or ord(char) > 126 or char == ";" for char in value):
        raise ValueError(f"{name}={value!r}: a cookie's {name} is visible ASCII without ';'")
    return value


def cookie_date(expires: Any) -> str:
    """A date of HTTP; from a datetime (with a zone), the seconds from now, or text."""
    from email import utils  # only here: it imports 20 modules

    if isinstance(expires, datetime):
        if expires.tzinfo is None:
            raise ValueError("expires=: a datetime needs a time zone")
        return utils.format_datetime(expires.astimezone(UTC), usegmt=True)
    if isinstance(expires, str):
        return attribute("expires", expires)
    return utils.formatdate(time.time() + int(expires), usegmt=True)
