"""WSGI applications of the conformance suite: `app` has one small behaviour for each path (PATHS, below).

Any other path tells what the application sees, as JSON: method, path, query, fields, body (base64). What happens where
no answer can tell it is noted under the request's `?id=`; `/events?id=` reads the notes.
"""

import base64
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

Environ = dict[str, Any]
Start = Callable[..., Any]

EVENTS: dict[str, list[str]] = {}
GATES = Path(os.environ.get("SUITE_GATES", "."))
GATE_SECONDS = 5.0  # a gate that nobody opens
BLOCK = bytes(65536)
ENDLESS_BLOCKS = 2000  # 125 MiB: more than any buffer, less than the memory


def query(environ: Environ, name: str, default: str = "") -> str:
    """A parameter as latin-1 text: any bytes can be asked for."""
    found = parse_qs(environ.get("QUERY_STRING", ""), encoding="latin-1", keep_blank_values=True)
    value: str = found.get(name, [default])[0]
    return value


def note(environ: Environ, what: str) -> None:
    EVENTS.setdefault(query(environ, "id"), []).append(what)


def text(start: Start, body: bytes, status: str = "200 OK", *fields: tuple[str, str]) -> list[bytes]:
    start(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body))), *fields])
    return [body]


def tell(start: Start, what: object) -> list[bytes]:
    return text(start, json.dumps(what).encode())


def utf8(latin1: str) -> str:
    return latin1.encode("latin-1").decode("utf-8", "replace")


def echo(environ: Environ, start: Start) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    if len(body) < int(environ.get("CONTENT_LENGTH") or 0):
        return text(start, b"the body is short\n", "400 Bad Request")
    fields = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    told = {
        "method": environ["REQUEST_METHOD"],
        "path": utf8(environ["PATH_INFO"]),
        "query": environ.get("QUERY_STRING", ""),
    }
    return tell(start, {**told, "fields": fields, "body": base64.b64encode(body).decode()})


# ---- what concerns the wire


def hello(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, b"hello")


