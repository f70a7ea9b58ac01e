"""ASGI HTTP 2.5: receive(): bodies of every size and framing, disconnects, and many ways of waiting.

Rows T15, T25, T28, T49, P30 and A13 of the project's catalogue.
"""

import hashlib
import json
import random
import socket
from typing import Any

import pytest
from asgi_ledger import events, log_since, noted, release, wait_for_event
from server_process import ServerProcess, wait_until
from wire_client import Answer, CutError, Wire, chunk, fetch, request

pytest_plugins = ["asgi_fixtures"]
APP = "asgi_incoming:app"
MEGABYTE = random.Random(7).randbytes(1 << 20)


def found(answer: Answer) -> Any:
    assert answer.status == 200, answer
    return json.loads(answer.body)


def digest_of(body: bytes) -> dict[str, object]:
    return {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}


def head(target: str, *fields: tuple[str, str], method: str = "POST") -> bytes:
    return request(target, method, fields)


# ---- bodies


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_body_is_one_empty_message(asgi: ServerProcess, method: str) -> None:
    empty = {"type": "http.request", "body": "", "more_body": False}
    with Wire(asgi.address) as wire:
        assert found(wire.get("/first", method)) == empty
        assert found(wire.get("/first", method, body=b"")) == empty


def test_a_small_body_is_one_message(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        for body in (b"x", b"\xe9\x00\xff", b"y" * 60_000):
            message = found(wire.get("/first", "POST", body=body))
            assert message == {"type": "http.request", "body": body.decode("latin-1"), "more_body": False}


def test_a_small_body_in_pieces_is_one_message(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        wire.send(head("/first", ("Content-Length", "3")))
        for byte in (b"a", b"b", b"c"):
            wire.send(byte)
        assert found(wire.answer()) == {"type": "http.request", "body": "abc", "more_body": False}


def test_what_came_with_the_head_is_received_at_once(asgi: ServerProcess) -> None:
    """The first receive() has no future to wait for: the bytes were in the buffer when the application began."""
    small = MEGABYTE[:300]
    with Wire(asgi.address) as wire:
        whole = {"ready": True, "first": 300, "more": False} | digest_of(small)
        assert found(wire.get("/at_once", "POST", body=small)) == whole
        assert found(wire.get("/at_once", "POST", chunks=[small])) == whole
        assert found(wire.get("/at_once", "POST", chunks=[small[:100], small[100:101], small[101:]])) == whole
        wire.send(head("/at_once", ("Transfer-Encoding", "chunked")) + chunk(small))
        fetch(asgi.address, "/hello")
        wire.send(chunk(small) + b"0\r\n\r\n")
        assert found(wire.answer()) == {"ready": True, "first": 300, "more": True} | digest_of(small * 2)
        large = found(wire.get("/at_once", "POST", body=MEGABYTE))
        assert large["ready"]
        assert 0 < large["first"] <= len(MEGABYTE)
        assert large["bytes"] == len(MEGABYTE)
        assert large["sha256"] == digest_of(MEGABYTE)["sha256"]


@pytest.mark.parametrize("size", [1, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 262_144, 262_145, 1 << 20])
def test_bodies_of_many_sizes_arrive_whole(asgi: ServerProcess, size: int) -> None:
    """T15. By length and in chunks, and the connection goes on."""
    body = MEGABYTE[:size]
    with Wire(asgi.address) as wire:
        assert found(wire.get("/digest", "POST", body=body)) == digest_of(body)
        assert found(wire.get("/digest", "POST", chunks=[body])) == digest_of(body)
        pieces = [body[at : at + 9973] for at in range(0, size, 9973)]
        assert found(wire.get("/digest", "POST", chunks=pieces)) == digest_of(body)
        assert wire.get("/hello").body == b"hello"


def test_a_chunked_body_byte_by_byte(asgi: ServerProcess) -> None:
    data = request("/digest", "POST", chunks=[b"abc", b"d", b"efghij"])
    with Wire(asgi.address) as wire:
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(data)):
            wire.send(data[at : at + 1])
        assert found(wire.answer()) == digest_of(b"abcdefghij")


def test_an_empty_chunked_body(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        assert found(wire.get("/digest", "POST", chunks=[])) == digest_of(b"")


def test_pieces_reach_the_application_when_they_come(asgi: ServerProcess, place: str) -> None:
    """Nothing waits for the rest of the body: request and answer are alive at the same time."""
    with Wire(asgi.address) as wire:
        wire.send(head(f"/echo?id={place}", ("Transfer-Encoding", "chunked")))
        for number in range(5):
            piece = b"piece %d" % number
            wire.send(chunk(piece))
            if number == 0:
                begun = wire.final_head()
                assert begun.status == 200
            assert wire.block() == piece
        wire.send(b"0\r\n\r\n")
        assert wire.block() == b""
        if begun.get("Connection") == "close":  # an unread body may still be endless when the answer begins
            assert wire.ended()
        else:
            assert wire.get("/hello").body == b"hello"


def test_a_body_that_nobody_reads_is_no_request(asgi: ServerProcess) -> None:
    """T28. Dropped, or the connection is closed: never parsed."""
    smuggled = request("/hello")
    for body in (smuggled * 100, MEGABYTE):
        with Wire(asgi.address) as wire:
            wire.send(request("/unread", "POST", body=body))
            assert wire.answer().status == 401
            try:
                answer = wire.get("/hello")
            except (CutError, OSError):
                continue
            assert answer.body == b"hello"


# ---- backpressure


def test_a_body_that_is_not_received_stops_the_client_and_not_the_server(asgi: ServerProcess, place: str) -> None:
    """50 MB: only what the kernel holds is taken before receive(), and memory stays small throughout."""
    body = MEGABYTE * 50
    base = asgi.memory()
    asgi.reset_peak()
    with Wire(asgi.address) as wire:
        wire.send(head(f"/gated_digest?id={place}", ("Content-Length", str(len(body)))))
        wait_for_event(asgi, place, "at the gate")
        view = memoryview(body)
        sent = send_until_stuck(wire, view)
        assert sent < len(body) // 2
        assert asgi.memory() - base < 8 << 20
        release(asgi, place)
        wire.socket.settimeout(60)
        wire.socket.sendall(view[sent:])
        assert found(wire.answer()) == digest_of(body)
    assert asgi.memory("VmHWM") - base < 24 << 20


def send_until_stuck(wire: Wire, data: memoryview) -> int:
    """Sends until nothing is taken for half a second; how much that was."""
    sent = 0
    wire.socket.settimeout(0.5)
    try:
        while sent < len(data):
            sent += wire.socket.send(data[sent : sent + 65536])
    except TimeoutError:
        pass
    return sent


def test_others_are_served_while_one_body_waits(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(head(f"/gated_digest?id={place}", ("Content-Length", str(len(MEGABYTE)))) + MEGABYTE[:500_000])
        wait_for_event(asgi, place, "at the gate")
        assert fetch(asgi.address, "/hello").body == b"hello"
        release(asgi, place)
        wire.send(MEGABYTE[500_000:])
        assert found(wire.answer()) == digest_of(MEGABYTE)


# ---- Expect: 100-continue (T25)

EXPECT = ("Expect", "100-continue")


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_100_is_sent_when_the_application_asks(asgi: ServerProcess, place: str, framing: str) -> None:
    field = ("Content-Length", "4") if framing == "length" else ("Transfer-Encoding", "chunked")
    with Wire(asgi.address) as wire:
        wire.send(head(f"/gated_read?id={place}", EXPECT, field))
        wait_for_event(asgi, place, "at the gate")
        assert fetch(asgi.address, "/hello").body == b"hello"  # a turn of the loop later
        wire.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            wire.socket.recv(1)
        wire.socket.settimeout(20)
        release(asgi, place)
        informational = wire.head()
        assert (informational.status, informational.fields) == (100, [])
        wire.send(b"body" if framing == "length" else chunk(b"body") + b"0\r\n\r\n")
        assert wire.answer().body == b"body"
        assert wire.get("/hello").body == b"hello"


def test_no_100_when_the_body_is_not_wanted(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        wire.send(head("/unread", EXPECT, ("Content-Length", "4")))
        assert wire.head().status == 401


def test_no_100_when_the_body_has_come_already(asgi: ServerProcess, place: str) -> None:
    """RFC 9110, 10.1.1 lets a server omit it then; one or none, and the answer is right."""
    with Wire(asgi.address) as wire:
        wire.send(head(f"/gated_read?id={place}", EXPECT, ("Content-Length", "4")) + b"body")
        wait_for_event(asgi, place, "at the gate")
        release(asgi, place)
        assert wire.answer().body == b"body"


def test_no_100_for_1_0(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        wire.send(request("/digest", "POST", [EXPECT], b"body", version="1.0"))
        assert wire.head().status == 200


# ---- disconnects


@pytest.mark.parametrize("how", ["close", "reset"])
def test_a_client_that_leaves_is_told_and_stays_gone(asgi: ServerProcess, place: str, how: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(request(f"/until_disconnect?id={place}", "POST", body=b"x"))
        wait_for_event(asgi, place, "body x")
        getattr(wire, how)()
    assert events(asgi, place, 3) == ["body x", "http.disconnect", "http.disconnect"]


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_a_body_that_breaks_off_is_no_end(asgi: ServerProcess, place: str, framing: str, how: str) -> None:
    field = ("Content-Length", "100000") if framing == "length" else ("Transfer-Encoding", "chunked")
    with Wire(asgi.address) as wire:
        wire.send(head(f"/pieces_until_disconnect?id={place}", field))
        wire.send(b"12345" if framing == "length" else chunk(b"12345"))
        wait_for_event(asgi, place, ["http.request", 5, True])
        getattr(wire, how)()
    wait_for_event(asgi, place, ["http.disconnect", 0, None])
    found_there = events(asgi, place)
    assert not any(more is False for _, _, more in found_there), found_there


def test_bad_chunks_are_a_disconnect_and_400(asgi: ServerProcess, place: str) -> None:
    """Decision 4: the server answers, the application is told, and nothing is logged as a 500."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        wire.send(head(f"/pieces_until_disconnect?id={place}", ("Transfer-Encoding", "chunked")) + chunk(b"12345"))
        wait_for_event(asgi, place, ["http.request", 5, True])
        wire.send(b"nonsense\r\n")
        answer = wire.answer()
        assert (answer.status, answer.get("Connection")) == (400, "close")
    wait_for_event(asgi, place, ["http.disconnect", 0, None])
    assert "app." not in log_since(asgi, since)


def test_half_close_in_a_body_is_a_disconnect(asgi: ServerProcess, place: str) -> None:
    """P30."""
    with Wire(asgi.address) as wire:
        wire.send(head(f"/pieces_until_disconnect?id={place}", ("Content-Length", "100000")) + b"12345")
        wait_for_event(asgi, place, ["http.request", 5, True])
        wire.socket.shutdown(socket.SHUT_WR)
        wait_for_event(asgi, place, ["http.disconnect", 0, None])


def test_who_half_closes_after_the_request_is_answered(asgi: ServerProcess) -> None:
    """P30. Both when the end came with the request, and for a stream."""
    for path, body in (("/digest", None), ("/echo?id=half", None)):
        with Wire(asgi.address) as wire:
            wire.send(request(path, "POST", chunks=[b"abc"]))
            wire.socket.shutdown(socket.SHUT_WR)
            answer = wire.answer()
            assert (answer.status, answer.body) == (200, body or answer.body)
            assert wire.ended()


def test_half_close_is_told_and_an_answer_still_goes_out(asgi: ServerProcess, place: str) -> None:
    """receive() can not know whether the client still reads; send() tries."""
    with Wire(asgi.address) as wire:
        wire.send(request(f"/until_disconnect?id={place}&answer=1"))
        wait_for_event(asgi, place, "body ")
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.answer().body == b"an answer nevertheless"
    assert events(asgi, place, 3)[1:] == ["http.disconnect", "http.disconnect"]


def test_a_stream_ends_when_its_client_leaves(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(request(f"/chatty?id={place}"))
        assert wire.final_head().status == 200
        assert wire.block() == b"tick\n"
    found_there = events(asgi, place, 2)
    assert found_there[-1] == "left"
    assert "told" in found_there


def test_a_client_that_leaves_before_its_body_is_complete_harms_nobody(asgi: ServerProcess) -> None:
    since = asgi.position()
    for size in ("10", "100000"):
        for _ in range(20):
            with Wire(asgi.address) as wire:
                wire.send(head("/unread", ("Content-Length", size)) + b"123")
    assert fetch(asgi.address, "/hello").body == b"hello"
    assert "app." not in log_since(asgi, since)


# ---- limits: the server answers, the application is told (decision 4)


def test_a_body_beyond_the_limit_is_413(serve: Any, loop: str, place: str) -> None:
    server = serve(APP, "--loop", loop, "--limit-request-body", "1000")
    with Wire(server.address) as wire:
        wire.send(head(f"/pieces_until_disconnect?id={place}", ("Content-Length", "1001")))
        answer = wire.answer()
        assert (answer.status, answer.get("Connection")) == (413, "close")
    assert noted(server, place) == []  # not called at all
    with Wire(server.address) as wire:
        wire.send(head(f"/pieces_until_disconnect?id={place}", ("Transfer-Encoding", "chunked")) + chunk(b"x" * 600))
        wait_for_event(server, place, ["http.request", 600, True])
        wire.send(chunk(b"x" * 600))
        assert wire.answer().status == 413
    assert wait_for_event(server, place, ["http.disconnect", 0, None])
    assert found(fetch(server.address, "/digest", "POST", body=b"x" * 1000)) == digest_of(b"x" * 1000)
    assert "error app." not in log_since(server, 0)


def test_a_body_that_stalls_is_408(serve: Any, loop: str, place: str) -> None:
    server = serve(APP, "--loop", loop, "--timeout-body", "0.3")
    with Wire(server.address) as wire:
        wire.send(head(f"/pieces_until_disconnect?id={place}", ("Content-Length", "100000")) + b"12345")
        answer = wire.answer()
        assert (answer.status, answer.get("Connection")) == (408, "close")
    assert wait_for_event(server, place, ["http.disconnect", 0, None])
    assert "error app." not in log_since(server, 0)


# ---- after the answer


def test_receive_after_the_answer_is_a_disconnect(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        assert wire.get(f"/after_the_end?id={place}").body == b"answered"
        assert events(asgi, place, 2) == [{"type": "http.disconnect"}] * 2
        assert wire.get("/hello").body == b"hello"


def test_receive_after_an_answer_without_reading_is_a_disconnect(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        target = f"/after_an_answer_without_reading?id={place}"
        assert wire.get(target, "POST", body=b"unread").body == b"answered"
        assert events(asgi, place, 1) == [{"type": "http.disconnect"}]


def test_a_task_that_still_waits_when_the_request_ends_gets_a_disconnect(asgi: ServerProcess, place: str) -> None:
    since = asgi.position()
    with Wire(asgi.address) as wire:
        assert wire.get(f"/watched?id={place}").body == b"watched"
        assert events(asgi, place, 3) == ["started", "watches", "http.disconnect"]
    assert "Error" not in log_since(asgi, since)


# ---- many ways of waiting (A13)


def slowly(wire: Wire, target: str, pieces: list[bytes]) -> Answer:
    """A chunked body whose pieces come one by one."""
    wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    wire.send(head(target, ("Transfer-Encoding", "chunked")))
    for piece in pieces:
        wire.send(chunk(piece))
    wire.send(b"0\r\n\r\n")
    return wire.answer()


PIECES = [b"%d," % number for number in range(300)]


@pytest.mark.parametrize("path", ["gathered", "created"])
def test_receive_is_what_asyncio_takes(asgi: ServerProcess, path: str) -> None:
    with Wire(asgi.address) as wire:
        assert wire.get(f"/{path}", "POST", body=b"small").body == b"small"
        assert slowly(wire, f"/{path}", PIECES).body == b"".join(PIECES)


def test_two_tasks_receive_without_loss(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        assert slowly(wire, f"/two_readers?id={place}", PIECES).body == b"".join(PIECES)
    found_there = events(asgi, place, 4)
    assert sorted(map(str, found_there)) in (
        ["1", "disconnect", "disconnect", "end"],
        ["2", "disconnect", "disconnect", "end"],
    )


def test_two_tasks_that_wait_both_hear_of_a_disconnect(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(head(f"/two_readers?id={place}", ("Transfer-Encoding", "chunked")) + chunk(b"x"))
        fetch(asgi.address, "/hello")
    assert events(asgi, place, 2) == ["disconnect", "disconnect"]


def test_receives_that_time_out_lose_nothing(asgi: ServerProcess) -> None:
    pieces = [MEGABYTE[at : at + 3000] for at in range(0, 600_000, 3000)]
    with Wire(asgi.address) as wire:
        answer = found(slowly(wire, "/impatient", pieces))
        assert {key: answer[key] for key in ("bytes", "sha256")} == digest_of(b"".join(pieces))
        assert found(wire.get("/impatient", "POST", body=b"at once"))["bytes"] == 7


def test_a_receive_that_is_cancelled_when_its_message_has_come_loses_nothing(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(head(f"/cancelled_in_time?id={place}", ("Transfer-Encoding", "chunked")))
        for number, piece in enumerate(PIECES[:20], 1):
            wait_until(lambda number=number: len(noted(asgi, place)) >= number, "the application waits")
            wire.send(chunk(piece))
        wait_until(lambda: len(noted(asgi, place)) >= 21, "the application waits")
        wire.send(b"0\r\n\r\n")
        assert wire.answer().body == b"".join(PIECES[:20])


@pytest.mark.parametrize("body", [b"", b"body"])
def test_a_receive_that_never_ran_takes_nothing(asgi: ServerProcess, body: bytes) -> None:
    message = found(fetch(asgi.address, "/never_ran", "POST", body=body))
    assert message == {"type": "http.request", "body": body.decode(), "more_body": False}


def test_receives_that_were_cancelled_leave_nothing_behind(asgi: ServerProcess) -> None:
    """As `request.is_disconnected()` in a stream that lives for hours."""
    assert found(fetch(asgi.address, "/many_cancelled"))["more"] < 100


def test_receive_returns_a_coroutine(asgi: ServerProcess) -> None:
    assert found(fetch(asgi.address, "/as_coroutine")) == {
        "abc": True,
        "awaitable": True,
        "asyncio": True,
        "ready": {"type": "http.request", "body": "", "more_body": False},
        "waits": True,
        "thrown": "thrown",
        "arguments": "TypeError",
    }
