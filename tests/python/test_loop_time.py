"""The clock of a loop: whoever replaces `time()` moves the timers with it, as on asyncio's loop."""

import asyncio
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from lanner.loop import EngineLoop

LOOPS: dict[str, type[asyncio.SelectorEventLoop]] = {"engine": EngineLoop, "asyncio": asyncio.SelectorEventLoop}


@pytest.fixture(params=list(LOOPS))
def loop(request: pytest.FixtureRequest) -> Iterator[Any]:
    """An object of a class of its own, so that a test may change the class."""

    class Loop(LOOPS[request.param]):  # type: ignore[name-defined,misc]
        pass

    made = Loop()
    yield made
    made.close()


def nothing() -> None:
    """A callback."""


def on_instance(loop: Any, time: Callable[[], float]) -> None:
    loop.time = time


def on_class(loop: Any, time: Callable[[], float]) -> None:
    type(loop).time = lambda self: time()


REPLACED = pytest.mark.parametrize("replace", [on_instance, on_class])
Replace = Callable[[Any, Callable[[], float]], None]


@REPLACED
def test_a_replaced_clock_moves_timers_of_a_loop_that_runs(loop: Any, replace: Replace) -> None:
    async def main() -> list[str]:
        ran: list[str] = []
        loop.call_later(3600, ran.append, "before")
        now = loop.time()
        replace(loop, lambda: now + 4000)
        loop.call_later(-1, ran.append, "after")
        for _ in range(3):
            await asyncio.sleep(0)
        return ran

    assert sorted(loop.run_until_complete(main())) == ["after", "before"]


@REPLACED
def test_a_replaced_clock_counts_before_the_first_run(loop: Any, replace: Replace) -> None:
    replace(loop, lambda: 100.0)
    assert loop.call_later(1.5, nothing).when() == 101.5


def test_a_clock_that_is_put_back_counts_no_more(loop: Any) -> None:
    loop.time = lambda: -1000.0
    assert loop.call_later(0, nothing).when() == -1000.0
    del loop.time
    before = loop.time()
    assert before <= loop.call_later(0, nothing).when() <= loop.time()


def test_a_clock_that_raises_is_heard_of(loop: Any) -> None:
    def broken() -> float:
        raise OSError("no clock")

    loop.time = broken
    with pytest.raises(OSError, match="no clock"):
        loop.call_later(1, nothing)
    del loop.time


@pytest.mark.parametrize("when", [5_000_000, 2**60, 5e6, Fraction(1, 3), True])
def test_a_timer_says_the_number_that_it_was_given(loop: Any, when: Any) -> None:
    assert loop.call_at(when, nothing).when() is when


def test_call_later_adds_as_numbers_are_added(loop: Any) -> None:
    loop.time = lambda: 10
    timer = loop.call_later(5, nothing)
    assert (timer.when(), type(timer.when())) == (15, int)
    del loop.time
    assert type(loop.call_later(5, nothing).when()) is float


@pytest.mark.parametrize("when", ["1", b"1", [], 2**5000])
def test_what_is_no_time_is_refused(when: Any) -> None:
    loop = EngineLoop()
    for call in (loop.call_at, loop.call_later):
        with pytest.raises((TypeError, OverflowError)):
            call(when, nothing)
    assert loop._scheduled == []  # type: ignore[attr-defined]
    loop.close()
