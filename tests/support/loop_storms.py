"""Storms of threads against a loop that works, and what ten thousand cancelled things leave: `python loop_storms.py NAME`.

Each ends with a line of JSON; the tests know what must be in it.
"""

import asyncio
import gc
import json
import os
import signal
import socket
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import lanner.loop

MANY = 10_000
THREADS = 8

STORMS: dict[str, Callable[[], Any]] = {}


def storm(function: Callable[[], Any]) -> Callable[[], Any]:
    STORMS[function.__name__] = function
    return function


class Work:
    """What the loop does meanwhile: timers, tasks, a socket that echoes."""

    def __init__(self) -> None:
        self.turns = 0
        self.echoed = 0

    async def __aenter__(self) -> "Work":
        self.tasks = [asyncio.create_task(one) for one in (self.turn(), self.tick(), self.echo())]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks)

    async def turn(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.turns += 1

    async def tick(self) -> None:
        while True:
            await asyncio.sleep(0.0005)

    async def echo(self) -> None:
        loop = asyncio.get_running_loop()
        one, other = socket.socketpair()
        with one, other:
            one.setblocking(False)
            other.setblocking(False)
            while True:
                receiving = asyncio.create_task(loop.sock_recv(other, 1000))
                await asyncio.sleep(0)  # it waits
                await loop.sock_sendall(one, b"x" * 1000)
                self.echoed += len(await receiving)


# ---- threads


@storm
def call_soon_threadsafe() -> Any:
    """Every call runs, once, in the loop's thread, each thread's in their order."""
    found: dict[int, list[int]] = {number: [] for number in range(THREADS)}
    wrong_thread = []

    async def main() -> None:
        loop, here = asyncio.get_running_loop(), threading.get_ident()
        done = asyncio.Event()

        def receive(thread: int, number: int) -> None:
            if threading.get_ident() != here:
                wrong_thread.append(thread)
            found[thread].append(number)
            if sum(map(len, found.values())) == THREADS * MANY:
                done.set()

        def send(thread: int) -> None:
            for number in range(MANY):
                loop.call_soon_threadsafe(receive, thread, number)

        async with Work() as work:
            while not (work.turns and work.echoed):
                await asyncio.sleep(0)
            threads = [threading.Thread(target=send, args=(number,)) for number in range(THREADS)]
            for thread in threads:
                thread.start()
            await done.wait()
            for thread in threads:
                thread.join()

    lanner.loop.run(main())
    return [numbers == list(range(MANY)) for numbers in found.values()], len(wrong_thread)


@storm
def wakes_a_loop_that_waits() -> Any:
    """One call at a time, each made while the loop has nothing to do: none is slept through."""
    woken = 0

    async def main() -> None:
        nonlocal woken
        loop = asyncio.get_running_loop()
        ask, told = threading.Semaphore(0), asyncio.Event()

        def caller() -> None:
            for _ in range(2000):
                ask.acquire()
                loop.call_soon_threadsafe(told.set)

        thread = threading.Thread(target=caller)
        thread.start()
        while woken < 2000:
            ask.release()
            await told.wait()
            told.clear()
            woken += 1
        thread.join()

    lanner.loop.run(main())
    return woken


@storm
def executors() -> Any:
    """run_in_executor, to_thread and run_coroutine_threadsafe, in both directions at a time."""

    async def main() -> Any:
        loop = asyncio.get_running_loop()

        def there_and_back(number: int) -> int:
            return asyncio.run_coroutine_threadsafe(asyncio.sleep(0, number), loop).result(60)

        async with Work():
            with ThreadPoolExecutor(THREADS) as pool:
                a, b, c = await asyncio.gather(
                    asyncio.gather(*(loop.run_in_executor(pool, abs, -n) for n in range(2000))),
                    asyncio.gather(*(asyncio.to_thread(abs, -n) for n in range(2000))),
                    asyncio.gather(*(loop.run_in_executor(pool, there_and_back, n) for n in range(500))),
                )
        return a == list(range(2000)), b == list(range(2000)), c == list(range(500))

    return lanner.loop.run(main())


@storm
def a_loop_that_closes() -> Any:
    """Threads call on while loops close under them: the call is queued, or it raises RuntimeError, and nothing else."""
    errors: dict[str, int] = {}
    stop = threading.Event()
    current: list[asyncio.AbstractEventLoop] = []
    calls = 0

    def send() -> None:
        nonlocal calls
        while not stop.is_set():
            try:
                current[-1].call_soon_threadsafe(id, 1)
                calls += 1
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                errors[text] = errors.get(text, 0) + 1

    current.append(lanner.loop.new_event_loop())
    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        current[-1].run_until_complete(asyncio.sleep(0.002))
        current[-1].close()
        current.append(lanner.loop.new_event_loop())
        current.pop(0)
    stop.set()
    for thread in threads:
        thread.join()
    current[-1].close()
    return sorted(errors) in ([], ["RuntimeError: Event loop is closed"]), calls > 0


@storm
def loops_in_threads() -> Any:
    """Each thread with loops of its own, which call each other."""

    async def main(turn: int) -> int:
        async with Work():
            return turn + await asyncio.to_thread(int, "1")

    def work(_: int) -> list[int]:
        return [lanner.loop.run(main(turn)) for turn in range(10)]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(work, range(6)))
    return found == [list(range(1, 11))] * 6


