"""PEP 3333, "Optional Platform-Specific File Handling": wsgi.file_wrapper, by sendfile where it can."""

import json
import random
from pathlib import Path

import pytest
from server_process import ServerProcess, wait_until
from wire_client import CutError, Wire, fetch, request

APP = "files:app"
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def content() -> bytes:
    return random.Random(3333).randbytes(200_000)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> str:
    file = tmp_path_factory.mktemp("files") / "file"
    file.write_bytes(content)
    return str(file)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return random.Random(20).randbytes(MEGABYTE) * 20


def noted(server: ServerProcess, name: str, count: int) -> list[str]:
    """What was done to the file, once there is that much."""

    def look() -> list[str] | None:
        found = json.loads(server.get(f"/ledger?id={name}"))
        return found if len(found) >= count else None

    found = wait_until(look, f"{count} events of {name}")
    assert isinstance(found, list)
    return found


# ---- regular files


def test_a_file_is_sent_with_its_length(server: ServerProcess, path: str, content: bytes) -> None:
    with Wire(server.address) as wire:
        for _ in range(3):
            answer = wire.get(f"/whole?path={path}")
            assert answer.body == content
            assert answer.get("Content-Length") == "200000"
            assert answer.get("Transfer-Encoding") is None


def test_a_regular_file_is_not_read_in_python(server: ServerProcess, path: str, content: bytes) -> None:
    """That is how sendfile shows."""
    name = f"sendfile-{server.position()}-{random.random()}"
    assert fetch(server.address, f"/watched?path={path}&id={name}").body == content
    assert noted(server, name, 1) == ["close"]


@pytest.mark.parametrize("offset", [1, 199_999, 200_000])
def test_the_position_of_the_file_is_where_it_begins(
    server: ServerProcess, path: str, content: bytes, offset: int
) -> None:
    with Wire(server.address) as wire:
        answer = wire.get(f"/from_offset?path={path}&offset={offset}")
        assert answer.body == content[offset:]
        assert answer.get("Content-Length") == str(200_000 - offset)
        assert wire.get("/hello").body == b"hello"


def test_a_position_beyond_the_end_is_an_empty_body(server: ServerProcess, path: str) -> None:
    with Wire(server.address) as wire:
        assert wire.get(f"/from_offset?path={path}&offset=300000").body == b""
        assert wire.get("/hello").body == b"hello"


@pytest.mark.parametrize("app", ["after_reading", "unbuffered"])
def test_what_was_read_is_not_sent_again(server: ServerProcess, path: str, content: bytes, app: str) -> None:
    assert fetch(server.address, f"/{app}?path={path}").body == content[10:]


@pytest.mark.parametrize("length", [0, 1, 70_000, 199_999, 200_000])
def test_a_smaller_content_length_bounds_it(server: ServerProcess, path: str, content: bytes, length: int) -> None:
    """A part of a file: seek() and Content-Length (a range)."""
    with Wire(server.address) as wire:
        answer = wire.get(f"/whole?path={path}&length={length}")
        assert answer.body == content[:length]
        assert wire.get("/hello").body == b"hello"


