"""The threads of a loop: run_in_executor(None, ...), asyncio.to_thread() and anyio's to_thread.run_sync()."""

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import pytest

from lanner.loop import EngineLoop, run
from lanner.loop.anyio_threads import lend_threads

DEADLINE_S = 20


def on_loop(main: Callable[[EngineLoop], Coroutine[Any, Any, Any]]) -> Any:
    async def start() -> Any:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, EngineLoop)
        async with asyncio.timeout(DEADLINE_S):
            return await main(loop)

    return run(start())


def test_a_result_and_an_exception_come_back() -> None:
    async def main(loop: EngineLoop) -> None:
        assert await loop.run_in_executor(None, divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError) as raised:
            await loop.run_in_executor(None, divmod, 7, 0)
        assert raised.value.__traceback__ is not None

    on_loop(main)


def test_it_runs_in_another_thread_named_as_asyncios() -> None:
    async def main(loop: EngineLoop) -> None:
        thread = await loop.run_in_executor(None, threading.current_thread)
        assert thread is not threading.current_thread()
        assert thread.name.startswith("asyncio_")

    on_loop(main)


def test_to_thread_takes_the_context_along() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")

    async def main(loop: EngineLoop) -> None:
        variable.set("of the task")
        assert await asyncio.to_thread(variable.get) == "of the task"
        with pytest.raises(LookupError):
            await loop.run_in_executor(None, variable.get)

    on_loop(main)


def test_blocking_calls_run_beside_each_other_up_to_the_maximum() -> None:
    async def main(loop: EngineLoop) -> None:
        loop.threads_max = 5
        barrier = threading.Barrier(5)
        more = [loop.run_in_executor(None, barrier.wait, DEADLINE_S) for _ in range(10)]
        assert sorted(await asyncio.gather(*more)) == sorted([*range(5), *range(5)])
        assert loop._threads is not None
        assert len(loop._threads.threads) == 5

    on_loop(main)


def test_one_call_after_another_needs_one_thread() -> None:
    async def main(loop: EngineLoop) -> None:
        names = {(await loop.run_in_executor(None, threading.current_thread)).name for _ in range(50)}
        assert names <= {"asyncio_0", "asyncio_1"}  # the second when the first had not gone back to wait yet

    on_loop(main)


def test_a_call_that_was_cancelled_before_its_turn_does_not_run() -> None:
    async def main(loop: EngineLoop) -> None:
        loop.threads_max = 1
        gate, ran = threading.Event(), []
        first = loop.run_in_executor(None, gate.wait, DEADLINE_S)
        second = loop.run_in_executor(None, ran.append, 2)
        second.cancel()
        gate.set()
        await first
        await loop.run_in_executor(None, int)
        assert ran == []
        with pytest.raises(asyncio.CancelledError):
            await second

    on_loop(main)


def test_a_call_that_was_cancelled_while_it_runs_ends_unheard() -> None:
    async def main(loop: EngineLoop) -> None:
        gate, begun = threading.Event(), threading.Event()

        def work() -> int:
            begun.set()
            gate.wait(DEADLINE_S)
            raise ValueError("nobody hears of it")

        future = loop.run_in_executor(None, work)
        while not begun.is_set():
            await asyncio.sleep(0)
        future.cancel()
        gate.set()
        assert await loop.run_in_executor(None, lambda: 3) == 3

    on_loop(main)


def test_stop_iteration_becomes_an_error_instead_of_silence() -> None:
    async def main(loop: EngineLoop) -> None:
        with pytest.raises(RuntimeError, match="StopIteration interacts badly") as raised:
            await loop.run_in_executor(None, next, iter(()))
        assert isinstance(raised.value.__cause__, StopIteration)

    on_loop(main)


def test_what_concurrent_futures_raise_becomes_asyncios() -> None:
    async def main(loop: EngineLoop) -> None:
        with pytest.raises(asyncio.CancelledError):
            await loop.run_in_executor(None, cancelled)
        with pytest.raises(asyncio.InvalidStateError):
            await loop.run_in_executor(None, finished)

    def cancelled() -> object:
        future: Future[object] = Future()
        future.cancel()
        return future.result()

    def finished() -> None:
        future: Future[object] = Future()
        future.set_result(1)
        future.set_result(2)

    on_loop(main)


