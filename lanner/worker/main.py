"""One worker process of a supervisor: reads its job from a pipe, reports through another, serves and drains.

The pipes: process/pipes.py.

A SIGTERM or SIGINT begins the drain and more of them change nothing, since service managers signal the whole
group: when to be impatient is for the supervisor to decide, with SIGKILL.
"""

import os
import sys

from lanner.errors import AppError, LannerError
from lanner.process.pipes import read_job, send_report
from lanner.process.stop_requests import Stopped, StopRequests
from lanner.report import print_error
from lanner.worker import serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from lanner._core import Server
    from lanner.process.job import Job

BOOT_FAILED = 3
SIGNALS_ONCE = 2  # of Server.run: the first drains


def main(arguments: list[str]) -> None:
    """The body of the process. arguments: lifeline, report, and the target for who reads the list of processes."""
    lifeline, report = int(arguments[0]), int(arguments[1])
    with StopRequests(patient=True) as stop:
        try:
            work(lifeline, report, stop)
        except Stopped:
            ignore_signals()
            sys.exit(0)


def work(lifeline: int, report: int, stop: StopRequests) -> None:
    """`main` while signals are caught."""
    job = read_job(lifeline)
    sys.argv[:] = job.argv
    for fd in (lifeline, report, *job.listeners, *extra_descriptors(job)):
        os.set_inheritable(fd, False)  # or programs started by the application would hold them open
    try:
        app, interface = serving.load_app(job)
    except LannerError as error:
        boot_failed(report, error)
    stop.check()

    served = False

    def on_ready(server: "Server") -> None:
        nonlocal served
        served = True
        send_report(report, f"ready {interface}")
        start_watch(server, lifeline)

    try:
        ended = serving.serve(app, interface, job, SIGNALS_ONCE, on_ready, stop)
    except LannerError as error:
        if not served:  # a wrong option, or an ASGI application that did not start
            boot_failed(report, error)
        print_error(error)
        sys.exit(error.exit_code)
    ignore_signals()
    if not ended:
        serving.exit_process(0)


def boot_failed(report: int, error: LannerError) -> "NoReturn":
    details = error.report if isinstance(error, AppError) else ""
    send_report(report, f"failed {error}\n{details}")
    sys.exit(BOOT_FAILED)


def extra_descriptors(job: "Job") -> list[int]:
    """The descriptors among the options, but for stdio."""
    found = [job.options.get(name) for name in ("board_fd", "board_wake_fd", "access_log_fd")]
    return [fd for fd in found if isinstance(fd, int) and fd > 2]


def ignore_signals() -> None:
    """For the rest of the process: a late SIGTERM must not interrupt the application's atexit functions."""
    import signal

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def start_watch(server: "Server", lifeline: int) -> None:
    """Starts a thread that begins the drain when the supervisor is gone and its end of the pipe is closed."""
    import _thread

    def watch() -> None:
        os.read(lifeline, 1)
        server.stop()

    _thread.start_new_thread(watch, ())
