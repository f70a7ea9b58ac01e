"""WSGI applications behind the black-box tests: `app` is one of many small behaviours, by path.

/echo           b"REQ " + base64 of the body, as ../vectors/http1 wants it (also what any other path does)
/hello          "hello" with a Content-Length            /free     the same, streamed without one
/pid            the process id                           /nobody   answers without reading the body
/count          reads the body, answers its size         /refuse   401 without reading the body
/status         ?code=204 with a body nevertheless       /stream   "one", "", "two", "", "three"
/gate           waits for the test (gate.py)             /gated    a stream that waits before each piece
/large          ?n= bytes in one block                   /pieces   ?n= blocks of ?size=
/endless        64 KiB blocks without end                /totals   of /endless: started, ended, blocks
/order          targets of all requests before this one, one a line
/raise          an exception                             /nothing  start_response is never called
/tell           what was received: method, target, version, as JSON
"""

import base64
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import parse_qs

import gate

Environ = dict[str, Any]
Start = Callable[..., Any]

ORDER: list[str] = []
TOTALS = {"started": 0, "ended": 0, "blocks": 0}
LOCK = threading.Lock()
BLOCK = bytes(range(256)) * 256


def text(start: Start, body: bytes, status: str = "200 OK") -> list[bytes]:
    start(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


def query(environ: Environ, name: str, default: str = "") -> str:
    return parse_qs(environ["QUERY_STRING"]).get(name, [default])[0]


def echo(environ: Environ, start: Start) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    return text(start, b"REQ " + base64.b64encode(body))


def hello(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, b"hello")


def free(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    yield b"hello"


def pid(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, str(os.getpid()).encode())


def count(environ: Environ, start: Start) -> Iterable[bytes]:
    total = 0
    while part := environ["wsgi.input"].read(65536):
        total += len(part)
    return text(start, str(total).encode())


def nobody(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, b"not read")


def refuse(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, b"no\n", "401 Unauthorized")


def status(environ: Environ, start: Start) -> Iterable[bytes]:
    body = b"must not be on the wire"
    fields = [("ETag", '"x"')]
    if query(environ, "length"):
        fields.append(("Content-Length", str(len(body))))
    start(query(environ, "code") + " Chosen", fields)
    return [body]


def stream(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    yield from (b"one", b"", b"two", b"", b"three", b"")


def wait_at_gate(environ: Environ, start: Start) -> Iterable[bytes]:
    gate.enter()
    return text(start, str(os.getpid()).encode())


def gated(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    for piece in (b"one", b"two"):
        gate.enter()
        yield piece
    gate.enter()


def large(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, bytes(int(query(environ, "n"))))


def pieces(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    for number in range(int(query(environ, "n"))):
        yield bytes([number % 256]) * int(query(environ, "size"))


class Endless:
    """Counts what it gives, and whether it was closed."""

    def __init__(self) -> None:
        with LOCK:
            TOTALS["started"] += 1

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with LOCK:
            TOTALS["blocks"] += 1
        return BLOCK

    def close(self) -> None:
        with LOCK:
            TOTALS["ended"] += 1


def endless(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    return Endless()


def slow(environ: Environ, start: Start) -> Iterable[bytes]:
    """A little block ten times a second, without end: what cannot be finished, only cut."""
    start("200 OK", [("Content-Type", "text/event-stream")])
    while True:
        yield b"data: x\n\n"
        time.sleep(0.1)


def totals(environ: Environ, start: Start) -> Iterable[bytes]:
    with LOCK:
        return text(start, json.dumps(TOTALS).encode())


def order(environ: Environ, start: Start) -> Iterable[bytes]:
    return text(start, "\n".join(ORDER).encode())


def fail(environ: Environ, start: Start) -> Iterable[bytes]:
    raise RuntimeError("meant")


def nothing(environ: Environ, start: Start) -> Iterable[bytes]:
    return [b"no head"]


def fields(environ: Environ, start: Start) -> Iterable[bytes]:
    start("200 OK", [("X-Long", "x" * int(query(environ, "n"))), ("Content-Length", "0")])
    return []


def tell(environ: Environ, start: Start) -> Iterable[bytes]:
    names = (
        "REQUEST_METHOD",
        "SCRIPT_NAME",
        "PATH_INFO",
        "QUERY_STRING",
        "SERVER_PROTOCOL",
        "SERVER_NAME",
        "SERVER_PORT",
    )
    found = {name: environ[name] for name in names}
    found["fields"] = sorted(name for name in environ if name.startswith("HTTP_"))
    return text(start, json.dumps(found).encode())


PATHS = {
    "/hello": hello,
    "/free": free,
    "/pid": pid,
    "/count": count,
    "/nobody": nobody,
    "/refuse": refuse,
    "/status": status,
    "/stream": stream,
    "/gate": wait_at_gate,
    "/gated": gated,
    "/large": large,
    "/pieces": pieces,
    "/endless": endless,
    "/slow": slow,
    "/totals": totals,
    "/order": order,
    "/raise": fail,
    "/nothing": nothing,
    "/fields": fields,
    "/tell": tell,
}


def app(environ: Environ, start: Start) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    answer = PATHS.get(path, echo)
    with LOCK:
        ORDER.append(path + ("?" + environ["QUERY_STRING"] if environ["QUERY_STRING"] else ""))
    return answer(environ, start)
