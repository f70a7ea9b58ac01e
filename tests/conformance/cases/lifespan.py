"""Cases of ASGI's lifespan: each starts a server of its own, with an application of lifespan_suite."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.conformance.case import AppCase, Level
from tests.conformance.drive import Drive, expect, same
from tests.support.wire import Client, request

STARTUP = "ASGI Lifespan, Startup"
SHUTDOWN = "ASGI Lifespan, Shutdown"
SCOPE = "ASGI Lifespan, Scope"
END_SECONDS = 15.0
STOPPED = (0, -15, 143)  # a server may also end by the signal, or say so as shells do


def lived(drive: Drive, app: str, serves: bool) -> tuple[list[str], int | None]:
    """What was noted while it started, served (or did not) and stopped; and the exit code."""
    with tempfile.TemporaryDirectory(prefix="lanner-lifespan-") as directory:
        notes = Path(directory) / "notes"
        notes.touch()
        with drive.started(app, notes) as server:
            if serves:
                expect(server.process.poll() is None and server.listens(), "it does not serve")
                with Client(server.address, seconds=drive.seconds) as client:
                    client.send(request("GET", "/"))
                    same(client.read().body, b"hello")
                code = server.stop(END_SECONDS)
            else:
                code = server.wait(END_SECONDS)
                expect(code is not None, "it goes on")
            expect(code is not None, "it does not stop")
            return notes.read_text().split(), code


def case(app: str, serves: bool, wanted: list[str] | None, fails: bool | None) -> Callable[[Drive], None]:
    def run(drive: Drive) -> None:
        found, code = lived(drive, app, serves)
        if wanted is not None:
            same(found[: len(wanted)], wanted)
        if fails is not None:
            expect((code not in STOPPED) == fails, f"exit code {code}")

    return run


def startup_fails(drive: Drive) -> None:
    found, _ = lived(drive, "startup_failed", False)
    same(found, ["startup"])


def startup_fails_code(drive: Drive) -> None:
    _, code = lived(drive, "startup_failed", False)
    expect(code != 0, f"exit code {code}")


CASES = [
    AppCase("lifespan/whole", STARTUP, case("whole", True, ["startup", "request", "shutdown", "ended"], None), "startup before the first request, shutdown after the last"),
    AppCase("lifespan/exit-0", SHUTDOWN, case("whole", True, None, False), "SIGTERM ends it with 0, or as a signal does", Level.SHOULD, "granian #518"),
    AppCase("lifespan/startup-failed", STARTUP, startup_fails, "a failed startup: it ends without serving", report="uvicorn #780"),
    AppCase("lifespan/startup-failed-code", STARTUP, startup_fails_code, "with an exit code that says so", Level.SHOULD),
    AppCase("lifespan/unsupported", SCOPE, case("unsupported", True, ["request"], None), "an exception for the scope: it serves without"),
    AppCase("lifespan/returns", SCOPE, case("returns", True, ["request"], None), "an application that returns at once: it serves without", Level.SHOULD),
    AppCase("lifespan/startup-raises", SCOPE, case("startup_raises", True, ["startup", "request"], None), "an exception instead of an answer: it serves without"),
    AppCase("lifespan/shutdown-failed", SHUTDOWN, case("shutdown_failed", True, ["startup", "request", "shutdown"], None), "a failed shutdown: it ends"),
    AppCase("lifespan/shutdown-raises", SHUTDOWN, case("shutdown_raises", True, ["startup", "request", "shutdown"], None), "an exception in the shutdown: it ends"),
]  # fmt: skip
