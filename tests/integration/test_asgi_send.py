"""ASGI HTTP 2.5: send(): whole answers, streams, backpressure, failing applications, and the extensions.

Rows T21, T23, T24, T49, A01-A03, A08 and A09 of the project's catalogue; mistakes are in test_asgi_mistakes.py.
"""

import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgi_ledger import events, log_since, noted, release, wait_for_event
from server_process import ServerProcess, wait_until
from wire_client import CutError, Wire, chunk, fetch, request

pytest_plugins = ["asgi_fixtures"]
APP = "asgi_answers:app"
BLOCK = bytes(range(256)) * 256


def pattern(size: int) -> bytes:
    return (BLOCK * (size // len(BLOCK) + 1))[:size]


# ---- whole answers and streams


def test_one_message_is_a_body_with_its_length(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        for _ in range(3):
            answer = wire.get("/hello")
            assert (answer.body, answer.get("Content-Length"), answer.blocks) == (b"hello", "5", [])
            assert answer.get("Date")
            assert answer.get("Server") == "lanner"


def test_a_stream_is_chunks_and_one_end(asgi: ServerProcess) -> None:
    """T23: an empty message in the middle ends nothing."""
    with Wire(asgi.address) as wire:
        for _ in range(3):
            answer = wire.get("/stream")
            assert answer.body == b"onetwothree"
            assert answer.get("Transfer-Encoding") == "chunked"


def test_a_stream_for_1_0_ends_with_the_connection(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        answer = wire.get("/stream", version="1.0")
        assert (answer.body, answer.get("Transfer-Encoding")) == (b"onetwothree", None)
        assert wire.ended()


@pytest.mark.parametrize("path", ["/hello", "/stream"])
def test_head(asgi: ServerProcess, path: str) -> None:
    """T21."""
    with Wire(asgi.address) as wire:
        for _ in range(2):
            assert wire.get(path, "HEAD").status == 200
        assert wire.get("/hello").body == b"hello"


def test_pieces_leave_when_they_are_sent(asgi: ServerProcess, place: str) -> None:
    """T24."""
    with Wire(asgi.address) as wire:
        wire.send(request(f"/gated_stream?id={place}"))
        for number in range(3):
            release(asgi, place)
            if number == 0:
                assert wire.final_head().status == 200
            assert wire.block() == b"piece %d" % number
        release(asgi, place)
        assert wire.block() == b""


@pytest.mark.parametrize("kind", ["bytes", "bytearray", "memoryview"])
@pytest.mark.parametrize("size", [0, 1, 16_383, 16_384, 65_536, 262_145, 20_000_000])
def test_blocks_of_all_sizes(asgi: ServerProcess, size: int, kind: str) -> None:
    with Wire(asgi.address) as wire:
        answer = wire.get(f"/block?n={size}&kind={kind}")
        assert answer.get("Content-Length") == str(size)
        assert answer.body == pattern(size)
        assert wire.get("/hello").body == b"hello"


def test_memory_that_changes_after_send_is_sent_as_it_was(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        assert wire.get("/blocks?n=100").body == BLOCK * 100


def test_pipelined_requests_are_answered_in_order(asgi: ServerProcess) -> None:
    paths = ["/hello", "/stream", "/block?n=100000", "/hello"] * 20
    with Wire(asgi.address) as wire:
        wire.send(b"".join(request(path) for path in paths))
        bodies = {"/hello": b"hello", "/stream": b"onetwothree", "/block?n=100000": pattern(100_000)}
        for path in paths:
            assert wire.answer().body == bodies[path]


def test_send_returns_what_asyncio_takes(asgi: ServerProcess) -> None:
    assert fetch(asgi.address, "/send_tasks").body == b"onetwothree"


# ---- backpressure (decision 6)


def totals(server: ServerProcess, place: str) -> dict[str, int]:
    found: dict[str, int] = json.loads(server.get(f"/totals?id={place}"))
    return found


def wait_until_stuck(server: ServerProcess, place: str) -> dict[str, int]:
    """Until the application gets no further in many turns of its loop."""
    same, last = 0, {}

    def stuck() -> bool:
        nonlocal same, last
        now = totals(server, place)
        same = same + 1 if now and now == last else 0
        last = now
        return same >= 40

    wait_until(stuck, "send() waits")
    return last


def test_send_waits_for_a_client_that_does_not_read(asgi: ServerProcess, place: str) -> None:
    base = asgi.memory()
    asgi.reset_peak()
    with Wire(asgi.address, receive_bytes=65536) as wire:
        wire.send(request(f"/endless?id={place}"))
        stuck = wait_until_stuck(asgi, place)
        assert stuck["sending"] == stuck["sent"] + 1
        assert stuck["sent"] * len(BLOCK) < 16 << 20  # the kernel's buffers, mostly
        assert wire.final_head().status == 200
        for _ in range(400):  # and goes on when it reads
            assert wire.block() == BLOCK
        again = wait_until_stuck(asgi, place)
        assert again["sent"] > 300
    assert asgi.memory("VmHWM") - base < 8 << 20


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("ending", ["", "&raise=1"])
def test_a_send_that_waits_hears_of_a_client_that_leaves(
    asgi: ServerProcess, place: str, how: str, ending: str
) -> None:
    """T49, A09: an OSError at each send from then on, and a disconnect; letting it through is no error."""
    since = asgi.position()
    with Wire(asgi.address, receive_bytes=65536) as wire:
        wire.send(request(f"/endless?id={place}{ending}"))
        wait_until_stuck(asgi, place)
        getattr(wire, how)()
    found = events(asgi, place, 4)
    assert found == ["ConnectionResetError", "ConnectionResetError", "http.disconnect", "http.disconnect"]
    log = log_since(asgi, since)
    assert "error app." not in log
    assert "Traceback" not in log


def test_two_tasks_may_send(asgi: ServerProcess) -> None:
    with Wire(asgi.address, receive_bytes=65536) as wire:
        body = wire.get("/two_senders").body
    assert (body.count(b"a"), body.count(b"b")) == (30 * 65536, 30 * 65536)


def test_others_are_served_while_one_does_not_read(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address, receive_bytes=65536) as wire:
        wire.send(request(f"/endless?id={place}"))
        wait_until_stuck(asgi, place)
        for _ in range(10):
            assert fetch(asgi.address, "/hello").body == b"hello"


@pytest.mark.parametrize(("method", "size"), [("HEAD", 65536), ("GET", 0)], ids=["HEAD", "empty blocks"])
def test_a_stream_that_never_fills_a_buffer_gives_others_their_turn(
    serve: Any, loop: str, place: str, method: str, size: int
) -> None:
    """A08: nothing goes out, so nothing is ever full; the loop goes on, and the client that leaves ends it."""
    server = serve(APP, "--loop", loop)
    with Wire(server.address) as wire:
        wire.send(request(f"/endless?id={place}&size={size}", method))
        wait_until(lambda: totals(server, place).get("sent", 0) > 100, "it sends")
        for _ in range(3):
            assert fetch(server.address, "/hello").body == b"hello"
    assert wait_for_event(server, place, "http.disconnect")[0] == "ConnectionResetError"


# ---- applications that fail


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("awaits", [0, 1, 3])
def test_an_exception_before_bytes_is_500_and_logged_once(
    asgi: ServerProcess, place: str, after: int, awaits: int
) -> None:
    """A01."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        answer = wire.get(f"/raises?after={after}&awaits={awaits}&mark={place}")
        assert (answer.status, answer.get("Content-Type")) == (500, "text/plain; charset=utf-8")
        assert b"raised by" not in answer.body
        assert wire.get("/hello").body == b"hello"
    log = log_since(asgi, since)
    assert log.count(f"LookupError: raised by the application {place}") == 1
    assert log.count("Traceback (most recent call last)") == 1
    assert re.search(r"error app\.error .*method=GET target=.* after_start=false", log)


@pytest.mark.parametrize("after", [2, 3])
@pytest.mark.parametrize("awaits", [0, 1])
def test_an_exception_after_bytes_cuts(asgi: ServerProcess, place: str, after: int, awaits: int) -> None:
    """A02."""
    since = asgi.position()
    with Wire(asgi.address) as wire, pytest.raises(CutError) as cut:
        wire.get(f"/raises?after={after}&awaits={awaits}&mark={place}")
    assert cut.value.body == b"xy"[: after - 1]
    log = log_since(asgi, since)
    assert log.count(f"LookupError: raised by the application {place}") == 1
    assert "after_start=true" in log


@pytest.mark.parametrize("awaits", [0, 1])
def test_an_exception_after_the_answer_is_logged_once_and_harms_nothing(
    asgi: ServerProcess, place: str, awaits: int
) -> None:
    since = asgi.position()
    with Wire(asgi.address) as wire:
        assert wire.get(f"/raises?after=4&awaits={awaits}&mark={place}").body == b"xyz"
        assert wire.get("/hello").body == b"hello"
    log = log_since(asgi, since)
    assert log.count(f"LookupError: raised by the application {place}") == 1
    assert log.count("Traceback (most recent call last)") == 1


@pytest.mark.parametrize("after", [0, 1])
def test_an_application_that_does_not_answer_is_500(asgi: ServerProcess, after: int) -> None:
    """A03."""
    since = asgi.position()
    with Wire(asgi.address) as wire:
        assert wire.get(f"/returns?after={after}").status == 500
        assert wire.get("/hello").body == b"hello"
    log = log_since(asgi, since)
    assert log.count("error app.no_response ") == 1
    assert "Traceback" not in log


def test_an_application_that_does_not_finish_is_cut(asgi: ServerProcess) -> None:
    since = asgi.position()
    with Wire(asgi.address) as wire, pytest.raises(CutError) as cut:
        wire.get("/returns?after=3")
    assert cut.value.body == b"xy"
    assert log_since(asgi, since).count("error app.no_response ") == 1


@pytest.mark.parametrize("path", ["/raises?after=0&mark=", "/raises?after=0&awaits=1&mark=", "/returns?after=0"])
def test_failures_are_answered_at_once(asgi: ServerProcess, path: str) -> None:
    """Nothing else happens in the loop that could bring them along."""
    began = time.monotonic()
    with Wire(asgi.address) as wire:
        for _ in range(50):
            assert wire.get(path).status == 500
    assert time.monotonic() - began < 3  # 50 of them take some 20 ms


@pytest.mark.parametrize("wrong", ["type", "early", "status", "header"])
def test_an_application_that_catches_its_mistake_answers(asgi: ServerProcess, wrong: str) -> None:
    answer = fetch(asgi.address, f"/catches?wrong={wrong}")
    assert (answer.status, answer.body) == (200, b"right after all")


# ---- http.response.pathsend


@pytest.fixture
def directory() -> Iterator[Path]:
    """In the temporary directory, where the application looks."""
    with tempfile.TemporaryDirectory(prefix="lanner-asgi-") as made:
        yield Path(made)


def relative(path: Path) -> str:
    return os.path.relpath(path, tempfile.gettempdir())


@pytest.mark.parametrize("size", [0, 1, 65_537, 20_000_000])
@pytest.mark.parametrize("kind", ["", "&as=bytes", "&as=path"])
def test_pathsend(asgi: ServerProcess, directory: Path, place: str, size: int, kind: str) -> None:
    (directory / "file").write_bytes(pattern(size))
    target = f"/pathsend?id={place}&path={relative(directory / 'file')}{kind}"
    with Wire(asgi.address) as wire:
        answer = wire.get(target)
        assert (answer.body, answer.get("Content-Length")) == (pattern(size), str(size))
        assert wire.get(target, "HEAD").get("Content-Length") in (None, str(size))
        assert wire.get("/hello").body == b"hello"


def test_pathsend_to_a_client_that_reads_late(asgi: ServerProcess, directory: Path, place: str) -> None:
    """The descriptor is the server's own until all is sent."""
    (directory / "file").write_bytes(pattern(30_000_000))
    with Wire(asgi.address, receive_bytes=65536) as wire:
        wire.send(request(f"/pathsend?id={place}&path={relative(directory / 'file')}"))
        wait_for_event(asgi, place, "sent")
        (directory / "file").unlink()
        assert wire.answer().body == pattern(30_000_000)
        assert wire.get("/hello").body == b"hello"


def test_pathsend_and_a_length_of_the_applications(asgi: ServerProcess, directory: Path, place: str) -> None:
    (directory / "file").write_bytes(b"12345")
    target = f"/pathsend?id={place}&path={relative(directory / 'file')}"
    with Wire(asgi.address) as wire:
        assert wire.get(f"{target}&length=5").body == b"12345"
        assert wire.get(f"{target}&length=4").status == 500
        assert wire.get(f"{target}&length=6").status == 500
    for kind, text in noted(asgi, place)[1:]:
        assert kind == "RuntimeError"
        assert "Content-Length" in text


def test_pathsend_of_what_is_no_regular_file(asgi: ServerProcess, directory: Path, place: str) -> None:
    os.mkfifo(directory / "pipe")
    target = f"/pathsend?id={place}&path={relative(directory / 'pipe')}"
    assert fetch(asgi.address, target).status == 500


# ---- http.response.zerocopysend


@pytest.fixture
def file(directory: Path) -> str:
    (directory / "file").write_bytes(pattern(1_000_000))
    return relative(directory / "file")


@pytest.mark.parametrize(
    ("parts", "positions", "pieces"),
    [
        ("0:10", [0], [(0, 10)]),
        ("5:3,0:2", [0, 0], [(5, 3), (0, 2)]),
        (":10,:20,5:1,:30", [10, 30, 30, 60], [(0, 10), (10, 20), (5, 1), (30, 30)]),
        (":", [1_000_000], [(0, 1_000_000)]),
        ("999990:", [0], [(999_990, 10)]),
        ("999990:100", [0], [(999_990, 10)]),
        ("1000000:5,2000000:5", [0, 0], []),
        ("0:0,3:2", [0, 0], [(3, 2)]),
        ("0:1000000,0:1000000,0:1000000", [0, 0, 0], [(0, 1_000_000)] * 3),
    ],
)
def test_zerocopysend(
    asgi: ServerProcess,
    place: str,
    file: str,
    parts: str,
    positions: list[int],
    pieces: list[tuple[int, int]],
) -> None:
    whole = pattern(1_000_000)
    with Wire(asgi.address) as wire:
        answer = wire.get(f"/zerocopysend?id={place}&path={file}&parts={parts}")
        assert answer.body == b"".join(whole[at : at + count] for at, count in pieces) + b"end"
        assert wire.get("/hello").body == b"hello"
    assert noted(asgi, place) == positions


def test_zerocopysend_from_where_the_file_stands(asgi: ServerProcess, place: str, file: str) -> None:
    answer = fetch(asgi.address, f"/zerocopysend?id={place}&path={file}&parts=:5,:5&at=100")
    assert answer.body == pattern(200)[100:110] + b"end"


def test_zerocopysend_of_a_whole_file(asgi: ServerProcess, file: str) -> None:
    with Wire(asgi.address) as wire:
        for method in ("GET", "HEAD", "GET"):
            answer = wire.get(f"/zerocopysend_whole?path={file}", method)
            if method == "GET":
                assert (answer.body, answer.get("Content-Length")) == (pattern(1_000_000), "1000000")


@pytest.mark.parametrize("part", ["-1:5", "0:-5"])
def test_zerocopysend_of_a_negative_place(asgi: ServerProcess, place: str, file: str, part: str) -> None:
    assert fetch(asgi.address, f"/zerocopysend?id={place}&path={file}&parts={part}").status == 500
    kind, text = noted(asgi, place)[0]
    assert kind == "ValueError"
    assert "offset" in text or "count" in text


def test_zerocopysend_of_a_pipe(asgi: ServerProcess) -> None:
    since = asgi.position()
    assert fetch(asgi.address, "/zerocopysend_pipe").status == 500
    assert "ValueError: http.response.zerocopysend: file must be a regular file" in log_since(asgi, since)


# ---- http.response.early_hint


def test_early_hints_leave_at_once(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(request(f"/hints?id={place}"))
        first, second = wire.head(), wire.head()
        assert (first.status, first.reason) == (103, "Early Hints")
        assert [(name.lower(), value) for name, value in first.fields] == [
            ("link", "</a.css>; rel=preload"),
            ("link", "</b.js>; rel=preload"),
        ]
        assert (second.status, second.get("link")) == (103, "</c.css>; rel=preload")
        release(asgi, place)
        assert wire.answer().body == b"hinted"
        assert wire.get("/hello").body == b"hello"


def test_early_hints_are_not_for_1_0(asgi: ServerProcess, place: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(request(f"/hints?id={place}", version="1.0"))
        release(asgi, place)
        assert wire.head().status == 200


# ---- http.response.trailers

TAKES = [("TE", "trailers"), ("Connection", "TE")]


@pytest.mark.parametrize("single", ["", "&single=1"])
@pytest.mark.parametrize(
    ("messages", "fields"),
    [
        (1, [("x-digest", "abc"), ("x-two", "1")]),
        (2, [("x-digest", "abc"), ("x-two", "1"), ("x-two", "2")]),
    ],
)
def test_trailers(asgi: ServerProcess, messages: int, fields: list[tuple[str, str]], single: str) -> None:
    with Wire(asgi.address) as wire:
        wire.send(request(f"/trailers?messages={messages}{single}", fields=TAKES))
        head = wire.final_head()
        assert head.get("Transfer-Encoding") == "chunked"
        body = b""
        while size := int(wire.line(), 16):
            body += wire.exactly(size)
            assert wire.line() == b""
        assert body.endswith(b"trailers")
        found = []
        while line := wire.line():
            name, _, value = line.decode().partition(": ")
            found.append((name.lower(), value))
        assert found == fields
        assert wire.get("/hello").body == b"hello"


def test_trailers_that_were_not_asked_for_are_dropped(asgi: ServerProcess) -> None:
    """RFC 9110, 6.5.1: only with TE: trailers. The answer is whole."""
    with Wire(asgi.address) as wire:
        assert wire.get("/trailers?messages=1").body == b"with trailers"
        assert wire.get("/hello").body == b"hello"
        assert wire.get("/trailers?messages=1", "HEAD").status == 200
        assert wire.get("/hello").body == b"hello"
        assert wire.get("/trailers?messages=2", version="1.0").body == b"with trailers"


# ---- http.response.debug


def test_debug_is_taken_and_not_sent(asgi: ServerProcess) -> None:
    assert fetch(asgi.address, "/debugged").body == b"plain"


# ---- bodies of requests and answers at once


def test_an_answer_to_a_chunked_request_keeps_the_connection(asgi: ServerProcess) -> None:
    with Wire(asgi.address) as wire:
        for _ in range(3):
            wire.send(request("/read_and_answer", "POST", [("Transfer-Encoding", "chunked")]))
            wire.send(chunk(b"ab") + chunk(b"c") + b"0\r\n\r\n")
            assert wire.answer().body == b"abc"
