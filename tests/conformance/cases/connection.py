"""Cases of a connection: persistence, pipelining, answers without a body, Expect, Upgrade, errors in between."""

from tests.conformance.case import (
    GET,
    HELLO,
    HOST,
    REFUSED,
    After,
    Answer,
    Level,
    Outcome,
    Seen,
    WireCase,
    get,
    head,
    must,
    post,
    post_chunked,
)

PERSIST = "RFC 9112, 9.3"
CLOSE = "RFC 9112, 9.6"
PIPELINE = "RFC 9112, 9.3.2"
STREAM = Answer(body=b"onetwothree")
ERROR = Answer(500)
KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
HANDSHAKE = ("Connection: keep-alive, Upgrade", "Upgrade: websocket")
VERSION = "Sec-WebSocket-Version: 13"
BAD_BODY = post_chunked(b"3\r\nabcXX0\r\n\r\n")


def case(
    name: str,
    cites: str,
    wire: bytes,
    why: str,
    *answers: Answer,
    after: After = After.STAYS,
    also: tuple[Outcome, ...] = (),
    level: Level = Level.MUST,
    report: str = "",
    methods: tuple[str, ...] = (),
) -> WireCase:
    return WireCase(name, cites, wire, Outcome(answers, after=after), why, also, level, report, methods)


def hello(*lines: str, version: str = "1.1", method: str = "GET") -> bytes:
    return head(f"{method} /hello HTTP/{version}", *lines)


def path(path: str, version: str = "1.1") -> bytes:
    return head(f"GET {path} HTTP/{version}")


