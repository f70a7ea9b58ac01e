"""Cases of ASGI's HTTP: scope, receive(), send()."""

import json
from collections.abc import Callable

from tests.conformance.case import AppCase, Level
from tests.conformance.drive import Drive, expect, same
from tests.support.wire import Closed, chunked, request

SCOPE = "ASGI HTTP, Connection Scope"
RECEIVE = "ASGI HTTP, Request"
DISCONNECT = "ASGI HTTP, Disconnect"
SEND = "ASGI HTTP, Response Start; Body"
APPLICATION = "ASGI, Applications"
Run = Callable[[Drive], None]


# ---- scope


def scope(
    drive: Drive, path: str = "/show", *lines: str, method: str = "GET", version: str = "HTTP/1.1"
) -> dict[str, object]:
    with drive.client() as client:
        client.send(request(method, path, *lines, version=version))
        found: dict[str, object] = json.loads(client.read().body)["scope"]
        return found


def key(
    name: str, wanted: object, path: str = "/show", *lines: str, method: str = "GET", version: str = "HTTP/1.1"
) -> Run:
    def run(drive: Drive) -> None:
        same(scope(drive, path, *lines, method=method, version=version).get(name, "(absent)"), wanted, name)

    return run


def raw_path(drive: Drive) -> None:
    # "/show" itself, spelt otherwise; a server may leave raw_path out
    found = scope(drive, "/%73how?x=%41")
    same(found["path"], "/show", "path")
    expect(found.get("raw_path") in (None, {"bytes": "/%73how"}), f"raw_path {found.get('raw_path')}")
    same(found["query_string"], {"bytes": "x=%41"}, "query_string")


def path_utf8(drive: Drive) -> None:
    same(drive.tell("/a%2Fb%C3%A9")["path"], "/a/b\xe9", "path")


def path_not_utf8(drive: Drive) -> None:
    response = drive.get("/x%FFy")
    expect(response.status in (200, 400), f"{response.status}")
    drive.alive()


def versions(drive: Drive) -> None:
    asgi = scope(drive)["asgi"]
    expect(
        isinstance(asgi, dict) and asgi.get("version") == "3.0" and str(asgi.get("spec_version", "2.0"))[:2] == "2.",
        f"asgi is {asgi}",
    )


def headers(drive: Drive) -> None:
    told = drive.tell("/show", "X-Aa: 1", "X-B: caf\xe9", "x-aA: 2")
    same(set(map(tuple, told["headers"])), {("bytes", "bytes")}, "types")
    same(set(told["pairs"]), {2}, "sizes")
    found = [(name["bytes"], value["bytes"]) for name, value in told["scope"]["headers"]]
    same({pair[0] for pair in found if pair[0].lower().startswith("x-")}, {"x-aa", "x-b"})
    for wanted, values in (("x-aa", ["1", "2"]), ("x-b", ["caf\xe9"]), ("host", ["test"])):
        same([value for name, value in found if name == wanted], values, wanted)


def no_host(drive: Drive) -> None:
    with drive.client() as client:
        client.send(b"GET /show HTTP/1.0\r\n\r\n")
        found = json.loads(client.read().body)["scope"]["headers"]
    same([name for name, _ in found if name == {"bytes": "host"}], [])


def addresses(drive: Drive) -> None:
    with drive.client() as client:
        ours = client.sock.getsockname()
        client.send(request("GET", "/show"))
        found = json.loads(client.read().body)["scope"]
    same(found.get("client"), list(ours), "client")
    same(found.get("server"), list(drive.address), "server")


def extensions(drive: Drive) -> None:
    found = scope(drive).get("extensions")
    expect(found is None or isinstance(found, dict), f"extensions {found!r}")


def scope_is_fresh(drive: Drive) -> None:
    with drive.client() as client:
        for _ in range(3):
            client.send(request("GET", "/mark"))
            same(client.read().body, b"null")


def state_is_copied(drive: Drive) -> None:
    """Shallow: a request's own keys stay its own, the objects are shared."""
    with drive.client() as client:
        for number in range(3):
            client.send(request("GET", "/state"))
            told = json.loads(client.read().body)
            if told is None:
                expect(not drive.strict, "no state")
                return  # it is optional
            same(told, {"greeting": "hello", "mark": None, "list": [1] * number})
    drive.get("/open?id=reset")


