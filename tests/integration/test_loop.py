"""`await lanner.serve(app, ...)` in loops of others and in EngineLoop; EngineLoop as a loop without any server."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.server import APPS, Output, address_of, environment
from tests.support.wire import Client

RUNNERS = {
    "asyncio": "asyncio.run(main())",
    "uvloop": "uvloop.run(main())",
    "runner of uvloop": "with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner: runner.run(main())",
    "engine": "lanner.loop.run(main())",
    "selector": "with asyncio.Runner(loop_factory=SelectorLoop) as runner: runner.run(main())",
    "thread": "(thread := threading.Thread(target=asyncio.run, args=(main(),))).start(); thread.join()",
}

HEAD = """\
import asyncio, os, signal, sys, threading
import lanner, uvloop
from lanner.errors import AppError, ConfigError, ListenError
from lanner.loop import EngineLoop, SelectorLoop

def say(*words):
    print(*words, flush=True)

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        say("started")
        await send({"type": "lifespan.startup.complete"})
        await receive()
        say("shut down")
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["path"] == "/wait":
        say("waits")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            say("cancelled")
            raise
    await asyncio.sleep(0)
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"served in " + type(asyncio.get_running_loop()).__name__.encode()})

async def get(port, path="/"):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n".encode())
    data = await reader.read()
    writer.close()
    return data.rpartition(b"\\r\\n\\r\\n")[2].decode()

async def until_served(port):
    while True:
        try:
            return await get(port)
        except ConnectionRefusedError:
            await asyncio.sleep(0.005)

def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

"""


class Program:
    """A Python program that runs; its output, and its end."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout
        assert process.stderr
        self.process = process
        self.out = Output(process.stdout)
        self.err = Output(process.stderr)

    def client(self) -> Client:
        text = self.err.wait(lambda text: "stops it" in text, "the banner")
        url = text.partition(" on ")[2].split("\n")[0].split(", ")[0]
        return Client(address_of(url))

    def end(self, code: int = 0) -> list[str]:
        """Its output, once it has ended by itself; nothing on stderr but the banner."""
        assert self.process.wait(30) == code, self.err.text
        for output in (self.out, self.err):
            output.thread.join(10)
        usual = (" serves ", "stops it", "warn drain.forced ")
        assert [line for line in self.err.text.splitlines() if not any(words in line for words in usual)] == []
        return self.out.text.splitlines()


Start = Callable[..., Program]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Runs HEAD and the given source."""
    started: list[Program] = []

    def begin(source: str) -> Program:
        (tmp_path / "program.py").write_text(HEAD + source)
        command = [sys.executable, "-W", "error", "program.py"]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        started.append(Program(process))
        return started[-1]

    yield begin
    for program in started:
        if program.process.poll() is None:
            program.process.kill()
            program.process.wait()
            print(program.out.text, program.err.text)


@contextmanager
def ended(program: Program) -> Iterator[Client]:
    with program.client() as client:
        yield client


@pytest.fixture(params=list(RUNNERS))
def runner(request: pytest.FixtureRequest) -> str:
    return RUNNERS[request.param]


@pytest.fixture(params=[name for name in RUNNERS if name != "thread"])
def main_runner(request: pytest.FixtureRequest) -> str:
    return RUNNERS[request.param]


# ---- until a signal

UNTIL_A_SIGNAL = """
async def main():
    say("before")
    await lanner.serve(app, port=0)
    say("after")
    await asyncio.sleep(0.01)
    say(await asyncio.to_thread(lambda: "the loop goes on"))

"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_until_a_signal(start: Start, main_runner: str, number: int) -> None:
    program = start(UNTIL_A_SIGNAL + main_runner)
    with program.client() as client:
        for _ in range(3):
            assert client.get("/").body.startswith(b"served in ")
        program.process.send_signal(number)
        client.expect_end()
    assert program.end() == ["before", "started", "shut down", "after", "the loop goes on"]


