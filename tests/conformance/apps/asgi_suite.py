"""ASGI applications of the conformance suite: `app` has one small behaviour for each path (PATHS, below).

Any other path tells what the application sees, as JSON: method, path, query, fields, body (base64). What happens where
no answer can tell it is noted under the request's `?id=`; `/events?id=` reads the notes, `/open?id=` opens a gate.
"""

import asyncio
import base64
import json
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

EVENTS: dict[str, list[str]] = {}
GATES: dict[str, asyncio.Event] = {}
GATE_SECONDS = 5.0  # a gate that nobody opens, a message that does not come
BLOCK = bytes(65536)
TURNS = int(os.environ.get("SUITE_TURNS", "0"))  # of the loop, that each request waits first
ENDLESS_BLOCKS = 2000  # 125 MiB: more than any buffer, less than the memory


def query(scope: Message, name: str, default: str = "") -> str:
    """A parameter as latin-1 text: any bytes can be asked for."""
    found = parse_qs(scope["query_string"].decode("latin-1"), encoding="latin-1", keep_blank_values=True)
    value: str = found.get(name, [default])[0]
    return value


def note(scope: Message, what: str) -> None:
    EVENTS.setdefault(query(scope, "id"), []).append(what)


def gate(scope: Message) -> asyncio.Event:
    return GATES.setdefault(query(scope, "id"), asyncio.Event())


async def passing(scope: Message) -> None:
    """Waits for one /open of this id."""
    await asyncio.wait_for(gate(scope).wait(), GATE_SECONDS)
    gate(scope).clear()


async def read(receive: Receive) -> bytes:
    """The whole body; what broke off is an error."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionResetError("the body broke off")
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def start(send: Send, status: int = 200, *fields: tuple[bytes, bytes]) -> None:
    await send(
        {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain"), *fields]}
    )


async def text(send: Send, body: bytes, status: int = 200) -> None:
    await start(send, status, (b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.body", "body": body})


async def tell(send: Send, what: object) -> None:
    await text(send, json.dumps(what).encode())


async def body(send: Send, part: bytes, more: bool = False) -> None:
    await send({"type": "http.response.body", "body": part, "more_body": more})


async def echo(scope: Message, receive: Receive, send: Send) -> None:
    try:
        got = await read(receive)
    except ConnectionResetError:
        return
    fields: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, value = name.decode("latin-1"), value.decode("latin-1")
        joint = "; " if key == "cookie" else ", "
        fields[key] = fields[key] + joint + value if key in fields else value
    told = {"method": scope["method"], "path": scope["path"], "query": scope["query_string"].decode("latin-1")}
    await tell(send, {**told, "fields": fields, "body": base64.b64encode(got).decode()})


# ---- what concerns the wire


async def hello(scope: Message, receive: Receive, send: Send) -> None:
    await text(send, b"hello")


async def free(scope: Message, receive: Receive, send: Send) -> None:
    await start(send)
    await body(send, b"hello", True)
    await body(send, b"")


async def stream(scope: Message, receive: Receive, send: Send) -> None:
    await start(send)
    for part in (b"one", b"", b"two", b"", b"three"):
        await body(send, part, True)
    await send({"type": "http.response.body"})


async def count(scope: Message, receive: Receive, send: Send) -> None:
    await text(send, str(len(await read(receive))).encode())


async def nobody(scope: Message, receive: Receive, send: Send) -> None:
    await text(send, b"not read")


async def status(scope: Message, receive: Receive, send: Send) -> None:
    content = b"must not be on the wire"
    fields = [(b"content-length", str(len(content)).encode())] if query(scope, "length") else []
    await send({"type": "http.response.start", "status": int(query(scope, "code")), "headers": fields})
    await body(send, content)


async def empty(scope: Message, receive: Receive, send: Send) -> None:
    await start(send, int(query(scope, "code")))
    await body(send, b"")


async def large(scope: Message, receive: Receive, send: Send) -> None:
    await text(send, bytes(int(query(scope, "n"))))


async def raises(scope: Message, receive: Receive, send: Send) -> None:
    raise LookupError("meant")


async def events(scope: Message, receive: Receive, send: Send) -> None:
    await tell(send, EVENTS.get(query(scope, "id"), []))


async def opens(scope: Message, receive: Receive, send: Send) -> None:
    gate(scope).set()
    await text(send, b"open")


# ---- scope


def plain(value: object) -> object:
    """As JSON can say it, with the types."""
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else {type(value).__name__: ""}


async def show(scope: Message, receive: Receive, send: Send) -> None:
    headers = [[type(name).__name__, type(value).__name__] for name, value in scope["headers"]]
    await tell(
        send, {"scope": plain(dict(scope)), "headers": headers, "pairs": [len(pair) for pair in scope["headers"]]}
    )


async def mark(scope: Message, receive: Receive, send: Send) -> None:
    """Whether an earlier request's mark is there; leaves one."""
    found = scope.get("mark")
    scope["mark"] = "left"
    await tell(send, found)