def test_system_exit_in_a_thread_reaches_who_awaits() -> None:
    async def main(loop: EngineLoop) -> None:
        with pytest.raises(SystemExit):
            await loop.run_in_executor(None, sys.exit, 3)

    on_loop(main)


def test_an_executor_that_was_given_is_used() -> None:
    async def main(loop: EngineLoop) -> None:
        with ThreadPoolExecutor(1, "mine") as mine:
            thread = await loop.run_in_executor(mine, threading.current_thread)
            assert thread.name.startswith("mine")
        loop.set_default_executor(ThreadPoolExecutor(1, "default"))
        thread = await loop.run_in_executor(None, threading.current_thread)
        assert thread.name.startswith("default")
        with pytest.raises(TypeError, match="executor must be ThreadPoolExecutor instance"):
            loop.set_default_executor(object())  # type: ignore[arg-type]

    on_loop(main)


def test_shutdown_waits_for_what_runs_and_takes_nothing_more() -> None:
    async def main(loop: EngineLoop) -> None:
        ran: list[int] = []
        futures = [loop.run_in_executor(None, ran.append, number) for number in range(20)]
        await loop.shutdown_default_executor()
        assert sorted(ran) == list(range(20))
        await asyncio.gather(*futures)
        with pytest.raises(RuntimeError, match="Executor shutdown has been called"):
            await loop.run_in_executor(None, int)

    on_loop(main)


def test_a_closed_loop_refuses() -> None:
    loop = EngineLoop()
    loop.close()
    with pytest.raises(RuntimeError, match="Event loop is closed"):
        loop.run_in_executor(None, int)


def test_debug_mode_refuses_coroutine_functions() -> None:
    async def coroutine() -> None: ...

    async def main(loop: EngineLoop) -> None:
        loop.set_debug(True)
        with pytest.raises(TypeError, match=r"coroutines cannot be used with run_in_executor\(\)"):
            await loop.run_in_executor(None, coroutine)

    on_loop(main)


def test_closing_the_loop_under_a_running_call_leaves_nothing() -> None:
    class Token: ...

    gate, done = threading.Event(), threading.Event()
    token = Token()
    alive = weakref.ref(token)

    def work(value: object) -> object:
        gate.wait(DEADLINE_S)
        done.set()
        return value

    loop = EngineLoop()
    loop.run_in_executor(None, work, token)
    assert loop._threads is not None
    threads = list(loop._threads.threads)
    loop.close()
    gate.set()
    for thread in threads:
        thread.join(DEADLINE_S)
    assert done.is_set()
    alive_loop = weakref.ref(loop)
    del loop, threads, thread, token
    gc.collect()
    assert alive() is None
    assert alive_loop() is None


def test_ten_thousand_calls_leave_nothing() -> None:
    async def main(loop: EngineLoop) -> None:
        async def many() -> None:
            for _ in range(100):
                await loop.run_in_executor(None, object)

        await asyncio.gather(*(many() for _ in range(100)))
        gc.collect()
        before = len(gc.get_objects())
        await asyncio.gather(*(many() for _ in range(100)))
        gc.collect()
        assert len(gc.get_objects()) - before < 200
        assert loop._threads is not None
        assert len(loop._threads.threads) <= loop.threads_max

    on_loop(main)


