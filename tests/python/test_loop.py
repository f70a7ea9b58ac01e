"""The engine as a selector, beside the standard library's."""

import asyncio
import logging
import os
import re
import selectors
import socket
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from lanner import _core
from lanner.asgi.driver import loop_factory
from lanner.loop import EngineLoop, EngineSelector, SelectorLoop, new_event_loop, run
from lanner.loop.selector import descriptor_of
from lanner.loop.watchdog import Watchdog

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
MAKERS: dict[str, Callable[[], selectors.BaseSelector]] = {
    "engine": lambda: EngineSelector(_core.Poller()),
    "standard": selectors.DefaultSelector,
}


@pytest.fixture(params=list(MAKERS))
def selector(request: pytest.FixtureRequest) -> Iterator[selectors.BaseSelector]:
    """Whatever is claimed here holds for both."""
    made = MAKERS[request.param]()
    yield made
    made.close()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    yield one, other
    one.close()
    other.close()


Pair = tuple[socket.socket, socket.socket]


def ready(selector: selectors.BaseSelector, timeout: float | None = 0) -> list[tuple[int, int, object]]:
    return sorted((key.fd, events, key.data) for key, events in selector.select(timeout))


def test_reading(selector: selectors.BaseSelector, pair: Pair) -> None:
    key = selector.register(pair[0], READ, "data")
    assert (key.fileobj, key.fd, key.events, key.data) == (pair[0], pair[0].fileno(), READ, "data")
    assert ready(selector) == []
    pair[1].send(b"x")
    assert ready(selector, None) == [(pair[0].fileno(), READ, "data")]
    assert ready(selector) == [(pair[0].fileno(), READ, "data")]  # until it is read
    pair[0].recv(1)
    assert ready(selector) == []


def test_writing_and_both(selector: selectors.BaseSelector, pair: Pair) -> None:
    selector.register(pair[0], WRITE)
    assert ready(selector) == [(pair[0].fileno(), WRITE, None)]
    pair[1].send(b"x")
    assert ready(selector) == [(pair[0].fileno(), WRITE, None)]
    selector.modify(pair[0], READ | WRITE, 5)
    assert ready(selector) == [(pair[0].fileno(), READ | WRITE, 5)]
    selector.modify(pair[0], READ)
    assert ready(selector) == [(pair[0].fileno(), READ, None)]


def test_a_peer_that_is_gone_is_readable(selector: selectors.BaseSelector, pair: Pair) -> None:
    selector.register(pair[0], READ)
    pair[1].close()
    assert ready(selector) == [(pair[0].fileno(), READ, None)]


def test_a_pipe_without_reader_is_writable(selector: selectors.BaseSelector) -> None:
    read_end, write_end = os.pipe()
    selector.register(write_end, WRITE)
    os.close(read_end)
    assert ready(selector) == [(write_end, WRITE, None)]
    selector.unregister(write_end)
    os.close(write_end)


def test_unregistered_is_not_told(selector: selectors.BaseSelector, pair: Pair) -> None:
    selector.register(pair[0], READ, "data")
    pair[1].send(b"x")
    assert selector.unregister(pair[0]).data == "data"
    assert ready(selector) == []
    selector.register(pair[0].fileno(), READ)  # by its number now
    assert ready(selector) == [(pair[0].fileno(), READ, None)]


def test_mistakes(selector: selectors.BaseSelector, pair: Pair) -> None:
    selector.register(pair[0], READ)
    for call in (
        lambda: selector.register(pair[0], READ),
        lambda: selector.register(pair[0].fileno(), READ),
        lambda: selector.unregister(pair[1]),
        lambda: selector.modify(pair[1], READ),
        lambda: selector.get_key(pair[1]),
    ):
        with pytest.raises(KeyError):
            call()
    for call in (
        lambda: selector.register(pair[1], 0),
        lambda: selector.register(pair[1], 7),
        lambda: selector.register(-1, READ),
        lambda: selector.register("x", READ),  # type: ignore[arg-type]
        lambda: selector.register(None, READ),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="nvalid"):
            call()
    with pytest.raises(OSError, match=r"."):
        selector.register(9999, READ)
    with pytest.raises(OSError, match=r"."), open(os.devnull) as file:
        selector.register(file, READ)  # epoll takes no files that are always ready
    selector.register(pair[1], READ)  # none of them has left anything behind


