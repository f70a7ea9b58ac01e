"""Lanner's event loop: a standard asyncio loop whose waiting is done by the engine. With a server, and without.

    import lanner.loop

    lanner.loop.run(main())                                         # in place of asyncio.run(main())
    asyncio.Runner(loop_factory=lanner.loop.new_event_loop)         # where a runner or a framework takes a factory

All that asyncio offers keeps working, and the engine's connections, timers and limits are served inside the loop's
turns, without waking one loop from another. docs/loop.md: which loop when, and what differs from asyncio's and uvloop.
"""

import asyncio
import contextlib
import inspect
import os
import selectors
import threading
import warnings
from asyncio import base_events, format_helpers
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from lanner import _core
from lanner.forked import forget_loop_signals
from lanner.loop_streams import StreamsMixin
from lanner.loop_threads import LoopThreads
from lanner.loop_watchdog import Watchdog

# Later versions of asyncio name arguments in debug mode only.
DESCRIBES_BY_DEBUG = "debug" in inspect.signature(format_helpers._format_callback_source).parameters

os.register_at_fork(after_in_child=forget_loop_signals)

__all__ = ["EngineLoop", "EngineSelector", "SelectorLoop", "new_event_loop", "run"]

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


def new_event_loop() -> "EngineLoop":
    """A new loop, for functions that take a loop factory. The caller closes it.

    Example: `with asyncio.Runner(loop_factory=lanner.loop.new_event_loop) as runner: runner.run(main())`
    """
    return EngineLoop()


class EngineSelector(selectors.BaseSelector):
    """The engine as a selector. Example: `EngineSelector(_core.Poller()).select(0)` is `[]`."""

    def __init__(self, poller: _core.Poller) -> None:
        self.poller = poller
        self._keys: dict[int, selectors.SelectorKey] = {}

    def register(self, fileobj: object, events: int, data: object = None) -> selectors.SelectorKey:
        fd = descriptor_of(fileobj)
        if fd in self._keys:
            raise KeyError(f"{fileobj!r} (FD {fd}) is already registered")
        self.poller.register(fd, events)
        key = selectors.SelectorKey(fileobj, fd, events, data)  # type: ignore[arg-type]
        self._keys[fd] = key
        return key

    def unregister(self, fileobj: object) -> selectors.SelectorKey:
        fd = self._known(fileobj)
        key = self._keys.pop(fd)
        with contextlib.suppress(OSError):  # closed already
            self.poller.unregister(fd)
        return key

    def modify(self, fileobj: object, events: int, data: object = None) -> selectors.SelectorKey:
        fd = self._known(fileobj)
        key = self._keys[fd]
        if events != key.events:
            self.poller.modify(fd, events)
        key = self._keys[fd] = key._replace(events=events, data=data)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self.poller.select(timeout)
        if not ready:
            return []
        keys = self._keys
        return [(keys[fd], events) for fd, events in ready if fd in keys]

    def get_key(self, fileobj: object) -> selectors.SelectorKey:
        return self._keys[self._known(fileobj)]

    def get_map(self) -> Mapping[object, selectors.SelectorKey]:  # type: ignore[override]
        return KeyMap(self._keys)

    def close(self) -> None:
        for fd in list(self._keys):
            self.unregister(fd)

    def _known(self, fileobj: object) -> int:
        fd = descriptor_of(fileobj, self._keys)
        if fd not in self._keys:
            raise KeyError(f"{fileobj!r} is not registered")
        return fd


class KeyMap(Mapping[object, selectors.SelectorKey]):
    """The registered keys, found by descriptor or file object, as in the selectors module.

    Example: `loop._selector.get_map().get(sock)` is the key of a socket that add_reader() got, or None.
    """

    def __init__(self, keys: dict[int, selectors.SelectorKey]) -> None:
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[object]:
        return iter(self._keys)

    def __getitem__(self, fileobj: object) -> selectors.SelectorKey:
        try:
            return self._keys[descriptor_of(fileobj, self._keys)]
        except ValueError:
            raise KeyError(fileobj) from None


