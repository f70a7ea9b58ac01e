"""SIGTERM, SIGINT and SIGHUP from the first moment of a process to its last: nothing that comes early is lost.

loading    the application is imported: Stopped is raised in it
starting   its lifespan starts: that is cancelled, and cleans up
serving    the engine's own handlers (sys/signals.h) take SIGTERM and SIGINT; SIGHUP drains, too
"""

import os
import signal
import time
from contextlib import contextmanager

from lanner.log import line, put, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any, Self

SAME_SIGNAL_S = 0.5  # timeout(1), make and npm send a signal to the process and again to its group: that is one
STOPPING = (signal.SIGTERM, signal.SIGINT)
HANGUP = 4  # of Server.run
NO_RELOAD = "there is no reload yet: the server finishes open requests and stops; start it again to load changes"


class Stopped(BaseException):
    """A signal asked for the end before anything was served; the exit code is that of any stop, 0."""


class StopRequests:
    """Catches the signals from `with` on, and does `act`, once; a second signal ends the process at once.

    patient: more signals change nothing: a supervisor decides when to be impatient. Outside the main thread, or with
    caught=False, nothing is caught.

    Example: `with StopRequests() as stop: load(); stop.act = server.stop`
    """

    def __init__(self, patient: bool = False, caught: bool = True) -> None:
        self.patient = patient
        self.caught = caught
        self.requested = 0  # the signal
        self.act: Callable[[], object] = self.raise_stopped
        self._first_s = 0.0
        self._before: dict[int, Any] = {}
        self._plain: dict[int, Any] = {}  # before the outermost of us

    def __enter__(self) -> "Self":
        for number in (*STOPPING, signal.SIGHUP) if self.caught else ():
            # Who is started by nohup, or handles SIGHUP already, means it.
            if number == signal.SIGHUP and not default(number):
                continue
            around = owner(number)
            before = signal.signal(number, self._on_signal)
            self._before[number] = before
            self._plain[number] = around._plain[number] if isinstance(around, StopRequests) else before
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            if isinstance(owner(number), StopRequests):  # unless the application has put its own there
                signal.signal(number, handler)
        self._before = {}
        self.act = self.raise_stopped  # the former one keeps the server alive

    def plain(self, number: int) -> object:
        """What handled a signal before the outermost of us."""
        return self._plain[number]

    def raise_stopped(self) -> None:
        raise Stopped

    @contextmanager
    def deferred(self) -> "Iterator[None]":
        """What must not be interrupted halfway: a signal that comes meanwhile is only noted; `check` follows."""
        before, self.act = self.act, lambda: None
        try:
            yield
        finally:
            self.act = before

    def check(self) -> None:
        """Raises Stopped if a signal has come, even if the application caught the first Stopped."""
        if self.requested:
            raise Stopped

    def signals(self, how: int) -> int:
        """For `Server.run` and `Server.start`: how, and whether SIGHUP is the server's or the application's own."""
        return int(how) | (HANGUP if isinstance(owner(signal.SIGHUP), StopRequests) else 0)

    def message(self) -> str:
        """For the person at the keyboard."""
        return f"stopped by {signal.Signals(self.requested).name} before it served" if self.requested else ""

    def _on_signal(self, number: int, frame: "FrameType | None") -> None:
        now_s = time.monotonic()
        if not self.requested:
            self.requested, self._first_s = number, now_s
            if number == signal.SIGHUP:
                put(stamp() + line("warning", "server.stop", {"signal": "SIGHUP", "hint": NO_RELOAD}))
            self.act()
        elif number != signal.SIGHUP and not self.patient and now_s - self._first_s >= SAME_SIGNAL_S:
            put(stamp() + line("warning", "server.killed", {"reason": "second_signal"}))
            os._exit(128 + number)


def owner(number: int) -> object:
    """Whose method handles a signal. Example: `owner(signal.SIGTERM)` is a StopRequests inside its `with`."""
    return getattr(signal.getsignal(number), "__self__", None)


def give_back_in_child() -> None:
    """A child that the application forks gets signals as it would without us."""
    for number in (*STOPPING, signal.SIGHUP):
        around = owner(number)
        if isinstance(around, StopRequests):
            signal.signal(number, around.plain(number))  # type: ignore[arg-type]


os.register_at_fork(after_in_child=give_back_in_child)  # once: a registration cannot be taken back


def default(number: int) -> bool:
    """Nobody but us handles or ignores this signal. Example: `default(signal.SIGHUP)` is False under nohup(1)."""
    return signal.getsignal(number) == signal.SIG_DFL or isinstance(owner(number), StopRequests)
