"""Serves an ASGI application: its event loop, its lifespan, and the engine within the loop's iterations."""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from lanner.asgi.driver import Driver, loop_factory
from lanner.asgi.executor import set_executor
from lanner.asgi.lifespan import AsgiApp, Lifespan
from lanner.asgi.log_format import stamp_last_resort
from lanner.log import Log
from lanner.loop import EngineLoop
from lanner.loop.anyio_threads import lend_threads
from lanner.process import forked
from lanner.process.engine import make_server
from lanner.process.job import Job
from lanner.process.stop_requests import StopRequests

if TYPE_CHECKING:
    from lanner._core import Server

OnReady = Callable[["Server"], object]

CANCELLED_S = 5.0  # for requests that were cut: to come to their ends


def run(app: AsgiApp, job: Job, signals: int, on_ready: OnReady, stop: StopRequests, native: bool = False) -> bool:
    """Serves until drained, on a new loop. False: some requests ignore their cancellation.

    native: the app is a lanner.App, whose requests C++ answers.
    """
    started: list[Server] = []
    pid = os.getpid()

    def ready(server: "Server") -> None:
        started.append(server)
        on_ready(server)

    log = Log(str(job.options.get("log_level", "info")))
    stamp_last_resort()
    with asyncio.Runner(loop_factory=loop_factory(job.loop)) as runner:
        loop = runner.get_loop()
        main = loop.create_task(serve_here(app, job, signals, ready, stop, native))
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


async def serve_here(
    app: AsgiApp, job: Job, signals: int, on_ready: OnReady, stop: StopRequests, native: bool = False
) -> bool:
    """Serves on the running loop: lifespan, requests, drain, lifespan. LannerError when it can not start or end.

    signals: as of `Server.start`. stop: ends the start, and is no error. Cancelled, it cuts what is left, and ends in
    the same order.
    """
    loop = asyncio.get_running_loop()
    set_executor(loop, job.options.get("threads"))
    if isinstance(loop, EngineLoop):
        lend_threads(loop)
    driver = Driver(loop)
    core = app.__lanner__ if native else None  # type: ignore[attr-defined]
    server = make_server(app, job, stop, driver.poller, loop, core)
    lifespan = Lifespan(app, job.lifespan, job.label, Log(str(job.options.get("log_level", "info"))))
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
        if stop.requested:  # just now
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
    if stop.requested:
        starting.cancel()
    try:
        await starting
    except asyncio.CancelledError:
        if stop.requested:
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
