"""The default executor of an event loop, whose size is --threads."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from lanner.loop import EngineLoop
from lanner.process import forked


def set_executor(loop: asyncio.AbstractEventLoop, threads: object) -> None:
    """--threads N sizes the pool of run_in_executor(None, ...); with 1 it is asyncio's own size."""
    count = threads if isinstance(threads, int) and threads > 1 else None
    if not isinstance(loop, EngineLoop):
        loop.set_default_executor(Threads(count, "lanner" if count else "asyncio"))
    elif count:
        loop.threads_max = count


class Threads(ThreadPoolExecutor):
    """Threads in which a child that is forked there ends, as it does elsewhere, and does not wait for more work.

    Example: `Threads(4).submit(len, "four").result()` is 4
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        return super().submit(forked.guard()(fn), *args, **kwargs)
