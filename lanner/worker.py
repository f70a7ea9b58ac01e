"""One worker process of a supervisor: receives its job through a pipe, reports through another, serves and drains.

    lifeline   supervisor -> worker   the job; then nothing, until its end says that the supervisor is gone
    report     worker -> supervisor   "ready <interface>" or "failed <line>\\n<traceback>"

A SIGTERM or SIGINT begins the drain and more of them change nothing, since service managers signal the whole
group: when to be impatient is for the supervisor to decide, with SIGKILL.
"""

import marshal
import os
import sys

from lanner import serving
from lanner.errors import AppError, LannerError
from lanner.log import put
from lanner.report import say
from lanner.stopping import Stopped, StopRequests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from lanner._core import Server

BOOT_FAILED = 3
SIGNALS_ONCE = 2  # of Server.run: the first drains
HEADER_BYTES = 4
END = b"\0"  # of a report: a child of the application may hold the pipe open


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
    job = receive(lifeline)
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
        tell(report, f"ready {interface}")
        start_watch(server, lifeline)

    try:
        ended = serving.serve(app, interface, job, SIGNALS_ONCE, on_ready, stop)
    except LannerError as error:
        if not served:  # a wrong option, or an ASGI application that did not start
            boot_failed(report, error)
        say(error)
        sys.exit(error.exit_code)
    ignore_signals()
    if not ended:
        serving.leave(0)


def boot_failed(report: int, error: LannerError) -> "NoReturn":
    details = error.report if isinstance(error, AppError) else ""
    tell(report, f"failed {error}\n{details}")
    sys.exit(BOOT_FAILED)


def extra_descriptors(job: serving.Job) -> list[int]:
    """The descriptors among the options, but for stdio."""
    found = [job.options.get(name) for name in ("board_fd", "board_wake_fd", "access_log_fd")]
    return [fd for fd in found if isinstance(fd, int) and fd > 2]


def pack(job: serving.Job) -> bytes:
    """A job as bytes for the lifeline; both ends run the same interpreter, which is what marshal asks for."""
    data = marshal.dumps({name: getattr(job, name) for name in serving.Job.FIELDS})
    return len(data).to_bytes(HEADER_BYTES, "little") + data


def receive(lifeline: int) -> serving.Job:
    """The job that `pack` wrote."""
    count = int.from_bytes(read_exactly(lifeline, HEADER_BYTES), "little")
    return serving.Job(**marshal.loads(read_exactly(lifeline, count)))


def read_exactly(fd: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(fd, count - len(data))
        if not part:
            sys.exit(0)  # the supervisor ended while this process started
        data += part
    return data


def tell(report: int, text: str) -> None:
    """Reports the result of the start, once; if the supervisor is gone, a failure is at least printed."""
    data = text.encode("utf-8", "backslashreplace") + END
    try:
        while data:
            data = data[os.write(report, data) :]
    except OSError:
        put(text)
    os.close(report)


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
