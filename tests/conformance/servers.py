"""The servers under test: one table of how each is started, and a running one.

    with Running(LANNER[0], "wsgi_suite:app", "unix:/tmp/x/socket") as server: ...

A mode is one way to run a server: which applications it takes (wsgi or asgi) and its command. Peers live in a virtual
environment of their own, build/peers (`make conformance` makes it from tests/conformance/peers.txt). All run with their
defaults, but one process, enough threads for the suite's connections, and a keep-alive that outlasts a case.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.wire import Address

ROOT = Path(__file__).resolve().parents[2]
APPS = Path(__file__).resolve().parent / "apps"
PEERS = ROOT / "build/peers/bin"
START_SECONDS = 20.0
STOP_SECONDS = 10.0
BJOERN = "import sys, bjoern, wsgi_suite; bjoern.run(wsgi_suite.app, *eval(sys.argv[1]))"

Command = Callable[[str, str], list[str]]  # application, place ("unix:PATH" or "PORT") -> argv


@dataclass(frozen=True)
class Mode:
    server: str  # the column
    name: str  # of this way to run it
    interface: str  # wsgi or asgi
    command: Command
    package: str  # whose version is told
    wire: bool = True  # also runs the wire cases

    @property
    def app(self) -> str:
        return f"{self.interface}_suite:app"


def lanner(*flags: str) -> Command:
    def command(app: str, place: str) -> list[str]:
        bind = place if place.startswith("unix:") else f"127.0.0.1:{place}"
        return [sys.executable, "-P", "-m", "lanner", "run", app, "--bind", bind, *flags]

    return command


def gunicorn(*flags: str) -> Command:
    def command(app: str, place: str) -> list[str]:
        bind = place if place.startswith("unix:") else f"127.0.0.1:{place}"
        return [str(PEERS / "gunicorn"), "--bind", bind, "--keep-alive", "60", "--no-control-socket", *flags, app]

    return command


def uvicorn(*flags: str) -> Command:
    def command(app: str, place: str) -> list[str]:
        where = ["--uds", place[5:]] if place.startswith("unix:") else ["--port", place]
        return [str(PEERS / "uvicorn"), *where, "--timeout-keep-alive", "60", *flags, app]

    return command


def granian(*flags: str) -> Command:
    def command(app: str, place: str) -> list[str]:
        where = ["--uds", place[5:]] if place.startswith("unix:") else ["--port", place]
        return [str(PEERS / "granian"), *where, *flags, app]

    return command


def hypercorn(prefix: str = "") -> Command:
    def command(app: str, place: str) -> list[str]:
        bind = place if place.startswith("unix:") else f"127.0.0.1:{place}"
        return [str(PEERS / "hypercorn"), "--bind", bind, "--keep-alive", "60", prefix + app]

    return command


def bjoern(app: str, place: str) -> list[str]:
    where = (place,) if place.startswith("unix:") else ("127.0.0.1", int(place))
    return [str(PEERS / "python"), "-c", BJOERN, repr(where)]


LANNER = [
    Mode("lanner", "wsgi", "wsgi", lanner(), "lanner"),
    Mode("lanner", "wsgi, threads", "wsgi", lanner("--threads", "4"), "lanner"),
    Mode("lanner", "asgi", "asgi", lanner(), "lanner"),
    Mode("lanner", "asgi, asyncio", "asgi", lanner("--loop", "asyncio"), "lanner"),
    Mode("lanner", "asgi, uvloop", "asgi", lanner("--loop", "uvloop"), "lanner"),
]
PEER_MODES = [
    Mode("gunicorn", "gthread", "wsgi", gunicorn("--worker-class", "gthread", "--threads", "16"), "gunicorn"),
    Mode("gunicorn", "asgi", "asgi", gunicorn("--worker-class", "asgi"), "gunicorn", wire=False),
    Mode("uvicorn", "httptools", "asgi", uvicorn("--http", "httptools"), "uvicorn"),
    Mode("granian", "wsgi", "wsgi", granian("--interface", "wsgi", "--blocking-threads", "16"), "granian", wire=False),
    Mode("granian", "asgi", "asgi", granian("--interface", "asgi"), "granian"),
    Mode("hypercorn", "wsgi", "wsgi", hypercorn("wsgi:"), "hypercorn", wire=False),
    Mode("hypercorn", "asgi", "asgi", hypercorn(), "hypercorn"),
    Mode("bjoern", "wsgi", "wsgi", bjoern, "bjoern"),
]


class Running:
    """One server process (and its workers, a process group of its own), ended with the block."""

    def __init__(
        self, mode: Mode, app: str, place: str, env: Mapping[str, str] | None = None, ready: bool = True
    ) -> None:
        self.mode = mode
        self.address: Address = place[5:] if place.startswith("unix:") else ("127.0.0.1", int(place))
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  # closed by end()
        paths = f"{APPS}{os.pathsep}{ROOT}" if mode.server == "lanner" else str(APPS)
        ours = {
            name: value for name, value in os.environ.items() if not name.startswith(("LANNER_", "WEB_CONC", "PORT"))
        }
        self.process = subprocess.Popen(
            mode.command(app, place),
            cwd=APPS,
            env=ours | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if ready and not self.wait_listening():
            text = self.text
            self.end()
            raise RuntimeError(f"{mode.server} ({mode.name}) does not start:\n{text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    @property
    def text(self) -> str:
        """What it has written."""
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size, 0).decode("utf-8", "backslashreplace")

    def listens(self) -> bool:
        family = socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET
        with socket.socket(family) as sock:
            return sock.connect_ex(self.address) == 0

    def wait_listening(self) -> bool:
        """Whether it listens, or has ended, in time."""
        end = time.monotonic() + START_SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            if self.listens():
                return True
            time.sleep(0.02)
        return False

    def stop(self, seconds: float = STOP_SECONDS) -> int | None:
        """The exit code after SIGTERM; None if it does not end."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds: float) -> int | None:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()


def free_port() -> str:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return str(sock.getsockname()[1])


def version(mode: Mode) -> str:
    """As the server's own environment knows it."""
    python = sys.executable if mode.server == "lanner" else str(PEERS / "python")
    code = f"import importlib.metadata; print(importlib.metadata.version({mode.package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
