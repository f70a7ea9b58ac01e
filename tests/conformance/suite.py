"""The suite: all cases, and how a mode of a server is put through them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.case import AppCase, WireCase
from tests.conformance.cases import (
    asgi,
    chunk,
    connection,
    field,
    framing,
    lifespan,
    line,
    splitting,
    stream,
    target,
    vectors,
    wsgi,
)
from tests.conformance.drive import Drive
from tests.conformance.observe import judge, observe
from tests.conformance.servers import Mode, Running, free_port
from tests.support.wire import Closed

WIRE: list[WireCase] = [
    case for module in (vectors, line, target, field, framing, chunk, connection) for case in module.CASES
]
STREAM: list[AppCase] = [*stream.CASES, *splitting.CASES]  # on either interface
APPS: dict[str, list[AppCase]] = {"wsgi": wsgi.CASES, "asgi": [*asgi.CASES, *lifespan.CASES]}
WAYS = ("whole", "bytes", "behind")
TITLES = {
    "accept": "Valid requests", "line": "Request line", "target": "Request target", "host": "Host", "field": "Field lines", "length": "Content-Length", "coding": "Transfer-Encoding",
    "chunk": "Chunked bodies", "connection": "Persistence", "pipeline": "Pipelining", "answer": "Answers", "expect": "Expect", "upgrade": "Upgrade", "stream": "In step with the client",
    "splitting": "Response splitting", "environ": "WSGI: environ", "input": "WSGI: wsgi.input", "start": "WSGI: start_response", "iterable": "WSGI: the iterable", "scope": "ASGI: scope",
    "receive": "ASGI: receive", "send": "ASGI: send", "lifespan": "ASGI: lifespan",
}  # fmt: skip


@contextmanager
def serving(mode: Mode, unix: bool, seconds: float, turns: int = 0) -> Iterator[Drive]:
    """A server that runs the suite's application, on a unix socket (which tells what the server has read) or TCP.

    With `turns` an ASGI application waits so many turns of the loop before it does anything.
    """
    with tempfile.TemporaryDirectory(prefix="lanner-suite-") as directory:
        place = f"unix:{directory}/socket" if unix else free_port()
        with Running(mode, mode.app, place, {"SUITE_GATES": directory, "SUITE_TURNS": str(turns)}) as server:
            yield Drive(mode, server.address, Path(directory), seconds)


def wire_verdict(drive: Drive, case: WireCase, way: str) -> str:
    """What is wrong, or nothing."""
    try:
        with drive.client() as client:
            return judge(case, way, observe(client, case, way), drive.strict)
    except OSError as error:
        return f"{type(error).__name__}"


def app_verdict(drive: Drive, case: AppCase) -> str:
    """What is wrong, or nothing."""
    try:
        case.run(drive)
    except TimeoutError:
        return "no answer, or no end of it"
    except AssertionError as error:
        return (str(error) or "wrong").splitlines()[0][:200]
    except (Closed, ConnectionError):
        return "no whole answer: the connection ends"
    except (OSError, ValueError, LookupError, TypeError) as error:
        return f"an answer that is none: {type(error).__name__}"
    return ""


def app_cases(mode: Mode) -> list[AppCase]:
    return [*STREAM, *APPS[mode.interface]]


def reachable(drive: Drive) -> bool:
    try:
        drive.get("/hello")
    except (AssertionError, Closed, OSError):
        return False
    return True
