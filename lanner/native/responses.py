"""Answers that a handler makes itself; lanner.responses has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from lanner.native.cookies import cookie_line

Expires = Any  # datetime, a date of HTTP as str, or seconds from now


class MutableHeaders(MutableMapping[str, str]):
    """The fields of an answer: a mapping without case in which a name can be there more than once.

    Example: `response.headers["X-Cards"] = "3"`
    """

    def __init__(self, raw: list[tuple[str, str]] | None = None) -> None:
        self.raw = raw if raw is not None else []

    def __getitem__(self, name: str) -> str:
        wanted = name.lower()
        for key, value in self.raw:
            if key.lower() == wanted:
                return value
        raise KeyError(name)

    def __setitem__(self, name: str, value: str) -> None:
        checked = field(name, value)
        wanted = name.lower()
        for at, (key, _) in enumerate(self.raw):
            if key.lower() == wanted:
                self.raw[at:] = [checked, *(pair for pair in self.raw[at + 1 :] if pair[0].lower() != wanted)]
                return
        self.raw.append(checked)

    def __delitem__(self, name: str) -> None:
        wanted = name.lower()
        self.raw[:] = [pair for pair in self.raw if pair[0].lower() != wanted]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name.lower() for name, _ in self.raw))

    def __len__(self) -> int:
        return len({name.lower() for name, _ in self.raw})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(key.lower() == name.lower() for key, _ in self.raw)

    def append(self, name: str, value: str) -> None:
        """Adds a field even if one of that name is there."""
        self.raw.append(field(name, value))

    def getlist(self, name: str) -> list[str]:
        """All values of a name, in order."""
        return [value for key, value in self.raw if key.lower() == name.lower()]

    def setdefault(self, name: str, value: str = "") -> str:
        if name not in self:
            self[name] = value
        return self[name]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw!r})"


def field(name: str, value: str) -> tuple[str, str]:
    """A field that can go on the wire; ValueError if it can not (RFC 9110, sections 5.1 and 5.5)."""
    if not isinstance(name, str) or not isinstance(value, str):
        raise TypeError(f"a field's name and value are str: {name!r}: {value!r}")
    if not name or not all(char.isascii() and (char.isalnum() or char in "!#$%&'*+-.^_`|~") for char in name):
        raise ValueError(f"{name!r} is no name of a field: letters, digits and !#$%&'*+-.^_`|~")
    if any(ord(char) < 32 and char != "\t" for char in value) or "\x7f" in value:
        raise ValueError(f"the value of {name} has a control character: {value!r}")
    return name, value


class Response:
    """An answer of bytes, and the base of the others.

    content: bytes, or str as UTF-8; None is an empty body.
    status_code: 200 unless said otherwise.
    headers: more fields. media_type: becomes Content-Type, with a charset if it is text.
    background: called when the last byte is queued, a BackgroundTask or BackgroundTasks.

    Injected into a handler (`response: Response`) it takes status, fields and cookies for what the handler returns.

    Example: `Response(b"\\x00\\x01", media_type="application/octet-stream")`
    """

    media_type: ClassVar[str | None] = None
    charset: ClassVar[str] = "utf-8"
    status_code: int | None

    def __init__(
        self,
        content: Any = None,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
        background: Callable[[], Any] | None = None,
    ) -> None:
        self.status_code = status_code
        self.body = self.render(content)
        self.background = background
        self.headers = MutableHeaders([field(name, value) for name, value in headers.items()] if headers else [])
        if media_type is not None:
            self.media_type = media_type  # type: ignore[misc]
        if self.media_type is not None and "content-type" not in self.headers:
            self.headers.raw.append(("content-type", content_type(self.media_type, self.charset)))

    def render(self, content: Any) -> bytes:
        """The body's bytes. Overridden by a response class of one's own."""
        if content is None:
            return b""
        if isinstance(content, bytes):
            return content
        if isinstance(content, (bytearray, memoryview)):
            return bytes(content)
        if isinstance(content, str):
            return content.encode(self.charset)
        raise TypeError(
            f"{type(self).__name__} takes bytes or str, not {type(content).__name__}: JSONResponse takes any value"
        )

    def set_cookie(
        self,
        key: str,
        value: str = "",
        max_age: int | None = None,
        expires: Expires = None,
        path: str | None = "/",
        domain: str | None = None,
        secure: bool = False,
        httponly: bool = False,
        samesite: Literal["lax", "strict", "none"] | None = "lax",
        partitioned: bool = False,
    ) -> None:
        """Adds a Set-Cookie field (RFC 6265). max_age: seconds. ValueError for what no cookie can hold."""
        line = cookie_line(key, value, max_age, expires, path, domain, secure, httponly, samesite, partitioned)
        self.headers.append("set-cookie", line)

    def delete_cookie(
        self,
        key: str,
        path: str = "/",
        domain: str | None = None,
        secure: bool = False,
        httponly: bool = False,
        samesite: Literal["lax", "strict", "none"] | None = "lax",
    ) -> None:
        """Makes the client forget a cookie; path and domain as it was set."""
        self.set_cookie(key, "", 0, 0, path, domain, secure, httponly, samesite)

    def defer(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Calls func(*args, **kwargs) after the answer, behind what was there before.

        Example: `response.defer(log, 3)`
        """
        from lanner.native.background import BackgroundTask, BackgroundTasks

        if not isinstance(self.background, BackgroundTasks):
            before = self.background
            self.background = BackgroundTasks(
                [before if isinstance(before, BackgroundTask) else BackgroundTask(before)] if before else None
            )
        self.background.add_task(func, *args, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.status_code}, {len(self.body)} bytes)"


class JSONResponse(Response):
    """Any value as JSON, by lanner.json. Example: `JSONResponse({"a": 1}, status_code=201)`."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        from lanner import json

        return json.dumpb(content, non_str_keys=True)


class ORJSONResponse(JSONResponse):
    """JSON, too: orjson is not needed. The name is FastAPI's."""


class HTMLResponse(Response):
    """A page. Example: `HTMLResponse("<h1>Cards</h1>")`."""

    media_type = "text/html"


class PlainTextResponse(Response):
    """Text. Example: `PlainTextResponse("pong")`."""

    media_type = "text/plain"


class RedirectResponse(Response):
    """Sends the client to another address: 307 keeps method and body, 303 makes it a GET (RFC 9110, section 15.4).

    url: absolute, or relative to the request's; what can not be in one is percent-encoded.

    Example: `RedirectResponse("/cards/3", status_code=303)`
    """

    def __init__(
        self,
        url: Any,
        status_code: int = 307,
        headers: Mapping[str, str] | None = None,
        background: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(b"", status_code, headers, None, background)
        self.headers["location"] = quote(str(url), safe=":/%#?=@[]!$&'()*+,;~")


def content_type(media_type: str, charset: str) -> str:
    """The value of Content-Type. Example: `content_type("text/html", "utf-8")` is "text/html; charset=utf-8"."""
    if media_type.startswith("text/") and "charset=" not in media_type.lower():
        return f"{media_type}; charset={charset}"
    return media_type
