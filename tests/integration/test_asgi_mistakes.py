"""ASGI HTTP 2.5: messages that send() must refuse: at that send, saying what is wrong; 500 if nothing has left.

Rows A01-A07, A21, S17-S20 of the project's catalogue. The messages travel to the application as a Python literal.
"""

import re
from typing import Any

import pytest
from asgi_ledger import log_since, noted
from server_process import ServerProcess
from wire_client import CutError, Wire

pytest_plugins = ["asgi_fixtures"]
APP = "asgi_messages:app"

Message = dict[str, Any]
START: Message = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}
END: Message = {"type": "http.response.body", "body": b"", "more_body": False}


def start(**changes: Any) -> Message:
    return START | changes


def header(name: Any, value: Any = b"v") -> Message:
    return start(headers=[(b"x-good", b"1"), (name, value)])


def body(data: Any = b"abc", more: bool = False) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


def play(wire: Wire, place: str, messages: list[Any], method: str = "POST", target: str = "", **options: Any) -> Any:
    """Has the application send these messages; the answer. What became of each: noted(server, place)."""
    return wire.get(f"/play?id={place}{target}", method, body=repr(messages).encode(), **options)


REFUSED = [
    # (what it is, the messages, the error, what it says); the last message is the wrong one, and nothing has left
    ("body before start", [body()], "RuntimeError", "http.response.body.*before.*http.response.start"),
    ("start twice", [START, START], "RuntimeError", "http.response.start.*twice"),
    ("no dict", ["http.response.start"], "TypeError", "dict.*str"),
    ("a list", [[START]], "TypeError", "dict.*list"),
    ("no type", [{"status": 200}], "RuntimeError", "type"),
    ("unknown type", [{"type": "http.response.begin"}], "RuntimeError", "http.response.begin.*http.response.start"),
    ("type of another protocol", [{"type": "websocket.accept"}], "RuntimeError", "websocket.accept"),
    ("type of lifespan", [{"type": "lifespan.startup.complete"}], "RuntimeError", "lifespan.startup.complete"),
    ("type as bytes", [{"type": b"http.response.start", "status": 200}], "RuntimeError", "b'http.response.start'"),
    ("type None", [{"type": None}], "RuntimeError", "None"),
    ("no status", [{"type": "http.response.start"}], "TypeError", "status"),
    ("status as text", [start(status="200")], "TypeError", "status.*int.*'200'"),
    ("status as bytes", [start(status=b"200")], "TypeError", "status.*int.*b'200'"),
    ("status None", [start(status=None)], "TypeError", "status.*None"),
    ("status True", [start(status=True)], "TypeError|ValueError", "status.*True"),
    ("status as float", [start(status=200.0)], "TypeError", "status.*200.0"),
    ("status 0", [start(status=0)], "ValueError", "status.*200 to 999.*0"),
    ("status 99", [start(status=99)], "ValueError", "status.*200 to 999.*99"),
    ("status 100", [start(status=100)], "ValueError", "status.*200 to 999.*100"),
    ("status 101", [start(status=101)], "ValueError", "status.*200 to 999.*101"),
    ("status 199", [start(status=199)], "ValueError", "status.*200 to 999.*199"),
    ("status 1000", [start(status=1000)], "ValueError", "status.*200 to 999.*1000"),
    ("status -200", [start(status=-200)], "ValueError", "status.*-200"),
    ("status huge", [start(status=2**70)], "ValueError", "status.*1180591620717411303424"),
    ("headers None", [start(headers=None)], "TypeError", "headers"),
    ("headers a number", [start(headers=5)], "TypeError", "headers"),
    ("headers a dict", [start(headers={b"x": b"y"})], "TypeError", "header"),
    ("header name str", [header("x-a")], "TypeError", "'x-a'.*bytes|byte strings"),
    ("header value str", [header(b"x-a", "v")], "TypeError", "'v'.*byte"),
    ("header value int", [header(b"x-a", 5)], "TypeError", "5.*byte"),
    ("header value None", [header(b"x-a", None)], "TypeError", "None.*byte"),
    ("header of one", [start(headers=[(b"x",)])], "TypeError", "pair"),
    ("header of three", [start(headers=[(b"x", b"y", b"z")])], "TypeError", "pair"),
    ("header no pair", [start(headers=[5])], "TypeError", "pair"),
    ("CRLF in a value", [header(b"x-a", b"v\r\nSet-Cookie: evil=1")], "ValueError", "x-a"),
    ("CR in a value", [header(b"x-a", b"v\rw")], "ValueError", "x-a"),
    ("LF in a value", [header(b"x-a", b"v\nw")], "ValueError", "x-a"),
    ("NUL in a value", [header(b"x-a", b"v\0w")], "ValueError", "x-a"),
    ("CRLF in a name", [header(b"x\r\ny")], "ValueError", "x\\\\r\\\\ny"),
    ("colon in a name", [header(b"x:y")], "ValueError", "x:y"),
    ("space in a name", [header(b"x y")], "ValueError", "x y"),
    ("empty name", [header(b"")], "ValueError", "b''"),
    ("name not ASCII", [header(b"x-\xc3\xa9")], "ValueError", "name"),
    ("length no number", [header(b"content-length", b"abc")], "ValueError", "(?i)content-length"),
    ("length negative", [header(b"content-length", b"-1")], "ValueError", "(?i)content-length"),
    ("length with a sign", [header(b"content-length", b"+1")], "ValueError", "(?i)content-length"),
    (
        "two lengths",
        [start(headers=[(b"content-length", b"1"), (b"Content-Length", b"2")])],
        "ValueError",
        "(?i)length",
    ),
    ("a header beyond the limit", [header(b"x-a", b"v" * (1 << 20))], "ValueError", "too long"),
    ("body str", [START, body("abc")], "TypeError", "body.*bytes.*str"),
    ("body None", [START, body(None)], "TypeError", "body.*bytes.*None"),
    ("body int", [START, body(5)], "TypeError", "body.*bytes.*int"),
    ("body list", [START, body([b"x"])], "TypeError", "body.*bytes.*list"),
    ("too much", [header(b"content-length", b"2"), body()], "RuntimeError", "3.*Content-Length.*2"),
    ("too much at first", [header(b"content-length", b"2"), body(more=True)], "RuntimeError", "3.*Content-Length.*2"),
    ("too little", [header(b"content-length", b"4"), body()], "RuntimeError", "3.*Content-Length.*4"),
    ("nothing of something", [header(b"content-length", b"4"), END], "RuntimeError", "0.*Content-Length.*4"),
    ("trailers before start", [{"type": "http.response.trailers"}], "RuntimeError", "http.response.trailers"),
    ("trailers not announced", [START, {"type": "http.response.trailers"}], "RuntimeError", "trailers=True"),
    ("trailers before the body", [start(trailers=True), {"type": "http.response.trailers"}], "RuntimeError", "after"),
    ("hint after start", [START, {"type": "http.response.early_hint", "links": []}], "RuntimeError", "after"),
    ("hint with CRLF", [{"type": "http.response.early_hint", "links": [b"</a>\r\nX: y"]}], "ValueError", "</a>"),
    ("hint as str", [{"type": "http.response.early_hint", "links": ["</a>"]}], "TypeError", "'</a>'.*bytes"),
    ("hint no list", [{"type": "http.response.early_hint", "links": 5}], "TypeError", "links"),
    ("pathsend before start", [{"type": "http.response.pathsend", "path": "/etc/hostname"}], "RuntimeError", "before"),
    ("pathsend of nothing", [START, {"type": "http.response.pathsend"}], "TypeError", "path"),
    ("pathsend of a number", [START, {"type": "http.response.pathsend", "path": 5}], "TypeError", "int"),
    ("pathsend, no such file", [START, {"type": "http.response.pathsend", "path": "/no/x"}], "OSError", "/no/x"),
    ("pathsend of a directory", [START, {"type": "http.response.pathsend", "path": "/etc"}], "OSError", "/etc"),
    ("pathsend with NUL", [START, {"type": "http.response.pathsend", "path": "/etc/x\0y"}], "ValueError", "null"),
    ("zerocopysend of nothing", [START, {"type": "http.response.zerocopysend"}], "TypeError", "file"),
    ("zerocopysend of text", [START, {"type": "http.response.zerocopysend", "file": "x"}], "TypeError", ""),
    ("zerocopysend, closed", [START, {"type": "http.response.zerocopysend", "file": 9999}], "OSError|ValueError", ""),
]


