"""One serving process: loads the application, makes the engine, starts its threads and runs it.

It imports nothing that a worker does not need (flags, click, dataclasses, typing), because each worker pays for it.
"""

import os
import sys

from lanner.errors import AppError, ConfigError
from lanner.forked import guard
from lanner.importer import checked_factory, load
from lanner.interface import choose
from lanner.report import load_failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lanner._core import Server
    from lanner.stopping import StopRequests

    App = Callable[..., object]

THREAD_END_S = 2.0


class Job:
    """What one process serves; plain data, so that it can be sent to a worker through a pipe.

    Example: `Job("shop:app", options={"threads": 4}).options["threads"]` is 4.
    """

    FIELDS = ("target", "factory", "app_dir", "interface", "loop", "lifespan", "listeners", "options", "argv")

    def __init__(
        self,
        target: "str | App",
        factory: bool = False,
        app_dir: str = ".",
        interface: str = "auto",
        loop: str = "auto",
        lifespan: str = "auto",
        listeners: "Sequence[int]" = (),
        options: dict[str, object] | None = None,
        argv: "Sequence[str]" = (),
    ) -> None:
        self.target = target
        self.factory = factory
        self.app_dir = app_dir
        self.interface = interface
        self.loop = loop
        self.lifespan = lifespan
        self.listeners = list(listeners)
        self.options = options or {}
        self.argv = list(argv)

    @property
    def shown(self) -> str:
        """The target for messages."""
        if isinstance(self.target, str):
            return self.target
        named = self.target if hasattr(self.target, "__qualname__") else type(self.target)
        return f"{named.__module__}:{named.__qualname__}"


def load_app(job: Job) -> "tuple[App, str]":
    """The application of a job and its interface; AppError when there is none."""
    with guard():
        return find_app(job)


def find_app(job: Job) -> "tuple[App, str]":
    """`load_app`, in whatever process."""
    if isinstance(job.target, str):
        app = load(job.target, job.app_dir, job.factory)
    elif job.factory:
        try:
            app = checked_factory(job.target(), job.shown)  # type: ignore[assignment]
        except Exception as error:
            raise load_failed(job.shown, error) from error
    else:
        app = job.target
    if not callable(app):
        raise AppError(f"{job.shown} is not an application: {type(app).__name__} objects can not be called")
    return app, choose(app, job.interface, job.shown)


def serve(
    app: "App", interface: str, job: Job, signals: int, on_ready: "Callable[[Server], object]", stop: "StopRequests"
) -> bool:
    """Serves until drained. on_ready(server) is called once, when the listeners are being watched.

    stop: what is asked for before the server is ready ends its start.

    True: everything ended. False: something is still inside the application, and `leave` must end the process.
    """
    if interface == "asgi":
        from lanner import asgi

        with guard():
            return asgi.run(app, job, signals, on_ready, stop)
    server = make_server(app, job, stop)
    stop.act = server.stop  # not Stopped any more: it could be raised where the engine does not expect it
    stop.check()
    return run_wsgi(server, job.options.get("threads"), stop.signals(signals), on_ready)


def make_server(app: "App", job: Job, stop: "StopRequests", *poller_and_loop: object) -> "Server":
    """The engine for an application. An option that it refuses is reported as a ConfigError.

    A signal that comes meanwhile raises Stopped afterwards, when it is certain who closes the listeners.
    """
    from lanner._core import Server

    try:
        with stop.deferred():
            server = Server(app, job.listeners, job.options, *poller_and_loop)  # type: ignore[arg-type]
    except BaseException as error:
        if job.options.get("own_listeners"):  # only an engine that was made owns them
            for fd in job.listeners:
                os.close(fd)
        if isinstance(error, ValueError):
            raise ConfigError(str(error)) from None
        raise
    stop.check()
    return server


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


def leave(code: int) -> None:
    """Ends the process while threads are running, without unwinding them: unwinding the engine's frames would abort."""
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)