def descriptor_of(fileobj: object, keys: Mapping[int, selectors.SelectorKey] | None = None) -> int:
    """A descriptor, or that of a file object; one that was closed is found among the keys."""
    fd = fileobj if isinstance(fileobj, int) else -1
    if fd < 0:
        try:
            fd = int(fileobj.fileno())  # type: ignore[attr-defined]
        except (AttributeError, TypeError, ValueError):
            raise ValueError(f"Invalid file object: {fileobj!r}") from None
    if fd < 0:
        for key in (keys or {}).values():
            if key.fileobj is fileobj:
                return key.fd
        raise ValueError(f"Invalid file descriptor: {fd}")
    return fd


class WatchedDescriptors(EngineSelector):
    """The watched descriptors of EngineLoop as a selector; the loop itself uses the engine.

    Example: `loop._selector.get_map()` holds the readers and writers of add_reader() and add_writer().
    """

    def __init__(self, loop: "EngineLoop") -> None:
        super().__init__(loop.poller)
        self._loop = loop

    def _refuse(self, *args: object) -> NoReturn:
        raise RuntimeError("this selector only tells what is watched: use add_reader() and add_writer() of the loop")

    register = unregister = modify = select = _refuse  # type: ignore[assignment]

    def get_key(self, fileobj: object) -> selectors.SelectorKey:
        return self.get_map()[fileobj]

    def get_map(self) -> Mapping[object, selectors.SelectorKey]:  # type: ignore[override]
        keys = {}
        for fd, (file, reader, writer) in self._loop._watches().items():
            events = ((reader and selectors.EVENT_READ) or 0) | ((writer and selectors.EVENT_WRITE) or 0)
            keys[fd] = selectors.SelectorKey(file, fd, events, (reader, writer))  # type: ignore[arg-type]
        return KeyMap(keys)

    def close(self) -> None:
        """Nothing of its own is open."""


class EngineLoop(_core.LoopBase, StreamsMixin, asyncio.SelectorEventLoop):
    """asyncio's selector loop on the engine: one run of it is one turn of the engine.

    In C++ (LoopBase): the ready queue, handles, timers, call_soon_threadsafe and what add_reader watches; and stream
    transports (StreamsMixin). Everything else is asyncio's own. A loop that starts to run in debug mode has a Watchdog.

    Example: `asyncio.Runner(loop_factory=EngineLoop).run(main())`
    """

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
        refuse_forked(self._pid)
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


class SelectorLoop(asyncio.SelectorEventLoop):
    """asyncio's selector loop, unchanged except that it waits in the engine: `--loop asyncio`.

    For comparison, and for programs that need asyncio's own code. Example: `SelectorLoop().run_until_complete(main())`
    """

    def __init__(self) -> None:
        self.poller = _core.Poller()
        self._pid = os.getpid()
        super().__init__(EngineSelector(self.poller))

    def run_forever(self) -> None:
        refuse_forked(self._pid)
        super().run_forever()


def refuse_forked(pid: int) -> None:
    """A loop that was made in another process, `pid`, waits for what is that process'."""
    if os.getpid() != pid:
        raise RuntimeError(f"this event loop was made in process {pid}, before a fork: make a new one in the child")


def callback_failed(handle: asyncio.Handle, error: BaseException) -> None:
    """What asyncio.Handle._run() does with an exception that a callback raised."""
    callback = describe(handle._callback, handle._args)  # type: ignore[attr-defined]
    context = {"message": f"Exception in callback {callback}", "exception": error, "handle": handle}
    if handle._source_traceback:  # type: ignore[attr-defined]
        context["source_traceback"] = handle._source_traceback  # type: ignore[attr-defined]
    handle._loop.call_exception_handler(context)  # type: ignore[attr-defined]


def callback_slow(handle: asyncio.Handle, took_s: float) -> None:
    """Debug mode: a callback ran longer than loop.slow_callback_duration."""
    base_events.logger.warning("Executing %s took %.3f seconds", base_events._format_handle(handle), took_s)  # type: ignore[attr-defined]


def describe(callback: object, args: object) -> str:
    """A callback with its arguments and where it was defined, in asyncio's words."""
    more = {"debug": True} if DESCRIBES_BY_DEBUG else {}
    return str(format_helpers._format_callback_source(callback, args, **more))  # type: ignore[arg-type]


async def drive(awaitable: Awaitable[object]) -> None:
    """A coroutine for a task, of whatever an application returned to be awaited. Example: `await drive(future)`"""
    await awaitable