def free(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    yield b"hello"


def stream(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    yield from (b"one", b"", b"two", b"", b"three", b"")


def count(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, str(len(environ["wsgi.input"].read())).encode())


def nobody(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, b"not read")


def status(environ: Environ, start: Start) -> Iterable[bytes]:
    body = b"must not be on the wire"
    fields = [("Content-Length", str(len(body)))] if query(environ, "length") else []
    start(query(environ, "code") + " Chosen", fields)
    return [body]


def empty(environ: Environ, start: Start) -> Iterable[bytes]:
    start(query(environ, "code") + " Chosen", [("Content-Type", "text/plain")])
    return []


def large(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, bytes(int(query(environ, "n"))))


def events(environ: Environ, start: Start) -> Iterable[bytes]:
    return tell(start, EVENTS.get(query(environ, "id"), []))


# ---- environ and input


def show(environ: Environ, start: Start) -> Iterable[bytes]:
    strings = {name: value for name, value in environ.items() if type(value) is str}
    others = {name: repr(value) for name, value in environ.items() if type(value) is not str}
    types = {name: type(value).__name__ for name, value in environ.items()}
    methods = {
        name: [at for at in dir(environ[name]) if not at.startswith("_")] for name in ("wsgi.input", "wsgi.errors")
    }
    iterable = hasattr(environ["wsgi.input"], "__iter__")
    told = {"strings": strings, "others": others, "types": types, "methods": methods, "iterable": iterable}
    return tell(start, {**told, "dict": type(environ) is dict})


def mark(environ: Environ, start: Start) -> Iterable[bytes]:
    """Whether an earlier request's mark is there; leaves one."""
    found = environ.get("suite.mark", "")
    environ["suite.mark"] = environ["HTTP_X_MARK"] = "left"
    return tell(start, [found, environ.get("SCRIPT_NAME"), environ.pop("PATH_INFO")])


def errors(environ: Environ, start: Start) -> Iterable[bytes]:
    stream = environ["wsgi.errors"]
    stream.write("suite: a line for the log\n")
    stream.writelines(["suite: two\n", "suite: \xe9\u20ac\n"])
    stream.flush()
    return text(start, b"written")


def feed(environ: Environ, start: Start) -> Iterable[bytes]:
    """Calls on wsgi.input, in order: `?do=read.3,readline,readline.4,readlines,iter`; what each gave, latin-1."""
    source, gave = environ["wsgi.input"], []
    for call in query(environ, "do").split(","):
        name, _, argument = call.partition(".")
        if name == "iter":
            gave.append([line.decode("latin-1") for line in source])
            continue
        found = getattr(source, name)(*([int(argument)] if argument else []))
        gave.append([line.decode("latin-1") for line in found] if name == "readlines" else found.decode("latin-1"))
    return tell(start, gave)


def read_all(environ: Environ, start: Start) -> Iterable[bytes]:
    """Reads to the end in pieces, and notes how that ended."""
    got = b""
    try:
        while part := environ["wsgi.input"].read(4096):
            got += part
    except Exception as error:
        note(environ, f"raised {type(error).__name__}")
        raise
    short = len(got) < int(environ.get("CONTENT_LENGTH") or 0)
    note(environ, "short" if short else "whole")
    return text(start, b"read")


# ---- start_response


def lazy(environ: Environ, start: Start) -> Iterable[bytes]:
    start("404 Not Here", [("Content-Type", "text/plain"), ("X-Lazy", "1")])
    yield b"lazy"


def write(environ: Environ, start: Start) -> Iterable[bytes]:
    put = start("200 OK", [("Content-Type", "text/plain")])
    put(b"one ")
    put(b"two ")
    return [b"three"]


def status_line(environ: Environ, start: Start) -> Iterable[bytes]:
    return attempt(environ, start, query(environ, "line"), [("Content-Length", "4")])


def field(environ: Environ, start: Start) -> Iterable[bytes]:
    name, value = query(environ, "name"), query(environ, "value")
    return attempt(environ, start, "200 OK", [("Content-Length", "4"), (name, value), ("X-Last", "1")])


def attempt(environ: Environ, start: Start, line: Any, fields: Any) -> Iterable[bytes]:
    """A start_response that may be refused: which exception is noted."""
    try:
        start(line, fields)
    except Exception as error:
        note(environ, f"raised {type(error).__name__}: {error}")
        raise
    note(environ, "taken")
    return [b"body"]


KINDS: dict[str, tuple[Any, Any]] = {
    "value-bytes": ("200 OK", [("X-A", b"1")]),
    "value-int": ("200 OK", [("X-A", 1)]),
    "value-none": ("200 OK", [("X-A", None)]),
    "name-bytes": ("200 OK", [(b"X-A", "1")]),
    "value-wide": ("200 OK", [("X-A", "\u20ac")]),
    "status-bytes": (b"200 OK", []),
    "status-int": (200, []),
    "fields-none": ("200 OK", None),
    "field-short": ("200 OK", [("X-A",)]),
}


def kind(environ: Environ, start: Start) -> Iterable[bytes]:
    return attempt(environ, start, *KINDS[query(environ, "kind")])


def fields(environ: Environ, start: Start) -> Iterable[bytes]:
    many = [("Set-Cookie", "a=1"), ("X-B", "1"), ("Set-Cookie", "b=2"), ("x-Case", "caf\xe9"), ("X-Empty", "")]
    return text(start, b"", "299 Any Reason", *many)


def twice(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 First", [("Content-Length", "5"), ("X-First", "1")])
    try:
        start("200 Second", [("Content-Length", "6")])
    except Exception as error:
        note(environ, f"raised {type(error).__name__}")
    return [b"first"]


def replace(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Length", "99"), ("X-First", "1")])
    try:
        raise LookupError("meant")
    except LookupError:
        start("503 Replaced", [("Content-Type", "text/plain"), ("Content-Length", "8")], sys.exc_info())
    return [b"replaced"]


def replace_empty(environ: Environ, start: Start) -> Iterable[bytes]:
    """Empty blocks first: the head must not have left."""
    start("200 OK", [("Content-Type", "text/plain"), ("X-First", "1")])
    yield b""
    yield b""
    try:
        raise LookupError("meant")
    except LookupError:
        start("503 Replaced", [("Content-Type", "text/plain"), ("Content-Length", "8")], sys.exc_info())
    yield b"replaced"


def replace_late(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    yield b"first"
    try:
        raise LookupError("meant")
    except LookupError:
        try:
            start("503 Replaced", [("Content-Type", "text/plain")], sys.exc_info())
        except BaseException as error:
            note(environ, f"raised {type(error).__name__}")
            raise
    note(environ, "taken")
    yield b"second"


def late_start(environ: Environ, start: Start) -> Iterable[bytes]:
    """A body before start_response."""
    yield b"body"
    start("200 OK", [("Content-Type", "text/plain")])
    yield b"more"


def nothing(environ: Environ, start: Start) -> Iterable[bytes]:
    return [b"no head"]


def none(environ: Environ, start: Start) -> Any:
    start("200 OK", [("Content-Type", "text/plain")])
    return None


# ---- the iterable


class Blocks:
    """An iterator that is neither list nor generator; notes its close()."""

    def __init__(self, environ: Environ, blocks: Iterable[Any], fails: str = "") -> None:
        self.environ, self.blocks, self.fails = environ, iter(blocks), fails

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        for block in self.blocks:
            return block
        if self.fails == "next":
            raise LookupError("meant")
        raise StopIteration

    def close(self) -> None:
        note(self.environ, "closed")
        if self.fails == "close":
            raise LookupError("meant")


def blocks(environ: Environ, start: Start) -> Iterable[bytes]:
    """`?blocks=one,two&fails=next&length=`: each block noted as closed once, whatever happens."""
    parts = [part.encode("latin-1") for part in query(environ, "blocks").split(",")] if query(environ, "blocks") else []
    fields = [("Content-Length", query(environ, "length"))] if query(environ, "length") else []
    start(query(environ, "status", "200 OK"), [("Content-Type", "text/plain"), *fields])
    return Blocks(environ, parts, query(environ, "fails"))


def plain(environ: Environ, start: Start) -> Iterable[bytes]:
    """The blocks as a list, tuple, or generator."""
    start("200 OK", [("Content-Type", "text/plain")])
    parts = [b"one", b"two"]
    return {
        "list": parts,
        "tuple": tuple(parts),
        "generator": (part for part in parts),
        "empty-list": [],
        "one": [b"one"],
    }[query(environ, "as")]


def without_start(environ: Environ, start: Start) -> Iterable[bytes]:
    return Blocks(environ, [b"one"])


def endless(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    note(environ, "started")
    return Blocks(environ, [BLOCK] * ENDLESS_BLOCKS)


def wait_for_gate(environ: Environ, number: int) -> None:
    """Until the client makes the file ID.NUMBER; the only way that needs no second thread of the server."""
    end = time.monotonic() + GATE_SECONDS
    while not (GATES / f"{query(environ, 'id')}.{number}").exists() and time.monotonic() < end:
        time.sleep(0.002)


def gated(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    yield b"one"
    wait_for_gate(environ, 1)
    yield b"two"
    wait_for_gate(environ, 2)


def strings(environ: Environ, start: Start) -> Iterable[Any]:
    start("200 OK", [("Content-Type", "text/plain")])
    return ["a string"]


def raises(environ: Environ, start: Start) -> Iterable[bytes]:
    kinds = {
        "os": OSError("meant"),
        "stop": StopIteration("meant"),
        "exit": SystemExit("meant"),
        "generator-exit": GeneratorExit("meant"),
    }
    kinds |= {
        "recursion": RecursionError("meant"),
        "memory": MemoryError("meant"),
        "unicode": ValueError("m\xe9\u20ac\udc80ant"),
    }
    raise kinds.get(query(environ, "kind"), LookupError("meant"))


def raises_started(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain"), ("X-First", "1")])
    raise LookupError("meant")


def wrapped(environ: Environ, start: Start) -> Iterable[bytes]:
    """wsgi.file_wrapper: `?of=file|memory&at=N&length=N`."""
    wrapper = environ.get("wsgi.file_wrapper")
    if wrapper is None:
        return text(start, b"no wsgi.file_wrapper", "404 Not Found")
    content = b"0123456789" * 10_000
    source: Any = io.BytesIO(content)
    if query(environ, "of") == "file":
        path = GATES / f"file.{threading.get_ident()}"
        path.write_bytes(content)
        source = path.open("rb")
        path.unlink()
    source.seek(int(query(environ, "at", "0")))
    fields = [("Content-Length", query(environ, "length"))] if query(environ, "length") else []
    start("200 OK", [("Content-Type", "text/plain"), *fields])
    found: Iterable[bytes] = wrapper(source, 8192)
    return found


PATHS: dict[str, Callable[[Environ, Start], Any]] = {
    "/hello": hello, "/free": free, "/stream": stream, "/count": count, "/nobody": nobody, "/status": status, "/empty": empty, "/large": large, "/events": events,
    "/show": show, "/mark": mark, "/errors": errors, "/feed": feed, "/read-all": read_all, "/lazy": lazy, "/write": write, "/status-line": status_line,
    "/field": field, "/kind": kind, "/fields": fields, "/twice": twice, "/replace": replace, "/replace-empty": replace_empty, "/replace-late": replace_late,
    "/late-start": late_start, "/nothing": nothing, "/none": none, "/blocks": blocks, "/plain": plain, "/without-start": without_start, "/endless": endless,
    "/gated": gated, "/strings": strings, "/raise": raises, "/raise-started": raises_started, "/wrapped": wrapped,
}  # fmt: skip


def app(environ: Environ, start: Start) -> Any:
    return PATHS.get(environ.get("PATH_INFO", ""), echo)(environ, start)