def test_a_larger_content_length_is_cut(server: ServerProcess, path: str, content: bytes) -> None:
    """A12."""
    with Wire(server.address) as wire:
        wire.send(request(f"/whole?path={path}&length=200001") + request("/hello"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.body == content
    server.wait_for_output("reason=response_too_short")


def test_an_empty_file_is_an_empty_body(server: ServerProcess, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with Wire(server.address) as wire:
        answer = wire.get(f"/whole?path={tmp_path}/empty")
        assert (answer.status, answer.body) == (200, b"")
        assert wire.get("/hello").body == b"hello"


def test_a_file_that_does_not_know_its_size_is_sent_whole(server: ServerProcess) -> None:
    """Files of /proc are regular ones of 0 bytes."""
    body = fetch(server.address, "/whole?path=/proc/self/status").body
    assert f"Pid:\t{server.pid}\n".encode() in body


def test_20_mb_for_a_slow_client_cost_no_memory(server: ServerProcess, tmp_path: Path, large: bytes) -> None:
    (tmp_path / "large").write_bytes(large)
    server.get("/hello")
    server.reset_peak()
    before = server.memory("VmHWM")
    with Wire(server.address, 16_384) as wire:
        wire.send(request(f"/whole?path={tmp_path}/large"))
        assert wire.head().get("Content-Length") == str(len(large))
        (tmp_path / "large").unlink()  # the server holds it open
        for _ in range(10):
            assert server.get("/hello") == b"hello"
        assert wire.exactly(len(large)) == large
        assert wire.get("/hello").body == b"hello"
    assert server.memory("VmHWM") - before < 4 * MEGABYTE


def test_a_file_that_shrinks_meanwhile_cuts_the_answer(server: ServerProcess, tmp_path: Path, large: bytes) -> None:
    """A12: no waiting for bytes that never come."""
    file = tmp_path / "shrinking"
    file.write_bytes(large)
    with Wire(server.address, 16_384) as wire:
        wire.send(request(f"/whole?path={file}") + request("/hello"))
        assert wire.head().status == 200
        with file.open("r+b") as opened:
            opened.truncate(MEGABYTE)
        with pytest.raises(CutError) as cut:
            wire.exactly(len(large))
        # Beyond the new end the kernel may have had bytes on their way, as they were or as zeros.
        assert cut.value.body[:MEGABYTE] == large[:MEGABYTE]
    assert server.get("/hello") == b"hello"


@pytest.mark.parametrize("method", ["HEAD", "GET"])
@pytest.mark.parametrize("status", ["200 OK", "304 Not Modified", "204 No Content", "205 Reset Content"])
def test_answers_without_a_body_close_the_file(server: ServerProcess, path: str, status: str, method: str) -> None:
    name = f"bodyless-{server.position()}-{random.random()}"
    with Wire(server.address) as wire:
        target = f"/watched?path={path}&id={name}&status={status.replace(' ', '+')}"
        answer = wire.get(target, method)
        if status == "200 OK":
            assert answer.get("Content-Length") == "200000"
        assert noted(server, name, 1) == ["close"]
        assert wire.get("/hello").body == b"hello"


# ---- other files


def test_a_bytes_io_is_read_in_blocks_of_the_size_asked_for(server: ServerProcess) -> None:
    name = f"bytesio-{server.position()}-{random.random()}"
    answer = fetch(server.address, f"/bytes_io?id={name}")
    assert answer.body == (b"0123456789" * 30_000)[5:]
    assert noted(server, name, 5) == ["read 100000"] * 4 + ["close"]


@pytest.mark.parametrize(("app", "body"), [("pipe", b"through a pipe"), ("only_read", b"least")])
def test_what_is_no_regular_file_is_read_to_its_end(server: ServerProcess, app: str, body: bytes) -> None:
    with Wire(server.address) as wire:
        for _ in range(2):
            assert wire.get(f"/{app}").body == body


@pytest.mark.parametrize(
    ("app", "error"), [("closed", "ValueError"), ("text_file", "TypeError"), ("no_read", "AttributeError")]
)
def test_a_file_that_can_not_be_read_is_a_500(server: ServerProcess, path: str, app: str, error: str) -> None:
    """A12."""
    since = server.position()
    with Wire(server.address) as wire:
        assert wire.get(f"/{app}?path={path}").status == 500
        assert wire.get("/hello").body == b"hello"
    server.wait_for_output(error, since)


def test_a_file_that_fails_in_the_middle_cuts_the_answer(server: ServerProcess) -> None:
    since = server.position()
    with Wire(server.address) as wire:
        wire.send(request("/bad_read"))
        with pytest.raises(CutError) as cut:
            wire.answer()
        assert cut.value.body == b"x" * 10
    server.wait_for_output("the disk is on fire", since)


def test_after_write_the_file_follows(server: ServerProcess, path: str, content: bytes) -> None:
    assert fetch(server.address, f"/after_write?path={path}").body == b"written, then " + content


def test_a_middleware_may_iterate_over_it(server: ServerProcess, path: str) -> None:
    assert fetch(server.address, f"/iterated?path={path}").body == b"([4096, 4096], 200000, True)"


def test_its_arguments_are_checked(server: ServerProcess) -> None:
    assert fetch(server.address, "/constructor").body == b"TypeError ValueError TypeError b'ab'"


@pytest.mark.parametrize("app", ["watched", "bytes_io"])
def test_the_file_is_closed_once_when_the_client_leaves(
    server: ServerProcess, tmp_path: Path, large: bytes, app: str
) -> None:
    (tmp_path / "large").write_bytes(large)
    name = f"leaves-{app}-{server.position()}-{random.random()}"
    wire = Wire(server.address, 16_384)
    wire.send(request(f"/{app}?path={tmp_path}/large&id={name}"))
    assert wire.head().status == 200
    wire.reset()
    wait_until(lambda: "close" in noted(server, name, 1), "the file was closed")
    assert noted(server, name, 1).count("close") == 1
