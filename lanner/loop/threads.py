"""The threads of a loop, which run_in_executor(None, ...) and asyncio.to_thread() use.

Their queue is C++ (_core.ThreadPool): a woken thread runs all waiting jobs, one after another, and wakes the next
thread when it begins; the loop is woken once for all jobs that are finished meanwhile.
"""

import itertools
import threading
import weakref
from typing import TYPE_CHECKING

from lanner import _core

if TYPE_CHECKING:
    from lanner.loop import EngineLoop


class LoopThreads:
    """A pool of threads for one loop. They start as they are needed, and end with the loop.

    Example: `await LoopThreads(loop, 4, "worker").pool.submit(loop.create_future(), len, "four")` is 4
    """

    def __init__(self, loop: "EngineLoop", threads_max: int, name: str) -> None:
        self.name = name
        self.threads: list[threading.Thread] = []
        self._numbers = itertools.count()
        self.pool = _core.ThreadPool(loop.poller, threads_max, Starter(weakref.ref(self)))
        loop._add_pool(self.pool)
        loop.pools.append(self)
        ALL.add(self)

    def start(self) -> None:
        name = f"{self.name}_{next(self._numbers)}"
        thread = threading.Thread(name=name, target=self.pool.run_thread)
        thread.start()
        self.threads.append(thread)

    def close(self) -> None:
        """Submitted jobs still run; no more are accepted."""
        self.pool.close()
        ALL.discard(self)

    def abandon(self) -> None:
        """close() without a later join(): the thread objects are released now."""
        self.close()
        self.threads.clear()

    def join(self, timeout_s: float | None = None) -> bool:
        """Waits until the threads have ended. False: some still run after `timeout_s`."""
        for thread in self.threads:
            thread.join(timeout_s)
        return not any(thread.is_alive() for thread in self.threads)


class Starter:
    """Starts a thread of a pool, without keeping the pool alive."""

    def __init__(self, threads: "weakref.ref[LoopThreads]") -> None:
        self._threads = threads

    def __call__(self) -> None:
        threads = self._threads()
        if threads is None:
            raise RuntimeError("the pool of threads is gone")
        threads.start()


ALL: "weakref.WeakSet[LoopThreads]" = weakref.WeakSet()


def end_all() -> None:
    """Before the interpreter joins its threads: those that wait for work end."""
    for threads in list(ALL):
        threads.close()


# As concurrent.futures does for its own: atexit's functions run too late, after the threads were joined.
threading._register_atexit(end_all)  # type: ignore[attr-defined]
