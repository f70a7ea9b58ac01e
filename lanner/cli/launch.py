"""Starts a server from a configuration: in this process, or in workers under a supervisor."""

import os
import sys
from collections.abc import Callable, Mapping

from lanner import _core
from lanner.cli import banner, bind
from lanner.cli.config import App, Config
from lanner.errors import ConfigError
from lanner.log import Log, notice, put
from lanner.process import stdio
from lanner.process.job import Job
from lanner.process.listeners import Listener, close_all, open_all
from lanner.process.stop_requests import Stopped, StopRequests
from lanner.worker import serving

TYPE_CHECKING = False  # as in lanner/__init__.py
if TYPE_CHECKING:
    from typing import Unpack

    from lanner.cli.options import Options

STDOUT = 1
DESCRIPTORS_BESIDE = 1024  # the usual soft limit, for all but connections


def run(app: "str | App", **options: "Unpack[Options]") -> None:
    """Serves an application until SIGINT or SIGTERM.

    app: an application, or a target such as "shop.wsgi:application" (needed for workers > 1).
    options: the flags of `lanner run` with underscores; others come from LANNER_<FLAG> variables.
    Raises lanner.errors.LannerError (ConfigError, ListenError, AppError) when it cannot start.

    Example: `lanner.run(app, host="0.0.0.0", port=80, timeout_keep_alive=5)`
    """
    import threading

    if loop_runs():
        raise ConfigError(
            "lanner.run cannot be called while an event loop runs in this thread; use `await lanner.serve(app)` there"
        )
    main_thread = threading.current_thread() is threading.main_thread()
    code = launch(app, options, os.environ, signals=main_thread)
    if code:
        sys.exit(code)


def loop_runs() -> bool:
    """Whether this thread runs an asyncio loop; without importing asyncio, for WSGI applications."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


async def serve_async(app: "str | App", **options: "Unpack[Options]") -> None:
    """`lanner.serve`: an ASGI application inside the running event loop, until a signal or cancellation.

    app and options as for `run`; workers must be 1. Signals are caught in the main thread only.
    Raises lanner.errors.LannerError when it can not start.

    Example: `await lanner.serve(app, port=8000)`
    """
    import threading

    from lanner.asgi.serve import serve_here

    stdio.complete()
    config = Config.build(app, options, os.environ, one_process=True)
    for note in config.warnings:
        notice(note)
    log_fd, listeners = open_log_and_listeners(config)
    try:
        job = make_job(config, listeners, log_fd)
        loaded, interface = serving.load_app(job)
        if interface == "wsgi":
            raise ConfigError(f"{job.label} is a WSGI application; lanner.serve takes ASGI ones, use lanner.run")
        lend_listeners(config, job, listeners)
        announce = announcer(config, job, listeners, interface)
        main_thread = threading.current_thread() is threading.main_thread()
        with StopRequests(caught=main_thread) as stop:
            native = interface == "native"
            await serve_here(loaded, job, main_thread, lambda server: announce(), stop, native)
    finally:
        close_all(listeners)
        if log_fd > STDOUT:
            os.close(log_fd)


def launch(
    app: "str | App",
    given: Mapping[str, object],
    environ: Mapping[str, str],
    prefix: str = "",
    signals: bool = True,
) -> int:
    """Configures and serves; returns the exit code. prefix: "--" from the command line, which owns the process."""
    stdio.complete()
    with StopRequests(caught=signals) as stop:
        try:
            return launch_until(stop, Config.build(app, given, environ, prefix), prefix, signals)
        except Stopped:
            notice(stop.message())
            return 0


def launch_until(stop: StopRequests, config: Config, prefix: str, signals: bool) -> int:
    """`launch` while signals are caught."""
    for note in config.warnings:
        notice(note)
    if config.workers > 1 and not signals:
        raise ConfigError(f"workers={config.workers} can only be started from the main thread")
    if prefix:
        allow_descriptors(config.limits["connections"])
    log_fd, listeners = open_log_and_listeners(config)
    try:
        job = make_job(config, listeners, log_fd)
        if config.workers > 1:
            return supervise(config, job, listeners)
        ended = single(config, job, listeners, signals, stop)
    finally:
        close_all(listeners)
        if log_fd > STDOUT:
            os.close(log_fd)
    if not ended and prefix:
        serving.exit_process(0)
    return 0


def open_log_and_listeners(config: Config) -> tuple[int, list[Listener]]:
    """The access log's descriptor and the listeners, from the directory that --chdir names."""
    with config.naming_variables():
        change_directory(config)
        places = [bind.parse(text) for text in config.addresses()]
        return open_access_log(config), open_all(places, config.uds_permissions)


