"""Lanner's loop under many threads, and what ten thousand cancelled timers, tasks, readers and calls leave: nothing."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.loop_storms import CANCELLED, MANY, STORMS, THREADS
from tests.support.server import APPS, PATH, environment

pytestmark = pytest.mark.long

EXPECTED = {
    "call_soon_threadsafe": [[True] * THREADS, 0],
    "wakes_a_loop_that_waits": 2000,
    "executors": [True, True, True],
    "a_loop_that_closes": [True, True],
    "loops_in_threads": True,
    "signals_meanwhile": 4000,
}
NOTHING = {"things": 0, "tasks": 0, "timers": 0, "queued": 0, "descriptors": 0, "blocks": 0}


def outcome(name: str, *flags: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", *flags, str(APPS / "loop_storms.py"), name],
        env=environment({"PYTHONPATH": PATH}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_each_storm_has_an_outcome() -> None:
    assert set(EXPECTED) == set(STORMS)
    assert MANY == 10_000


@pytest.mark.parametrize("name", STORMS)
def test_a_storm_of_threads_loses_nothing(name: str) -> None:
    assert outcome(name) == EXPECTED[name]


@pytest.mark.parametrize("name", CANCELLED)
def test_ten_thousand_cancelled_leave_nothing(name: str) -> None:
    assert outcome(name) == NOTHING