@storm
def signals_meanwhile() -> Any:
    """Signals arrive while threads call: each handler runs, and no call is lost."""
    counted = 0

    async def main() -> int:
        nonlocal counted
        loop = asyncio.get_running_loop()
        told = asyncio.Event()

        def count() -> None:
            nonlocal counted
            counted += 1

        loop.add_signal_handler(signal.SIGUSR1, told.set)
        async with Work():
            with ThreadPoolExecutor(4) as pool:
                calls = [
                    loop.run_in_executor(pool, lambda: [loop.call_soon_threadsafe(count) for _ in range(500)] and None)
                    for _ in range(8)
                ]
                for _ in range(100):
                    os.kill(os.getpid(), signal.SIGUSR1)
                    await told.wait()
                    told.clear()
                await asyncio.gather(*calls)
        loop.remove_signal_handler(signal.SIGUSR1)
        await asyncio.sleep(0)
        return counted

    return lanner.loop.run(main())


# ---- what is cancelled leaves nothing


class Thing:
    """Somebody's object, which a callback holds."""

    def ready(self) -> None:
        raise AssertionError("it was cancelled")


async def timers(alive: "weakref.WeakSet[Thing]") -> None:
    loop = asyncio.get_running_loop()
    made = []
    for number in range(MANY):
        thing = Thing()
        alive.add(thing)
        made.append(loop.call_later(3600 + number % 7, thing.ready))
    for handle in made[::2] + made[1::2]:
        handle.cancel()


async def immediate_calls(alive: "weakref.WeakSet[Thing]") -> None:
    loop = asyncio.get_running_loop()
    for _ in range(MANY):
        thing = Thing()
        alive.add(thing)
        loop.call_soon(thing.ready).cancel()


async def sleeping_tasks(alive: "weakref.WeakSet[Thing]") -> None:
    async def sleep(thing: Thing) -> None:
        await asyncio.sleep(3600, thing)
        thing.ready()

    tasks = []
    for _ in range(MANY):
        thing = Thing()
        alive.add(thing)
        tasks.append(asyncio.create_task(sleep(thing)))
    del thing
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def tasks_that_never_began(alive: "weakref.WeakSet[Thing]") -> None:
    async def begin(thing: Thing) -> None:
        thing.ready()

    tasks = []
    for _ in range(MANY):
        thing = Thing()
        alive.add(thing)
        tasks.append(asyncio.create_task(begin(thing)))
        tasks[-1].cancel()
    await asyncio.wait(tasks)