SCOPES = [
    AppCase("scope/type", SCOPE, key("type", "http"), "http"),
    AppCase("scope/versions", SCOPE, versions, "version 3.0, and a spec_version"),
    AppCase("scope/http-version", SCOPE, key("http_version", "1.1"), "1.1"),
    AppCase("scope/http-version-1.0", SCOPE, key("http_version", "1.0", version="HTTP/1.0"), "1.0", report="granian: 1"),
    AppCase("scope/method", SCOPE, key("method", "PATCH", method="PATCH"), "in upper case"),
    AppCase("scope/scheme", SCOPE, key("scheme", "http"), "http"),
    AppCase("scope/path", SCOPE, path_utf8, "percent-decoded UTF-8", report="uvicorn #261, socketify"),
    AppCase("scope/path-not-utf-8", SCOPE, path_not_utf8, "no UTF-8: served or 400, no crash", Level.SHOULD),
    AppCase("scope/raw-path", SCOPE, raw_path, "the original bytes, without the query", report="gunicorn PR #3544"),
    AppCase("scope/query", SCOPE, key("query_string", {"bytes": "a=%20&b"}, "/show?a=%20&b"), "as it was sent, bytes"),
    AppCase("scope/no-query", SCOPE, key("query_string", {"bytes": ""}), "empty bytes"),
    AppCase("scope/root-path", SCOPE, key("root_path", ""), "empty at the root"),
    AppCase("scope/headers", SCOPE, headers, "pairs of bytes, lower-case names, order and repetition kept", report="fastpysgi: last wins"),
    AppCase("scope/no-host-invented", SCOPE, no_host, "what the client did not send is not there", Level.SHOULD, "granian: an empty host"),
    AppCase("scope/addresses", SCOPE, addresses, "client and server: [str, int]", report="uvicorn #223, granian: ports are str"),
    AppCase("scope/extensions", SCOPE, extensions, "a dict or absent"),
    AppCase("scope/fresh", "ASGI, Applications", scope_is_fresh, "an application may change it: nothing is left for the next request"),
    AppCase("scope/state", "ASGI Lifespan, Lifespan State", state_is_copied, "a shallow copy for each request", report="hypercorn < 0.18, gunicorn: one dict"),
]  # fmt: skip


# ---- receive


def messages(wire: bytes, size: int) -> Run:
    """Types, sizes and flags of all messages of a body."""

    def run(drive: Drive) -> None:
        with drive.client() as client:
            client.send(wire)
            told = json.loads(client.read().body)
        expect(all(message[:2] == ["http.request", "bytes"] for message in told), f"{told}")
        same(sum(message[2] for message in told), size, "bytes:")
        same([message[3] for message in told], [True] * (len(told) - 1) + [False], "more_body:")

    return run


def pending(drive: Drive) -> None:
    """A server that says http.disconnect here makes every long poll end at once."""
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/pending?id={id}"))
        drive.get("/hello")
        drive.open(id)
        same(client.read().body, b'"waits"', "before the answer receive()")
        events = drive.events(id, "http", "raised")
        same(events[:1], ["http.disconnect"], "after it")


