"""Cases of a connection that bytes alone do not tell: half-closed, in step with the application, many at once."""

import base64
import json
from collections.abc import Callable

from tests.conformance.case import AppCase, Level
from tests.conformance.drive import Drive, expect, same
from tests.support.wire import Client, Closed, Response, request

MEGABYTE = bytes(range(256)) * 4096
EXPECTS = ("Expect: 100-continue", "Content-Length: 5")
CHUNKED = request("POST", "/x", "Transfer-Encoding: chunked")


def body_of(response: Response) -> bytes:
    """What the echo application read."""
    same(response.status, 200)
    return base64.b64decode(json.loads(response.body)["body"])


def answers(client: Client) -> list[int]:
    try:
        return [response.status for response in client.responses_to_end()]
    except TimeoutError:
        return [0]  # it waits on


def half(wire: bytes) -> Callable[[Drive], None]:
    def run(drive: Drive) -> None:
        with drive.client() as client:
            client.send(wire)
            client.end_input()
            found = answers(client)
        expect(all(status >= 400 for status in found), f"{found}: half a body is taken for a whole one")

    return run


def half_closed_answer(drive: Drive) -> None:
    with drive.client() as client:
        client.send(request("GET", "/hello"))
        client.end_input()
        try:
            same(client.read().body, b"hello")
        except (Closed, ConnectionResetError):
            raise AssertionError("no answer") from None


def continue_wanted(drive: Drive) -> None:
    with drive.client() as client:
        client.send(request("POST", "/count", *EXPECTS))
        interim = client.read_head()
        same(interim.status, 100)
        same([name for name, _ in interim.fields if name.lower() in ("content-length", "transfer-encoding")], [])
        client.send(b"hello")
        same(client.read().body, b"5")


def continue_chunked(drive: Drive) -> None:
    with drive.client() as client:
        client.send(request("POST", "/count", "Expect: 100-continue", "Transfer-Encoding: chunked"))
        same(client.read_head().status, 100)
        client.send(b"5\r\nhello\r\n0\r\n\r\n")
        same(client.read().body, b"5")


def continue_not_to_1_0(drive: Drive) -> None:
    with drive.client() as client:
        client.send(request("POST", "/count", *EXPECTS, version="HTTP/1.0"))
        expect(not client.readable(0.2), "something comes before the body")
        client.send(b"hello")
        response = client.read()
        same((response.body, response.interim), (b"5", []))


