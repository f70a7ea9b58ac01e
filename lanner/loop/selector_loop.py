"""SelectorLoop: asyncio's own selector loop, waiting in the engine."""

import asyncio
import os

from lanner import _core
from lanner.loop.selector import EngineSelector
from lanner.process.forked import refuse_loop


class SelectorLoop(asyncio.SelectorEventLoop):
    """asyncio's selector loop, unchanged except that it waits in the engine: `--loop asyncio`.

    For comparison, and for programs that need asyncio's own code. Example: `SelectorLoop().run_until_complete(main())`
    """

    __module__ = "lanner.loop"  # where its users find it

    def __init__(self) -> None:
        self.poller = _core.Poller()
        self._pid = os.getpid()
        super().__init__(EngineSelector(self.poller))

    def run_forever(self) -> None:
        refuse_loop(self._pid)
        super().run_forever()