PROGRAM = """
import asyncio, threading, time
from lanner.loop import EngineLoop
loop = EngineLoop()
async def main():
    await loop.run_in_executor(None, int)
    {more}
loop.run_until_complete(main())
print("the program ends")
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", ["the program ends"]),
        ("loop.run_in_executor(None, lambda: (time.sleep(0.2), print('work')))", ["the program ends", "work"]),
    ],
)
def test_the_interpreter_ends_when_the_work_has(more: str, said: list[str]) -> None:
    program = [sys.executable, "-W", "ignore::ResourceWarning", "-c", PROGRAM.format(more=more)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=DEADLINE_S, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (said, "")


# ---- anyio


def with_anyio(main: Callable[[EngineLoop], Coroutine[Any, Any, Any]]) -> Any:
    async def lent(loop: EngineLoop) -> Any:
        assert lend_threads(loop)
        return await main(loop)

    return on_loop(lent)


def test_anyio_runs_in_the_loops_threads() -> None:
    async def main(loop: EngineLoop) -> None:
        thread = await anyio.to_thread.run_sync(threading.current_thread)
        assert thread.name == "AnyIO worker thread_0"
        assert type(thread) is threading.Thread  # not anyio's own
        with pytest.raises(ZeroDivisionError):
            await anyio.to_thread.run_sync(divmod, 1, 0)
        with pytest.raises(RuntimeError, match="coroutine raised StopIteration"):
            await anyio.to_thread.run_sync(next, iter(()))

    with_anyio(main)


def test_anyio_context_goes_along_and_a_copy_of_it() -> None:
    variable = contextvars.ContextVar("variable", default="none")

    def work() -> str:
        found = variable.get()
        variable.set("of the thread")
        return found

    async def main(loop: EngineLoop) -> None:
        variable.set("of the task")
        assert await anyio.to_thread.run_sync(work) == "of the task"
        assert await anyio.to_thread.run_sync(work) == "of the task"

    with_anyio(main)


def test_anyio_comes_back_from_a_thread() -> None:
    async def double(number: int) -> int:
        await asyncio.sleep(0)
        return 2 * number

    def work() -> tuple[int, int]:
        return anyio.from_thread.run(double, 21), anyio.from_thread.run_sync(abs, -3)

    async def main(loop: EngineLoop) -> None:
        results = await asyncio.gather(*(anyio.to_thread.run_sync(work) for _ in range(60)))
        assert results == [(42, 3)] * 60

    with_anyio(main)


def test_anyio_limiter_says_how_many_run_at_once() -> None:
    async def main(loop: EngineLoop) -> None:
        limiter = anyio.to_thread.current_default_thread_limiter()
        assert limiter.total_tokens == 40
        barrier = threading.Barrier(40)
        async with anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(anyio.to_thread.run_sync, barrier.wait, DEADLINE_S)
        narrow, running, most = anyio.CapacityLimiter(2), [0], [0]
        lock = threading.Lock()

        def work() -> None:
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            with lock:
                running[0] -= 1

        await asyncio.gather(*(anyio.to_thread.run_sync(work, limiter=narrow) for _ in range(50)))
        assert most[0] <= 2

    with_anyio(main)


def test_anyio_cancelling_waits_for_the_call_unless_it_may_be_abandoned() -> None:
    async def main(loop: EngineLoop) -> None:
        gate, ended = threading.Event(), threading.Event()

        def work() -> None:
            gate.wait(DEADLINE_S)
            ended.set()

        with anyio.move_on_after(0.01) as scope:
            loop.call_later(0.05, gate.set)
            await anyio.to_thread.run_sync(work)
        assert scope.cancel_called
        assert ended.is_set()
        gate.clear()
        with anyio.move_on_after(0.01) as scope:
            await anyio.to_thread.run_sync(gate.wait, DEADLINE_S, abandon_on_cancel=True)
        assert scope.cancelled_caught
        gate.set()

    with_anyio(main)


def test_anyio_a_thread_sees_that_it_was_cancelled() -> None:
    async def main(loop: EngineLoop) -> None:
        begun, told = threading.Event(), []

        def work() -> None:
            begun.set()
            while True:
                try:
                    anyio.from_thread.check_cancelled()
                except BaseException as error:
                    told.append(type(error))
                    raise

        async with anyio.create_task_group() as group:
            group.start_soon(anyio.to_thread.run_sync, work)
            while not begun.is_set():
                await asyncio.sleep(0)
            group.cancel_scope.cancel()
        assert told == [asyncio.CancelledError]

    with_anyio(main)


def test_anyio_keeps_threads_that_it_has_already() -> None:
    async def main(loop: EngineLoop) -> None:
        await anyio.to_thread.run_sync(int)
        assert not lend_threads(loop)

    on_loop(main)