async def state(scope: Message, receive: Receive, send: Send) -> None:
    """The lifespan's state, as this request finds it; changes it."""
    found = scope.get("state")
    if found is None:
        await tell(send, None)
        return
    told = {"greeting": found.get("greeting"), "mark": found.get("mark"), "list": list(found.get("list", ()))}
    found["mark"] = "left"
    found["list"].append(1)
    await tell(send, told)


# ---- receive


async def messages(scope: Message, receive: Receive, send: Send) -> None:
    """Every message of the body: its keys' types, and the sizes."""
    told = []
    while True:
        message = await receive()
        told.append(
            [
                message["type"],
                type(message.get("body", b"")).__name__,
                len(message.get("body", b"")),
                bool(message.get("more_body", False)),
            ]
        )
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    await tell(send, told)


async def pending(scope: Message, receive: Receive, send: Send) -> None:
    """After the body receive() waits; it must not say that the client left."""
    await read(receive)
    waiting = asyncio.ensure_future(receive())
    await passing(scope)
    told = waiting.result()["type"] if waiting.done() else "waits"
    await tell(send, told)
    try:
        note(scope, (await asyncio.wait_for(waiting, GATE_SECONDS))["type"])
    except Exception as error:
        note(scope, f"raised {type(error).__name__}")


async def leaves(scope: Message, receive: Receive, send: Send) -> None:
    """The client leaves before the answer: what receive() gives, and once more, and what send() does then."""
    await read(receive)
    note(scope, "waits")
    note(scope, (await receive())["type"])
    try:
        await text(send, b"too late")
        note(scope, "send did nothing")
    except OSError:
        note(scope, "send raised an OSError")
    except Exception as error:
        note(scope, f"send raised {type(error).__name__}")
    try:
        note(scope, "again " + (await asyncio.wait_for(receive(), GATE_SECONDS))["type"])
    except Exception as error:
        note(scope, f"again {type(error).__name__}")


async def half(scope: Message, receive: Receive, send: Send) -> None:
    """The client leaves in its body."""
    note(scope, "waits")
    while (message := await receive())["type"] == "http.request":
        if not message.get("more_body", False):
            note(scope, "whole")
            return
    note(scope, message["type"])


async def endless(scope: Message, receive: Receive, send: Send) -> None:
    """Sends until it is told that nobody listens, by receive() or by send()."""
    await read(receive)
    leaving = asyncio.ensure_future(receive())
    await start(send)
    note(scope, "started")
    try:
        for _ in range(ENDLESS_BLOCKS):
            if leaving.done():
                break
            await body(send, BLOCK, True)
            await asyncio.sleep(0)
        note(scope, leaving.result()["type"] if leaving.done() else "nobody says that the client left")
    except OSError:
        note(scope, "send raised an OSError")
    except Exception as error:
        note(scope, f"send raised {type(error).__name__}")
    leaving.cancel()


async def both(scope: Message, receive: Receive, send: Send) -> None:
    """Two tasks wait in receive(); the client leaves: both hear of it."""
    await read(receive)
    waiting = [asyncio.ensure_future(receive()) for _ in range(2)]
    note(scope, "waits")
    for task in waiting:
        note(scope, (await asyncio.wait_for(task, GATE_SECONDS))["type"])


async def cancels(scope: Message, receive: Receive, send: Send) -> None:
    """A receive() that is cancelled loses nothing."""
    first = asyncio.ensure_future(receive())
    await passing(scope)
    got = b""
    if first.done():  # the body was there before the application
        got = first.result().get("body", b"")
    else:
        first.cancel()
        await asyncio.wait([first])
    await text(send, got or await read(receive))


async def wants(scope: Message, receive: Receive, send: Send) -> None:
    """Waits with receive(): a 100 must not come before."""
    await passing(scope)
    await text(send, str(len(await read(receive))).encode())


# ---- send


async def field(scope: Message, receive: Receive, send: Send) -> None:
    name, value = query(scope, "name").encode("latin-1"), query(scope, "value").encode("latin-1")
    fields = [(b"content-length", b"4"), (name, value), (b"x-last", b"1")]
    await attempt(scope, send, {"type": "http.response.start", "status": 200, "headers": fields})
    await body(send, b"body")


async def attempt(scope: Message, send: Send, message: Any) -> None:
    """A send that may be refused: which exception is noted."""
    try:
        await send(message)
    except Exception as error:
        note(scope, f"raised {type(error).__name__}: {error}")
        raise
    note(scope, "taken")


