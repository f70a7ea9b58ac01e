"""The engine for an application: a `_core.Server` made of a job."""

import os

from lanner.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lanner._core import Server
    from lanner.process.job import App, Job
    from lanner.process.stop_requests import StopRequests


def make_server(app: "App", job: "Job", stop: "StopRequests", *poller_and_loop: object) -> "Server":
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
