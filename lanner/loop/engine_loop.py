"""EngineLoop: asyncio's selector loop on the engine."""

import asyncio
import contextlib
import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

from lanner import _core
from lanner.loop.selector import WatchedDescriptors
from lanner.loop.streams import StreamsMixin
from lanner.loop.threads import LoopThreads
from lanner.loop.watchdog import Watchdog
from lanner.process.forked import forget_loop_signals, refuse_loop

os.register_at_fork(after_in_child=forget_loop_signals)


class EngineLoop(_core.LoopBase, StreamsMixin, asyncio.SelectorEventLoop):
    """asyncio's selector loop on the engine: one run of it is one turn of the engine.

    In C++ (LoopBase): the ready queue, handles, timers, call_soon_threadsafe and what add_reader watches; and stream
    transports (StreamsMixin). Everything else is asyncio's own. A loop that starts to run in debug mode has a Watchdog.

    Example: `asyncio.Runner(loop_factory=EngineLoop).run(main())`
    """

    __module__ = "lanner.loop"  # where its users find it
    _debug: bool
    _default_executor: object
    _executor_shutdown_called: bool

    def __init__(self) -> None:
        self.poller = _core.Poller()
        _core.LoopBase.__init__(self, self.poller)
        super(_core.LoopBase, self).__init__(WatchedDescriptors(self))
        self.pools: list[LoopThreads] = []
        self._threads: LoopThreads | None = None
        self._pid = os.getpid()
        self.threads_max = min(32, (os.cpu_count() or 1) + 4)  # as of concurrent.futures

    def run_forever(self) -> None:
        refuse_loop(self._pid)
        self._begin_run()
        try:
            with Watchdog(self) if self.get_debug() else contextlib.nullcontext():
                super().run_forever()
        finally:
            self._end_run()

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """As asyncio's; the default executor is the loop's own threads, unless set_default_executor() gave another."""
        if executor is not None or self._default_executor is not None:
            return super().run_in_executor(executor, func, *args)
        threads = self._threads
        if threads is None or self._debug or self._executor_shutdown_called:
            threads = self._checked_threads(func)
        return threads.pool.submit(self.create_future(), func, *args)

    def _checked_threads(self, func: object) -> LoopThreads:
        base: Any = self
        base._check_closed()
        if self._debug:
            base._check_callback(func, "run_in_executor")
        base._check_default_executor()
        if self._threads is None:
            self._threads = LoopThreads(self, self.threads_max, "asyncio")
        return self._threads

    async def shutdown_default_executor(self, *timeout: float | None) -> None:
        """As asyncio's: waits until all that was handed to the threads has run."""
        await super().shutdown_default_executor(*timeout)
        if self._threads is None:
            return
        self._threads.close()
        joining = self.create_future()
        thread = threading.Thread(target=self._join_threads, args=(joining, *timeout))
        thread.start()
        try:
            joined = await joining
        finally:
            thread.join()
        if not joined:
            warnings.warn(
                f"The executor did not finishing joining its threads within {timeout[0]} seconds.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _join_threads(self, joining: asyncio.Future[bool], timeout_s: float | None = None) -> None:
        joined = self._threads is None or self._threads.join(timeout_s)
        if not self.is_closed():
            self.call_soon_threadsafe(joining.set_result, joined)

    def close(self) -> None:
        super().close()
        for threads in self.pools:
            threads.abandon()
        self.poller.close()