def test_the_signal_handlers_are_given_back(start: Start, main_runner: str) -> None:
    source = """
async def main():
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    await lanner.serve(app, port=0)
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    os.kill(os.getpid(), signal.SIGTERM)
    await told.wait()
    say("told")
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)

"""
    program = start(source + main_runner)
    with program.client() as client:
        client.get("/")
        program.process.terminate()
        assert program.end() == ["started", "shut down", "told"]


# ---- until it is cancelled

CANCELLED = """
async def main():
    port = free_port()
    serving = asyncio.create_task(lanner.serve(app, port=port))
    say((await until_served(port)).partition(" ")[0])
    waiting = asyncio.create_task(get(port, "/wait")) if WAIT else None
    while WAIT and not waits:
        await asyncio.sleep(0.005)
    serving.cancel()
    try:
        await serving
    except asyncio.CancelledError:
        say("CancelledError")
    if WAIT:
        try:
            say("got", repr(await waiting))
        except ConnectionError:
            say("got", repr(""))
    try:
        await get(port)
    except ConnectionRefusedError:
        say("refused")
    say(len(asyncio.all_tasks()))
    serving = asyncio.create_task(lanner.serve(app, port=port))
    say((await until_served(port)).partition(" ")[0])
    serving.cancel()
    await asyncio.wait({serving})

waits = []
say_really = say
def say(*words):
    waits.extend(words == ("waits",) and words or ())
    say_really(*words)

"""


def test_serve_that_is_cancelled_ends_in_order(start: Start, runner: str) -> None:
    """The lifespan too, and the port is free for another one."""
    program = start(CANCELLED.replace("WAIT", "False") + runner)
    one = ["started", "served", "shut down"]
    assert program.end() == [*one, "CancelledError", "refused", "1", *one]


def test_serve_that_is_cancelled_cuts_its_requests(start: Start, runner: str) -> None:
    program = start(CANCELLED.replace("WAIT", "True") + runner)
    found = program.end()
    assert found[:4] == ["started", "served", "waits", "cancelled"]
    assert found[4:] == ["shut down", "CancelledError", "got ''", "refused", "1", "started", "served", "shut down"]


@pytest.mark.parametrize("name", ["asyncio", "uvloop", "engine"])
def test_serve_in_a_timeout(start: Start, name: str) -> None:
    source = """
async def main():
    port = free_port()
    try:
        async with asyncio.timeout(2):
            async with asyncio.TaskGroup() as group:
                group.create_task(lanner.serve(app, port=port))
                say((await until_served(port)).partition(" ")[0])
    except TimeoutError:
        say("timed out")

"""
    assert start(source + RUNNERS[name]).end() == ["started", "served", "shut down", "timed out"]


# ---- together with others

TWO = """
async def main():
    first, second = free_port(), free_port()
    serving = [asyncio.create_task(lanner.serve(app, port=port)) for port in (first, second)]
    for port in (first, second):
        say((await until_served(port)).partition(" ")[0])
    for port in (first, second) * 3:
        assert (await get(port)).startswith("served")
    serving[0].cancel()
    await asyncio.wait({serving[0]})
    say((await get(second)).partition(" ")[0])
    serving[1].cancel()
    await asyncio.wait({serving[1]})

"""


@pytest.mark.parametrize("name", [name for name in RUNNERS if name not in ("engine", "selector")])
def test_two_servers_in_one_loop(start: Start, name: str) -> None:
    found = start(TWO + RUNNERS[name]).end()
    assert sorted(found[:4]) == ["served", "served", "started", "started"]
    assert found[4:] == ["shut down", "served", "shut down"]


def test_a_second_server_in_an_engine_loop_is_refused(start: Start) -> None:
    """It has one engine. The first goes on, and there may be another one afterwards."""
    source = """
async def main():
    port = free_port()
    for _ in range(2):
        serving = asyncio.create_task(lanner.serve(app, port=port))
        await until_served(port)
        try:
            await lanner.serve(app, port=0)
        except ConfigError as error:
            say("another loop" in str(error))
        say((await get(port)).partition(" ")[0])
        serving.cancel()
        await asyncio.wait({serving})

"""
    once = ["started", "True", "served", "shut down"]
    assert start(source + RUNNERS["engine"]).end() == once * 2


