"""CPython's own tests of asyncio, run on Lanner's loop: `python cpython_asyncio.py [-v] [--share I/N] [PATTERN ...]`.

PATTERN: only the tests whose id matches, such as `test_tasks.*`. --share 1/3: every third class of tests, from the
first on. Exits 77 where the interpreter has no test suite: Debian packages it apart (libpython3.11-testsuite),
interpreters that were built from source have it.
"""

import argparse
import asyncio
import fnmatch
import importlib
import selectors
import sys
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

from lanner.loop import EngineLoop

MISSING = 77
MODULES = (
    "test_base_events",
    "test_buffered_proto",
    "test_context",
    "test_eager_task_factory",  # 3.12
    "test_events",
    "test_free_threading",  # 3.13
    "test_futures",
    "test_futures2",
    "test_locks",
    "test_pep492",
    "test_queues",
    "test_runners",
    "test_sendfile",
    "test_server",
    "test_sock_lowlevel",
    "test_ssl",
    "test_sslproto",
    "test_staggered",  # 3.12
    "test_streams",
    "test_subprocess",
    "test_taskgroups",
    "test_tasks",
    "test_threads",
    "test_timeouts",
    "test_waitfor",
    "test_unix_events",
)

# What is left out: pattern of a test's id -> why.
EXCEPTIONS = {
    "*.PollEventLoopTests.*": "a second and third time, for a selector that is not used",
    "*.EPollEventLoopTests.*": "the same",
    "test_base_events.BaseEventTests.*": "asyncio's helper functions, no loop",
    "test_base_events.BaseEventLoopTests.*": "of asyncio.base_events.BaseEventLoop itself, which they make by name",
    "test_base_events.BaseLoopSockSendfileTests.*": "the same",
    "test_base_events.TestSelectorUtils.*": "asyncio's helper functions, no loop",
    "test_runners.RunTests.test_loop_factory_default_event_loop": "asks for asyncio.EventLoop by name",  # 3.13
    "test_unix_events.SelectorEventLoopUnixSockSendfileTests.*": "mocks of the socket calls inside asyncio's loop",
    "test_unix_events.Unix*PipeTransportTests.*": "asyncio's transports on mocked descriptors that no kernel knows",
    "test_unix_events.*Watcher*": "asyncio's child watchers on a mocked loop",
    "test_unix_events.PolicyTests.*": "asyncio's policy, and it puts the default one back",
}


class SelectorEventLoop(EngineLoop):
    """EngineLoop by the name and with the argument of asyncio's: it waits in the engine, whatever selector is given."""

    def __init__(self, selector: selectors.BaseSelector | None = None) -> None:
        if selector is not None:
            selector.close()
        super().__init__()


class Policy(asyncio.DefaultEventLoopPolicy):
    """asyncio.new_event_loop(), and with it asyncio.run(), makes an EngineLoop."""

    _loop_factory = SelectorEventLoop


def replace_the_loop() -> None:
    """Whatever asyncio and its tests make by its public names from now on is Lanner's."""
    from asyncio import unix_events

    for module in (asyncio, unix_events):
        module.SelectorEventLoop = SelectorEventLoop  # type: ignore[misc,assignment,attr-defined]
        module.DefaultEventLoopPolicy = Policy  # type: ignore[misc,attr-defined]
    asyncio.set_event_loop_policy(Policy())
    utils: Any = importlib.import_module("test.test_asyncio.utils")
    theirs = utils.TestCase.new_test_loop

    def new_test_loop(self: Any, gen: object = None) -> asyncio.AbstractEventLoop:
        """A loop whose clock the test turns itself is theirs; where no clock is turned it can be ours."""
        if gen is not None:
            return theirs(self, gen)  # type: ignore[no-any-return]
        loop = EngineLoop()
        self.set_event_loop(loop)
        return loop

    utils.TestCase.new_test_loop = new_test_loop


def tests_of(suite: unittest.TestSuite) -> Iterator[Any]:
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_of(one)
        else:
            yield one


def modules() -> Iterator[Any]:
    for name in MODULES:
        try:
            yield importlib.import_module(f"test.test_asyncio.{name}")
        except ModuleNotFoundError:
            importlib.import_module("test.test_asyncio")  # only the module may be missing: it is of another version


def collect(patterns: list[str], part: int, parts: int) -> tuple[unittest.TestSuite, int]:
    """The tests, and how many are left out as EXCEPTIONS say."""
    found, left_out = unittest.TestSuite(), 0
    classes: dict[type, int] = {}
    for module in modules():
        for test in tests_of(unittest.defaultTestLoader.loadTestsFromModule(module)):
            label = test.id().removeprefix("test.test_asyncio.")
            if patterns and not any(fnmatch.fnmatchcase(label, pattern) for pattern in patterns):
                continue
            if any(fnmatch.fnmatchcase(label, pattern) for pattern in EXCEPTIONS):
                left_out += 1
            elif classes.setdefault(type(test), len(classes)) % parts == part:
                found.addTest(test)
    return found, left_out


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--share", default="1/1")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    part, _, parts = options.share.partition("/")
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        replace_the_loop()
        tests, left_out = collect(options.patterns, int(part) - 1, int(parts))
    except ImportError as error:
        print(error)
        return MISSING
    result = unittest.TextTestRunner(verbosity=2 if options.v else 0).run(tests)
    print(f"{result.testsRun} run, {len(result.skipped)} skipped, {left_out} left out")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
