"""CPython's own tests of event loops, run on EngineLoop: `python cpython_asyncio.py`. Exits 77 where they are missing.

Debian packages them apart (libpython3.11-testsuite); interpreters that were built from source have them.
"""

import asyncio
import importlib
import sys
import unittest
import warnings
from typing import Any

from lanner.loop import EngineLoop

MISSING = 77
MODULES = (
    "test_streams",
    "test_subprocess",
    "test_runners",
    "test_locks",
    "test_queues",
    "test_taskgroups",
    "test_timeouts",
)


class Policy(asyncio.DefaultEventLoopPolicy):
    """asyncio.new_event_loop(), and with it asyncio.run(), makes an EngineLoop."""

    _loop_factory = EngineLoop


def on_engine_loop(mixin: Any, *bases: Any) -> type:
    """Tests that ask their class for a loop."""
    members = {"create_event_loop": lambda self: EngineLoop(), "__module__": __name__}
    return type(f"EngineLoop{mixin.__name__}", (mixin, *bases), members)


def suite() -> unittest.TestSuite:
    events = importlib.import_module("test.test_asyncio.test_events")
    sockets = importlib.import_module("test.test_asyncio.test_sock_lowlevel")
    sendfile = importlib.import_module("test.test_asyncio.test_sendfile")
    utils = importlib.import_module("test.test_asyncio.utils")
    classes = [
        on_engine_loop(events.UnixEventLoopTestsMixin, events.SubprocessTestsMixin, utils.TestCase),
        on_engine_loop(sockets.BaseSockTestsMixin, utils.TestCase),
        on_engine_loop(sendfile.SendfileTestsBase, utils.TestCase),
    ]
    found = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(one) for one in classes)
    # They replace the loop's policy by the default one when a module is done.
    for module in (events, sockets, sendfile):
        module.tearDownModule = lambda: None
    found.addTests(unittest.defaultTestLoader.loadTestsFromName(f"test.test_asyncio.{name}") for name in MODULES)
    return found


def main() -> int:
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        tests = suite()
    except ImportError as error:
        print(error)
        return MISSING
    asyncio.DefaultEventLoopPolicy = Policy  # type: ignore[misc]  # for the modules that put the default policy back
    asyncio.set_event_loop_policy(Policy())
    return 0 if unittest.TextTestRunner(verbosity=0).run(tests).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