def test_other_work_of_the_loop_goes_on(start: Start, runner: str) -> None:
    """Hundreds of requests from the same loop, beside timers, threads and a child process."""
    source = """
async def main():
    port = free_port()
    ticks = 0
    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1
    ticking = asyncio.create_task(tick())
    serving = asyncio.create_task(lanner.serve(app, port=port))
    await until_served(port)
    answers = await asyncio.gather(*(get(port) for _ in range(200)))
    say(len(answers), set(answer.partition(" ")[0] for answer in answers))
    say(await asyncio.to_thread(lambda: "thread"))
    if threading.current_thread() is threading.main_thread():
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
        assert await child.wait() == 0
    assert ticks > 0
    for task in (ticking, serving):
        task.cancel()
    await asyncio.wait({ticking, serving})

"""
    assert start(source + runner).end() == ["started", "200 {'served'}", "thread", "shut down"]


# ---- mistakes


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("lanner.serve(app, port='x')", "ConfigError port: 'x' is not a whole number"),
        ("lanner.serve(app, workers=2)", "ConfigError workers=2"),
        ("lanner.serve('program:nothing', port=0)", "AppError cannot load program:nothing"),
        ("lanner.serve(wsgi, port=0)", "ConfigError __main__:wsgi is a WSGI application"),
        ("lanner.serve(fails, port=0)", "AppError __main__:fails: the application could not start: no database"),
        ("lanner.serve(app, port=taken.getsockname()[1])", "ListenError port"),
    ],
)
def test_what_can_not_start_raises(start: Start, main_runner: str, call: str, says: str) -> None:
    """No socket goes on listening, and the loop is fit for another one afterwards."""
    source = f"""
import gc, socket

def wsgi(environ, start_response):
    return []

async def fails(scope, receive, send):
    await receive()
    await send({{"type": "lifespan.startup.failed", "message": "no database"}})

async def main():
    taken = socket.create_server(("127.0.0.1", 0))
    for _ in range(2):
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        try:
            await {call}
        except (AppError, ConfigError, ListenError) as error:
            text = f"{{type(error).__name__}} {{error}}"
    gc.collect()
    say(text)
    say(len(os.listdir("/proc/self/fd")) - before, "descriptors more")
    port = free_port()
    serving = asyncio.create_task(lanner.serve(app, port=port))
    say((await until_served(port)).partition(" ")[0])
    serving.cancel()
    await asyncio.wait({{serving}})
    taken.close()

if __name__ == "__main__":
    """
    first, *rest = start(source + main_runner).end()
    assert first.startswith(says)
    assert rest == ["0 descriptors more", "started", "served", "shut down"]


def test_run_takes_an_asgi_application_object(start: Start) -> None:
    program = start("lanner.run(app, port=0)\nsay('goes on')\n")
    with program.client() as client:
        assert client.get("/").body == b"served in EngineLoop"
        program.process.terminate()
    assert program.end() == ["started", "shut down", "goes on"]


def test_run_in_a_thread_serves_without_signals(start: Start) -> None:
    source = """
thread = threading.Thread(target=lanner.run, args=(app,), kwargs={"port": 0, "loop": LOOP}, daemon=True)
thread.start()
sys.stdin.readline()
say("main thread ends")
sys.stdout.flush()
os._exit(0)
"""
    for loop in ("'auto'", "'uvloop'"):
        program = start(
            source.replace("LOOP", loop).replace("sys.stdin.readline()", "signal.sigwait([signal.SIGUSR1])")
        )
        with program.client() as client:
            assert client.get("/").body.startswith(b"served in ")
            program.process.send_signal(signal.SIGUSR1)
            assert program.process.wait(30) in (0, -signal.SIGUSR1)


