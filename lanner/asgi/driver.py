"""Drives the engine from an event loop: Lanner's own, asyncio's, or uvloop."""

import asyncio
import contextvars
from collections.abc import Callable

from lanner import _core
from lanner.errors import ConfigError
from lanner.loop import EngineLoop, SelectorLoop

TICK_S = 0.1  # a foreign loop gives the engine's timers a turn this often


def loop_factory(name: str) -> Callable[[], asyncio.AbstractEventLoop]:
    """Of --loop. Example: `loop_factory("auto")` is `EngineLoop`."""
    if name != "uvloop":
        return SelectorLoop if name == "asyncio" else EngineLoop
    try:
        import uvloop  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ConfigError("--loop uvloop: uvloop is not installed; pip install uvloop, or --loop asyncio") from None
    return uvloop.new_event_loop


class Driver:
    """Runs the engine within a loop: Lanner's loop waits in the engine, any other watches the engine's descriptor."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.foreign = not isinstance(loop, EngineLoop | SelectorLoop)
        self.poller = loop.poller if isinstance(loop, EngineLoop | SelectorLoop) else _core.Poller()
        self._ticks: asyncio.TimerHandle | None = None

    def start(self) -> Callable[[], object] | None:
        """The callback with which the engine requests an iteration; None: Lanner's loop needs no request."""
        if not self.foreign:
            return None
        self.loop.add_reader(self.poller.fileno(), self.turn)
        self.tick()
        context = contextvars.copy_context()  # not that of the request which has just sent something
        return lambda: self.loop.call_soon(self.turn, context=context)

    def stop(self) -> None:
        if self._ticks is not None:
            self._ticks.cancel()
            self.loop.remove_reader(self.poller.fileno())

    def turn(self) -> None:
        self.poller.select(0)

    def tick(self) -> None:
        try:
            self.turn()
        finally:  # the clock goes on, whatever this turn ran into
            self._ticks = self.loop.call_later(TICK_S, self.tick)
