"""loop_postgres.py: what a query costs on each event loop: psycopg 3's asynchronous connections to a real PostgreSQL.

    .venv/bin/python bench/loop_postgres.py                    half a minute
    .venv/bin/python bench/loop_postgres.py --connections 1    latency: one query at a time

The program runs on the first core, PostgreSQL, started for this, on the last. CPU: of the program, for one query and
its row. README.md says how to read it.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time

import loop_rounds
from loop_rounds import LOOPS, Pairs

sys.path.insert(0, str(loop_rounds.ROOT))

from tests.support import services

QUERY = "select %s::int + 1"


async def query(dsn: str, connections: int) -> None:
    """Reads how many seconds to work from stdin, a line for each round; answers with counts."""
    import psycopg

    loop = asyncio.get_running_loop()
    open_ones = [await psycopg.AsyncConnection.connect(dsn, autocommit=True) for _ in range(connections)]

    async def work(connection: "psycopg.AsyncConnection[tuple[int]]", end: float) -> int:
        count = 0
        while time.perf_counter() < end:
            cursor = await connection.execute(QUERY, (count,))
            row = await cursor.fetchone()
            count += 1
            if row != (count,):
                raise SystemExit(f"{row} is not {count}")
        return count

    while line := await loop.run_in_executor(None, sys.stdin.readline):
        began, used = time.perf_counter(), time.thread_time_ns()
        counts = await asyncio.gather(*(work(one, began + float(line)) for one in open_ones))
        print(json.dumps([sum(counts), time.perf_counter() - began, time.thread_time_ns() - used]), flush=True)
    for one in open_ones:
        await one.close()


class Program:
    def __init__(self, loop: str, dsn: str, connections: int) -> None:
        self.loop = loop
        words = [sys.executable, __file__, "--query", loop, dsn, "--connections", str(connections)]
        self.process = subprocess.Popen(
            ["taskset", "-c", str(loop_rounds.cores()[0]), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=loop_rounds.environment(),
        )

    def round(self, seconds: float) -> tuple[int, float, int]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        count, took, used_ns = json.loads(self.process.stdout.readline())
        return count, took, used_ns

    def end(self) -> None:
        self.process.communicate()


def measure(connections: int, rounds: int, seconds: float) -> Pairs:
    pairs = Pairs(f"psycopg, {connections} connections", "query")
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {loop_rounds.cores()[1]})  # PostgreSQL's
    with services.postgres() as dsn:
        os.sched_setaffinity(0, own)
        programs = [Program(loop, dsn, connections) for loop in LOOPS]
        for number in range(-1, rounds):
            for program in programs if number % 2 else programs[::-1]:
                figures = program.round(seconds)
                if number >= 0:  # the first is for warming up
                    pairs.add(program.loop, *figures)
        for program in programs:
            program.end()
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description="psycopg on each event loop.")
    parser.add_argument("--connections", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round")
    parser.add_argument("--query", nargs=2, metavar=("LOOP", "DSN"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.query:
        loop, dsn = options.query
        loop_rounds.run(loop, query(dsn, options.connections[0]))
        return 0
    loop_rounds.show("query", [measure(number, options.rounds, options.seconds) for number in options.connections])
    return 0


if __name__ == "__main__":
    sys.exit(main())
