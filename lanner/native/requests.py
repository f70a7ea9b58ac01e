"""Request: one request as a handler sees it that asks for it by type."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, MutableMapping
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote

Pairs = list[tuple[str, str]]
Scope = MutableMapping[str, Any]


class Address(NamedTuple):
    """Where a client is. Example: `request.client.host`."""

    host: str
    port: int


class State(SimpleNamespace):
    """Attributes of one's own. Example: `app.state.pool = pool`."""


class Multi(Mapping[str, str]):
    """A mapping in which a key may have more than one value: `[key]` is the last one, `getlist(key)` all."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._last = dict(pairs)

    def __getitem__(self, key: str) -> str:
        return self._last[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __len__(self) -> int:
        return len(self._last)

    def getlist(self, key: str) -> list[str]:
        return [value for name, value in self._pairs if name == key]

    def multi_items(self) -> Pairs:
        """All pairs, in order."""
        return list(self._pairs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._pairs!r})"


class QueryParams(Multi):
    """The parameters of a query. Example: `request.query_params["q"]`."""

    def __init__(self, query: str) -> None:
        super().__init__(parse_qsl(query, keep_blank_values=True))
        self._query = query

    def __str__(self) -> str:
        return self._query


class Headers(Mapping[str, str]):
    """The fields of a request's head, without case: `[name]` is the first one, `getlist(name)` all."""

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        self.raw = raw

    def __getitem__(self, name: str) -> str:
        wanted = name.lower().encode("latin-1", "replace")
        for key, value in self.raw:
            if key == wanted:
                return value.decode("latin-1")
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(key == name.lower().encode("latin-1", "replace") for key, _ in self.raw)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key.decode("latin-1") for key, _ in self.raw))

    def __len__(self) -> int:
        return len({key for key, _ in self.raw})

    def getlist(self, name: str) -> list[str]:
        wanted = name.lower().encode("latin-1", "replace")
        return [value.decode("latin-1") for key, value in self.raw if key == wanted]

    def keys(self) -> KeysView[str]:
        return dict(self.multi_items()).keys()

    def items(self) -> ItemsView[str, str]:
        return {name: self[name] for name in self}.items()

    def multi_items(self) -> Pairs:
        return [(key.decode("latin-1"), value.decode("latin-1")) for key, value in self.raw]

    def __repr__(self) -> str:
        return f"Headers({self.multi_items()!r})"


class URL:
    """The address of a request. `path` is decoded, the address as a whole is as it was sent.

    Example: `request.url.path`, `str(request.url)`
    """

    def __init__(self, scope: Scope, host: str | None) -> None:
        self.scheme: str = scope["scheme"]
        server = scope.get("server")
        if host is None and server:
            plain = server[1] is None or server[1] == {"http": 80, "https": 443}.get(self.scheme)
            host = server[0] if plain else f"{server[0]}:{server[1]}"
        self.netloc: str = host or ""
        self.path: str = scope["path"]
        raw = scope.get("raw_path")
        self._raw_path: str = raw.decode("latin-1") if raw else quote(self.path)
        self.query: str = scope["query_string"].decode("latin-1")

    @property
    def hostname(self) -> str:
        name, _, port = self.netloc.rpartition(":")
        return name if name and port.isdigit() else self.netloc

    @property
    def port(self) -> int | None:
        name, _, port = self.netloc.rpartition(":")
        return int(port) if name and port.isdigit() else None

    def __str__(self) -> str:
        start = f"{self.scheme}://{self.netloc}" if self.netloc else ""
        return f"{start}{self._raw_path}{'?' + self.query if self.query else ''}"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"URL({str(self)!r})"


class Request(Mapping[str, Any]):
    """One request. A mapping over its ASGI scope, with the names of Starlette.

    A handler takes it by type: `def card(request: Request)`. The body is there as a whole: `await request.body()`.

    Example: `request.headers["user-agent"]`
    """

    def __init__(self, scope: Scope, body: bytes = b"") -> None:
        self.scope = scope
        self._body = body

    def __getitem__(self, key: str) -> Any:
        return self.scope[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scope)

    def __len__(self) -> int:
        return len(self.scope)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def app(self) -> Any:
        return self.scope["app"]

    @property
    def method(self) -> str:
        method: str = self.scope["method"]
        return method

    @property
    def url(self) -> URL:
        return URL(self.scope, self.headers.get("host"))

    @property
    def base_url(self) -> str:
        url = self.url
        return f"{url.scheme}://{url.netloc}{self.scope.get('root_path', '').rstrip('/')}/"

    @property
    def headers(self) -> Headers:
        return Headers(self.scope["headers"])

    @property
    def query_params(self) -> QueryParams:
        return QueryParams(self.scope["query_string"].decode("latin-1"))

    @property
    def path_params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.scope.get("path_params", {})
        return params

    @property
    def cookies(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self.headers.getlist("cookie"):
            for pair in line.split(";"):
                name, equals, value = pair.strip().partition("=")
                if not equals:
                    name, value = "", name
                if name or value:
                    found[name.strip()] = unquoted(value.strip())
        return found

    @property
    def client(self) -> Address | None:
        client = self.scope.get("client")
        return Address(*client) if client else None

    @property
    def state(self) -> State:
        """Of this request: what the lifespan has yielded, and what is set here."""
        state = self.scope.get("lanner.state")
        if not isinstance(state, State):
            state = self.scope["lanner.state"] = State(**self.scope.get("state", {}))
        return state

    async def body(self) -> bytes:
        """The whole body."""
        return self._body

    async def json(self) -> Any:
        """The body as JSON. Raises lanner.json.JSONDecodeError."""
        from lanner import json

        return json.loads(self._body)

    def url_for(self, name: str, /, **params: Any) -> str:
        """The absolute address of a route by its name. LookupError if there is none."""
        return self.base_url.rstrip("/") + str(self.app.url_path_for(name, **params))

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.url.path}>"


def unquoted(value: str) -> str:
    """A cookie's value as http.cookies reads it."""
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    from http.cookies import _unquote

    return str(_unquote(value))


def decoded_path(raw: bytes) -> str:
    return unquote(raw.decode("latin-1"))