@pytest.mark.parametrize(("messages", "error", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_wrong_message_is_refused_where_it_is_sent(
    asgi: ServerProcess, place: str, messages: list[Any], error: str, says: str
) -> None:
    """A05-A07: an exception at that send, 500, one traceback in the log, and the connection goes on."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        answer = play(wire, place, messages)
        assert (answer.status, answer.get("x-good"), answer.get("Set-Cookie")) == (500, None, None)
        assert wire.get("/hello").body == b"hello"
    *before, failed = noted(asgi, place)
    assert before == list(range(len(messages) - 1))
    number, kinds, text = failed
    assert number == len(messages) - 1
    assert set(error.split("|")) & set(kinds), (kinds, text)
    assert re.search(says, text), text
    log = log_since(asgi, since)
    assert log.count("error app.error ") == 1
    assert log.count("Traceback (most recent call last)") == 1
    assert "after_start=false" in log


CUT = [
    ("too much in the end", [header(b"content-length", b"4"), body(more=True), body()], "6.*Content-Length.*4"),
    ("too little in the end", [header(b"content-length", b"9"), body(more=True), body()], "6.*Content-Length.*9"),
    ("start again", [START, body(more=True), START], "twice"),
    ("another type", [START, body(more=True), {"type": "http.response.more"}], "http.response.more"),
    ("str in the stream", [START, body(more=True), body("abc")], "str"),
    ("hint in the stream", [START, body(more=True), {"type": "http.response.early_hint", "links": []}], "after"),
    ("trailers in the stream", [START, body(more=True), {"type": "http.response.trailers"}], "trailers"),
    (
        "trailer with CRLF",
        [start(trailers=True), body(), {"type": "http.response.trailers", "headers": [(b"x", b"y\r\nz: 1")]}],
        "b'x'",
    ),
    ("body after the last", [start(trailers=True), body(), body()], "trailers"),
]


@pytest.mark.parametrize(("messages", "says"), [row[1:] for row in CUT], ids=[row[0] for row in CUT])
def test_a_wrong_message_after_bytes_have_left_cuts(
    asgi: ServerProcess, place: str, messages: list[Any], says: str
) -> None:
    """A02, S19, S20: no clean end, so that no client takes it for whole."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        with pytest.raises(CutError) as cut:
            play(wire, place, messages, fields=[("TE", "trailers"), ("Connection", "TE")])
        assert cut.value.head
        assert cut.value.head.status == 200
        assert cut.value.body == b"abc"
    _, kinds, text = noted(asgi, place)[-1]
    assert {"RuntimeError", "TypeError", "ValueError"} & set(kinds)
    assert re.search(says, text), text
    log = log_since(asgi, since)
    assert log.count("error app.error ") == 1
    assert "after_start=true" in log


@pytest.mark.parametrize(
    "late", [START, body(), END, {"type": "http.response.nonsense"}, {"type": "http.response.trailers"}]
)
def test_a_message_after_the_answer_is_refused(asgi: ServerProcess, place: str, late: Message) -> None:
    """A05: the answer is whole, the connection goes on, the error is logged once."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        answer = play(wire, place, [START, body(), late])
        assert (answer.status, answer.body) == (200, b"abc")
        assert wire.get("/hello").body == b"hello"
    number, kinds, text = noted(asgi, place)[-1]
    assert (number, "RuntimeError" in kinds) == (2, True)
    assert "complete" in text
    assert log_since(asgi, since).count("Traceback (most recent call last)") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "http.response.bodyy"},
        body(),
        start(status="200"),
        header("x"),
        header(b"x", b"\n"),
        start(headers=5, trailers=True),
        start(trailers=True, status=5),
    ],
)
def test_who_catches_the_error_may_go_on(asgi: ServerProcess, place: str, wrong: Message) -> None:
    """A message that was refused has left no trace in the answer."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        answer = play(wire, place, [wrong, START, body()], target="&then=go+on")
        assert (answer.status, answer.body) == (200, b"abc")
        assert answer.get("x-good") is None
        assert answer.get("Content-Length") == "3"
        assert wire.get("/hello").body == b"hello"
    assert noted(asgi, place)[1:] == [1, 2]
    assert "app." not in log_since(asgi, since)


def test_a_piece_too_much_may_be_taken_back(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        messages = [header(b"content-length", b"5"), body(b"abc", True), body(b"def"), body(b"de")]
        assert play(wire, place, messages, target="&then=go+on").body == b"abcde"
        assert wire.get("/hello").body == b"hello"


# ---- what looks wrong and is allowed


ALLOWED = [
    ("names in upper case", [header(b"X-UPPER-Case"), body()], [("x-upper-case", "v")]),
    ("the same name twice", [start(headers=[(b"x-a", b"1"), (b"X-A", b"2")]), body()], [("x-a", "1"), ("x-a", "2")]),
    ("lists as pairs", [start(headers=[[b"x-a", b"1"]]), body()], [("x-a", "1")]),
    ("a tuple of headers", [start(headers=((b"x-a", b"1"),)), body()], [("x-a", "1")]),
    ("no headers", [{"type": "http.response.start", "status": 200}, body()], []),
    ("bytes beyond ASCII", [header(b"x-a", b"\xe9\xff"), body()], [("x-a", "\xe9\xff")]),
    ("empty value", [header(b"x-a", b""), body()], [("x-a", "")]),
    ("blanks around", [header(b"x-a", b" \tv "), body()], [("x-a", "v")]),
    ("unknown keys", [start(extra=1), body() | {"extra": 1}], []),
    ("a thousand headers", [start(headers=[(b"x-%d" % n, b"v") for n in range(1000)]), body()], [("x-999", "v")]),
    ("a large header", [header(b"x-a", b"v" * 500_000), body()], [("x-a", "v" * 500_000)]),
    ("equal lengths twice", [start(headers=[(b"content-length", b"3")] * 2), body()], [("Content-Length", "3")]),
    ("length in upper case", [header(b"CONTENT-LENGTH", b"3"), body()], [("Content-Length", "3")]),
    ("no body key", [START, body(b"abc", True), {"type": "http.response.body"}], []),
    ("more_body as 0", [START, body() | {"more_body": 0}], []),
    ("status 299", [start(status=299), body()], []),
]


@pytest.mark.parametrize(("messages", "fields"), [row[1:] for row in ALLOWED], ids=[row[0] for row in ALLOWED])
def test_what_is_allowed(asgi: ServerProcess, place: str, messages: list[Any], fields: list[tuple[str, str]]) -> None:
    with Wire(asgi.address) as wire:
        answer = play(wire, place, messages)
        assert answer.body == b"abc"
        sent = [(name.lower(), value) for name, value in answer.fields]
        for name, value in fields:
            assert (name.lower(), value) in sent
        assert len(answer.all("Content-Length")) <= 1
        assert wire.get("/hello").body == b"hello"
    assert noted(asgi, place) == list(range(len(messages)))


@pytest.mark.parametrize("more", [False, True])
def test_framing_is_the_servers(asgi: ServerProcess, place: str, more: bool) -> None:
    """S18: hop-by-hop fields of the application are dropped, never two framings."""
    hop_by_hop = [
        (b"transfer-encoding", b"chunked"),
        (b"Transfer-Encoding", b"gzip"),
        (b"connection", b"keep-alive"),
        (b"keep-alive", b"timeout=5"),
        (b"upgrade", b"h2c"),
        (b"te", b"trailers"),
        (b"trailer", b"x"),
    ]
    with Wire(asgi.address) as wire:
        answer = play(wire, place, [start(headers=hop_by_hop), body(more=more), END][: 3 if more else 2])
        assert answer.body == b"abc"
        assert answer.all("Transfer-Encoding") == (["chunked"] if more else [])
        for name in ("keep-alive", "upgrade", "te", "trailer"):
            assert answer.all(name) == []
        assert wire.get("/hello").body == b"hello"


def test_the_application_may_close_the_connection(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        answer = play(wire, place, [header(b"connection", b"close"), body()])
        assert (answer.body, answer.get("Connection")) == (b"abc", "close")
        assert wire.ended()


def test_the_applications_date_and_server_replace_ours(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        answer = play(wire, place, [start(headers=[(b"date", b"today"), (b"server", b"mine")]), body()])
        assert (answer.get("Date"), answer.get("Server")) == ("today", "mine")


# ---- HEAD, 204, 205, 304 (T21)


BODYLESS = [
    ("HEAD", [START, body()], "3"),
    ("HEAD", [START, body(more=True), END], None),
    ("HEAD", [header(b"content-length", b"3"), body()], "3"),
    ("HEAD", [header(b"content-length", b"1000"), body(b"")], "1000"),
    ("HEAD", [header(b"content-length", b"1000"), body(more=True), END], "1000"),
    ("GET", [start(status=204), body(b"")], None),
    ("GET", [start(status=204), body()], None),
    ("GET", [start(status=204), body(more=True), END], None),
    ("GET", [start(status=204, headers=[(b"content-length", b"0")]), body(b"")], None),
    ("GET", [start(status=304, headers=[(b"content-length", b"1000")]), body(b"")], "1000"),
    ("GET", [start(status=304), body()], None),
    ("GET", [start(status=205), body()], "0"),
    ("GET", [start(status=205), body(more=True), END], "0"),
    ("GET", [start(status=205, headers=[(b"content-length", b"1000")]), body(b"")], "0"),
    ("HEAD", [start(status=205), body()], "0"),
]


@pytest.mark.parametrize(("method", "messages", "length"), BODYLESS)
def test_no_body_goes_out_where_there_must_be_none(
    asgi: ServerProcess, place: str, method: str, messages: list[Any], length: str | None
) -> None:
    with Wire(asgi.address) as wire:
        answer = play(wire, place, messages, method)
        assert answer.status == messages[0]["status"]
        if answer.status == 204:
            assert (answer.all("Content-Length"), answer.all("Transfer-Encoding")) == ([], [])
        elif length:
            assert answer.get("Content-Length") == length
        assert wire.get("/hello").body == b"hello"
    assert noted(asgi, place) == list(range(len(messages)))
