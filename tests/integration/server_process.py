"""A server process for a test: `lanner run` on a free port or a unix socket, its output in a file."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

APPS = Path(__file__).parent / "apps"
DEADLINE_S = 60.0  # for what takes milliseconds on an idle machine
END_S = 300.0  # for the kernel to end a process: it closes 10,000 connections, and gives back files of 10 GB
READY = "stops it and lets open requests finish"


def wait_until(claim: Callable[[], object], what: str, deadline_s: float = DEADLINE_S) -> object:
    """Asks again and again until the claim is true; its value. Fails when the deadline has passed."""
    end = time.monotonic() + deadline_s
    while True:
        if value := claim():
            return value
        assert time.monotonic() < end, f"not within {deadline_s:g} s: {what}"
        time.sleep(0.005)


def environment(extra: dict[str, str]) -> dict[str, str]:
    """Ours, without what would change the server's flags."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LANNER_")}
    for name in ("PORT", "WEB_CONCURRENCY", "FORWARDED_ALLOW_IPS"):
        kept.pop(name, None)
    return kept | extra


class ServerProcess:
    """One `lanner run TARGET`, ready when the constructor returns; close() ends it in any case.

    Example: `ServerProcess("responses:app", "--threads", "4", log=path).url` is "http://127.0.0.1:40001".
    """

    def __init__(
        self,
        target: str,
        *arguments: str,
        log: Path,
        app_dir: Path = APPS,
        uds: str = "",
        env: dict[str, str] | None = None,
    ) -> None:
        self.log = log
        self.uds = uds
        self.discarded = False
        where = ["--uds", uds] if uds else ["--port", "0"]
        command = [sys.executable, "-P", "-m", "lanner", "run", target, "--app-dir", str(app_dir)]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, *where, *arguments], stdout=output, stderr=output, env=environment(env or {})
            )
        try:
            wait_until(lambda: READY in self.output() or self.process.poll() is not None, "the banner")
            assert self.process.poll() is None, f"the server did not start:\n{self.output()}"
        except BaseException:
            self.close()
            raise
        found = re.search(r"http://(\S+):(\d+)", self.output())
        self.host = found[1].strip("[]") if found else ""
        self.port = int(found[2]) if found else 0

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    @property
    def address(self) -> tuple[str, int] | str:
        """What a socket connects to."""
        return self.uds or (self.host, self.port)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def output(self, since: int = 0) -> str:
        """What it wrote to stdout and stderr, from a position() on."""
        return self.log.read_bytes()[since:].decode("utf-8", "replace")

    def position(self) -> int:
        return self.log.stat().st_size

    def wait_for_output(self, text: str, since: int = 0) -> str:
        """All of the output since then, once the text is in it."""
        wait_until(lambda: text in self.output(since) or not self.alive, f"{text!r} in the output")
        output = self.output(since)
        assert text in output, output
        return output

    def get(self, target: str) -> bytes:
        """The body of one GET on a connection of its own; it must be a 200."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=DEADLINE_S)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, (answer.status, body)
            return body
        finally:
            connection.close()

    def memory(self, field: str = "VmRSS") -> int:
        """Bytes, from /proc/PID/status: VmRSS is now, VmHWM the peak since reset_peak()."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)
        assert found, status
        return int(found[1]) * 1024

    def cpu_s(self) -> float:
        """Seconds of CPU that its threads have used: to a nanosecond, as ticks are too long for one request."""
        used = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
                used += int((task / "schedstat").read_text().split()[0])
        return used / 1e9

    def reset_peak(self) -> None:
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def terminate(self, number: int = signal.SIGTERM) -> int:
        """Sends the signal, and returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(END_S)

    def discard(self) -> None:
        """After a failure: whatever state it is in, nobody else shall use it. Whoever started it waits for its end."""
        self.discarded = True
        self.kill()

    def close(self) -> None:
        self.kill()
        self.process.wait(END_S)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