def test_a_handler_that_blocks_the_loop_is_found_in_debug_mode(start: Start) -> None:
    source = """
os.environ["PYTHONASYNCIODEBUG"] = "1"
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})

def forgets_that_it_blocks():
    signal.sigwait({signal.SIGUSR1})

async def blocking(scope, receive, send):
    if scope["type"] == "http":
        forgets_that_it_blocks()
    await app(scope, receive, send)

lanner.run(blocking, port=0)
"""
    program = start(source)
    with program.client() as client:
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        text = program.err.wait(lambda text: "in forgets_that_it_blocks" in text, "where it is blocked")
        assert "The loop has been blocked for 0." in text
        program.process.send_signal(signal.SIGUSR1)
        assert client.read().body == b"served in EngineLoop"
        program.process.terminate()
    assert program.process.wait(30) == 0


# ---- EngineLoop alone


def test_engine_loop_without_a_server(start: Start) -> None:
    source = """
async def main():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(1)", stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    say(out.decode().strip())

for _ in range(3):
    with asyncio.Runner(loop_factory=EngineLoop) as runner:
        for _ in range(2):
            runner.run(main())
        loop = runner.get_loop()
    assert loop.is_closed()
say(len(os.listdir("/proc/self/fd")) < 20)
"""
    assert start(source).end() == ["1"] * 6 + ["True"]


def test_a_policy_and_a_backend_make_engine_loops(start: Start) -> None:
    """As docs/loop.md has it."""
    source = """
import anyio

async def main():
    say(type(asyncio.get_running_loop()).__name__)

class Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = EngineLoop

asyncio.set_event_loop_policy(Policy())
asyncio.run(main())
asyncio.set_event_loop_policy(None)
asyncio.run(main())
anyio.run(main, backend_options={"loop_factory": lanner.loop.new_event_loop})
"""
    assert start(source).end() == ["EngineLoop", "_UnixSelectorEventLoop", "EngineLoop"]


def test_engine_loop_refuses_what_asyncio_refuses(start: Start) -> None:
    source = """
loop = EngineLoop()
r, w = os.pipe()
loop.add_reader(r, lambda: None)
loop.add_reader(r, lambda: None)
for call in (
    lambda: loop.run_until_complete(5),
    lambda: loop.add_reader(-1, print),
    lambda: loop.add_reader("x", print),
    lambda: loop.add_reader(9999, print),
    lambda: loop.call_soon(),
    lambda: loop.call_soon(print, context=5).cancel(),
):
    try:
        call()
        say("no error")
    except Exception as error:
        say(type(error).__name__)
say(loop.remove_reader(r), loop.remove_reader(r))
loop.close()
for call in (lambda: loop.call_soon(print), lambda: loop.call_later(1, print), lambda: loop.run_forever()):
    try:
        call()
        say("no error")
    except RuntimeError as error:
        say(str(error))
loop.close()
os.close(r)
os.close(w)
"""
    ours = start(source).end()
    theirs = start(source.replace("EngineLoop()", "asyncio.SelectorEventLoop()")).end()
    assert ours == theirs


def test_ctrl_c_ends_a_runner_of_engine_loop(start: Start) -> None:
    source = """
async def main():
    try:
        say("sleeps")
        await asyncio.sleep(3600)
    finally:
        say("cancelled")

try:
    with asyncio.Runner(loop_factory=EngineLoop) as runner:
        runner.run(main())
except KeyboardInterrupt:
    say("KeyboardInterrupt")
"""
    program = start(source)
    program.out.wait(lambda text: "sleeps" in text, "it sleeps")
    program.process.send_signal(signal.SIGINT)
    assert program.end() == ["sleeps", "cancelled", "KeyboardInterrupt"]


SHARES = 4  # at a time: most of these tests wait


@pytest.mark.long
def test_cpythons_own_tests_pass_on_engine_loop() -> None:
    program = [sys.executable, str(APPS / "cpython_asyncio.py"), "--share"]
    shares = [
        subprocess.Popen(
            [*program, f"{number}/{SHARES}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        for number in range(1, SHARES + 1)
    ]
    ended = [(share.communicate(timeout=500)[0], share.returncode) for share in shares]
    if any(code == 77 for _, code in ended):
        pytest.skip(f"this interpreter has no test suite: {ended[0][0]}")
    for text, code in ended:
        assert code == 0, text
    assert sum(int(text.rstrip().rpartition("\n")[2].partition(" run")[0]) for text, _ in ended) > 1500
