"""Lanner's event loop: a standard asyncio loop whose waiting is done by the engine. With a server, and without.

    import lanner.loop

    lanner.loop.run(main())                                         # in place of asyncio.run(main())
    asyncio.Runner(loop_factory=lanner.loop.new_event_loop)         # where a runner or a framework takes a factory

All that asyncio offers keeps working, and the engine's connections, timers and limits are served inside the loop's
turns, without waking one loop from another. docs/loop.md: which loop when, and what differs from asyncio's and uvloop.
"""

from lanner.loop.engine_loop import EngineLoop
from lanner.loop.runner import new_event_loop, run
from lanner.loop.selector import EngineSelector
from lanner.loop.selector_loop import SelectorLoop

__all__ = ["EngineLoop", "EngineSelector", "SelectorLoop", "new_event_loop", "run"]