CLOSES = (Outcome((HELLO,), after=After.CLOSES),)
PERSISTENCE = [
    case("connection/keep", PERSIST, hello(), "1.1 persists by itself", HELLO),
    case("connection/keep-said", PERSIST, hello("Connection: keep-alive"), "1.1 persists", HELLO),
    *(case(f"connection/close-{name}", CLOSE, hello(f"Connection: {value}") + path("/stream"), "close ends it; what follows is not run", HELLO, after=After.CLOSES, report=report)
      for name, value, report in (("plain", "close", "uvicorn #2238"), ("case", "CLOSE", ""), ("list", "x , Close", "gunicorn gthread"), ("list-first", "close, x", ""),
                                  ("with-keep-alive", "keep-alive, close", ""), ("empty-members", ",close,", ""))),
    case("connection/close-two-lines", CLOSE, hello("Connection: x", "Connection: close") + path("/stream"), "the second line counts", HELLO, after=After.CLOSES),
    case("connection/close-garbage", CLOSE, hello("Connection: close") + b"\x16\x03\x01 no request\r\n\r\n", "what follows is not looked at", HELLO, after=After.CLOSES, report="uvicorn #2238"),
    case("connection/close-post", CLOSE, head("POST /count HTTP/1.1", "Connection: close", "Content-Length: 5") + b"hello" + path("/stream"), "after a body too", Answer(body=b"5"), after=After.CLOSES),
    case("connection/lookalike", CLOSE, hello("Connection: closed") + hello(), "another token does not close", HELLO, HELLO),
    case("connection/proxy-connection", CLOSE, hello("Proxy-Connection: close") + hello(), "another field does not close", HELLO, HELLO),
    case("connection/1.0", PERSIST, hello(version="1.0"), "1.0 ends by itself", HELLO, after=After.CLOSES),
    case("connection/1.0-stream", "RFC 9112, 6.3", path("/stream", "1.0"), "no chunks to 1.0: its end is the connection's", STREAM, after=After.CLOSES),
    case("connection/1.0-keep-alive", PERSIST, hello("Connection: keep-alive", version="1.0"), "1.0 goes on where it asks and the server likes", HELLO, also=CLOSES),
    case("connection/1.0-keep-alive-case", PERSIST, hello("Connection: Keep-Alive", version="1.0"), "tokens know no case", HELLO, also=CLOSES),
    case("connection/1.0-keep-alive-twice", PERSIST, hello("Connection: keep-alive", version="1.0") + hello(version="1.0") + path("/stream"), "the second ends it", HELLO, HELLO,
         after=After.CLOSES, also=CLOSES),
    case("connection/1.0-then-bytes", PERSIST, hello(version="1.0") + path("/stream"), "what follows is not run", HELLO, after=After.CLOSES),
    case("connection/1.0-close", PERSIST, hello("Connection: close", version="1.0"), "and says so", HELLO, after=After.CLOSES),
    case("connection/1.0-body", "RFC 9112, 6.3", head("POST /count HTTP/1.0", "Content-Length: 5") + b"hello", "a body in 1.0", Answer(body=b"5"), after=After.CLOSES),
]  # fmt: skip
PIPELINES = [
    case("pipeline/three", PIPELINE, hello() + path("/stream") + path("/free"), "answered in order", HELLO, STREAM, HELLO),
    case("pipeline/fifty", PIPELINE, hello() * 50, "fifty in one packet", *[HELLO] * 50),
    case("pipeline/bodies", PIPELINE, head("POST /count HTTP/1.1", "Content-Length: 17") + b"GET /x HTTP/1.1\r\n" + head("OPTIONS /count HTTP/1.1", "Content-Length: 3") + b"abc" + hello(),
         "bodies stay with their heads", Answer(body=b"17"), Answer(body=b"3"), HELLO, report="CL.0 desync"),
    case("pipeline/unread-body", PERSIST, head("POST /nobody HTTP/1.1", "Content-Length: 20") + b"GET /x HTTP/1.1\r\n\r\n!" + hello(), "a body that the application leaves is no request",
         Answer(body=b"not read"), HELLO, report="gunicorn PR #3614"),
    WireCase("pipeline/unread-chunks", PERSIST, head("POST /nobody HTTP/1.1", "Transfer-Encoding: chunked") + b"5\r\nGET /\r\n0\r\n\r\n" + hello(),
             Outcome((Answer(body=b"not read"), HELLO), may_end=True), "a body that the application leaves is no request", level=Level.MUST),
    case("pipeline/post-get-post", PIPELINE, post(b"a", "Content-Length: 1") + get() + post_chunked(b"1\r\nb\r\n0\r\n\r\n"), "three ways of framing",
         Answer(seen=Seen(b"a")), Answer(seen=GET), Answer(seen=Seen(b"b"))),
    case("pipeline/crlf-between", "RFC 9112, 2.2", hello() + b"\r\n" + hello(), "an empty line in between is ignored", HELLO, HELLO, level=Level.SHOULD),
    *(WireCase(f"pipeline/then-{name}", PIPELINE, hello() + wire, Outcome((HELLO,), frozenset(status), After.CLOSES), "the good one is answered first",
               (Outcome((HELLO,), rule.error, After.EITHER),), report=report)
      for name, wire, status, rule, report in (
          ("garbage", b"\0\x01garbage\r\n\r\n", (400,), REFUSED, "http-garden #45: Node, uvicorn lose the answer"), ("two-hosts", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", (400,), must(400), ""),
          ("bad-length", post(b"hello", "Content-Length: x"), (400,), must(400), ""), ("bad-chunk", BAD_BODY, (400,), REFUSED, ""),
          ("http-2", b"GET / HTTP/2.0\r\n" + HOST.encode() + b"\r\n", (505,), REFUSED, ""))),
]  # fmt: skip
NO_BODY = [
    case("answer/head", "RFC 9110, 9.3.2", hello(method="HEAD"), "no body; the length of the GET", Answer(body=b"", fields={"content-length": "5"}), methods=("HEAD",),
         report="uvicorn #83, bjoern", also=(Outcome((Answer(body=b"", fields={"content-length": None}),)),)),
    case("answer/head-stream", "RFC 9110, 9.3.2", head("HEAD /stream HTTP/1.1"), "no chunk either", Answer(body=b""), methods=("HEAD",)),
    case("answer/head-1.0", "RFC 9110, 9.3.2", hello(method="HEAD", version="1.0"), "no body in 1.0", Answer(body=b""), after=After.CLOSES, methods=("HEAD",)),
    case("answer/head-404", "RFC 9110, 9.3.2", head("HEAD /status?code=404 HTTP/1.1"), "no body with an error either", Answer(404, body=b""), methods=("HEAD",)),
    *(case(f"answer/{code}{name}", "RFC 9110, 6.4.1; 8.6", path(f"/status?code={code}{flag}"), "the application's body is not sent", Answer(code, body=b""), report=report,
           also=(Outcome((Answer(code, body=b""),), after=After.CLOSES),))
      for code, name, flag, report in ((204, "", "", ""), (204, "-length", "&length=1", "gunicorn #1079"), (304, "", "", ""), (304, "-length", "&length=1", "gunicorn #2598"))),
    case("answer/205", "RFC 9110, 15.3.6", path("/empty?code=205"), "an empty answer", Answer(205, body=b"")),
    *(case(f"answer/205-content{name}", "RFC 9110, 15.3.6", path(f"/status?code=205{flag}") + hello(), "the application's body is not sent", Answer(205, body=b""), HELLO,
           also=(Outcome((Answer(205, body=b""),), after=After.CLOSES),))
      for name, flag in (("", ""), ("-length", "&length=1"))),
    case("answer/empty", "RFC 9112, 6.3", path("/empty?code=200"), "an empty answer is framed", Answer(body=b"")),
    case("answer/stream", "RFC 9112, 7.1", path("/stream"), "an empty piece is not the last chunk", STREAM, report="uvicorn #267"),
    case("answer/stream-head-get", "RFC 9112, 7.1", head("HEAD /free HTTP/1.1") + path("/free"), "a stream, both ways", Answer(body=b""), HELLO, methods=("HEAD",)),
    case("answer/error-goes-on", "RFC 9110, 15.6.1", path("/raise"), "an application's error is a 500; the connection is sound", ERROR, level=Level.SHOULD),
    case("answer/error-then-close", "RFC 9110, 15.6.1", head("GET /raise HTTP/1.1", "Connection: close"), "a 500, and the end", ERROR, after=After.CLOSES, level=Level.SHOULD),
    case("answer/error-body", "RFC 9112, 9.3", head("POST /raise HTTP/1.1", "Content-Length: 18") + b"GET / HTTP/1.1\r\n\r\n", "the body of a failed request is no request",
         ERROR),
    case("answer/large", "RFC 9112, 6.2", path("/large?n=300000"), "300 KB", Answer(body=bytes(300_000))),
]  # fmt: skip
CONTINUE = "Expect: 100-continue"
EXPECT = [
    case("expect/body-here", "RFC 9110, 10.1.1", head("POST /count HTTP/1.1", CONTINUE, "Content-Length: 5") + b"hello", "with or without 100, one final answer", Answer(body=b"5")),
    case("expect/body-here-chunked", "RFC 9110, 10.1.1", head("POST /count HTTP/1.1", CONTINUE, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n\r\n", "with or without 100",
         Answer(body=b"5")),
    case("expect/case", "RFC 9110, 10.1.1", head("POST /count HTTP/1.1", "Expect: 100-Continue", "Content-Length: 5") + b"hello", "the value knows no case", Answer(body=b"5")),
    case("expect/no-body", "RFC 9110, 10.1.1", hello(CONTINUE), "an expectation without a body", HELLO),
    case("expect/1.0", "RFC 9110, 10.1.1", head("POST /count HTTP/1.0", CONTINUE, "Content-Length: 5") + b"hello", "ignored in 1.0", Answer(body=b"5"), after=After.CLOSES),
    *(case(f"expect/{name}", "RFC 9110, 10.1.1; 5.6.1.2", head("POST /count HTTP/1.1", *lines, "Content-Length: 5") + b"hello", "a list, however it is split, with empty members",
           Answer(body=b"5"), also=(Outcome(error=frozenset({417}), after=After.EITHER),), level=Level.SHOULD)
      for name, lines in (("twice", (f"{CONTINUE}, 100-continue",)), ("twice-on-lines", (CONTINUE, CONTINUE)), ("empty-members", ("Expect: , 100-continue ,",)), ("empty", ("Expect:",)))),
    WireCase("expect/unknown-in-list", "RFC 9110, 10.1.1", hello(f"{CONTINUE}, quux"), Outcome(error=frozenset({417}), after=After.CLOSES), "417, or ignored",
             (Outcome((HELLO,), after=After.EITHER), Outcome(error=frozenset({417}), after=After.EITHER))),
    WireCase("expect/unknown", "RFC 9110, 10.1.1", hello("Expect: quux"), Outcome(error=frozenset({417}), after=After.CLOSES), "417, or ignored",
             (Outcome((HELLO,), after=After.EITHER), Outcome(error=frozenset({417}), after=After.EITHER))),
    case("expect/unknown-1.0", "RFC 9110, 10.1.1", hello("Expect: quux", version="1.0"), "ignored in 1.0", HELLO, after=After.CLOSES, also=(Outcome(error=frozenset({417}), after=After.EITHER),)),
]  # fmt: skip
SERVED = (Outcome((HELLO,), after=After.EITHER),)


def handshake(
    name: str, why: str, *lines: str, status: int = 400, method: str = "GET", version: str = "1.1"
) -> WireCase:
    """An opening handshake with a mistake: refused, or served as if there were no Upgrade."""
    wire = hello(*HANDSHAKE, *lines, method=method, version=version)
    served = Outcome((Answer(body=b"hello"),), after=After.EITHER)
    return WireCase(f"upgrade/websocket-{name}", "RFC 6455, 4.2; RFC 9110, 7.8", wire, Outcome(error=frozenset({status}), after=After.CLOSES), why,
                    (REFUSED, Outcome(error=REFUSED.error, after=After.WAITS), served))  # fmt: skip


UPGRADE = [
    case("upgrade/h2c", "RFC 9113, 3.1; RFC 9110, 7.8", hello("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"), "ignored, or taken up with 101", HELLO, report="granian #73",
         also=(Outcome((Answer(101),), after=After.WAITS),)),
    case("upgrade/unknown", "RFC 9110, 7.8", hello("Connection: upgrade", "Upgrade: quux/7"), "ignored", HELLO),
    case("upgrade/without-connection", "RFC 9110, 7.8", hello("Upgrade: websocket", KEY, VERSION), "an Upgrade that Connection does not name is ignored", HELLO),
    case("upgrade/in-1.0", "RFC 9110, 7.8", hello("Connection: Upgrade", "Upgrade: h2c", version="1.0"), "MUST be ignored in 1.0", HELLO, after=After.CLOSES),
    handshake("no-key", "the key is missing", VERSION),
    handshake("empty-key", "the key is empty", VERSION, "Sec-WebSocket-Key: "),
    handshake("short-key", "the key is not 16 bytes", VERSION, "Sec-WebSocket-Key: c2hvcnQ="),
    handshake("long-key", "the key is not base64", VERSION, KEY + "x"),
    handshake("two-keys", "one key", VERSION, KEY, KEY),
    handshake("post", "a handshake is a GET", VERSION, KEY, method="POST"),
    handshake("1.0", "a handshake is 1.1", VERSION, KEY, version="1.0"),
    *(handshake(f"version-{version}", "13 is the version", KEY, f"Sec-WebSocket-Version: {version}", status=426) for version in ("8", "14", "013", "x")),
]  # fmt: skip

CASES: list[WireCase] = [*PERSISTENCE, *PIPELINES, *NO_BODY, *EXPECT, *UPGRADE]
