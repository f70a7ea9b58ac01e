"""A real `lanner run` for tests: started on a free port, its output kept, ended with all its workers.

    with Server("wsgi_apps:app", "--threads", "4") as server:
        server.address      ("127.0.0.1", 40123)
        server.wait_for("worker.ready")
        server.stop()       SIGTERM, then the exit code

Nothing here waits by sleeping alone: everything waits for a condition, with a deadline.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from lanner.process.supervisor import SAME_SIGNAL_S

ROOT = Path(__file__).resolve().parents[2]
APPS = Path(__file__).resolve().parent
DEADLINE_S = 30.0  # for what takes milliseconds on an idle machine
FOREIGN = ("PORT", "WEB_CONCURRENCY", "FORWARDED_ALLOW_IPS")  # variables that configure, but are not only ours
TICKS = os.sysconf("SC_CLK_TCK")

# Where tests.support is found. What is set already comes first: another build of the package (tools/lane.sh).
PATH = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))

Address = tuple[str, int] | tuple[str, int, int, int] | str


def until(condition: Callable[[], object], what: str, seconds: float = DEADLINE_S) -> None:
    """Waits for a condition that nothing announces."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.005)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Ours, without what would configure the server."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LANNER_")}
    return {name: value for name, value in kept.items() if name not in FOREIGN} | dict(extra)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "lanner", *arguments]


def run_to_end(
    *arguments: str, cwd: Path = APPS, env: Mapping[str, str] | None = None, **options: object
) -> "subprocess.CompletedProcess[str]":
    """The command line of a server that does not start."""
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        command(*arguments),
        cwd=cwd,
        env=environment({"PYTHONPATH": PATH, **(env or {})}),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
        **options,
    )


class Output:
    """What a process writes to one descriptor, read by a thread so that it never waits for us."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.data = b""
        self.ended = False
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self.read, args=(stream,), daemon=True)
        self.thread.start()

    def read(self, stream: IO[bytes]) -> None:
        with stream:
            while part := os.read(stream.fileno(), 65536):
                with self.changed:
                    self.data += part
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "backslashreplace")

    def wait(self, condition: Callable[[str], object], what: str, seconds: float = DEADLINE_S) -> str:
        with self.changed:
            done = self.changed.wait_for(lambda: condition(self.text) or self.ended, seconds)
            assert done, f"not within {seconds:g} s: {what}\n{self.text}"
            assert condition(self.text), f"the process ended without: {what}\n{self.text}"
            return self.text


class Server:
    """One server process, with its workers when it has some."""

    def __init__(
        self,
        target: str,
        *flags: str,
        cwd: Path = APPS,
        env: Mapping[str, str] | None = None,
        port: bool = True,
        pass_fds: Sequence[int] = (),
        stdin: int | None = subprocess.DEVNULL,
        ready: bool = True,
        preexec_fn: Callable[[], object] | None = None,
        wrapper: Sequence[str] = (),
        program: Sequence[str] = (),
    ) -> None:
        """wrapper: a command that runs the server's. program: one in place of `lanner run`, which calls lanner.run()."""
        places = ("--port", "0") if port else ()
        self.process = subprocess.Popen(
            [*wrapper, *(program or command("run", target, *places, *flags))],
            cwd=cwd,
            env=environment({"PYTHONPATH": PATH, **(env or {})}),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=pass_fds,
            preexec_fn=preexec_fn,
        )
        assert self.process.stdout
        assert self.process.stderr
        self.out = Output(self.process.stdout)
        self.err = Output(self.process.stderr)
        if ready:
            try:
                self.err.wait(lambda text: "stops it" in text, "the banner")
            except BaseException:
                self.end()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()
        if error is not None:
            print(f"--- stderr of the server ---\n{self.err.text}--- stdout ---\n{self.out.text}---")

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def urls(self) -> list[str]:
        """The addresses of the banner."""
        found = re.search(r" serves .* on (.*)\n", self.err.text)
        assert found, self.err.text
        return found[1].split(", ")

    @property
    def address(self) -> Address:
        """The first address, as sockets take it."""
        return address_of(self.urls[0])

    def workers(self) -> list[int]:
        """Its child processes."""
        return children(self.pid)

    def wait_for(self, text: str, seconds: float = DEADLINE_S) -> str:
        """All of stderr, once it has the text."""
        return self.err.wait(lambda all: text in all, repr(text), seconds)

    def wait_for_log(self, text: str, seconds: float = DEADLINE_S) -> str:
        """All of stdout (the access log), once it has the text."""
        return self.out.wait(lambda all: text in all, repr(text), seconds)

    def send_signal(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float = DEADLINE_S) -> int:
        """The exit code."""
        return self.process.wait(seconds)

    def stop(self, number: int = signal.SIGTERM, seconds: float = DEADLINE_S) -> int:
        self.send_signal(number)
        return self.wait(seconds)

    def insist(self, number: int) -> int:
        """Sends a signal again and again; returns the exit code. One that comes soon after the first counts as the same."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end and "stop.forced" not in self.err.text:
            self.send_signal(number)
            try:
                return self.wait(SAME_SIGNAL_S * 1.2)
            except subprocess.TimeoutExpired:
                continue
        return self.wait()

    def all_gone(self, seconds: float = DEADLINE_S) -> None:
        """Waits until no process holds stderr any more: server, workers and all."""
        self.err.wait(lambda _: self.err.ended, "the end of all processes", seconds)

    def end(self) -> None:
        """Ends it and its workers at once, and takes the last output."""
        family = [*self.workers(), self.pid] if self.process.poll() is None else []
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        for output in (self.out, self.err):
            output.thread.join(5)


def address_of(url: str) -> Address:
    """Example: `address_of("http://[::1]:80")` is `("::1", 80)`, `address_of("unix:/x")` is `"/x"`."""
    url = url.partition(" (fd ")[0]
    if url.startswith("unix:"):
        return url.removeprefix("unix:")
    host, _, port = url.removeprefix("http://").rpartition(":")
    return host.strip("[]"), int(port)


def children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        return [int(word) for task in tasks for word in Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:
        return []


def cpu_s(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def open_fds(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def open_sockets(pid: int) -> int:
    """As open_fds, without what else a server opens when it needs it (logs, spool files)."""
    count = 0
    if not alive(pid):
        return 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            count += os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:")
        except OSError:
            continue
    return count


def alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
