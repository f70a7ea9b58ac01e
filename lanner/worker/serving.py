"""Serves a job in this process: loads the application, makes the engine, starts its threads and runs it.

It imports nothing that a worker does not need (flags, click, dataclasses, typing), because each worker pays for it.
"""

import os
import sys

from lanner.errors import AppError
from lanner.process.engine import make_server
from lanner.process.forked import guard
from lanner.report import load_failed
from lanner.worker.interface import choose
from lanner.worker.target import checked_factory, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from lanner._core import Server
    from lanner.process.job import App, Job
    from lanner.process.stop_requests import StopRequests

THREAD_END_S = 2.0


def load_app(job: "Job") -> "tuple[App, str]":
    """The application of a job and its interface; AppError when there is none."""
    with guard():
        return find_app(job)


def find_app(job: "Job") -> "tuple[App, str]":
    """`load_app`, in whatever process."""
    if isinstance(job.target, str):
        app = load(job.target, job.app_dir, job.factory)
    elif job.factory:
        try:
            app = checked_factory(job.target(), job.label)  # type: ignore[assignment]
        except Exception as error:
            raise load_failed(job.label, error) from error
    else:
        app = job.target
    if not callable(app):
        raise AppError(f"{job.label} is not an application: {type(app).__name__} objects can not be called")
    return app, choose(app, job.interface, job.label)


def serve(
    app: "App", interface: str, job: "Job", signals: int, on_ready: "Callable[[Server], object]", stop: "StopRequests"
) -> bool:
    """Serves until drained. on_ready(server) is called once, when the listeners are being watched.

    stop: what is asked for before the server is ready ends its start.

    True: everything ended. False: something is still inside the application, and `exit_process` must end the process.
    """
    if interface != "wsgi":
        from lanner.asgi.serve import run

        with guard():
            return run(app, job, signals, on_ready, stop, native=interface == "native")
    server = make_server(app, job, stop)
    stop.act = server.stop  # not Stopped any more: it could be raised where the engine does not expect it
    stop.check()
    return run_wsgi(server, job.options.get("threads"), stop.signals(signals), on_ready)


def run_wsgi(server: "Server", threads: object, signals: int, on_ready: "Callable[[Server], object]") -> bool:
    """Runs the engine together with the Python threads of --threads N (with 1 there are none)."""
    if not isinstance(threads, int) or threads < 2:
        server.run(signals, lambda: on_ready(server))
        return True
    import threading
    import time

    names = [f"lanner-{number}" for number in range(1, threads + 1)]
    crew = [threading.Thread(target=server.run_thread, name=name, daemon=True) for name in names]
    for member in crew:
        member.start()
    server.run(signals, lambda: on_ready(server))
    deadline = time.monotonic() + THREAD_END_S
    for member in crew:
        member.join(max(0.0, deadline - time.monotonic()))
    return not any(member.is_alive() for member in crew)


def exit_process(code: int) -> None:
    """Ends the process while threads are running, without unwinding them: unwinding the engine's frames would abort."""
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)