START: Message = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}
END: Message = {"type": "http.response.body", "body": b"body"}
ORDERS: dict[str, list[Any]] = {
    "body-first": [END],
    "start-twice": [START, START],
    "no-type": [{"status": 200, "headers": []}],
    "unknown-type": [{"type": "http.response.unknown"}],
    "websocket-type": [{"type": "websocket.accept"}],
    "status-str": [{**START, "status": "200"}],
    "status-none": [{"type": "http.response.start", "headers": []}],
    "status-99": [{**START, "status": 99}],
    "status-1000": [{**START, "status": 1000}],
    "status-103": [{**START, "status": 103}],
    "name-str": [{**START, "headers": [("x-a", b"1")]}],
    "value-str": [{**START, "headers": [(b"x-a", "1")]}],
    "value-int": [{**START, "headers": [(b"x-a", 1)]}],
    "field-short": [{**START, "headers": [(b"x-a",)]}],
    "body-str": [START, {"type": "http.response.body", "body": "text"}],
    "body-int": [START, {"type": "http.response.body", "body": 5}],
    "not-a-dict": [["http.response.start"]],
    "extra-keys": [{**START, "more": 1}, {**END, "more": 1}],
}


async def order(scope: Message, receive: Receive, send: Send) -> None:
    """Messages that may be refused; whatever is taken is followed by a body."""
    sent = ORDERS[query(scope, "kind")]
    for message in sent:
        await attempt(scope, send, message)
    if sent[-1]["type"] != END["type"]:
        await send(END)


async def after_end(scope: Message, receive: Receive, send: Send) -> None:
    await text(send, b"whole")
    try:
        await body(send, b"and more")
        note(scope, "taken")
    except Exception as error:
        note(scope, f"raised {type(error).__name__}")


async def minimal(scope: Message, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body"})


async def pairs(scope: Message, receive: Receive, send: Send) -> None:
    """Headers as any iterable of pairs."""
    fields = [
        [b"set-cookie", b"a=1"],
        [b"x-b", b"1"],
        [b"set-cookie", b"b=2"],
        [b"X-Case", b"caf\xe9"],
        [b"x-empty", b""],
    ]
    await send({"type": "http.response.start", "status": 299, "headers": (tuple(pair) for pair in fields)})
    await body(send, b"")


async def blocks(scope: Message, receive: Receive, send: Send) -> None:
    """`?length=10&blocks=one,two&fails=1`: what a Content-Length says, and what comes."""
    length = query(scope, "length")
    await start(send, int(query(scope, "status", "200")), *([(b"content-length", length.encode())] if length else []))
    parts = [part.encode("latin-1") for part in query(scope, "blocks").split(",")]
    for number, part in enumerate(parts):
        await attempt(
            scope,
            send,
            {
                "type": "http.response.body",
                "body": part,
                "more_body": number < len(parts) - 1 or bool(query(scope, "fails")),
            },
        )
    if query(scope, "fails") == "raise":
        raise LookupError("meant")


async def silent(scope: Message, receive: Receive, send: Send) -> None:
    return None


async def started(scope: Message, receive: Receive, send: Send) -> None:
    """Only the start, then an exception."""
    await start(send, 200, (b"x-first", b"1"))
    raise LookupError("meant")


async def gated(scope: Message, receive: Receive, send: Send) -> None:
    await start(send)
    await body(send, b"one", True)
    await passing(scope)
    await body(send, b"two", True)
    await passing(scope)
    await body(send, b"")


async def waits(scope: Message, receive: Receive, send: Send) -> None:
    """Answers once the gate is open: others are served meanwhile."""
    await passing(scope)
    await text(send, b"open")


PATHS: dict[str, Callable[[Message, Receive, Send], Awaitable[None]]] = {
    "/hello": hello, "/free": free, "/stream": stream, "/count": count, "/nobody": nobody, "/status": status, "/empty": empty, "/large": large, "/raise": raises,
    "/events": events, "/open": opens, "/show": show, "/mark": mark, "/state": state, "/messages": messages, "/pending": pending, "/leaves": leaves, "/half": half,
    "/endless": endless, "/both": both, "/cancels": cancels, "/wants": wants, "/field": field, "/order": order, "/after-end": after_end, "/minimal": minimal,
    "/pairs": pairs, "/blocks": blocks, "/silent": silent, "/started": started, "/gated": gated, "/waits": waits,
}  # fmt: skip


async def lifespan(scope: Message, receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup" and "state" in scope:
            scope["state"].update(greeting="hello", list=[])
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def app(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(scope, receive, send)
    elif scope["type"] == "http":
        for _ in range(TURNS):
            await asyncio.sleep(0)
        await PATHS.get(scope["path"], echo)(scope, receive, send)
    else:
        raise NotImplementedError(scope["type"])