def leaves(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/leaves?id={id}"))
        drive.events(id, "waits")
    events = drive.events(id, "send")
    same(events[:2], ["waits", "http.disconnect"])
    expect(events[2:3] in (["send raised an OSError"], ["send did nothing"]), f"{events[2:]}")
    drive.alive()


def resets(drive: Drive) -> None:
    """A reset is no half-closed connection: Lanner's send() raises."""
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/leaves?id={id}"))
        drive.events(id, "waits")
        client.reset()
    events = drive.events(id, "send")
    same(events[:2], ["waits", "http.disconnect"])
    expect(
        events[2:3] in (["send raised an OSError"], *([] if drive.strict else [["send did nothing"]])), f"{events[2:]}"
    )
    drive.alive()


def leaves_then_receive(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/leaves?id={id}"))
        drive.events(id, "waits")
    same(drive.events(id, "again")[3:], ["again http.disconnect"])


def leaves_in_body(wire: bytes) -> Run:
    def run(drive: Drive) -> None:
        id = drive.id()
        with drive.client() as client:
            client.send(wire.replace(b"ID", id.encode()))
            if drive.events(id, "waits") == []:
                return  # the server collects the body first: the application is never called
        events = drive.events(id, "http.disconnect", "whole")
        same(events, ["waits", "http.disconnect"])
        drive.alive()

    return run


def endless(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/endless?id={id}"))
        same(client.read_head().status, 200)
    events = drive.events(id, "http.disconnect", "send raised", "nobody")
    same(events[:1], ["started"])
    expect(events[1:] in (["http.disconnect"], ["send raised an OSError"]), f"{events[1:]}")
    drive.alive()


def two_receivers(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/both?id={id}"))
        drive.events(id, "waits")
    drive.alive()
    events = drive.events(id, count=3)
    same(events, ["waits", "http.disconnect", "http.disconnect"])


def cancelled(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("POST", f"/cancels?id={id}", "Content-Length: 5"))
        drive.get("/hello")
        drive.open(id)
        drive.get("/hello")
        client.send(b"hello")
        same(client.read().body, b"hello")


def continue_on_receive(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("POST", f"/wants?id={id}", "Expect: 100-continue", "Content-Length: 5"))
        drive.get("/hello")
        drive.open(id)
        same(client.read_head().status, 100)
        client.send(b"hello")
        same(client.read().body, b"5")


def others_meanwhile(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/waits?id={id}"))
        drive.alive()
        drive.open(id)
        same(client.read().body, b"open")


RECEIVES = [
    AppCase("receive/no-body", RECEIVE, messages(request("GET", "/messages"), 0), "one empty message"),
    AppCase("receive/length", RECEIVE, messages(request("POST", "/messages", body=b"x" * 1000), 1000), "until more_body is false"),
    AppCase("receive/zero", RECEIVE, messages(request("POST", "/messages", body=b""), 0), "one empty message"),
    AppCase("receive/large", RECEIVE, messages(request("POST", "/messages", body=b"x" * 500_000), 500_000), "in as many messages as it takes"),
    AppCase("receive/chunked", RECEIVE, messages(request("POST", "/messages", "Transfer-Encoding: chunked") + chunked(b"abc", b"de"), 5), "chunks are not messages"),
    AppCase("receive/waits", DISCONNECT, pending, "after the body receive() waits for the end", report="starlette #1438 (kind)"),
    AppCase("receive/disconnect", DISCONNECT, leaves, "http.disconnect; then send() raises an OSError or does nothing", report="granian #835"),
    AppCase("receive/reset", DISCONNECT, resets, "the same after a reset"),
    AppCase("receive/disconnect-again", DISCONNECT, leaves_then_receive, "whenever receive() is called afterwards", Level.SHOULD),
    *(AppCase(f"receive/leaves-{name}", DISCONNECT, leaves_in_body(wire), "a client that leaves in its body: http.disconnect, never the end of a body")
      for name, wire in (("length", request("POST", "/half?id=ID", "Content-Length: 100000") + b"x" * 5000),
                         ("chunked", request("POST", "/half?id=ID", "Transfer-Encoding: chunked") + b"ffff\r\n" + b"x" * 5000))),
    AppCase("receive/endless", DISCONNECT, endless, "a stream hears that its client left", report="granian #922"),
    AppCase("receive/two-tasks", DISCONNECT, two_receivers, "both hear of it", Level.SHOULD),
    AppCase("receive/cancelled", RECEIVE, cancelled, "a receive() that is cancelled loses nothing", Level.SHOULD),
    AppCase("receive/continue", "RFC 9110, 10.1.1", continue_on_receive, "100 when the application asks for the body", report="uvicorn #88"),
    AppCase("receive/others", APPLICATION, others_meanwhile, "while one waits others are served"),
]  # fmt: skip


# ---- send


def refused(kind: str) -> Run:
    """A wrong message: an exception for the application, and nothing on the wire that looks whole."""

    def run(drive: Drive) -> None:
        id = drive.id()
        head, _ = drive.cut(f"/order?kind={kind}&id={id}")
        expect(
            head is None or head.status >= 500 or kind.startswith(("body", "start-twice")),
            f"taken as {head and head.status}",
        )
        events = drive.events(id, "raised")
        expect(any(event.startswith("raised") for event in events), f"the application saw {events}")
        drive.alive()

    return run


def cut_after(path: str, sent: bytes) -> Run:
    def run(drive: Drive) -> None:
        head, body = drive.cut(path)
        expect(head is None or head.status >= 500 or sent.startswith(body), f"{body!r} on the wire")
        drive.alive()

    return run


def length_long(said: int, blocks: str, wanted: bytes) -> Run:
    """Never more than was said, in whatever way it ends."""

    def run(drive: Drive) -> None:
        with drive.client() as client:
            client.send(request("GET", f"/blocks?length={said}&blocks={blocks}"))
            try:
                response = client.read()
            except (Closed, ConnectionResetError):
                return
            expect(response.status == 500 or response.body == wanted, f"{response.status} {response.body!r}")
            if not response.closes:
                client.try_send(request("GET", "/hello"))
                try:
                    same(client.read().body, b"hello", "the next answer:")
                except (Closed, ConnectionResetError):
                    return
        drive.alive()

    return run


def is_500(path: str) -> Run:
    def run(drive: Drive) -> None:
        response = drive.get(path)
        same((response.status, response.get("x-first")), (500, None))
        drive.alive()

    return run


def after_end(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/after-end?id={id}"))
        same(client.read().body, b"whole")
        events = drive.events(id, "raised", "taken")
        client.try_send(request("GET", "/hello"))
        try:
            same(client.read().body, b"hello", "the next answer:")
        except (Closed, ConnectionResetError):
            expect(not drive.strict, "the connection ends")
    if drive.strict:
        same(events, ["raised RuntimeError"])


def extra_keys(drive: Drive) -> None:
    response = drive.get("/order?kind=extra-keys")
    same((response.status, response.body), (200, b"body"))


def minimal(drive: Drive) -> None:
    response = drive.get("/minimal")
    same((response.status, response.body), (200, b""))


def pairs(drive: Drive) -> None:
    response = drive.get("/pairs")
    same(response.status, 299)
    same(response.get_all("set-cookie"), ["a=1", "b=2"])
    same((response.get("x-case"), response.get("x-empty"), response.get("x-b")), ("caf\xe9", "", "1"))


def coding_ignored(drive: Drive) -> None:
    """The message says a length too: the server must not send both."""
    response = drive.get("/field?name=transfer-encoding&value=chunked")
    same((response.status, response.body), (200, b"body"))


def hop(name: str, value: str) -> Run:
    def run(drive: Drive) -> None:
        with drive.client() as client:
            client.send(request("GET", f"/field?name={name}&value={value}"))
            try:
                response = client.read()
            except (Closed, ConnectionResetError):
                return
        expect(response.status >= 500 or response.body == b"body", f"{response.status} {response.body!r}")
        drive.alive()

    return run


SENDS = [
    AppCase("send/minimal", SEND, minimal, "headers, body and more_body have defaults", report="granian: headers are required"),
    AppCase("send/headers", SEND, pairs, "any iterable of pairs; order and repetition kept"),
    AppCase("send/coding-ignored", SEND, coding_ignored, "an application's transfer-encoding must be ignored"),
    AppCase("send/two-lengths", "RFC 9110, 8.6", hop("content-length", "9"), "never two lengths", report="girder"),
    AppCase("send/after-end", SEND, after_end, "what comes after the end is not on the wire"),
    AppCase("send/extra-keys", "ASGI, Extensions", extra_keys, "keys that are not known are no error"),
    *(AppCase(f"send/{kind}", "ASGI, Error Handling", refused(kind), "an event of an unknown type, without its keys, or with the wrong Python types MUST raise")
      for kind in ("no-type", "unknown-type", "websocket-type", "status-str", "status-none", "name-str", "value-str", "value-int", "field-short", "body-str", "body-int", "not-a-dict")),
    *(AppCase(f"send/{kind}", SEND, refused(kind), "an event that does not follow, or no status: it raises", Level.SHOULD)
      for kind in ("body-first", "start-twice", "status-99", "status-1000", "status-103")),
    AppCase("send/error-before", APPLICATION, is_500("/raise"), "an exception before the start is a 500"),
    AppCase("send/error-started", APPLICATION, cut_after("/started", b""), "an exception after the start: a 500, or an answer that does not look whole"),
    AppCase("send/error-after", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&fails=raise", b"onetwo"), "an exception after the first byte: the answer must not look whole"),
    AppCase("send/error-after-length", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&fails=raise&length=100", b"onetwo"), "with a length: short, and the end"),
    AppCase("send/silent", APPLICATION, is_500("/silent"), "an application that returns without an answer: 500", report="granian"),
    AppCase("send/no-end", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&fails=return", b"onetwo"), "an application that returns in its answer: it must not look whole"),
    AppCase("send/no-end-length", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&fails=return&length=100", b"onetwo"), "with a length: short, and the end"),
    AppCase("send/length-short", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&length=10", b"onetwo"), "fewer bytes than it says: the end, not another answer"),
    AppCase("send/length-long", "RFC 9112, 6.2", length_long(3, "one,two", b"one"), "more bytes than it says are not sent"),
    AppCase("send/length-long-block", "RFC 9112, 6.2", length_long(2, "one", b"on"), "a block is cut where it says, or refused"),
    AppCase("send/length-zero", "RFC 9112, 6.2", length_long(0, "one", b""), "nothing"),
]  # fmt: skip

CASES = [*SCOPES, *RECEIVES, *SENDS]
