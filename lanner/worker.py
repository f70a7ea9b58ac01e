"""One worker process of a supervisor: gets its job by a pipe, tells that it is ready by another, serves, drains.

    lifeline   supervisor -> worker   the job; then nothing, until its end says that the supervisor is gone
    report     worker -> supervisor   "ready <interface>" or "failed <line>\\n<traceback>"

A SIGTERM or SIGINT begins the drain and more of them change nothing, since service managers signal the whole
group: when to be impatient is for the supervisor to decide, with SIGKILL.
"""

import marshal
import os
import sys

from lanner import serve
from lanner.errors import AppError, LannerError
from lanner.log import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lanner._core import Server

BOOT_FAILED = 3
HEADER_BYTES = 4


def main(arguments: list[str]) -> None:
    """The body of the process. arguments: lifeline, report, and the target for who reads the list of processes."""
    lifeline, report = int(arguments[0]), int(arguments[1])
    job = receive(lifeline)
    sys.argv[:] = job.argv
    for fd in (lifeline, report, *job.listeners, *extra_descriptors(job)):
        os.set_inheritable(fd, False)  # or programs started by the application would hold them open
    try:
        app, interface = serve.load_app(job)
        server = serve.make_server(app, job)
    except LannerError as error:
        details = error.report if isinstance(error, AppError) else ""
        tell(report, f"failed {error}\n{details}")
        sys.exit(BOOT_FAILED)
    except KeyboardInterrupt:
        sys.exit(130)
    wake = catch_signals()

    def on_ready() -> None:
        tell(report, f"ready {interface}")
        start_watch(server, lifeline, wake)

    ended = serve.run(server, job.options.get("threads"), False, on_ready)
    ignore_signals()
    if not ended:
        serve.leave(0)


def extra_descriptors(job: serve.Job) -> list[int]:
    """The descriptors among the options, but for stdio."""
    found = [job.options.get(name) for name in ("board_fd", "board_wake_fd", "access_log_fd")]
    return [fd for fd in found if isinstance(fd, int) and fd > 2]


def pack(job: serve.Job) -> bytes:
    """A job as bytes for the lifeline; both ends run the same interpreter, which is what marshal asks for."""
    data = marshal.dumps({name: getattr(job, name) for name in serve.Job.FIELDS})
    return len(data).to_bytes(HEADER_BYTES, "little") + data


def receive(lifeline: int) -> serve.Job:
    """The job that `pack` wrote."""
    count = int.from_bytes(read_exactly(lifeline, HEADER_BYTES), "little")
    return serve.Job(**marshal.loads(read_exactly(lifeline, count)))


def read_exactly(fd: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(fd, count - len(data))
        if not part:
            sys.exit(0)  # the supervisor ended while this process started
        data += part
    return data


def tell(report: int, text: str) -> None:
    """Says how the start went, once; if nobody listens any more, a failure is at least printed."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(report, data) :]
    except OSError:
        put(text)
    os.close(report)


def catch_signals() -> int:
    """Turns SIGTERM and SIGINT into bytes; returns the descriptor to read them from. Main thread only."""
    import signal

    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: None)
    return read_end


def ignore_signals() -> None:
    """From here to the end of the process: a late SIGTERM must not cut the application's atexit functions short."""
    import signal

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def start_watch(server: "Server", lifeline: int, wake: int) -> None:
    """A thread that begins the drain on a signal, or when the supervisor is gone."""
    import _thread
    import select

    def watch() -> None:
        poll = select.poll()
        poll.register(lifeline, select.POLLIN)
        poll.register(wake, select.POLLIN)
        poll.poll()
        server.stop()

    _thread.start_new_thread(watch, ())
