"""Paired rounds of event loops: the same work on each loop in turn, so that the machine's moods hit all alike."""

import asyncio
import os
import statistics
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOOPS = ("uvloop", "lanner", "asyncio")  # the first is what the others are compared with


def factory(name: str) -> Callable[[], asyncio.AbstractEventLoop]:
    """A loop of that kind. Example: `asyncio.Runner(loop_factory=factory("lanner"))`."""
    if name == "uvloop":
        import uvloop

        return uvloop.new_event_loop
    if name == "asyncio":
        return asyncio.SelectorEventLoop
    import lanner.loop

    return lanner.loop.new_event_loop


def run(name: str, main: Coroutine[Any, Any, object]) -> None:
    """On a loop of that kind, until it ends."""
    with asyncio.Runner(loop_factory=factory(name)) as runner:
        runner.run(main)


def cores() -> tuple[int, int]:
    """One for what is measured, another for who drives it."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[0], usable[-1]


def cpu_ns(pid: int) -> int:
    """What a process' main thread has used so far, in user space and kernel."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}


@dataclass
class Pairs:
    """The rounds of one kind of work."""

    what: str
    unit: str  # of what is counted: "message"
    cpu_us: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in LOOPS})
    rate: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in LOOPS})

    def add(self, loop: str, count: int, seconds: float, used_ns: int) -> None:
        """One round: `count` in `seconds` on the clock, `used_ns` of CPU."""
        self.cpu_us[loop].append(used_ns / 1000 / count)
        self.rate[loop].append(count / seconds)

    def ratio(self, loop: str, figures: dict[str, list[float]]) -> float:
        """The median of the rounds' ratios to the first loop."""
        return statistics.median(a / b for a, b in zip(figures[loop], figures[LOOPS[0]], strict=True))

    def row(self) -> str:
        cells = [f"{self.what:24}"]
        cells += [f"{statistics.median(self.cpu_us[name]):8.2f}" for name in LOOPS]
        cells += [f"{self.ratio(name, self.cpu_us):6.3f}" for name in LOOPS[1:]]
        cells += [f"{statistics.median(self.rate[name]):9,.0f}" for name in LOOPS]
        cells += [f"{self.ratio(name, self.rate):6.3f}" for name in LOOPS[1:]]
        return " ".join(cells)


def titles(unit: str) -> str:
    cpu = " ".join(f"{name:>8}" for name in LOOPS)
    rate = " ".join(f"{name:>9}" for name in LOOPS)
    ratios = " ".join(f"{name[0] + '/' + LOOPS[0][0]:>6}" for name in LOOPS[1:])
    return f"{'CPU us a ' + unit:24} {cpu} {ratios} {rate} {ratios}  (a second)"


def show(unit: str, pairs: list[Pairs]) -> None:
    rounds, version = len(pairs[0].rate[LOOPS[0]]), sys.version.split()[0]
    print(f"medians of {rounds} paired rounds; l/u, a/u: the median of the rounds' ratios to uvloop; Python {version}")
    print(titles(unit))
    for one in pairs:
        print(one.row(), flush=True)
