"""ASGI Lifespan 2.0: started before the first request, ended after the last; start-up that fails, shutdown that fails.

Rows T44 and A18 of the project's catalogue.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.server import Server, run_to_end
from tests.support.wire import Client

pytest_plugins = ["asgi_fixtures"]

Write = Callable[[str], str]

HTTP = """
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"served"})
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """An application whose lifespan is the given body; its target."""

    def make(lifespan: str, extra: str = "") -> str:
        body = "\n".join("        " + line for line in lifespan.splitlines())
        source = f"import asyncio, os, sys\n{extra}\nasync def app(scope, receive, send):\n"
        source += f"    if scope['type'] == 'lifespan':\n{body}\n        return\n{HTTP}"
        (tmp_path / "shop.py").write_text(source)
        return "shop:app"

    return make


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path


def say(text: str) -> str:
    return f"os.write(1, b'{text}\\n')"


COMPLETE = f"""\
assert await receive() == {{"type": "lifespan.startup"}}
{say("starting")}
await send({{"type": "lifespan.startup.complete"}})
assert await receive() == {{"type": "lifespan.shutdown"}}
{say("stopping")}
await send({{"type": "lifespan.shutdown.complete"}})
{say("stopped")}
"""


@pytest.mark.parametrize("mode", ["auto", "on"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_startup_before_and_shutdown_after(write: Write, tmp_path: Path, loop: str, mode: str, number: int) -> None:
    target = write(COMPLETE)
    with Server(target, "--loop", loop, "--lifespan", mode, cwd=tmp_path) as server:
        assert server.wait_for_log("starting").splitlines() == ["starting"]
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        assert server.stop(number) == 0
        server.all_gone()
        assert server.out.text.splitlines() == ["starting", "stopping", "stopped"]


def test_off_never_calls_it(write: Write, tmp_path: Path, loop: str) -> None:
    target = write(say("called"))
    with Server(target, "--loop", loop, "--lifespan", "off", cwd=tmp_path) as server:
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        assert server.stop() == 0
        server.all_gone()
        assert server.out.text == ""


def test_the_scope(write: Write, tmp_path: Path, loop: str) -> None:
    target = write("print(scope, flush=True)\n" + COMPLETE)
    with Server(target, "--loop", loop, cwd=tmp_path) as server:
        (line, *_) = server.wait_for_log("starting").splitlines()
        assert line == "{'type': 'lifespan', 'asgi': {'version': '3.0', 'spec_version': '2.0'}, 'state': {}}"


# ---- applications that know no lifespan


UNKNOWN = {
    "raises at once": "raise ValueError('no lifespan here')",
    "raises after a turn": "await asyncio.sleep(0)\nraise ValueError('no lifespan here')",
    "raises at the startup": "await receive()\nraise ValueError('no lifespan here')",
    "asserts its scope": "assert scope['type'] == 'http'",
    "returns at once": "return",
    "returns after the startup": "await receive()",
}


@pytest.mark.parametrize("lifespan", UNKNOWN.values(), ids=list(UNKNOWN))
def test_auto_goes_on_without(write: Write, tmp_path: Path, loop: str, lifespan: str) -> None:
    """ASGI: "the server must continue but not send any lifespan events"; nor is the exception left unretrieved."""
    target = write(lifespan)
    with Server(target, "--loop", loop, cwd=tmp_path) as server:
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        assert server.stop() == 0
        server.all_gone()
        assert "never retrieved" not in server.err.text


@pytest.mark.parametrize("lifespan", UNKNOWN.values(), ids=list(UNKNOWN))
def test_on_insists(write: Write, tmp_path: Path, loop: str, lifespan: str) -> None:
    result = run_to_end("run", write(lifespan), "--port", "0", "--loop", loop, "--lifespan", "on", cwd=tmp_path)
    assert result.returncode == 3
    last = result.stderr.splitlines()[-1]
    assert last.startswith("lanner: shop:app: ")
    assert last.endswith("(--lifespan on)")
    if "no lifespan here" in lifespan:
        assert "ValueError: no lifespan here" in last
        assert f'File "{tmp_path}/shop.py"' in result.stderr
        assert "lanner/" not in result.stderr  # the traceback is trimmed to the application's own frames


# ---- start-up that fails


def failed(message: str | None) -> str:
    extra = "" if message is None else f', "message": {message!r}'
    return f"""\
await receive()
await send({{"type": "lifespan.startup.failed"{extra}}})
"""


@pytest.mark.parametrize("mode", ["auto", "on"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_startup_that_failed_is_exit_3_with_its_message(
    write: Write, tmp_path: Path, loop: str, mode: str, workers: str
) -> None:
    target = write(failed("no database at db:5432"))
    flags = ("--loop", loop, "--lifespan", mode, "--workers", workers)
    result = run_to_end("run", target, "--port", "0", *flags, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (3, "")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("lanner: ")
    assert last.endswith("shop:app: the application could not start: no database at db:5432")
    assert " serves " not in result.stderr


@pytest.mark.parametrize("message", [None, "", " \n"])
def test_a_startup_that_failed_without_a_message(write: Write, tmp_path: Path, message: str | None) -> None:
    result = run_to_end("run", write(failed(message)), "--port", "0", cwd=tmp_path)
    assert result.returncode == 3
    assert result.stderr == "lanner: shop:app: the application could not start: see its lifespan handler\n"


STARLETTE = """\
import contextlib
from starlette.applications import Starlette

def connect():
    raise KeyError("DATABASE_URL")

@contextlib.asynccontextmanager
async def lifespan(app):
    connect()
    yield

app = Starlette(lifespan=lifespan)
"""


def test_a_traceback_as_the_message_is_shown_with_its_end_as_the_line(tmp_path: Path, loop: str) -> None:
    """Starlette and FastAPI send the whole traceback."""
    (tmp_path / "shop.py").write_text(STARLETTE)
    result = run_to_end("run", "shop:app", "--port", "0", "--loop", loop, cwd=tmp_path)
    assert result.returncode == 3
    assert f'File "{tmp_path}/shop.py", line 5, in connect' in result.stderr
    assert result.stderr.count("KeyError: 'DATABASE_URL'") == 2
    assert result.stderr.splitlines()[-1] == (
        "lanner: shop:app: the application could not start: KeyError: 'DATABASE_URL'"
    )


def test_nobody_is_served_before_the_startup_is_complete(write: Write, tmp_path: Path, loop: str) -> None:
    """A client that connects meanwhile waits, and is answered."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    opened = f"await asyncio.to_thread(lambda: open({str(fifo)!r}).close())"
    target = write(f"await receive()\n{opened}\nawait send({{'type': 'lifespan.startup.complete'}})\nawait receive()")
    with Server(target, "--loop", loop, cwd=tmp_path, ready=False) as server:
        held = os.open(fifo, os.O_WRONLY)  # opens once the startup has come so far
        assert " serves " not in server.err.text
        os.close(held)
        server.wait_for("stops it")
        with Client(server.address) as client:
            assert client.get("/").body == b"served"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_startup_that_hangs_can_be_interrupted(write: Write, tmp_path: Path, loop: str, number: int) -> None:
    """T44."""
    target = write(say("hangs") + "\nawait receive()\nawait asyncio.sleep(3600)")
    with Server(target, "--loop", loop, cwd=tmp_path, ready=False) as server:
        server.wait_for_log("hangs")
        assert server.stop(number, 15) == 0
        server.all_gone()
        assert " serves " not in server.err.text
        assert "Traceback" not in server.err.text


@pytest.mark.parametrize("workers", ["2"])
def test_a_startup_that_hangs_in_workers_can_be_interrupted(
    write: Write, tmp_path: Path, loop: str, workers: str
) -> None:
    target = write(say("hangs") + "\nawait receive()\nawait asyncio.sleep(3600)")
    flags = ("--loop", loop, "--workers", workers, "--timeout-graceful-shutdown", "1")
    with Server(target, *flags, cwd=tmp_path, ready=False) as server:
        server.wait_for_log("hangs")
        server.stop(signal.SIGTERM, 20)
        server.all_gone()


def test_a_startup_that_exits_is_its_exit_code_or_3(write: Write, tmp_path: Path, loop: str) -> None:
    result = run_to_end("run", write("await receive()\nsys.exit(7)"), "--port", "0", "--loop", loop, cwd=tmp_path)
    assert result.returncode in (3, 7)
    assert " serves " not in result.stderr


# ---- shutdown that fails


SHUTDOWN_FAILED = """\
await receive()
await send({"type": "lifespan.startup.complete"})
await receive()
await send({"type": "lifespan.shutdown.failed", "message": "the queue did not empty"})
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_shutdown_that_failed_says_so(write: Write, tmp_path: Path, loop: str, workers: str) -> None:
    """T44: exit 1 after the line; with workers the code is the supervisor's own."""
    with Server(write(SHUTDOWN_FAILED), "--loop", loop, "--workers", workers, cwd=tmp_path) as server:
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        code = server.stop()
        server.all_gone()
        assert server.err.text.count("the application could not shut down: the queue did not empty") == int(workers)
        assert code == 1


RAISES_AT_SHUTDOWN = """\
await receive()
await send({"type": "lifespan.startup.complete"})
await receive()
raise LookupError("the queue did not empty")
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_shutdown_that_raises_is_exit_1_and_says_what(write: Write, tmp_path: Path, loop: str, workers: str) -> None:
    with Server(write(RAISES_AT_SHUTDOWN), "--loop", loop, "--workers", workers, cwd=tmp_path) as server:
        code = server.stop()
        server.all_gone()
        assert server.err.text.count("its lifespan raised LookupError: the queue did not empty") == int(workers)
        assert f'File "{tmp_path}/shop.py", line ' in server.err.text
        assert "never retrieved" not in server.err.text
        assert code == 1


ENDS_EARLY = """\
await receive()
await send({"type": "lifespan.startup.complete"})
"""


def test_a_lifespan_that_returns_after_its_startup(write: Write, tmp_path: Path, loop: str) -> None:
    """Served on; nothing to shut down, nothing that failed."""
    with Server(write(ENDS_EARLY), "--loop", loop, cwd=tmp_path) as server:
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        assert server.stop() == 0


RAISES_WHILE_SERVING = """\
await receive()
await send({"type": "lifespan.startup.complete"})
await asyncio.sleep(0)
raise LookupError("the lifespan broke")
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_lifespan_that_raises_while_serving(write: Write, tmp_path: Path, loop: str, workers: str) -> None:
    """Served on; the exception is told at once with its traceback, and is the exit code in the end."""
    with Server(write(RAISES_WHILE_SERVING), "--loop", loop, "--workers", workers, cwd=tmp_path) as server:
        told = server.wait_for("lifespan.failed")
        assert f'File "{tmp_path}/shop.py", line ' in told
        assert 'lifespan.failed error="LookupError: the lifespan broke"' in told
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        assert server.stop() == 1
        server.all_gone()
        assert "its lifespan raised LookupError: the lifespan broke" in server.err.text
        assert server.err.text.count("Traceback") == int(workers), "told once by each"


# Starlette's way: its lifespan answers before it raises, whoever asked.
SAYS_SO_WHILE_SERVING = """\
import traceback
await receive()
await send({"type": "lifespan.startup.complete"})
try:
    await asyncio.sleep(0)
    raise LookupError("the lifespan broke")
except BaseException:
    await send({"type": "lifespan.shutdown.failed", "message": traceback.format_exc()})
    raise
"""


def test_a_lifespan_that_says_while_serving_that_it_failed(write: Write, tmp_path: Path, loop: str) -> None:
    """Its own words, not that nobody asked."""
    with Server(write(SAYS_SO_WHILE_SERVING), "--loop", loop, cwd=tmp_path) as server:
        told = server.wait_for("lifespan.failed")
        assert 'raise LookupError("the lifespan broke")' in told
        with Client(server.address) as client:
            assert client.get("/").body == b"served"
        assert server.stop() == 1
        server.all_gone()
        assert "RuntimeError" not in server.err.text
        assert server.err.text.count("Traceback") == 1
        assert "could not shut down: LookupError: the lifespan broke" in server.err.text


# ---- wrong messages


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"type": "lifespan.startup.completed"}, "lifespan.startup.completed"),
        ({"type": "http.response.start"}, "http.response.start"),
        ({}, "None"),
        ({"type": "lifespan.shutdown.complete"}, "lifespan.shutdown.complete"),
    ],
)
def test_a_wrong_answer_is_refused(write: Write, tmp_path: Path, message: dict[str, str], says: str) -> None:
    result = run_to_end(
        "run", write(f"await receive()\nawait send({message!r})"), "--port", "0", "--lifespan", "on", cwd=tmp_path
    )
    assert result.returncode == 3
    assert says in result.stderr.splitlines()[-1]


def test_answering_twice_is_refused(write: Write, tmp_path: Path, loop: str) -> None:
    twice = """\
await receive()
await send({"type": "lifespan.startup.complete"})
try:
    await send({"type": "lifespan.startup.complete"})
except RuntimeError as error:
    print(error, flush=True)
await receive()
await send({"type": "lifespan.shutdown.complete"})
"""
    with Server(write(twice), "--loop", loop, cwd=tmp_path) as server:
        server.wait_for_log("answered already")
        assert server.stop() == 0


# ---- what a lifespan may do


USES_THE_LOOP = f"""\
async def tick():
    while True:
        await asyncio.sleep(0.001)
        ticks.append(1)
await receive()
task = asyncio.create_task(tick())
await asyncio.to_thread(lambda: None)
async with asyncio.timeout(10):
    await asyncio.sleep(0.01)
await send({{"type": "lifespan.startup.complete"}})
await receive()
task.cancel()
{say("stopping")}
print(len(ticks) > 0, flush=True)
await send({{"type": "lifespan.shutdown.complete"}})
"""


def test_tasks_of_the_lifespan_live_as_long_as_the_server(write: Write, tmp_path: Path, loop: str) -> None:
    """They hold up neither the drain nor the end."""
    with Server(write(USES_THE_LOOP, "ticks = []"), "--loop", loop, cwd=tmp_path) as server:
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 15
        server.all_gone()
        assert server.out.text.splitlines() == ["stopping", "True"]


def test_one_lifespan_for_each_worker(write: Write, tmp_path: Path, loop: str) -> None:
    started = "os.write(1, f'starting {os.getpid()}\\n'.encode())"  # in one piece: both write to one pipe
    target = write(COMPLETE.replace(say("starting"), started))
    with Server(target, "--loop", loop, "--workers", "2", cwd=tmp_path) as server:
        server.out.wait(lambda text: text.count("\n") == 2, "two lifespans")
        pids = {int(line.split()[1]) for line in server.out.text.splitlines()}
        assert pids == set(server.workers())
        assert server.stop() == 0
        server.all_gone()
        assert server.out.text.count("stopped") == 2


def test_a_wsgi_application_has_none(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("def app(environ, start):\n    start('200 OK', [])\n    return [b'wsgi']\n")
    with Server("plain:app", "--lifespan", "on", cwd=tmp_path) as server, Client(server.address) as client:
        assert client.get("/").body == b"wsgi"


def test_uvloop_that_is_not_installed_is_said(tmp_path: Path, write: Write) -> None:
    target = write("raise ValueError")
    (tmp_path / "uvloop.py").write_text("raise ImportError('no module named uvloop')")
    command = [sys.executable, "-P", "-m", "lanner", "run", target, "--port", "0", "--loop", "uvloop"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("lanner: --loop uvloop: uvloop is not installed")