def unread_megabyte(drive: Drive) -> None:
    """The body of a request that nobody reads is full of requests."""
    bait = request("GET", "/raise")
    with drive.client() as client:
        client.sock.setblocking(False)
        wire = request("POST", "/nobody", body=bait * (len(MEGABYTE) // len(bait)))
        sent = client.sock.send(wire)
        client.sock.settimeout(drive.seconds)
        first = client.read()
        same((first.status, first.body), (200, b"not read"))
        if first.closes:
            return
        client.try_send(wire[sent:] + request("GET", "/hello"))
        try:
            second = client.read()
        except (Closed, OSError):
            return  # it ended the connection, which is allowed
        same((second.status, second.body), (200, b"hello"))


def large_body(size: int) -> Callable[[Drive], None]:
    def run(drive: Drive) -> None:
        content = MEGABYTE[:size]
        same(body_of(drive.get("/x", method="POST", body=content)) == content, True, "the same bytes:")

    return run


def large_chunks(drive: Drive) -> None:
    with drive.client() as client:
        client.send(request("POST", "/count", "Transfer-Encoding: chunked"))
        client.send(b"100000\r\n" + MEGABYTE + b"\r\n" + b"1\r\nx\r\n" + b"0\r\n\r\n")
        same(client.read().body, b"%d" % (len(MEGABYTE) + 1))


def slow_head(drive: Drive) -> None:
    """A hundred clients that stop in their head."""
    clients = [drive.client() for _ in range(100)]
    try:
        for client in clients:
            client.send(b"GET / HTTP/1.1\r\nHost: t\r\nX: ")
        drive.alive()
    finally:
        for client in clients:
            client.close()


def resets(drive: Drive) -> None:
    for wire in (b"GET /", request("GET", "/large?n=3000000"), request("POST", "/count", "Content-Length: 9") + b"1"):
        for _ in range(10):
            with drive.client() as client:
                client.send(wire)
                client.reset()
    drive.alive()


def each_piece(drive: Drive) -> None:
    id = drive.id()
    with drive.client() as client:
        client.send(request("GET", f"/gated?id={id}"))
        head = client.read_head()
        same((head.status, head.get("transfer-encoding")), (200, "chunked"))
        same(client.read_chunk(), b"one")
        drive.open(id, 1)
        same(client.read_chunk(), b"two")
        drive.open(id, 2)
        same((client.read_chunk(), client.line()), (b"", b""))


def late_reader(drive: Drive) -> None:
    """Twenty megabytes to a client that asks, then does something else."""
    with drive.client() as client:
        client.send(request("GET", "/large?n=20000000"))
        drive.alive()
        same(len(client.read().body), 20_000_000)


def date(drive: Drive) -> None:
    for path in ("/hello", "/stream"):
        same(len(drive.get(path).get_all("date")), 1, "Date fields:")


PIECES = {"length": request("POST", "/x", "Content-Length: 10") + b"12345", "no-byte": request("POST", "/x", "Content-Length: 10"), "inside-chunk": CHUNKED + b"a\r\n12345",
          "between-chunks": CHUNKED + b"5\r\n12345\r\n", "before-final-crlf": CHUNKED + b"5\r\n12345\r\n0\r\n", "in-trailers": CHUNKED + b"5\r\n12345\r\n0\r\nX: y\r\n",
          "in-size": CHUNKED + b"5", "2-to-32-and-5": CHUNKED + b"100000005\r\nhello\r\n0\r\n\r\n"}  # fmt: skip

CASES = [
    *(AppCase(f"stream/half-{name}", "RFC 9112, 8", half(wire), "a client that ends its side in a body has sent no request",
              report="gunicorn #3382" if name == "before-final-crlf" else "") for name, wire in PIECES.items()),
    AppCase("stream/half-closed-answer", "RFC 9112, 9.6", half_closed_answer, "a client that ends its side after its request is answered", Level.SHOULD),
    AppCase("stream/continue", "RFC 9110, 10.1.1", continue_wanted, "100 when the application wants the body; without framing fields", report="uvicorn #88, gunicorn 26"),
    AppCase("stream/continue-chunked", "RFC 9110, 10.1.1", continue_chunked, "100 for a chunked body"),
    AppCase("stream/continue-1.0", "RFC 9110, 10.1.1", continue_not_to_1_0, "no 100 to a 1.0 client"),
    AppCase("stream/unread-megabyte", "RFC 9112, 9.3", unread_megabyte, "a body that nobody reads is drained, or the connection ends; it never becomes requests", report="uvicorn #1345, gunicorn PR #3614"),
    *(AppCase(f"stream/body-{size}", "RFC 9112, 6.3", large_body(size), "the same bytes, whatever the size", report="unit #901") for size in (16383, 16384, 16385, 65537, 1048576)),
    AppCase("stream/chunk-of-a-megabyte", "RFC 9112, 7.1", large_chunks, "chunks of any size"),
    AppCase("stream/slow-heads", "RFC 9112, 9.5", slow_head, "a hundred clients that stop in their head hold nobody up", Level.SHOULD, "slowloris"),
    AppCase("stream/resets", "RFC 9112, 9.5", resets, "clients that reset harm nobody"),
    AppCase("stream/each-piece", "PEP 3333; ASGI", each_piece, "a piece leaves when it is made, chunked", report="bjoern #247"),
    AppCase("stream/late-reader", "RFC 9112, 6.3", late_reader, "an answer beyond all buffers is whole, and holds nobody up"),
    AppCase("stream/date", "RFC 9110, 6.6.1", date, "an origin server with a clock sends one Date"),
]  # fmt: skip