async def timeouts(alive: "weakref.WeakSet[Thing]") -> None:
    async def wait(thing: Thing) -> Thing:
        return await asyncio.wait_for(asyncio.sleep(0, thing), 3600)

    for _ in range(MANY // 100):
        things = [Thing() for _ in range(100)]
        for thing in things:
            alive.add(thing)
        await asyncio.gather(*map(wait, things))


async def readers(alive: "weakref.WeakSet[Thing]") -> None:
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    with one, other:
        for _ in range(MANY):
            thing = Thing()
            alive.add(thing)
            loop.add_reader(one, thing.ready)
            loop.add_writer(one, thing.ready)
            loop.remove_writer(one)
            loop.remove_reader(one)


async def replaced_readers(alive: "weakref.WeakSet[Thing]") -> None:
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    with one, other:
        for _ in range(MANY):
            thing = Thing()
            alive.add(thing)
            loop.add_reader(one, thing.ready)
        loop.remove_reader(one)


async def receiving_tasks(alive: "weakref.WeakSet[Thing]") -> None:
    loop = asyncio.get_running_loop()

    async def receive(sock: socket.socket, thing: Thing) -> None:
        await loop.sock_recv(sock, 10)
        thing.ready()

    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        for _ in range(MANY // 10):
            thing = Thing()
            alive.add(thing)
            task = asyncio.create_task(receive(one, thing))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})


async def executor_calls(alive: "weakref.WeakSet[Thing]") -> None:
    """The pool is busy: they are cancelled before they begin."""
    loop = asyncio.get_running_loop()
    gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        busy = loop.run_in_executor(pool, gate.wait)
        calls: list[asyncio.Future[None]] = []
        for _ in range(MANY):
            thing = Thing()
            alive.add(thing)
            calls.append(loop.run_in_executor(pool, thing.ready))
        del thing
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        gate.set()
        await busy


async def coroutines_of_threads(alive: "weakref.WeakSet[Thing]") -> None:
    loop = asyncio.get_running_loop()

    async def wait(thing: Thing) -> None:
        await asyncio.sleep(3600)
        thing.ready()

    def ask() -> None:
        asked: list[Future[None]] = []
        for _ in range(MANY // 10):
            thing = Thing()
            alive.add(thing)
            asked.append(asyncio.run_coroutine_threadsafe(wait(thing), loop))
        for one in asked:
            one.cancel()

    await asyncio.to_thread(ask)
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    if left:
        await asyncio.wait(left)


CANCELLED: dict[str, Callable[["weakref.WeakSet[Thing]"], Awaitable[None]]] = {
    function.__name__: function
    for function in (
        timers,
        immediate_calls,
        sleeping_tasks,
        tasks_that_never_began,
        timeouts,
        readers,
        replaced_readers,
        receiving_tasks,
        executor_calls,
        coroutines_of_threads,
    )
}


def count_blocks() -> int:
    gc.collect()
    return sys.getallocatedblocks()


async def what_is_left(name: str) -> dict[str, int]:
    """After rounds of MANY that were cancelled: things still held, descriptors, heap entries, memory blocks."""
    loop: Any = asyncio.get_running_loop()
    await asyncio.to_thread(int)  # the pool's threads are made once
    blocks, descriptors = [], []
    alive: weakref.WeakSet[Thing] = weakref.WeakSet()
    for _ in range(4):
        await CANCELLED[name](alive)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        blocks.append(count_blocks())
        descriptors.append(len(os.listdir("/proc/self/fd")))
    return {
        "things": len(alive),
        "tasks": len(asyncio.all_tasks()) - 1,
        "timers": len(loop._scheduled),
        "queued": len(loop._ready),
        "descriptors": descriptors[-1] - descriptors[0],
        "blocks": max(blocks[-1] - blocks[1], 0) // (MANY // 10),  # a tenth of a block for each is noise
    }


def main(name: str) -> None:
    found = STORMS[name]() if name in STORMS else lanner.loop.run(what_is_left(name))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
