"""Signals that come while a server starts, and those that mean something else: nothing is lost, nothing is killed.

At each step the process says where it is before the signal is sent; nothing here waits for a time.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Server, children, until
from tests.support.wire import Client, refuses, request

pytest_plugins = ["asgi_fixtures"]

NUMBERS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
WORKERS = [pytest.param((), id="single"), pytest.param(("--workers", "2"), id="workers")]
Start = Callable[..., Server]

IMPORT = """
import os, time
try:
    os.write(1, b"importing\\n")
    while True:
        time.sleep(60)
finally:
    os.write(1, b"import ended\\n")
"""

LIFESPAN = """
import asyncio, os, signal

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        try:
            os.write(1, b"starting\\n")
            {wait}
            await send({{"type": "lifespan.startup.complete"}})
            await receive()
            os.write(1, b"shutting down\\n")
            await send({{"type": "lifespan.shutdown.complete"}})
        finally:
            await asyncio.sleep(0)
            os.write(1, b"cleaned up\\n")
        return
    await send({{"type": "http.response.start", "status": 200}})
    await send({{"type": "http.response.body", "body": b"served"}})
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts shop:app of that source, and does not wait for it."""
    with ExitStack() as stack:

        def run(source: str, *flags: str, **options: Any) -> Server:
            (tmp_path / "shop.py").write_text(source)
            return stack.enter_context(Server("shop:app", *flags, cwd=tmp_path, ready=False, **options))

        yield run


def said(server: Server, text: str, flags: tuple[str, ...]) -> None:
    """So many processes have said it as there are workers."""
    count = 2 if flags else 1
    server.out.wait(lambda all: all.count(text) == count, f"{count} x {text}")


@pytest.mark.parametrize("flags", WORKERS)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_during_the_import_ends_it(start: Start, number: int, flags: tuple[str, ...]) -> None:
    """Its `finally` runs; the exit code is that of a stop, and there is no traceback."""
    server = start(IMPORT, *flags)
    said(server, "importing", flags)
    assert server.stop(number) == 0
    server.all_gone()
    said(server, "import ended", flags)
    assert "Traceback" not in server.err.text
    if not flags:
        assert f"stopped by {signal.Signals(number).name} before it served" in server.err.text


SWALLOWS = """
import os, time
try:
    os.write(1, b"importing\\n")
    while True:
        time.sleep(60)
except BaseException:
    pass

def app(environ, start_response):
    raise AssertionError("it never serves")
"""


@pytest.mark.parametrize("flags", WORKERS)
def test_an_import_that_swallows_everything_is_not_served(start: Start, flags: tuple[str, ...]) -> None:
    server = start(SWALLOWS, *flags)
    said(server, "importing", flags)
    assert server.stop() == 0
    server.all_gone()


STUBBORN = """
import os, signal, time
said = False
while True:
    try:
        if not said:
            said = True
            os.write(1, b"importing\\n")
        signal.pause()
    except BaseException:
        os.write(1, b"swallowed\\n")
