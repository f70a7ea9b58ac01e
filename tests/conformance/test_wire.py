"""What goes over one connection: framing of answers, persistence, pipelining, Expect, early errors, closing.

What one input on a fresh connection shows is in cases/ and run by test_suite.py; here is what takes a conversation, and
what is Lanner's own. References are the rows of the project's catalogue: T21-T40 are public bug reports against other
servers, P and S the faults that a peer may send.
"""

import base64
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from email.utils import parsedate_to_datetime

import pytest

from tests.conformance.conftest import Target
from tests.support.server import Server
from tests.support.wire import Client, chunked, request

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MEGABYTE = bytes(range(256)) * 4096


# ---- framing of answers


def test_head_keeps_the_length_of_get(target: Target) -> None:
    """T21, RFC 9110, 9.3.2: the fields of a GET, no body, and the next answer parses."""
    with Client(target.tcp) as client:
        client.send(request("HEAD", "/hello") + request("HEAD", "/free") + request("GET", "/hello"))
        first, second, third = client.read("HEAD"), client.read("HEAD"), client.read()
        assert (first.get("content-length"), second.get("content-length")) == ("5", None)
        assert (third.status, third.body) == (200, b"hello")


@pytest.mark.parametrize("length", ["", "&length=1"])
def test_204_and_304_have_no_body(length: str, target: Target) -> None:
    """P31, RFC 9110, 6.4.1 and 8.6: never a Content-Length in 204; 304 may tell the length of the 200."""
    with Client(target.tcp) as client:
        first = client.get(f"/status?code=204{length}")
        assert (first.status, first.body, first.get("content-length")) == (204, b"", None)
        second = client.get(f"/status?code=304{length}")
        assert (second.status, second.body, second.get("etag")) == (304, b"", '"x"')
        assert client.get("/hello").body == b"hello"


def test_a_stream_is_chunked_and_empty_pieces_do_not_end_it(target: Target) -> None:
    """T23, RFC 9112, 7.1: an empty piece would be the last chunk."""
    with Client(target.tcp) as client:
        response = client.get("/stream")
        assert response.get("transfer-encoding") == "chunked"
        assert response.chunks == [b"one", b"two", b"three"]
        assert client.get("/hello").body == b"hello"


def test_each_piece_leaves_when_it_is_made(target: Target) -> None:
    """T24: not with the next piece, not with the next request."""
    with Client(target.tcp) as client:
        client.send(request("GET", "/gated"))
        target.gate.wait()
        target.gate.release()
        assert client.read_head().status == 200
        assert client.read_chunk() == b"one"
        target.gate.wait()  # the application is in its second step; the first chunk is here
        target.gate.release()
        assert client.read_chunk() == b"two"
        target.gate.wait()
        target.gate.release()
        assert client.read_chunk() == b""
        assert client.line() == b""
        assert client.get("/hello").body == b"hello"


def test_a_1_0_client_gets_no_chunks(target: Target) -> None:
    with Client(target.tcp) as client:
        response = client.get("/hello", "Connection: keep-alive")
        assert response.get("connection") is None, "1.1 goes on by itself"
        client.send(request("GET", "/hello", "Connection: keep-alive", version="HTTP/1.0"))
        assert client.read().get("connection") == "keep-alive"
        client.send(request("GET", "/stream", "Connection: keep-alive", version="HTTP/1.0"))
        response = client.read()
        assert (response.get("transfer-encoding"), response.get("content-length")) == (None, None)
        assert (response.closes, response.body) == (True, b"onetwothree")


# ---- Expect: 100-continue (T25, P27, RFC 9110, 10.1.1)


EXPECTS = ("Expect: 100-continue", "Content-Length: 5")