def test_a_file_that_was_closed_can_be_unregistered(selector: selectors.BaseSelector) -> None:
    """asyncio's transports do so, and the descriptor may belong to another file by then."""
    one, other = socket.socketpair()
    selector.register(one, READ)
    one.close()
    selector.unregister(one)
    again, more = socket.socketpair()
    selector.register(again, READ)
    more.send(b"x")
    assert ready(selector) == [(again.fileno(), READ, None)]
    for each in (other, again, more):
        each.close()


def test_the_map_is_looked_up_by_file_and_by_number(selector: selectors.BaseSelector, pair: Pair) -> None:
    """asyncio does both (3.12: `selector.get_map().get(fileobj)`)."""
    key = selector.register(pair[0], READ)
    found = selector.get_map()
    assert found is not None
    assert found.get(pair[0]) is key
    assert found.get(pair[0].fileno()) is key
    assert found[pair[0]] is key
    assert found.get(pair[1]) is None
    assert len(found) == 1
    assert selector.get_key(pair[0]) is key


def test_time_limits(selector: selectors.BaseSelector, pair: Pair) -> None:
    selector.register(pair[0], READ)
    for timeout in (-1, 0, 0.0, 0.03):
        began = time.monotonic()
        assert selector.select(timeout) == []
        assert max(timeout, 0) <= time.monotonic() - began < max(timeout, 0) + 5


def test_many_descriptors(selector: selectors.BaseSelector) -> None:
    pairs = [socket.socketpair() for _ in range(200)]
    for number, (one, other) in enumerate(pairs):
        selector.register(one, READ, number)
        other.send(b"x")
    found: set[object] = set()
    while len(found) < 200:
        for key, _ in selector.select(0):
            found.add(key.data)
            selector.unregister(key.fileobj)
    assert selector.select(0) == []
    for one, other in pairs:
        one.close()
        other.close()


def test_wake_ends_a_select_of_another_thread() -> None:
    poller = _core.Poller()
    selector = EngineSelector(poller)
    threading.Timer(0.02, poller.wake).start()
    began = time.monotonic()
    assert selector.select(30) == []
    assert time.monotonic() - began < 20


def test_the_poller_is_a_descriptor_that_others_can_watch(pair: Pair) -> None:
    """How another loop drives the engine."""
    inner = EngineSelector(_core.Poller())
    inner.register(pair[0], READ)
    with selectors.DefaultSelector() as outer:
        outer.register(inner.poller.fileno(), READ)
        assert outer.select(0) == []
        pair[1].send(b"x")
        assert len(outer.select(5)) == 1
        assert ready(inner) == [(pair[0].fileno(), READ, None)]
        outer.unregister(inner.poller.fileno())


def test_select_inside_select_is_refused() -> None:
    assert "select" in dir(_core.Poller())
    with pytest.raises(TypeError):
        _core.Poller().select("soon")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["x", None, object(), 1.5])
def test_descriptor_of_what_is_none(wrong: object) -> None:
    with pytest.raises(ValueError, match="Invalid file object"):
        descriptor_of(wrong)


# ---- the loop


def test_engine_loop_is_asyncios_own_with_another_selector() -> None:
    loop = EngineLoop()
    assert isinstance(loop, asyncio.SelectorEventLoop)
    assert loop.run_until_complete(asyncio.sleep(0, "slept")) == "slept"
    loop.close()
    assert loop.is_closed()


def test_engine_loops_leave_no_descriptors() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        loop = EngineLoop()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
    del loop
    assert len(os.listdir("/proc/self/fd")) <= before


def test_call_soon_takes_what_asyncios_takes() -> None:
    loop, found = EngineLoop(), []
    loop.call_soon(found.append, 1)
    loop.call_soon(lambda *args: found.append(args), *range(12))
    handle = loop.call_soon(found.append, 2)
    handle.cancel()
    assert isinstance(handle, asyncio.Handle)
    with pytest.raises(TypeError):
        loop.call_soon()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        loop.call_soon(found.append, 3, wrong=4)  # type: ignore[call-arg]
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    assert found == [1, tuple(range(12))]


