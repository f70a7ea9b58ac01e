"""Runs a program on Lanner's loop, without a server."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from lanner.loop.engine_loop import EngineLoop

Returned = TypeVar("Returned")


def run(main: Coroutine[Any, Any, Returned], *, debug: bool | None = None) -> Returned:
    """`asyncio.run(main)` on Lanner's loop: a loop of its own, closed afterwards with all that is left in it.

    debug: asyncio's debug mode; None: as PYTHONASYNCIODEBUG and -X dev say. Raises what asyncio.run() raises:
    ValueError when `main` is no coroutine, RuntimeError inside a running loop, and what `main` raises.

    Example: `lanner.loop.run(asyncio.sleep(0, "slept"))` is `"slept"`.
    """
    if asyncio._get_running_loop() is not None:
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    with asyncio.Runner(debug=debug, loop_factory=new_event_loop) as runner:
        return runner.run(main)


def new_event_loop() -> EngineLoop:
    """A new loop, for functions that take a loop factory. The caller closes it.

    Example: `with asyncio.Runner(loop_factory=lanner.loop.new_event_loop) as runner: runner.run(main())`
    """
    return EngineLoop()
