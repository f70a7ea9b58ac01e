"""The watchdog of a loop in debug mode: it reports where a loop is blocked, while it is blocked.

asyncio's debug mode reports afterwards which callback was slow. The watchdog reports the current line meanwhile, even
if the callback never ends.
"""

import sys
import threading
import traceback
from asyncio.log import logger
from typing import Protocol

LOOKS = 2  # a block is seen at the latest when it has lasted half as long again as the limit
SHORTEST_S, LONGEST_S = 0.005, 1.0  # between two looks


class WatchedLoop(Protocol):
    """The part of a loop that another thread reads."""

    slow_callback_duration: float  # seconds

    @property
    def turn_started(self) -> float:
        """When the current iteration began to run callbacks, in seconds of time(); 0.0 while the loop waits."""

    def time(self) -> float: ...


class Watchdog:
    """A thread that logs the stack of a loop's thread, once for each turn that lasts `loop.slow_callback_duration`.

    loop: one that the calling thread is about to run. The lines go to the logger "asyncio", as warnings.

    Example: `with Watchdog(loop): loop.run_forever()`
    """

    def __init__(self, loop: WatchedLoop) -> None:
        self._loop = loop
        self._looked_at = threading.get_ident()
        self._reported: float = 0.0  # when the turn began that was reported last
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lanner loop watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(min(max(self._loop.slow_callback_duration / LOOKS, SHORTEST_S), LONGEST_S)):
            self.look()

    def look(self) -> bool:
        """True: the loop is blocked, and this call has reported it for the first time."""
        since = self._loop.turn_started
        if not since or since == self._reported:
            return False
        lasted_s = self._loop.time() - since
        frame = sys._current_frames().get(self._looked_at)
        if lasted_s < self._loop.slow_callback_duration or frame is None:
            return False
        if self._loop.turn_started != since:
            return False  # it went on while we looked: the stack would be another turn's
        self._reported = since
        stack = "".join(traceback.format_stack(frame))
        logger.warning("The loop has been blocked for %.3f seconds, here:\n%s", lasted_s, stack.rstrip())
        return True