def test_two_loops_in_two_threads() -> None:
    found: list[str] = []

    async def main() -> None:
        await asyncio.sleep(0.01)
        found.append(type(asyncio.get_running_loop()).__name__)

    def work() -> None:
        with asyncio.Runner(loop_factory=EngineLoop) as runner:
            runner.run(main())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == ["EngineLoop"] * 4


@pytest.mark.parametrize(("name", "made"), [("auto", EngineLoop), ("lanner", EngineLoop), ("asyncio", SelectorLoop)])
def test_loop_factory(name: str, made: type) -> None:
    assert loop_factory(name) is made


def test_the_loop_of_asyncio_is_asyncios_own_code() -> None:
    """But its way to wait, and that it refuses to run in a forked child."""
    assert SelectorLoop.__mro__[1] is asyncio.SelectorEventLoop
    own = set(vars(SelectorLoop)) - {"__module__", "__doc__", "__firstlineno__", "__static_attributes__"}
    assert own == {"__init__", "run_forever"}


@pytest.mark.parametrize("make", [EngineLoop, SelectorLoop])
def test_a_loop_of_before_a_fork_does_not_run_in_the_child(make: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """A new one does, and the parent's goes on."""
    loop = make()
    child = os.fork()
    if not child:
        code = 1
        try:
            loop.run_forever()
        except RuntimeError as error:
            made = make()
            code = 0 if "before a fork" in str(error) and made.run_until_complete(asyncio.sleep(0, 7)) == 7 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert loop.run_until_complete(asyncio.sleep(0, "parent")) == "parent"
    loop.close()


def test_a_closed_loop_holds_no_descriptor_while_somebody_holds_it() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    loop = EngineLoop()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    loop.close()
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert loop.is_closed()


def test_loop_factory_of_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")
    loop = loop_factory("uvloop")()
    assert isinstance(loop, uvloop.Loop)
    loop.close()


# ---- run()


async def kind_of_loop() -> tuple[type, bool]:
    loop = asyncio.get_running_loop()
    return type(loop), loop.get_debug()


def test_run_makes_an_engine_loop_and_closes_it() -> None:
    async def main() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    loop = run(main())
    assert isinstance(loop, EngineLoop)
    assert loop.is_closed()
    assert run(kind_of_loop()) == (EngineLoop, False)
    assert run(kind_of_loop(), debug=True) == (EngineLoop, True)


def test_run_cancels_what_is_left_and_ends_generators() -> None:
    found = []

    async def left() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            found.append("cancelled")

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            found.append("closed")

    async def main() -> int:
        tasks.append(asyncio.create_task(left()))
        await asyncio.sleep(0)
        generators.append(numbers())
        return await anext(generators[0])

    tasks: list[asyncio.Task[None]] = []
    generators: list[AsyncIterator[int]] = []
    assert run(main()) == 1
    assert found == ["cancelled", "closed"]


def raised(call: Callable[[], object]) -> tuple[type, str]:
    try:
        call()
    except Exception as error:
        return type(error), str(error)
    raise AssertionError("nothing was raised")


def test_run_raises_what_asyncios_raises() -> None:
    async def fails() -> None:
        raise LookupError("of main")

    def inside(runs: Callable[..., object]) -> object:
        async def main() -> object:
            return runs(None)

        return asyncio.run(main())

    for call in (
        lambda runs: runs(5),
        lambda runs: runs(fails),
        lambda runs: runs(fails()),
        lambda runs: inside(runs),
    ):
        assert raised(lambda call=call: call(run)) == raised(lambda call=call: call(asyncio.run))


def test_a_factory_of_runners_and_a_loop_by_hand() -> None:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        assert runner.run(kind_of_loop()) == (EngineLoop, False)
    loop = new_event_loop()
    try:
        assert loop.run_until_complete(kind_of_loop()) == (EngineLoop, False)
    finally:
        loop.close()


# ---- debug mode


class Records(logging.Handler):
    """What the logger "asyncio" was told; an event for who waits for a line that begins in some way."""

    def __init__(self, start: str) -> None:
        super().__init__()
        self.start = start
        self.texts: list[str] = []
        self.came = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
        if self.texts[-1].startswith(self.start):
            self.came.set()


@pytest.fixture
def blocked_lines() -> Iterator[Records]:
    records = Records("The loop has been blocked for ")
    logging.getLogger("asyncio").addHandler(records)
    yield records
    logging.getLogger("asyncio").removeHandler(records)


def test_a_blocked_loop_is_reported_with_its_stack_while_it_is_blocked(blocked_lines: Records) -> None:
    def hangs_in_here() -> None:
        assert blocked_lines.came.wait(30), "nobody has said it"

    async def main() -> None:
        asyncio.get_running_loop().slow_callback_duration = 0.02
        hangs_in_here()

    run(main(), debug=True)
    reports = [text for text in blocked_lines.texts if text.startswith(blocked_lines.start)]
    assert len(reports) == 1
    first, *stack = reports[0].splitlines()
    assert float(first.split()[6]) >= 0.02
    assert "in hangs_in_here" in reports[0]
    assert "came.wait(30)" in stack[-1] or "in wait" in reports[0]


def test_a_block_is_reported_once(blocked_lines: Records) -> None:
    found: list[bool] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, EngineLoop)
        loop.slow_callback_duration = 0.0
        dog = Watchdog(loop)  # in this very thread: it looks when it is asked to
        for _ in range(2):
            found.extend(dog.look() for _ in range(3))
            await asyncio.sleep(0.002)  # another turn, in another millisecond

    run(main())
    assert found == [True, False, False] * 2


