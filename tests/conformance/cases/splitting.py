"""Cases of response splitting, on both interfaces: what an application may not put on the wire, by any means."""

from collections.abc import Callable
from urllib.parse import quote_from_bytes

from tests.conformance.case import AppCase, Level
from tests.conformance.drive import Drive, expect
from tests.support.wire import Closed, request

INJECT = b"X-Injected: 1"
VALUES = {
    "crlf": b"a\r\n" + INJECT, "lf": b"a\n" + INJECT, "cr": b"a\r" + INJECT, "crlf-body": b"a\r\n\r\nHTTP/1.1 200 OK\r\n" + INJECT, "crlf-last": b"a\r\n", "lf-first": b"\n" + INJECT,
    "lf-fold": b"a\n " + INJECT, "nul": b"a\0b", "esc": b"a\x1bb", "del": b"a\x7fb",
}  # fmt: skip
NAMES = {
    "crlf": b"X: a\r\n" + INJECT.partition(b":")[0], "lf": b"X\n" + INJECT.partition(b":")[0], "colon": b"X: a", "space": b"X Y", "empty": b"", "nul": b"X\0Y", "xe9": b"X\xe9", "space-last": b"X ",
}  # fmt: skip
MAY_KEEP = ("esc", "del")  # RFC 9110, 5.5: control characters other than CR, LF and NUL are invalid, not dangerous


def injects(name: bytes, value: bytes, where: str = "/field") -> Callable[[Drive], None]:
    def run(drive: Drive) -> None:
        id = drive.id()
        path = f"{where}?id={id}&name={quote_from_bytes(name)}&value={quote_from_bytes(value)}"
        if where == "/status-line":
            path = f"{where}?id={id}&line={quote_from_bytes(value)}"
        with drive.client() as client:
            client.send(request("GET", path))
            try:
                response = client.read()
            except (Closed, ConnectionResetError):
                response = None  # nothing on the wire at all
        if response is not None:
            injected = [
                pair
                for pair in response.fields
                if pair[0].lower() == "x-injected" or (pair[0] == "X" and pair[1] != "v")
            ]
            expect(not injected, f"on the wire: {injected}")
            if response.status == 200:
                expect(response.get("x-last") is not None or where != "/field", "fields after it are gone")
        if drive.strict:
            events = drive.events(id, "raised", "taken")
            expect(any(event.startswith("raised ValueError") for event in events), f"the application saw {events}")
            expect(response is not None and response.status == 500, "the client sees no 500")
        drive.alive()

    return run


VALUE_CASES = [
    AppCase(f"splitting/value-{name}", "RFC 9110, 5.5; 11.4", injects(b"X-A", value), "never on the wire; refused with an exception, or made harmless",
            Level.SHOULD if name in MAY_KEEP else Level.MUST, "uvicorn CVE-2020-7695, gunicorn CVE-2018-1000164" if name == "crlf" else "")
    for name, value in VALUES.items()
]  # fmt: skip
NAME_CASES = [
    AppCase(
        f"splitting/name-{name}", "RFC 9110, 5.1", injects(text, b"v"), "a name that is no token is never on the wire"
    )
    for name, text in NAMES.items()
]
STATUS_LINES = {
    "crlf": b"200 OK\r\n" + INJECT, "lf": b"200 OK\n" + INJECT, "cr": b"200 OK\r" + INJECT, "nul": b"200 O\0K", "body": b"200 OK\r\n\r\nHTTP/1.1 200 OK\r\n" + INJECT,
}  # fmt: skip
STATUS_CASES = [
    AppCase(
        f"splitting/status-{name}",
        "RFC 9112, 4; PEP 3333",
        injects(b"", line, "/status-line"),
        "a status line is one line",
    )
    for name, line in STATUS_LINES.items()
]

CASES = [*VALUE_CASES, *NAME_CASES]
