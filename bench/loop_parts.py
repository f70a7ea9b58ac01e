"""loop_parts.py: what the parts of each event loop cost: tasks that wait, timers, calls from threads, executors.

    .venv/bin/python bench/loop_parts.py             all, in paired rounds: a minute
    .venv/bin/python bench/loop_parts.py sleep_0     only these

Each loop works in a process of its own on the first core. CPU: of that process, all its threads, for one operation.
"""

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable

import loop_rounds
from loop_rounds import LOOPS, Pairs

Part = Callable[[int], Awaitable[None]]
PARTS: dict[str, tuple[Part, int]] = {}


def part(count: int) -> Callable[[Part], Part]:
    """Of how many operations a round is made."""

    def add(function: Part) -> Part:
        PARTS[function.__name__] = function, count
        return function

    return add


@part(200_000)
async def sleep_0(count: int) -> None:
    """100 tasks that each give the others their turn."""

    async def turns() -> None:
        for _ in range(count // 100):
            await asyncio.sleep(0)

    await asyncio.gather(*(turns() for _ in range(100)))


@part(100_000)
async def call_soon(count: int) -> None:
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    left = count

    def step() -> None:
        nonlocal left
        left -= 1
        if left:
            loop.call_soon(step)
        else:
            done.set()

    loop.call_soon(step)
    await done.wait()


@part(50_000)
async def tasks(count: int) -> None:
    """Made, run once and awaited, 100 at a time."""

    async def nothing() -> None: ...

    for _ in range(count // 100):
        await asyncio.gather(*(nothing() for _ in range(100)))


@part(100_000)
async def cancelled_timers(count: int) -> None:
    """As of timeouts that do not come: 1,000 others wait."""
    loop = asyncio.get_running_loop()
    others = [loop.call_later(3600 + number, print) for number in range(1000)]
    for number in range(count):
        loop.call_later(60, print).cancel()
        if number % 100 == 0:
            await asyncio.sleep(0)
    for other in others:
        other.cancel()


@part(20_000)
async def sleep_1_ms(count: int) -> None:
    """1,000 tasks that each sleep a millisecond again and again."""

    async def naps() -> None:
        for _ in range(count // 1000):
            await asyncio.sleep(0.001)

    await asyncio.gather(*(naps() for _ in range(1000)))


@part(20_000)
async def readers(count: int) -> None:
    """add_reader, data, remove_reader: how drivers wait, psycopg for one."""
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    with one, other:
        for _ in range(count):
            told = loop.create_future()
            loop.add_reader(one, told.set_result, None)
            other.send(b"x")
            await told
            loop.remove_reader(one)
            one.recv(1)


@part(20_000)
async def from_a_thread(count: int) -> None:
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    left = count

    def step() -> None:
        nonlocal left
        left -= 1
        if not left:
            done.set()

    thread = threading.Thread(target=lambda: [loop.call_soon_threadsafe(step) for _ in range(count)])
    thread.start()
    await done.wait()
    thread.join()


@part(5000)
async def executor(count: int) -> None:
    """run_in_executor, 10 at a time."""
    loop = asyncio.get_running_loop()

    async def calls() -> None:
        for _ in range(count // 10):
            await loop.run_in_executor(None, int)

    await asyncio.gather(*(calls() for _ in range(10)))


async def work() -> None:
    """A line of stdin names a part; answered with how long it took."""
    while name := sys.stdin.readline().strip():
        function, count = PARTS[name]
        began, used = time.perf_counter(), time.process_time_ns()
        await function(count)
        print(json.dumps([count, time.perf_counter() - began, time.process_time_ns() - used]), flush=True)


def start(loop: str) -> "subprocess.Popen[str]":
    words = ["taskset", "-c", str(loop_rounds.cores()[0]), sys.executable, __file__, "--work", loop]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=loop_rounds.environment())


def measure(name: str, processes: "dict[str, subprocess.Popen[str]]", rounds: int) -> Pairs:
    pairs = Pairs(name, "operation")
    for number in range(-1, rounds):
        for loop in LOOPS if number % 2 else LOOPS[::-1]:
            process = processes[loop]
            assert process.stdin
            assert process.stdout
            process.stdin.write(name + "\n")
            process.stdin.flush()
            figures = json.loads(process.stdout.readline())
            if number >= 0:  # the first is for warming up
                pairs.add(loop, *figures)
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description="The parts of each event loop.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        loop_rounds.run(options.work, work())
        return 0
    processes = {loop: start(loop) for loop in LOOPS}
    loop_rounds.show("operation", [measure(name, processes, options.rounds) for name in options.parts or PARTS])
    for process in processes.values():
        process.communicate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