def test_a_loop_that_waits_is_not_blocked(blocked_lines: Records) -> None:
    """Another thread looks at it from when it waits on."""
    seen: list[tuple[bool, float]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, EngineLoop)
        loop.slow_callback_duration = 0.0
        dog, told = Watchdog(loop), asyncio.Event()

        def look() -> None:
            while loop.turn_started:
                pass
            seen.append((dog.look(), loop.turn_started))
            loop.call_soon_threadsafe(told.set)

        thread = threading.Thread(target=look)
        thread.start()
        await told.wait()
        thread.join()

    run(main())
    assert seen == [(False, 0.0)]
    assert blocked_lines.texts == []


def test_without_debug_mode_there_is_no_watchdog() -> None:
    async def main() -> list[str]:
        return [thread.name for thread in threading.enumerate()]

    assert "lanner loop watchdog" not in run(main())
    assert "lanner loop watchdog" in run(main(), debug=True)
    assert "lanner loop watchdog" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.parametrize("make", [EngineLoop, asyncio.SelectorEventLoop])
def test_slow_callbacks_are_logged_as_asyncios(make: Callable[[], asyncio.AbstractEventLoop]) -> None:
    records = Records("Executing ")

    def slow() -> None: ...

    async def main() -> None:
        await asyncio.sleep(0)

    logging.getLogger("asyncio").addHandler(records)
    loop = make()
    loop.set_debug(True)
    loop.slow_callback_duration = 0.0
    loop.call_soon(slow)
    loop.call_later(0, slow)
    loop.run_until_complete(main())
    loop.close()
    logging.getLogger("asyncio").removeHandler(records)
    kinds = [re.sub(r"0x\w+|\d+\.\d+|:\d+", "N", text) for text in records.texts if text.startswith("Executing ")]
    here = re.sub(r"\W", ".", __name__)
    assert (
        sum(bool(re.match(rf"Executing <Handle .*slow\(\) at .*{here}.* took N seconds", kind)) for kind in kinds) == 1
    )
    assert sum("<TimerHandle when=N" in kind for kind in kinds) == 1
    assert sum("<Task " in kind for kind in kinds) >= 2


def test_a_closed_loop_keeps_no_threads_that_have_ended() -> None:
    """CPython's own tests wait a second for each of them."""
    loop = EngineLoop()
    found = [loop.run_until_complete(loop.run_in_executor(None, threading.current_thread))]
    loop.close()
    found[0].join(30)
    gone = weakref.ref(found.pop())
    assert gone() is None
    assert loop.is_closed()
