"""What the tests of the package share: directories of modules, and the command line in a process of its own."""

import gc
import http.client
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

HELLO = """\
import os

def app(environ, start_response):
    body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
"""

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file under tmp_path: write("shop/wsgi.py", source)."""

    def write_file(name: str, source: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        return path

    return write_file


@pytest.fixture
def no_descriptors_left() -> Iterator[None]:
    """What the test opened is closed when it is over and its objects are collected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the tests before left
        gc.collect()
    before = os.listdir("/proc/self/fd")
    yield
    gc.collect()
    assert os.listdir("/proc/self/fd") == before


@pytest.fixture
def imports() -> Iterator[None]:
    """Modules and search path are afterwards what they were before."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def environment(extra: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LANNER_")}
    return {name: value for name, value in kept.items() if name not in ("PORT", "WEB_CONCURRENCY")} | extra


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def lanner(tmp_path: Path) -> Command:
    """Runs the command line to its end, in tmp_path: lanner("run", "shop:app", PORT="80"); by another command: by=."""

    def run(*arguments: str, by: Iterable[str] = (), **variables: str) -> "subprocess.CompletedProcess[str]":
        command = [*by, sys.executable, "-P", "-m", "lanner", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(variables), capture_output=True, text=True, timeout=60, check=False
        )

    return run


class Served:
    """A running `lanner run`, after its banner."""

    def __init__(self, process: "subprocess.Popen[str]", lines: list[str]) -> None:
        self.process = process
        self.lines = lines

    @property
    def port(self) -> int:
        found = re.search(r"http://[^ ]*:(\d+)", "".join(self.lines))
        assert found, self.lines
        return int(found[1])

    def get(self, path: str = "/") -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def wait_for(self, text: str) -> str:
        """Reads stderr up to the line that has the text."""
        assert self.process.stderr
        for line in self.process.stderr:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"no {text!r} in {''.join(self.lines)}")

    def stop(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@pytest.fixture
def served() -> type[Served]:
    """Wraps a process that was started otherwise: served(process, [])."""
    return Served


Serve = Callable[..., AbstractContextManager[Served]]


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Starts a server in tmp_path on a free port: with serve("shop:app", "-w", "2") as server: ..."""

    @contextmanager
    def start(*arguments: str, **variables: str) -> Iterator[Served]:
        command = [sys.executable, "-P", "-m", "lanner", "run", *arguments]
        with subprocess.Popen(
            command, cwd=tmp_path, env=environment(variables), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                served = Served(process, [])
                served.wait_for("stops it")
                yield served
            finally:
                process.kill()

    return start


@pytest.fixture
def hello(write: Write) -> str:
    """The target of an application that answers with its process id."""
    write("hello.py", HELLO)
    return "hello:app"


@pytest.fixture
def blocks_left_by() -> Callable[[Callable[[], object], int], int]:
    """blocks_left_by(run, times): how many blocks of memory more there are after so many runs: the least of three tries,
    as what other tests have left (threads, caches) comes and goes.
    """

    def count(run: Callable[[], object], times: int) -> int:
        counts = []
        for _ in range(3):
            gc.collect()
            before = sys.getallocatedblocks()
            for _ in range(times):
                run()
            gc.collect()
            counts.append(sys.getallocatedblocks() - before)
        return min(counts)

    return count