def make_job(config: Config, listeners: list[Listener], log_fd: int) -> Job:
    options = config.engine_options()
    options["access_log_fd"] = log_fd
    return Job(
        target=config.app,
        factory=config.factory,
        app_dir=os.path.abspath(config.app_dir),
        interface=config.interface,
        loop=config.loop,
        lifespan=config.lifespan,
        listeners=[listener.fd for listener in listeners],
        options=options,
        argv=sys.argv,
    )


def single(config: Config, job: Job, listeners: list[Listener], signals: bool, stop: StopRequests) -> bool:
    """Serves in this process. False: a thread is still in the application."""
    app, interface = serving.load_app(job)
    stop.check()
    lend_listeners(config, job, listeners)
    announce = announcer(config, job, listeners, interface)
    return serving.serve(app, interface, job, signals, lambda server: announce(), stop)


def lend_listeners(config: Config, job: Job, listeners: list[Listener]) -> None:
    """Starts listening and passes the sockets to the engine, which closes them when its drain begins."""
    listen(config, listeners)
    if any(listener.inherited for listener in listeners):
        return  # another process may go on listening
    job.listeners = [listener.lend() for listener in listeners]
    job.options["own_listeners"] = True
    for listener in listeners:
        listener.stop_listening()


def supervise(config: Config, job: Job, listeners: list[Listener]) -> int:
    from lanner.process.supervisor import Supervisor
    from lanner.worker.command_line import command

    listen(config, listeners)
    return Supervisor(
        job,
        config.workers,
        drain_s=config.limits["drain_ms"] / 1000,
        log=Log(config.log_level),
        command=command,
        on_ready=lambda interface: announcer(config, job, listeners, interface)(),
        on_stop=lambda: close_listeners(listeners),
    ).run()


def close_listeners(listeners: list[Listener]) -> None:
    """Closes the listeners when the workers are about to drain; inherited sockets are left open."""
    for listener in listeners:
        listener.remove_path()  # as long as it listens, no other server can be there
        if not listener.inherited:
            _core.refuse_connections(listener.fd)
            listener.stop_listening()


def listen(config: Config, listeners: list[Listener]) -> None:
    for listener in listeners:
        listener.listen(config.backlog)


def announcer(config: Config, job: Job, listeners: list[Listener], interface: str) -> Callable[[], None]:
    """A function that prints the banner if the log level permits."""

    def announce() -> None:
        if Log(config.log_level).enabled("info"):
            urls = [listener.url for listener in listeners]
            put(banner.text(config, _core.version(), interface, job.label, urls, os.getpid()))

    return announce


def allow_descriptors(connections: int) -> None:
    """Raises the soft limit of open files to what connections and application may need, at most to the hard limit."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + DESCRIPTORS_BESIDE
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def change_directory(config: Config) -> None:
    """Changes to --chdir, to which all other paths, including --app-dir, are relative."""
    try:
        if config.chdir:
            os.chdir(config.chdir)
    except OSError as error:
        raise ConfigError(f"--chdir {config.chdir}: {error.strerror}") from None
    try:
        os.getcwd()
    except OSError:
        raise ConfigError(
            "the working directory does not exist any more; change to another one, or give --chdir"
        ) from None
    if not os.path.isdir(config.app_dir):
        raise ConfigError(f"--app-dir {config.app_dir} is not a directory")
    if not os.access(config.app_dir, os.R_OK | os.X_OK):
        raise ConfigError(f"--app-dir {config.app_dir}: no permission to read it")


def open_access_log(config: Config) -> int:
    """The descriptor for the access log, -1 when it is off."""
    if not config.access_log:
        return -1
    if config.access_logfile in ("", "-"):
        return STDOUT
    try:
        return os.open(config.access_logfile, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise ConfigError(f"--access-logfile {config.access_logfile}: {error.strerror}") from None