"""


def test_a_second_signal_during_the_import_ends_at_once(start: Start) -> None:
    server = start(STUBBORN)
    said(server, "importing", ())
    server.send_signal(signal.SIGTERM)
    said(server, "swallowed", ())

    def ended() -> bool:
        if server.process.poll() is None:
            server.send_signal(signal.SIGTERM)  # soon after the first it counts as the same
        return server.process.poll() is not None

    until(ended, "the end")
    assert server.wait() == 128 + signal.SIGTERM


@pytest.mark.parametrize("flags", WORKERS)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_during_the_lifespans_start_lets_it_clean_up(
    start: Start, loop: str, number: int, flags: tuple[str, ...]
) -> None:
    server = start(LIFESPAN.format(wait="await asyncio.sleep(3600)"), "--loop", loop, *flags)
    said(server, "starting", flags)
    assert server.stop(number) == 0
    server.all_gone()
    said(server, "cleaned up", flags)
    assert "shutting down" not in server.out.text
    assert "Traceback" not in server.err.text


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_just_before_the_start_is_complete_ends_in_order(start: Start, loop: str, number: int) -> None:
    """It is sent by the application itself: in the same step that completes the start."""
    server = start(LIFESPAN.format(wait=f"os.kill(os.getpid(), {int(number)})"), "--loop", loop)
    assert server.wait() == 0
    server.all_gone()
    assert "cleaned up" in server.out.text
    assert "Traceback" not in server.err.text


def test_as_process_1_signals_are_heard(start: Start, tmp_path: Path) -> None:
    """The kernel drops what process 1 of a container has no handler for."""
    unshare = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if os.system(" ".join([*unshare, "true", "2>/dev/null"])) != 0:
        pytest.skip("no permission to make a name space of processes")
    for source, text in ((IMPORT, "importing"), (LIFESPAN.format(wait="await asyncio.sleep(3600)"), "starting")):
        (tmp_path / "shop.py").write_text(source)
        server = start(source, wrapper=unshare)
        said(server, text, ())
        (inner,) = children(server.pid)
        os.kill(inner, signal.SIGTERM)
        assert server.wait() == 0
        server.all_gone()
        assert ("import ended" if source is IMPORT else "cleaned up") in server.out.text


# ---- SIGHUP: there is no reload


WAITS = """
import asyncio, os
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        raise LookupError
    os.write(1, b"waits\\n")
    while not os.path.exists("go"):
        await asyncio.sleep(0.01)
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"waited"})
"""

WAITS_WSGI = """
import os, time
def app(environ, start_response):
    os.write(1, b"waits\\n")
    while not os.path.exists("go"):
        time.sleep(0.01)
    start_response("200 OK", [("Content-Length", "6")])
    return [b"waited"]
"""


@pytest.mark.parametrize("flags", [(), ("--workers", "2"), ("--threads", "2")], ids=["single", "workers", "threads"])
@pytest.mark.parametrize("source", [WAITS, WAITS_WSGI], ids=["asgi", "wsgi"])
def test_sighup_drains_and_says_what_to_use(start: Start, tmp_path: Path, source: str, flags: tuple[str, ...]) -> None:
    server = start(source, *flags)
    server.err.wait(lambda text: "stops it" in text, "the banner")
    with Client(server.address) as client:
        client.send(request("GET", "/"))
        server.wait_for_log("waits")
        server.send_signal(signal.SIGHUP)
        if source is WAITS or flags:
            server.wait_for("server.stop signal=SIGHUP hint=")
        if source is WAITS:
            until(lambda: refuses(server.address), "the port is given up")
        (tmp_path / "go").touch()
        assert client.read().body == b"waited"
    assert server.wait() == 0
    server.all_gone()
    assert "there is no reload yet" in server.err.text


@pytest.mark.parametrize("flags", WORKERS)
def test_sighup_that_is_ignored_stays_so(start: Start, flags: tuple[str, ...]) -> None:
    """nohup(1)."""
    server = start(WAITS_WSGI, *flags, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    server.err.wait(lambda text: "stops it" in text, "the banner")
    server.send_signal(signal.SIGHUP)
    assert server.stop(signal.SIGTERM) == 0
    assert "SIGHUP" not in server.err.text


def test_sighup_that_the_application_handles_is_its_own(start: Start) -> None:
    handles = "import os, signal\nsignal.signal(signal.SIGHUP, lambda *_: os.write(1, b'its own\\n'))\n"
    server = start(handles + WAITS)
    server.err.wait(lambda text: "stops it" in text, "the banner")
    server.send_signal(signal.SIGHUP)
    server.wait_for_log("its own")
    assert server.stop() == 0
    assert "no reload" not in server.err.text


# ---- lanner.run() in a program of the user's

PROGRAM = """
import signal, sys
import lanner
before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
lanner.run("shop:app", port=0)
assert before == [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
print("goes on", flush=True)
"""


@pytest.mark.parametrize(
    ("source", "text"), [(IMPORT, "importing"), (LIFESPAN, "starting")], ids=["import", "lifespan"]
)
def test_a_program_gets_its_handlers_back(start: Start, tmp_path: Path, source: str, text: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    source = source.format(wait="await asyncio.sleep(3600)") if source is LIFESPAN else source
    server = start(source, program=[sys.executable, "program.py"])
    said(server, text, ())
    assert server.stop() == 0
    server.all_gone()
    assert "goes on" in server.out.text
