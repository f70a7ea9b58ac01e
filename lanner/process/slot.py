"""A slot of the supervisor: one worker process and its successors, and their state."""

import os
import signal
from collections.abc import Callable

from lanner.process.job import Job
from lanner.process.pipes import END, pack_job

Command = Callable[[int, int, str], list[str]]  # lifeline, report, target -> the arguments of a worker

QUICK_S = 5.0  # a worker that lived less than this counts as crash-looping
BACK_OFF_S, BACK_OFF_MAX_S = 0.5, 30.0
REPORT_BYTES_MAX = 65536


class Slot:
    """One worker's slot. Example: `Slot(0).start(job, command, now=time.monotonic())`."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.board = -1  # the process's slot of the board (process/board.h)
        self.pid = 0  # 0: no process
        self.ready = False
        self.settled = False  # the first process of the slot was ready, or is dead
        self.interface = ""
        self.failure = ""  # the report of a failed start
        self.started = 0.0
        self.starts = 0
        self.quick_deaths = 0
        self.due: float | None = None  # when to start the next process
        self.lifeline = -1
        self.report = -1
        self.received = b""

    def start(self, job: Job, command: Command, now: float) -> None:
        """Starts a process; its descriptors are those of the job, two pipes and stdio."""
        self.started, self.due, self.ready = now, None, False
        self.starts += 1
        self.failure, self.received = "", b""
        lifeline, self.lifeline = os.pipe()
        self.report, report = os.pipe()
        os.set_blocking(self.report, False)
        try:
            for fd in (lifeline, report):
                os.set_inheritable(fd, True)
            arguments = command(lifeline, report, job.label)
            self.pid = spawn(arguments)
        finally:
            os.close(lifeline)
            os.close(report)
        try:
            os.write(self.lifeline, pack_job(job))
        except BrokenPipeError:
            return  # it died already: that is seen when it is reaped

    def read_report(self) -> bool:
        """Reads the process's report; True once it is complete."""
        while True:
            try:
                part = os.read(self.report, REPORT_BYTES_MAX)
            except BlockingIOError:
                return False
            if not part or len(self.received) > REPORT_BYTES_MAX:
                self.parse_report()
                return True
            self.received += part
            if part.endswith(END):
                self.parse_report()
                return True

    def parse_report(self) -> None:
        word, _, rest = self.received.removesuffix(END).decode("utf-8", "replace").partition(" ")
        if word == "ready":
            self.ready = self.settled = True
            self.interface = rest
        elif word == "failed":
            self.failure = rest

    def close_report(self) -> None:
        os.close(self.report)
        self.report = -1

    def ended(self, now: float) -> float:
        """The process has ended: reads the rest of its report, and returns the seconds that it lived."""
        if self.report >= 0:
            if not self.read_report():  # a process that it forked holds the pipe open
                self.parse_report()
            self.close_report()
        if self.lifeline >= 0:
            os.close(self.lifeline)
            self.lifeline = -1
        self.pid, self.ready, self.settled = 0, False, True
        lived = now - self.started
        self.quick_deaths = self.quick_deaths + 1 if lived < QUICK_S else 0
        return lived

    def back_off(self, now: float) -> float:
        """Sets when the next process is due, and returns the seconds until then."""
        wait = back_off_s(self.quick_deaths)
        self.due = now + wait
        return wait

    def signal(self, number: int) -> None:
        if self.pid:
            os.kill(self.pid, number)


def back_off_s(quick_deaths: int) -> float:
    """Seconds to wait before the next start. Example: 0, 0.5, 1, 2, 4, ... 30 after 0, 1, 2, 3, 4 quick deaths."""
    if not quick_deaths:
        return 0.0
    return min(BACK_OFF_MAX_S, BACK_OFF_S * 2.0 ** min(quick_deaths - 1, 10))


def spawn(arguments: list[str]) -> int:
    """Starts a program in a process group of its own: Ctrl-C reaches the supervisor only, which drains in order."""
    return os.posix_spawn(
        arguments[0],
        arguments,
        os.environ,
        setpgroup=0,
        setsigmask=(),
        setsigdef=(signal.SIGTERM, signal.SIGINT, signal.SIGCHLD),
    )
