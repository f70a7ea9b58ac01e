"""Serves an ASGI application: its event loop, its lifespan, and the engine within the loop's iterations."""

import asyncio
import contextvars
import logging
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lanner import _core, forked
from lanner.anyio_threads import lend_threads
from lanner.errors import ConfigError
from lanner.lifespan import AsgiApp, Lifespan
from lanner.log import Log, stamp
from lanner.loop import EngineLoop, SelectorLoop
from lanner.serving import Job, make_server
from lanner.stopping import StopRequests

if TYPE_CHECKING:
    from lanner._core import Server

OnReady = Callable[["Server"], object]

TICK_S = 0.1  # a foreign loop gives the engine's timers a turn this often
CANCELLED_S = 5.0  # for requests that were cut: to come to their ends


def run(app: AsgiApp, job: Job, signals: int, on_ready: OnReady, stop: StopRequests) -> bool:
    """Serves until drained, on a new loop. False: some requests ignore their cancellation."""
    started: list[Server] = []
    pid = os.getpid()

    def ready(server: "Server") -> None:
        started.append(server)
        on_ready(server)

    log = Log(str(job.options.get("log_level", "info")))
    stamp_last_resort()
    with asyncio.Runner(loop_factory=loop_factory(job.loop)) as runner:
        loop = runner.get_loop()
        main = loop.create_task(serve_here(app, job, signals, ready, stop))
        ended: bool | None = None
        while ended is None:
            try:
                ended = loop.run_until_complete(main)
            except (SystemExit, KeyboardInterrupt) as error:
                if os.getpid() != pid:
                    forked.end(error)
                # A request that raises one of these stops asyncio's loop. It has had its 500 and its log line: go on.
                # During the lifespan's start it is Ctrl-C, and ends the program.
                if main.done() or not started:
                    raise
                log.error("app.exit", error=type(error).__name__, hint="an application cannot end the server")
        if not ended:
            sys.stderr.flush()
            os._exit(0)  # a request that swallows its cancellation would keep the runner for ever
        return ended


def stamp_last_resort() -> None:
    """Messages of `logging` that no handler takes, such as asyncio's, begin as every other line of the log."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(StampedFormatter())


class StampedFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        level = "warn" if record.levelname == "WARNING" else record.levelname.lower()
        return f"{stamp()}{level} {record.name} {super().format(record)}"


def loop_factory(name: str) -> Callable[[], asyncio.AbstractEventLoop]:
    """Of --loop. Example: `loop_factory("auto")` is `EngineLoop`."""
    if name != "uvloop":
        return SelectorLoop if name == "asyncio" else EngineLoop
    try:
        import uvloop  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ConfigError("--loop uvloop: uvloop is not installed; pip install uvloop, or --loop asyncio") from None
    return uvloop.new_event_loop


async def serve_here(app: AsgiApp, job: Job, signals: int, on_ready: OnReady, stop: StopRequests) -> bool:
    """Serves on the running loop: lifespan, requests, drain, lifespan. LannerError when it can not start or end.

    signals: as of `Server.start`. stop: ends the start, and is no error. Cancelled, it cuts what is left, and ends in
    the same order.
    """
    loop = asyncio.get_running_loop()
    set_executor(loop, job.options.get("threads"))
    if isinstance(loop, EngineLoop):
        lend_threads(loop)
    driver = Driver(loop)
    server = make_server(app, job, stop, driver.poller, loop)
    lifespan = Lifespan(app, job.lifespan, job.shown, Log(str(job.options.get("log_level", "info"))))
    try:
        if not await start_until(lifespan, stop):
            return True
    except BaseException:
        del server  # with it the listening sockets, before anybody sees the error
        raise
    stop.act = server.stop
    before = asyncio.all_tasks()
    try:
        if lifespan.supported:
            server.set_state(lifespan.state)
        if stop.asked:  # just now
            server.stop()
        await serve_until_end(server, driver, stop.signals(signals), on_ready)
    finally:
        gone = await let_end(asyncio.all_tasks() - before)
        await lifespan.shutdown()
    return gone


async def start_until(lifespan: Lifespan, stop: StopRequests) -> bool:
    """Starts the lifespan. False: a signal came first, and the application has cleaned up what it had begun."""
    loop = asyncio.get_running_loop()
    starting = loop.create_task(lifespan.startup())
    stop.act = lambda: loop.call_soon_threadsafe(starting.cancel)
    if stop.asked:
        starting.cancel()
    try:
        await starting
    except asyncio.CancelledError:
        if stop.asked:
            return False
        starting.cancel()  # it is we who are cancelled
        raise
    return True


async def serve_until_end(server: "Server", driver: "Driver", signals: int, on_ready: OnReady) -> None:
    ended: asyncio.Future[bool] = driver.loop.create_future()
    server.start(ended.set_result, signals, driver.start())
    try:
        on_ready(server)
        await asyncio.shield(ended)
    except BaseException:
        server.stop()
        server.stop()
        await ended
        raise
    finally:
        driver.stop()


async def let_end(tasks: "set[asyncio.Task[object]]") -> bool:
    """Gives cancelled requests a moment for their `finally` blocks; False when some do not end."""
    left = {task for task in tasks if task.get_name() == "lanner request"}
    if left:
        _, left = await asyncio.wait(left, timeout=CANCELLED_S)
    return not left


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


__all__ = ["run", "serve_here"]