def test_100_is_sent_when_the_body_is_wanted(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(request("POST", "/echo", *EXPECTS))
        interim = client.read_head()
        assert (interim.status, interim.reason, interim.fields) == (100, "Continue", [])
        client.send(b"hello")
        response = client.read()
        assert response.interim == []
        assert response.body == b"REQ " + base64.b64encode(b"hello")
        assert client.get("/hello").body == b"hello"


def test_no_100_when_the_body_is_here_already(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(request("POST", "/echo", *EXPECTS) + b"hello")
        response = client.read()
        assert response.interim == []
        assert response.body == b"REQ " + base64.b64encode(b"hello")


def test_no_100_to_a_1_0_client(target: Target) -> None:
    with Client(target.unix) as client:
        client.send(request("POST", "/echo", *EXPECTS, version="HTTP/1.0"))
        client.wait_taken()
        client.send(b"hello")
        response = client.read()
        assert (response.status, response.interim) == (200, [])


def test_no_100_without_a_body(target: Target) -> None:
    with Client(target.tcp) as client:
        response = client.get("/hello", "Expect: 100-continue")
        assert (response.body, response.interim) == (b"hello", [])


def test_an_answer_without_reading_takes_the_place_of_100(targets: dict[str, Target]) -> None:
    """With threads the application decides; the body that never comes must not be waited for."""
    with Client(targets["threads"].tcp) as client:
        client.send(request("POST", "/refuse", *EXPECTS))
        response = client.read()
        assert (response.status, response.interim, response.closes) == (401, [], True)
        client.expect_end()


def test_a_refused_length_takes_the_place_of_100() -> None:
    for flags in ((), ("--threads", "2")):
        with Server("wsgi_apps:app", *flags, "--limit-request-body", "4") as server, Client(server.address) as client:
            client.send(request("POST", "/count", *EXPECTS))
            response = client.read()
            assert (response.status, response.interim, response.closes) == (413, [], True)
            client.expect_end()


# ---- bodies that nobody reads


def test_a_body_that_is_not_read_does_not_become_a_request(target: Target) -> None:
    """T28, S03, RFC 9112, 9.3: drained, or the connection closes; both are announced rightly."""
    body = request("GET", "/raise") * (len(MEGABYTE) // len(request("GET", "/raise")))
    with Client(target.tcp) as client, ThreadPoolExecutor(1) as pool:
        sent = pool.submit(client.try_send, request("POST", "/nobody", body=body))
        response = client.read()
        assert (response.status, response.body) == (200, b"not read")
        if response.closes:
            client.end_input()
            client.expect_closed()
        else:
            sent.result(20)
            assert client.get("/hello").body == b"hello"


def test_a_short_body_that_is_not_read_keeps_the_connection(target: Target) -> None:
    with Client(target.tcp) as client:
        for _ in range(3):
            client.send(request("POST", "/nobody", body=b"x" * 50_000) + request("GET", "/hello"))
            assert client.read().body == b"not read"
            assert client.read().body == b"hello"


def test_the_client_reads_the_whole_error_while_it_still_uploads() -> None:
    """P29, RFC 9112, 9.6: the server half-closes, and reads on for a while; a reset would eat the answer."""
    for flags in ((), ("--threads", "2")):
        with (
            Server("wsgi_apps:app", *flags, "--limit-request-body", "1000") as server,
            Client(server.address) as client,
        ):
            client.send(request("POST", "/count", "Content-Length: 900000"))
            response = client.read()
            assert (response.status, response.closes) == (413, True)
            client.expect_end()
            for _ in range(8):
                client.send(bytes(100_000))  # EPIPE here would be a reset
            client.end_input()
            assert client.sock.recv(1) == b""


def test_a_broken_body_harms_nobody_else(target: Target) -> None:
    with Client(target.tcp) as other, Client(target.tcp) as client:
        assert other.get("/hello").body == b"hello"
        client.send(request("POST", "/nobody", "Transfer-Encoding: chunked") + b"3\r\nabcXX0\r\n\r\n")
        found = [response.status for response in client.responses_to_end()]
        assert found in ([400], [200]), "200 when the application answered before the mistake was there"
        assert other.get("/hello").body == b"hello"


def test_a_chunked_body_in_1_mb_pieces_arrives(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(request("POST", "/count", "Transfer-Encoding: chunked") + chunked(MEGABYTE, b"x", MEGABYTE))
        assert client.read().body == b"%d" % (2 * len(MEGABYTE) + 1)
        assert client.get("/hello").body == b"hello"


# ---- pipelines


def test_a_thousand_requests_in_one_packet_are_answered_in_order(target: Target) -> None:
    """P24. In order also where the kinds of answers differ."""
    with Client(target.tcp) as client, ThreadPoolExecutor(1) as pool:
        targets = [f"/tell?{number}" if number % 7 else "/stream" for number in range(1000)]
        sent = pool.submit(client.send, b"".join(request("GET", target) for target in targets))
        for number, path in enumerate(targets):
            response = client.read()
            assert response.status == 200
            if path == "/stream":
                assert response.body == b"onetwothree"
            else:
                assert json.loads(response.body)["QUERY_STRING"] == str(number)
        sent.result(20)
        assert client.get("/hello").body == b"hello"


def test_pipelined_posts_keep_their_bodies(target: Target) -> None:
    with Client(target.tcp) as client, ThreadPoolExecutor(1) as pool:
        bodies = [bytes([65 + number % 26]) * (number * 37 % 5000) for number in range(200)]
        sent = pool.submit(client.send, b"".join(request("POST", "/echo", body=body) for body in bodies))
        for body in bodies:
            assert client.read().body == b"REQ " + base64.b64encode(body)
        sent.result(20)


def test_a_pipeline_to_a_client_that_reads_late_is_whole(target: Target) -> None:
    """The answers are larger than all buffers: the server stops taking requests, and goes on when there is room."""
    with Client(target.tcp) as client:
        client.send(request("GET", "/large?n=1000000") * 40 + request("GET", "/hello"))
        for _ in range(40):
            assert len(client.read().body) == 1_000_000
        assert client.read().body == b"hello"


# ---- half-closed and broken connections (P30)


def test_a_half_closed_client_gets_its_answer(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(request("GET", "/hello"))
        client.end_input()
        assert client.read().body == b"hello"
        client.expect_end()


def test_a_half_closed_pipeline_gets_all_answers(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(request("GET", "/hello") * 200)
        client.end_input()
        for _ in range(200):
            assert client.read().body == b"hello"
        client.expect_end()


def test_a_half_closed_client_gets_an_answer_that_takes_its_time(target: Target) -> None:
    with Client(target.unix) as client:
        client.send(request("GET", "/gate"))
        target.gate.wait()
        client.end_input()
        target.gate.release()
        assert client.read().status == 200
        client.expect_end()


@pytest.mark.parametrize(
    "wire",
    [
        request("POST", "/count", "Content-Length: 10") + b"12345",
        request("POST", "/count", "Transfer-Encoding: chunked") + b"a\r\n12345",
        request("POST", "/count", "Transfer-Encoding: chunked") + b"5\r\n12345\r\n",
        request("POST", "/count", "Transfer-Encoding: chunked") + b"5\r\n12345\r\n0\r\n",  # S14
    ],
    ids=["length", "inside a chunk", "between chunks", "before the final CRLF"],
)
def test_half_a_body_is_no_request(wire: bytes, target: Target) -> None:
    """RFC 9112, 8: incomplete; the application must not take it for a whole one."""
    with Client(target.tcp) as client:
        client.send(wire)
        client.end_input()
        assert [response.status for response in client.responses_to_end()] == [400]


def test_half_a_head_is_closed_without_noise(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(b"GET / HTTP/1.1\r\nHost: t\r\n")
        client.end_input()
        client.expect_end()


def test_a_client_that_resets_in_its_request_harms_nobody(target: Target) -> None:
    for wire in (b"GET /", request("GET", "/large?n=3000000"), request("POST", "/count", "Content-Length: 9") + b"1"):
        for _ in range(20):
            with Client(target.tcp) as client:
                client.send(wire)
                client.reset()
    with Client(target.tcp) as client:
        assert client.get("/hello").body == b"hello"


# ---- what is no HTTP at all (P33)


HELLO_TLS = bytes.fromhex("1603010200010001fc0303") + bytes(500)


@pytest.mark.parametrize("wire", [HELLO_TLS, b"\x16", b"\0" * 5, b"SSH-2.0-x\r\n", b"\r\n\r\n\0\r\nQUIT\n"], ids=repr)
def test_what_is_no_http_ends_at_its_first_bad_byte(wire: bytes, target: Target) -> None:
    """No more input is waited for, no timeout is needed."""
    with Client(target.tcp) as client:
        client.try_send(wire)
        found = client.responses_to_end()
        assert len(found) <= 1
        assert all(response.status in (400, 505) and response.closes for response in found)


def test_0_9_gets_no_bare_body(target: Target) -> None:
    """P10."""
    with Client(target.tcp) as client:
        client.send(b"GET /hello\r\n")
        response = client.read()
        assert (response.status, response.closes) == (400, True)
        client.expect_end()


# ---- WebSocket handshakes on a WSGI application (RFC 6455, 4.2)

UPGRADE = ("Connection: keep-alive, Upgrade", "Upgrade: websocket")


def handshake(*lines: str, method: str = "GET", version: str = "HTTP/1.1", path: str = "/hello") -> bytes:
    return request(method, path, *UPGRADE, *lines, version=version)


def test_a_valid_handshake_is_a_plain_request(target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(handshake(f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13"))
        response = client.read()
        assert (response.status, response.body, response.get("upgrade")) == (200, b"hello", None)
        assert client.get("/hello").body == b"hello"


@pytest.mark.parametrize(
    "wire",
    [
        handshake("Sec-WebSocket-Version: 13"),
        handshake("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: "),
        handshake("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: c2hvcnQ="),
        handshake("Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}x"),
        handshake("Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}", f"Sec-WebSocket-Key: {KEY}"),
        handshake("Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}", method="POST"),
        handshake("Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}", version="HTTP/1.0"),
    ],
    ids=["no key", "empty key", "short key", "long key", "two keys", "POST", "1.0"],
)
def test_a_forbidden_handshake_is_400(wire: bytes, target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(wire)
        response = client.read()
        assert (response.status, response.closes) == (400, True)
        client.expect_end()


@pytest.mark.parametrize("version", ["12", "8", "0", "14", "13, 8", "013", "x"])
def test_another_version_is_426(version: str, target: Target) -> None:
    with Client(target.tcp) as client:
        client.send(handshake(f"Sec-WebSocket-Key: {KEY}", f"Sec-WebSocket-Version: {version}"))
        response = client.read()
        assert (response.status, response.get("sec-websocket-version")) == (426, "13")
        client.expect_end()


# ---- targets and fields that reach the application


def told(target: Target, wire: bytes) -> dict[str, object]:
    with Client(target.tcp) as client:
        client.send(wire)
        response = client.read()
        assert response.status == 200, response
        found: dict[str, object] = json.loads(response.body)
        return found


def test_absolute_form_is_its_path(target: Target) -> None:
    """T37."""
    found = told(target, b"GET http://t.example/tell?a=b HTTP/1.1\r\nHost: t.example\r\n\r\n")
    assert (found["PATH_INFO"], found["QUERY_STRING"]) == ("/tell", "a=b")


def test_fields_with_underscores_are_not_mistaken_for_others(target: Target) -> None:
    """S10: X_Forwarded_For and X-Forwarded-For would be one CGI variable."""
    found = told(target, request("GET", "/tell", "X-Real: 1", "X_Evil: 2", "X-Evil: 3"))
    assert "HTTP_X_REAL" in found["fields"]  # type: ignore[operator]
    assert found["SERVER_PROTOCOL"] == "HTTP/1.1"


def test_a_client_that_stalls_does_not_hold_up_others(target: Target) -> None:
    """T39, R01: a hundred half heads, and a probe is served meanwhile."""
    with ExitStack() as stack:
        for _ in range(100):
            client = stack.enter_context(Client(target.tcp))
            client.send(b"GET / HTTP/1.1\r\nA: b\r\n")
        with Client(target.tcp) as probe:
            assert probe.get("/hello").body == b"hello"


# ---- errors and the server's own fields


@pytest.mark.parametrize(
    ("wire", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"BREW / HTTP/1.1\nHost: t\n\n", 400),
        (request("GET", "/", "Expect: quux"), 417),
        (request("GET", "/" + "x" * 20_000), 414),
        (request("GET", "/", *(f"X-{number}: 1" for number in range(120))), 431),
        (request("POST", "/", "Transfer-Encoding: gzip"), 501),
        (b"GET / HTTP/3.0\r\nHost: t\r\n\r\n", 505),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_error_is_short_and_plain_and_closes(wire: bytes, status: int, target: Target) -> None:
    with Client(target.tcp) as client:
        client.try_send(wire)
        response = client.read()
        assert response.status == status
        assert (response.get("content-type"), response.closes) == ("text/plain; charset=utf-8", True)
        assert re.fullmatch(rb"%d [ -~]{5,150}\n" % status, response.body)
        assert (response.get("server"), response.get("date") is not None) == ("lanner", True)
        client.expect_end()


def test_date_and_server_are_there(target: Target) -> None:
    """RFC 9110, 6.6.1: an IMF-fixdate in GMT."""
    with Client(target.tcp) as client:
        response = client.get("/hello")
        date = response.get("date")
        assert date
        assert re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT", date)
        assert abs(parsedate_to_datetime(date).timestamp() - time.time()) < 10
        assert response.get("server") == "lanner"


@pytest.mark.parametrize("path", ["/hello", "/stream", "/raise"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_date_and_server_can_be_switched_off(path: str, threads: str) -> None:
    flags = ("--no-date-header", "--no-server-header", "--threads", threads)
    with Server("wsgi_apps:app", *flags) as server, Client(server.address) as client:
        for wire in (request("GET", path), b"broken\r\n\r\n"):
            client.send(wire)
            response = client.read()
            assert (response.get_all("date"), response.get_all("server")) == ([], [])


def test_one_of_them_can_be_switched_off() -> None:
    with Server("wsgi_apps:app", "--no-server-header") as server, Client(server.address) as client:
        response = client.get("/hello")
        assert (response.get("server"), response.get("date") is None) == (None, False)
