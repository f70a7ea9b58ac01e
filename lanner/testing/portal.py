"""Portal: an event loop without a thread, which runs only while somebody waits for what it does."""

from __future__ import annotations

import asyncio
import contextvars
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Portal:
    """Runs coroutines to their end, all on one loop, which is made when it is first needed.

    Example: `Portal().run(asyncio.sleep(0, "slept"))` is "slept"
    """

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._finalizer: weakref.finalize[[asyncio.Runner], Portal] | None = None

    def run(self, coroutine: Coroutine[Any, Any, T], context: contextvars.Context | None = None) -> T:
        """RuntimeError in a coroutine: no loop runs within another.

        context: of variables; a copy of the caller's if it is not given.
        """
        if asyncio._get_running_loop() is not None:
            coroutine.close()
            raise RuntimeError("TestClient is for tests that are no coroutines; await AsyncTestClient in `async def`")
        if self._runner is None:
            self._runner = asyncio.Runner()
            self._finalizer = weakref.finalize(self, close, self._runner)
        return self._runner.run(coroutine, context=context or contextvars.copy_context())

    def close(self) -> None:
        """Cancels what still runs, and closes the loop. The next run() makes a new one."""
        if self._finalizer is not None:
            self._finalizer()
        self._runner = None
        self._finalizer = None


def close(runner: asyncio.Runner) -> None:
    if asyncio._get_running_loop() is None:
        runner.close()
    else:  # the garbage collector came by in a coroutine: nothing can be awaited here
        runner.get_loop().close()
