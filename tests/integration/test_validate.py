"""wsgiref.validate around an application: it finds no fault with the server, in either mode."""

import pytest
from server_process import ServerProcess
from wire_client import Wire

APP = "validated:app"
FLAGS = ("--interface", "wsgi")  # a validator takes *args, which says nothing

BODY = b"one two\nline two\nline three\nline four\nthe rest"

CASES = [
    ("/listed", "GET", {}, 200, b"onetwo"),
    ("/listed", "HEAD", {}, 200, b""),
    ("/listed?a=b&c=%20", "GET", {}, 200, b"onetwo"),
    ("/listed", "POST", {"body": b""}, 200, b"onetwo"),
    ("/listed", "GET", {"version": "1.0"}, 200, b"onetwo"),
    (
        "/listed/%C3%A9%2F",
        "GET",
        {"fields": [("X-Latin", "\xe9"), ("Cookie", "a=1"), ("Cookie", "b=2")]},
        200,
        b"onetwo",
    ),
    ("/generated", "GET", {}, 200, b"onetwo"),
    ("/generated", "DELETE", {}, 200, b"onetwo"),
    ("/nothing", "GET", {}, 204, b""),
    ("/written", "GET", {}, 200, b"onetwo"),
    ("/echoed", "POST", {"body": BODY}, 200, BODY),
    ("/echoed", "PUT", {"chunks": [BODY[:9], BODY[9:]], "fields": [("Content-Type", "text/plain")]}, 200, BODY),
    ("/echoed", "GET", {}, 200, b""),
    ("/read_by_length", "POST", {"body": BODY}, 200, BODY),
    ("/noisy", "GET", {}, 200, b"ok"),
    ("/replaced", "GET", {}, 500, b"replaced"),
    ("/file", "GET", {}, 200, b"a file"),
]


@pytest.mark.parametrize(("target", "method", "options", "status", "body"), CASES)
def test_the_validator_finds_no_fault(
    server: ServerProcess, target: str, method: str, options: dict[str, object], status: int, body: bytes
) -> None:
    """Two requests on one connection; a validator that objects raises, so that a 500 comes."""
    since = server.position()
    with Wire(server.address) as wire:
        for _ in range(1 if options.get("version") == "1.0" else 2):
            answer = wire.get(target, method, **options)
            assert (answer.status, answer.body) == (status, body)
    output = server.output(since)
    for complaint in ("Traceback", "Warning", "garbage collected without being closed"):
        assert complaint not in output, output


def test_the_validator_is_at_work(server: ServerProcess) -> None:
    since = server.position()
    with Wire(server.address) as wire:
        assert wire.get("/breaks_the_rules").status == 500
    assert "validate.py" in server.wait_for_output("AssertionError", since)
