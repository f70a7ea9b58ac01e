"""Cases of PEP 3333: environ, wsgi.input, start_response, the iterable."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.parse import quote

from tests.conformance.case import AppCase, Level
from tests.conformance.cases.splitting import STATUS_CASES
from tests.conformance.drive import Drive, expect, same
from tests.support.wire import Closed, request

ENVIRON = "PEP 3333, environ Variables"
INPUT = "PEP 3333, Input and Error Streams"
START = "PEP 3333, The start_response() Callable"
ITERABLE = "PEP 3333, Specification Details"
STREAMING = "PEP 3333, Buffering and Streaming"
LENGTH = "PEP 3333, Handling the Content-Length Header"
Run = Callable[[Drive], None]


# ---- environ


def variable(
    name: str, wanted: str, path: str = "/show", *lines: str, method: str = "GET", body: bytes | None = None
) -> Run:
    def run(drive: Drive) -> None:
        told = drive.tell(path, *lines, method=method, body=body)
        same(told["strings"].get(name, "(absent)"), wanted, name)

    return run


def absent(name: str, *allowed: str) -> Run:
    def run(drive: Drive) -> None:
        found = drive.tell("/show")["strings"].get(name)
        expect(found is None or found in allowed, f"{name} is {found!r}")

    return run


def environ_is_a_dict(drive: Drive) -> None:
    expect(drive.tell("/show")["dict"], "environ is no builtin dict")


def required(drive: Drive) -> None:
    strings = drive.tell("/show")["strings"]
    for name in (
        "REQUEST_METHOD",
        "SCRIPT_NAME",
        "PATH_INFO",
        "QUERY_STRING",
        "SERVER_NAME",
        "SERVER_PORT",
        "SERVER_PROTOCOL",
        "wsgi.url_scheme",
    ):
        optional = name in ("SCRIPT_NAME", "PATH_INFO", "QUERY_STRING")
        expect(name in strings or optional, f"{name} is no str, or absent")
        expect(optional or strings[name], f"{name} is empty")


def native_strings(drive: Drive) -> None:
    types = drive.tell("/show", "X-A: 1", "Content-Type: a/b", method="POST", body=b"x")["types"]
    wrong = {
        name: kind
        for name, kind in types.items()
        if (name.isupper() and name[0] != "w")
        and kind != "str"
        and name.startswith(("HTTP_", "SERVER_", "REQUEST_", "CONTENT_", "PATH", "QUERY", "SCRIPT", "REMOTE_ADDR"))
    }
    same(wrong, {}, "no str:")


def wsgi_variables(drive: Drive) -> None:
    told = drive.tell("/show")
    same(told["others"].get("wsgi.version"), "(1, 0)", "wsgi.version")
    same(told["strings"].get("wsgi.url_scheme"), "http", "wsgi.url_scheme")
    for name in ("wsgi.multithread", "wsgi.multiprocess", "wsgi.run_once"):
        expect(name in told["others"], f"{name} is absent")


def streams(drive: Drive) -> None:
    methods = drive.tell("/show")["methods"]
    expect(
        {"read", "readline", "readlines"} <= set(methods["wsgi.input"]) and drive.tell("/show")["iterable"],
        f"wsgi.input has {methods['wsgi.input']}",
    )
    expect({"flush", "write", "writelines"} <= set(methods["wsgi.errors"]), f"wsgi.errors has {methods['wsgi.errors']}")


def errors_takes_text(drive: Drive) -> None:
    same(drive.get("/errors").body, b"written")


def environ_is_fresh(drive: Drive) -> None:
    with drive.client() as client:
        for _ in range(3):
            client.send(request("GET", "/mark"))
            same(client.read().body, b'["", "", "/mark"]')


def joined(drive: Drive) -> None:
    strings = drive.tell("/show", "X-A: 1", "X-B: 0", "X-A: 2")["strings"]
    same(strings.get("HTTP_X_A", "").replace(" ", ""), "1,2", "HTTP_X_A")


def content_type_once(drive: Drive) -> None:
    strings = drive.tell("/show", "Content-Type: a/b; c=d", method="POST", body=b"xyz")["strings"]
    same((strings.get("CONTENT_TYPE"), strings.get("CONTENT_LENGTH")), ("a/b; c=d", "3"))


def no_length_invented(drive: Drive) -> None:
    """A chunked body has no length that the head told; a server that buffers may tell the true one."""
    with drive.client() as client:
        client.send(request("POST", "/show", "Transfer-Encoding: chunked") + b"3\r\nabc\r\n0\r\n\r\n")
        body = client.read().body
    expect(b'"CONTENT_LENGTH"' not in body or b'"CONTENT_LENGTH": "3"' in body, "CONTENT_LENGTH is not the body's")


def path_raw(drive: Drive) -> None:
    """The echo application shows the path as UTF-8 of its latin-1 bytes."""
    same(drive.tell("/a%2Fb%C3%A9")["path"], "/a/b\xe9", "PATH_INFO")


def path_bytes(drive: Drive) -> None:
    same(drive.tell("/x%FFy")["path"], "/x\ufffdy", "PATH_INFO")


def protocol_1_0(drive: Drive) -> None:
    with drive.client() as client:
        client.send(request("GET", "/show", version="HTTP/1.0"))
        expect(b'"SERVER_PROTOCOL": "HTTP/1.0"' in client.read().body, "SERVER_PROTOCOL is another")


ENVIRONS = [
    AppCase("environ/dict", ENVIRON, environ_is_a_dict, "a builtin dict, no subclass"),
    AppCase("environ/required", ENVIRON, required, "what must be there is there, and text"),
    AppCase("environ/native-strings", "PEP 3333, Unicode Issues", native_strings, "CGI variables are str", report="hypercorn: SERVER_PORT is an int"),
    AppCase("environ/wsgi-variables", ENVIRON, wsgi_variables, "wsgi.version, wsgi.url_scheme and the three flags"),
    AppCase("environ/streams", INPUT, streams, "the methods of both streams"),
    AppCase("environ/errors", INPUT, errors_takes_text, "wsgi.errors takes any text"),
    AppCase("environ/fresh", ENVIRON, environ_is_fresh, "an application may change it: nothing is left for the next request"),
    AppCase("environ/method", ENVIRON, variable("REQUEST_METHOD", "PUT", method="PUT", body=b""), "the method"),
    AppCase("environ/query", ENVIRON, variable("QUERY_STRING", "a=%20&b", "/show?a=%20&b"), "as it was sent"),
    AppCase("environ/no-query", ENVIRON, absent("QUERY_STRING", ""), "empty or absent"),
    AppCase("environ/script-name", ENVIRON, variable("SCRIPT_NAME", ""), "empty at the root", Level.SHOULD),
    AppCase("environ/path", "PEP 3333, Unicode Issues", path_raw, "decoded, latin-1 of its bytes"),
    AppCase("environ/path-not-utf-8", "PEP 3333, Unicode Issues", path_bytes, "any byte", report="fastpysgi: 400"),
    AppCase("environ/protocol", ENVIRON, variable("SERVER_PROTOCOL", "HTTP/1.1"), "the client's version"),
    AppCase("environ/protocol-1.0", ENVIRON, protocol_1_0, "the client's version", report="granian: HTTP/1"),
    AppCase("environ/content", ENVIRON, content_type_once, "CONTENT_TYPE and CONTENT_LENGTH"),
    AppCase("environ/no-content-length", ENVIRON, absent("CONTENT_LENGTH", "", "0"), "empty or absent without a body"),
    AppCase("environ/no-content-type", ENVIRON, absent("CONTENT_TYPE", ""), "empty or absent where the client says none"),
    AppCase("environ/chunked-length", ENVIRON, no_length_invented, "no length but the true one"),
    AppCase("environ/field", ENVIRON, variable("HTTP_X_A_B", "c", "/show", "X-A-b: c"), "HTTP_ and upper case"),
    AppCase("environ/field-latin-1", "PEP 3333, Unicode Issues", variable("HTTP_X_A", "caf\xe9", "/show", "X-A: caf\xe9"), "latin-1 of the bytes", report="granian #335"),
    AppCase("environ/field-empty", ENVIRON, variable("HTTP_X_A", "", "/show", "X-A:"), "present and empty"),
    AppCase("environ/field-repeated", "RFC 9110, 5.3", joined, "joined with commas"),
    AppCase("environ/host", ENVIRON, variable("HTTP_HOST", "t.example:81", "/show", "Host: t.example:81"), "as it was sent"),
    AppCase("environ/underscore", "RFC 3875, 4.1.18", variable("HTTP_X_A", "good", "/show", "X_A: evil", "X-A: good"), "another field cannot pass for X-A", Level.SHOULD),
]  # fmt: skip


# ---- wsgi.input


def feed(do: str, wanted: Sequence[object], body: bytes | None = b"one\ntwo\nthree", chunked: bool = False) -> Run:
    def run(drive: Drive) -> None:
        if not chunked:
            same(drive.tell(f"/feed?do={do}", method="POST" if body is not None else "GET", body=body), wanted)
            return
        content = body or b""
        with drive.client() as client:
            client.send(request("POST", f"/feed?do={do}", "Transfer-Encoding: chunked"))
            client.send(b"".join(b"1\r\n%c\r\n" % byte for byte in content) + b"0\r\n\r\n")
            response = client.read()
        same((response.status, response.status == 200 and json.loads(response.body)), (200, wanted))

    return run


ONE_TWO = ["one\n", "two\n", "three"]
INPUTS = [
    AppCase(f"input/{name}", INPUT, feed(do, wanted), why, report=report)
    for name, do, wanted, why, report in (
        ("read", "read", ["one\ntwo\nthree"], "all of it", ""), ("read-minus", "read.-1", ["one\ntwo\nthree"], "all of it", "granian: TypeError"),
        ("read-zero", "read.0,read.3", ["", "one"], "nothing, then on", ""), ("read-sizes", "read.2,read.3,read.99,read.1", ["on", "e\nt", "wo\nthree", ""], "in pieces, then b''", ""),
        ("read-past-end", "read,read,read.5,readline", ["one\ntwo\nthree", "", "", ""], "b'' after the end", ""),
        ("readline", "readline,readline,readline,readline", [*ONE_TWO, ""], "lines with their LF; the last without", "granian loses the LF"),
        ("readline-size", "readline.2,readline.9,readline.0,readline.3", ["on", "e\n", "", "two"], "at most so many bytes", "granian ignores the size"),
        ("readlines", "readlines,read", [ONE_TWO, ""], "all lines", ""),
        ("iteration", "iter,read", [ONE_TWO, ""], "line by line", ""), ("mixed", "read.1,readline,iter", ["o", "ne\n", ["two\n", "three"]], "in any order", "granian skips bytes"),
        ("read-then-readlines", "read.4,readlines", ["one\n", ["two\n", "three"]], "in any order", ""))
] + [
    AppCase("input/no-body", INPUT, feed("read,readline,readlines,iter", ["", "", [], []], None), "a GET without a body: b'' at once", report="socketify #125"),
    AppCase("input/empty-body", INPUT, feed("read,read.5", ["", ""], b""), "a length of zero"),
    AppCase("input/chunked", "RFC 9112, 7.1", feed("read", ["one\ntwo\nthree"], chunked=True), "a chunked body, whole", report="gunicorn #605, unit #445: 411"),
    AppCase("input/chunked-sizes", "RFC 9112, 7.1", feed("read.2,read.5,read", ["on", "e\ntwo", "\nthree"], chunked=True), "chunks are not pieces", report="granian #909"),
    AppCase("input/chunked-lines", "RFC 9112, 7.1", feed("readline,iter,read", ["one\n", ["two\n", "three"], ""], chunked=True), "lines over chunks"),
    AppCase("input/binary", INPUT, feed("readline,read", ["\x00\xff\r\n", "\n\x80"], b"\x00\xff\r\n\n\x80"), "CR is no line end; bytes stay bytes"),
]  # fmt: skip


def client_leaves(wire: bytes) -> Run:
    def run(drive: Drive) -> None:
        id = drive.id()
        with drive.client() as client:
            client.send(wire.replace(b"ID", id.encode()))
        drive.alive()
        events = drive.events(id)  # where the application was called: it was told, or read a short body
        expect("whole" not in events, "half a body is taken for a whole one")

    return run


INPUTS += [
    AppCase(f"input/leaves-{name}", INPUT, client_leaves(wire), "a client that leaves in its body: read() raises or is short; the server goes on", report="gunicorn #1542")
    for name, wire in (("length", request("POST", "/read-all?id=ID", "Content-Length: 100000") + b"x" * 5000),
                       ("chunked", request("POST", "/read-all?id=ID", "Transfer-Encoding: chunked") + b"ffff\r\n" + b"x" * 5000))
]  # fmt: skip


# ---- start_response


def lazy(drive: Drive) -> None:
    response = drive.get("/lazy")
    same((response.status, response.get("x-lazy"), response.body), (404, "1", b"lazy"))


def write(drive: Drive) -> None:
    same(drive.get("/write").body, b"one two three")


def twice(drive: Drive) -> None:
    id = drive.id()
    response = drive.get(f"/twice?id={id}")
    events = drive.events(id)
    expect(events and events[0].startswith("raised"), "the second call does not raise")
    if drive.strict:
        same((events, response.status, response.body), (["raised AssertionError"], 200, b"first"))


def replace(path: str) -> Run:
    def run(drive: Drive) -> None:
        response = drive.get(path)
        same((response.status, response.body, response.get("x-first")), (503, b"replaced", None))

    return run


def replace_late(drive: Drive) -> None:
    id = drive.id()
    drive.cut(f"/replace-late?id={id}")
    events = drive.events(id, "raised", "taken")
    same(events, ["raised LookupError"])
    drive.alive()


def is_500(path: str) -> Run:
    def run(drive: Drive) -> None:
        response = drive.get(path)
        same((response.status, response.get("x-first")), (500, None))
        drive.alive()

    return run


def no_head(path: str) -> Run:
    """No answer that looks whole."""

    def run(drive: Drive) -> None:
        head, _ = drive.cut(path)
        expect(head is None or head.status >= 500, "an answer that nobody started")
        if drive.strict:
            same(head and head.status, 500)
        drive.alive()

    return run


def not_whole(path: str) -> Run:
    def run(drive: Drive) -> None:
        head, _ = drive.cut(path)
        if drive.strict:
            same(head and head.status, 500)
        drive.alive()

    return run


def bad_kind(kind: str) -> Run:
    def run(drive: Drive) -> None:
        id = drive.id()
        head, _ = drive.cut(f"/kind?kind={kind}&id={id}")
        expect(head is None or head.status >= 500, f"taken as {head and head.status}")
        if drive.strict:
            events = drive.events(id, "raised")
            expect(events[0].startswith(("raised TypeError", "raised ValueError")), f"{events}")
        drive.alive()

    return run


def fields(drive: Drive) -> None:
    response = drive.get("/fields")
    same(response.status, 299)
    same(response.get_all("set-cookie"), ["a=1", "b=2"])
    same((response.get("x-case"), response.get("x-empty"), response.get("x-b")), ("caf\xe9", "", "1"))


def reason(drive: Drive) -> None:
    same(drive.get("/fields").reason, "Any Reason")


def status_line(line: str) -> Run:
    """A malformed status: an error while the application runs, or a 500."""

    def run(drive: Drive) -> None:
        id = drive.id()
        head, _ = drive.cut(f"/status-line?id={id}&line={quote(line)}")
        expect(head is None or head.status >= 500, f"sent as {head and head.status} {head and head.reason!r}")
        if drive.strict:
            same(drive.events(id)[0].partition(":")[0], "raised ValueError")

    return run


def hop(name: str, value: str) -> Run:
    """Never two framings, never a hop-by-hop field of the application."""

    def run(drive: Drive) -> None:
        with drive.client() as client:
            client.send(request("GET", f"/field?name={name}&value={value}"))
            try:
                response = client.read()
            except (Closed, ConnectionResetError):
                expect(not drive.strict, "no 500")
                return
            expect(
                response.status >= 500 or (response.status == 200 and response.body == b"body"),
                f"{response.status} {response.body[:20]!r}",
            )
            if drive.strict:
                same(response.status, 500)
        drive.alive()

    return run


STARTS = [
    AppCase("start/lazy", START, lazy, "a generator that starts at its first step", report="granian #845"),
    AppCase("start/write", "PEP 3333, The write() Callable", write, "what write() got comes first", report="granian, hypercorn, bjoern: no write()"),
    AppCase("start/twice", START, twice, "a second call without exc_info is an error", report="hypercorn #320"),
    AppCase("start/replace", START, replace("/replace"), "with exc_info, before output: replaced", report="hypercorn #331"),
    AppCase("start/replace-after-empty", START, replace("/replace-empty"), "the head does not leave before the first byte", report="granian, hypercorn #331"),
    AppCase("start/replace-late", START, replace_late, "with exc_info, after output: raised again, and the answer is cut", report="hypercorn #331"),
    AppCase("start/missing", START, no_head("/nothing"), "a body without start_response"),
    AppCase("start/late", START, no_head("/late-start"), "a body before start_response"),
    AppCase("start/none", ITERABLE, not_whole("/none"), "no iterable", Level.SHOULD),
    AppCase("start/fields", START, fields, "status and fields as they were given, in latin-1"),
    AppCase("start/reason", START, reason, "the reason as it was given", Level.SHOULD, "fastpysgi: replaced"),
    *(AppCase(f"start/{kind}", START, bad_kind(kind), "an argument of the wrong type is an error", Level.SHOULD)
      for kind in ("value-bytes", "value-int", "value-none", "name-bytes", "value-wide", "status-bytes", "status-int", "fields-none", "field-short")),
    *(AppCase(f"start/status-{name}", START, status_line(line), "a status is three digits, a space and a reason", Level.SHOULD)
      for name, line in (("empty", ""), ("word", "OK"), ("two-digits", "20 OK"), ("four-digits", "2000 OK"), ("letters", "2x0 OK"), ("sign", "-20 OK"), ("interim", "103 Early Hints"))),
    *(AppCase(f"start/hop-{name.lower()}", "PEP 3333, Other HTTP Features", hop(name, value), "framing is the server's", report="RFC 9112, 6.2")
      for name, value in (("Transfer-Encoding", "chunked"), ("Content-Length", "9"), ("Connection", "keep-alive"), ("Upgrade", "x"), ("Trailer", "X-A"))),
    *STATUS_CASES,
]  # fmt: skip


# ---- the iterable


def plain(kind: str, wanted: bytes = b"onetwo") -> Run:
    def run(drive: Drive) -> None:
        with drive.client() as client:
            for _ in range(2):
                client.send(request("GET", f"/plain?as={kind}"))
                response = client.read()
                same((response.status, response.body), (200, wanted))

    return run


def closed_once(query: str, method: str = "GET", lines: tuple[str, ...] = (), path: str = "/blocks") -> Run:
    def run(drive: Drive) -> None:
        id = drive.id()
        with drive.client() as client:
            client.send(request(method, f"{path}?id={id}&{query}", *lines))
            with suppress(AssertionError, OSError, Closed):  # what comes is another case's matter
                client.read(method)
        drive.events(id, "closed")
        drive.alive()
        same(drive.events(id), ["closed"])

    return run


def closed_when_left(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/endless?id={id}"))
        same(client.read_head().status, 200)
    same(drive.events(id, "closed"), ["started", "closed"])
    drive.alive()
    same(drive.events(id), ["started", "closed"])


def close_fails(drive: Drive) -> None:
    response = drive.get("/blocks?blocks=one,two&fails=close")
    same((response.status, response.body), (200, b"onetwo"))
    drive.alive()


def cut_after(path: str, sent: bytes) -> Run:
    """An error after the first byte: what was sent is there, and it does not look whole."""

    def run(drive: Drive) -> None:
        head, body = drive.cut(path)
        if head is not None and head.status == 200:
            expect(sent.startswith(body), f"{body!r} on the wire")
        elif drive.strict:
            same(head and head.status, 200)
        drive.alive()

    return run


def length(said: int, blocks: str, wanted: bytes, whole: bool) -> Run:
    def run(drive: Drive) -> None:
        path = f"/blocks?length={said}&blocks={blocks}"
        if whole:
            with drive.client() as client:
                client.send(request("GET", path))
                try:
                    response = client.read()
                except (Closed, ConnectionResetError):
                    expect(not drive.strict, "the answer is not whole")
                    return  # an application that lies: cut is as good
                same((response.status, response.body), (200, wanted))
                if not response.closes:
                    client.try_send(request("GET", "/hello"))
                    try:
                        same(client.read().body, b"hello", "the next answer:")
                    except (Closed, ConnectionResetError):
                        expect(not drive.strict, "the connection ends")
            return
        head, body = drive.cut(path)
        expect(head is None or head.status >= 500 or wanted.startswith(body), f"{body!r}")

    return run


def raised(kind: str) -> Run:
    def run(drive: Drive) -> None:
        head, _ = drive.cut(f"/raise?kind={kind}")
        expect(head is None or head.status == 500, f"{head and head.status}")
        if drive.strict:
            same(head and head.status, 500)
        drive.alive()

    return run


def wrapped(query: str, wanted: bytes) -> Run:
    def run(drive: Drive) -> None:
        with drive.client() as client:
            client.send(request("GET", f"/wrapped?{query}"))
            response = client.read()
            if response.status == 404:
                expect(not drive.strict, "no wsgi.file_wrapper")
                return  # it is optional
            same((response.status, response.body == wanted, len(response.body)), (200, True, len(wanted)))

    return run


CONTENT = b"0123456789" * 10_000
ITERABLES = [
    *(AppCase(f"iterable/{kind}", ITERABLE, plain(kind), "any iterable, twice on a connection", report="fastwsgi #31" if kind == "generator" else "") for kind in ("list", "tuple", "generator")),
    AppCase("iterable/one", LENGTH, plain("one", b"one"), "one block"),
    AppCase("iterable/empty-list", ITERABLE, plain("empty-list", b""), "no block: an empty answer", report="hypercorn"),
    AppCase("iterable/close", ITERABLE, closed_once("blocks=one,two"), "close() exactly once", report="granian #29, hypercorn #154"),
    AppCase("iterable/close-empty", ITERABLE, closed_once("blocks="), "close() without a block"),
    AppCase("iterable/close-raises", ITERABLE, closed_once("blocks=one&fails=next"), "close() after an error of the iterator"),
    AppCase("iterable/close-raises-at-once", ITERABLE, closed_once("blocks=&fails=next"), "close() after an error before the first block"),
    AppCase("iterable/close-head", ITERABLE, closed_once("blocks=one,two", "HEAD"), "close() for HEAD"),
    AppCase("iterable/close-304", ITERABLE, closed_once("blocks=one&status=304%20x"), "close() for 304"),
    AppCase("iterable/close-204", ITERABLE, closed_once("blocks=one&status=204%20x"), "close() for 204"),
    AppCase("iterable/close-too-long", ITERABLE, closed_once("blocks=one,two&length=3"), "close() when there is more than the length"),
    AppCase("iterable/close-too-short", ITERABLE, closed_once("blocks=one&length=10", lines=("Connection: close",)), "close() when there is less than the length"),
    AppCase("iterable/close-without-start", ITERABLE, closed_once("", path="/without-start"), "close() where nothing was started"),
    AppCase("iterable/close-client-left", ITERABLE, closed_when_left, "close() when the client leaves", report="gunicorn #2010, waitress #236"),
    AppCase("iterable/close-fails", ITERABLE, close_fails, "an error in close() leaves the answer whole", Level.SHOULD),
    AppCase("iterable/error-before", "PEP 3333, Error Handling", is_500("/raise"), "an exception before start_response is a 500", report="gunicorn #1507"),
    AppCase("iterable/error-started", "PEP 3333, Error Handling", is_500("/raise-started"), "an exception before the first byte is a 500, without the application's fields"),
    AppCase("iterable/error-first", "PEP 3333, Error Handling", is_500("/blocks?blocks=&fails=next"), "an exception in the first step is a 500"),
    AppCase("iterable/error-after", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&fails=next", b"onetwo"), "an exception after the first byte: the answer must not look whole", report="granian"),
    AppCase("iterable/error-after-length", "RFC 9112, 8", cut_after("/blocks?blocks=one,two&fails=next&length=100", b"onetwo"), "with a length: short, and the end"),
    *(AppCase(f"iterable/raises-{kind}", "PEP 3333, Error Handling", raised(kind), "any exception is a 500, and the server goes on", Level.SHOULD, "gunicorn #1507" if kind in ("os", "stop") else "")
      for kind in ("os", "stop", "exit", "generator-exit", "recursion", "memory", "unicode")),
    AppCase("iterable/strings", ITERABLE, not_whole("/strings"), "blocks are bytes"),
    AppCase("iterable/length-exact", LENGTH, length(6, "one,two", b"onetwo", True), "as many bytes as it says"),
    AppCase("iterable/length-short", LENGTH, length(10, "one,two", b"onetwo", False), "fewer bytes than it says: the end, not another answer", report="granian #29"),
    AppCase("iterable/length-long", LENGTH, length(3, "one,two", b"one", True), "more bytes than it says are not sent", report="granian #29"),
    AppCase("iterable/length-long-block", LENGTH, length(2, "one,two", b"on", True), "a block is cut where it says"),
    AppCase("iterable/length-zero", LENGTH, length(0, "one", b"", True), "nothing"),
    AppCase("iterable/file", "PEP 3333, Optional Platform-Specific File Handling", wrapped("of=file", CONTENT), "a file"),
    AppCase("iterable/file-at", "PEP 3333, Optional Platform-Specific File Handling", wrapped("of=file&at=12345", CONTENT[12345:]), "from its position"),
    AppCase("iterable/file-length", "PEP 3333, Optional Platform-Specific File Handling", wrapped("of=file&length=5000", CONTENT[:5000]), "at most its length"),
    AppCase("iterable/file-memory", "PEP 3333, Optional Platform-Specific File Handling", wrapped("of=memory&at=7", CONTENT[7:]), "what has no descriptor"),
]  # fmt: skip

CASES = [*ENVIRONS, *INPUTS, *STARTS, *ITERABLES]
