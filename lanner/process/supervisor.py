"""The parent of several workers: starts them, replaces dead ones, and stops them in order. It serves no requests.

    start -> all ready -> banner -> ... a worker dies -> back-off -> its slot starts another ...
          -> all failed -> AppError (exit code 3)
    first SIGTERM or SIGINT -> SIGTERM to all -> drain time + 5 s -> SIGKILL;  a second one -> SIGKILL at once

Signal handlers do nothing: the kernel's signal becomes a byte in a pipe that the one loop reads.
"""

import os
import selectors
import signal
import time
from collections.abc import Callable, Iterable, Sequence

from lanner import _core
from lanner.errors import AppError, LannerError
from lanner.log import Log, put
from lanner.process.job import Job
from lanner.process.slot import Command, Slot
from lanner.process.stop_requests import NO_RELOAD, SAME_SIGNAL_S, default

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
KILL_AFTER_S = 5.0  # beyond the drain time
STOPPED = (0, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)  # exit codes of a worker that ended on our signal


class Supervisor:
    """Runs until a signal stops it.

    Example: `Supervisor(job, 4, drain_s=30, log=Log(), on_ready=print).run()` returns the exit code.
    on_ready: called once with the interface, when every worker serves or has failed and at least one serves.
    """

    def __init__(
        self,
        job: Job,
        workers: int,
        drain_s: float,
        log: Log,
        on_ready: Callable[[str], object],
        command: Command,
        clock: Callable[[], float] = time.monotonic,
        on_stop: Callable[[], object] = lambda: None,
    ) -> None:
        self.job = job
        self.slots = [Slot(index) for index in range(workers)]
        self.drain_s = drain_s
        self.log = log
        self.on_ready = on_ready
        self.on_stop = on_stop
        self.command = command
        self.clock = clock
        self.selector = selectors.DefaultSelector()
        # Two for each worker: one that drains keeps its own.
        self.board_slots = list(range(2 * workers))
        self.board = os.memfd_create("lanner-board")
        self.board_wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.announced = False
        self.ever_ready = False
        self.early_deaths: list[tuple[Slot, int, int, float]] = []  # deaths before any worker was ready
        self.last_failure = ""
        self.stop_signal = 0
        self.stopped_at = 0.0
        self.kill_at: float | None = None
        self.exit_code = 0

    def run(self) -> int:
        """Main thread only. AppError when no worker could be started at all."""
        os.ftruncate(self.board, _core.BOARD_SLOT_BYTES * len(self.board_slots))
        wake, write_end = os.pipe()
        for fd in (wake, write_end):
            os.set_blocking(fd, False)
        # Before the handlers: a signal that comes in between wakes the loop, too.
        old_wake = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        caught = (*SIGNALS, signal.SIGHUP) if default(signal.SIGHUP) else SIGNALS
        before = [(number, signal.signal(number, lambda number, frame: None)) for number in caught]
        self.selector.register(wake, selectors.EVENT_READ, None)
        try:
            self.share(True)
            for slot in self.slots:
                self.start(slot)
            self.loop(wake)
        finally:
            if not self.stop_signal:
                self.share(False)
            self.end_all()
            signal.set_wakeup_fd(old_wake)
            for number, handler in before:
                signal.signal(number, handler)
            self.selector.close()
            for fd in (wake, write_end, self.board, self.board_wake):
                os.close(fd)
        return self.exit_code

    def loop(self, wake: int) -> None:
        while not (self.stop_signal and not any(slot.pid for slot in self.slots)):
            for key, _ in self.selector.select(self.wait_s()):
                if key.data is None:
                    self.on_signals(wake)
                elif key.data.report >= 0:  # not closed by an event before it
                    self.on_report(key.data)
            self.on_timer()

    def wait_s(self) -> float | None:
        """Until the next start or SIGKILL that is due; None: until a descriptor is ready."""
        times = [slot.due for slot in self.slots if slot.due is not None]
        if self.kill_at is not None:
            times.append(self.kill_at)
        return max(0.0, min(times) - self.clock()) if times else None

    def on_timer(self) -> None:
        now = self.clock()
        for slot in self.slots:
            if slot.due is not None and slot.due <= now:
                self.start(slot)
        if self.kill_at is not None and self.kill_at <= now:
            alive = [slot for slot in self.slots if slot.pid]
            self.log.warning("drain.forced", workers=len(alive))
            self.kill_at = None
            self.signal_all(signal.SIGKILL)

    def start(self, slot: Slot) -> None:
        slot.board = self.board_slots.pop(0)
        options = {
            **self.job.options,
            "multiprocess": True,
            "own_listeners": True,  # its copies
            "board_fd": self.board,
            "board_slot": slot.board,
            "board_wake_fd": self.board_wake,
        }
        fields = {name: getattr(self.job, name) for name in Job.FIELDS}
        try:
            slot.start(Job(**{**fields, "options": options}), self.command, self.clock())
        except OSError as error:  # no memory or no process to be had now
            self.clear_board(slot)
            slot.ended(self.clock())
            if not self.ever_ready:
                raise LannerError(f"cannot start a worker: {error.strerror}; fewer --workers?") from None
            wait = slot.back_off(self.clock())
            self.log.error(
                "worker.start_failed",
                slot=slot.index,
                error=error.strerror,
                restart_s=f"{wait:.1f}",
            )
            return
        self.selector.register(slot.report, selectors.EVENT_READ, slot)
        self.log.debug("worker.start", slot=slot.index, pid=slot.pid)

    def on_report(self, slot: Slot) -> None:
        if not slot.read_report():
            return
        self.selector.unregister(slot.report)
        slot.close_report()
        if slot.ready and slot.starts > 1:
            self.log.info("worker.ready", slot=slot.index, pid=slot.pid)
        if slot.ready and not self.ever_ready:
            self.ever_ready = True
            for held in self.early_deaths:
                self.replace(*held)
        self.announce()

    def announce(self) -> None:
        """The banner, once all slots have had their first start and one of them serves."""
        ready = [slot for slot in self.slots if slot.ready]
        if ready and not self.announced and not self.stop_signal and all(slot.settled for slot in self.slots):
            self.announced = True
            self.on_ready(ready[0].interface)

    def on_signals(self, wake: int) -> None:
        for number in drain(wake):
            if number == signal.SIGCHLD:
                self.reap()
            else:
                self.stop(number)

    def stop(self, number: int) -> None:
        name = signal.Signals(number).name
        now = self.clock()
        if self.stop_signal:
            if number == signal.SIGHUP or now - self.stopped_at < SAME_SIGNAL_S:
                return
            self.log.warning("stop.forced", signal=name)
            self.exit_code = 128 + number
            self.kill_at = None
            self.signal_all(signal.SIGKILL)
            return
        if number == signal.SIGHUP:
            self.log.warning("server.stop", signal=name, hint=NO_RELOAD)
        self.stop_signal, self.stopped_at = number, now
        self.kill_at = now + self.drain_s + KILL_AFTER_S
        for slot in self.slots:
            slot.due = None
        self.share(False)
        self.on_stop()
        self.signal_all(signal.SIGTERM)
        self.log.info("stop", signal=name, drain_s=f"{self.drain_s:g}")  # who reads it may count on it

    def signal_all(self, number: int) -> None:
        for slot in self.slots:
            slot.signal(number)

    def reap(self) -> None:
        ours = {slot.pid: slot for slot in self.slots if slot.pid}
        while ended := ended_child(ours):
            pid, code = ended
            if pid in ours:
                self.on_exit(ours.pop(pid), code)

    def on_exit(self, slot: Slot, code: int) -> None:
        if slot.report >= 0:
            self.selector.unregister(slot.report)
        pid = slot.pid
        lived = slot.ended(self.clock())
        self.clear_board(slot)
        if self.stop_signal:
            self.on_last_exit(slot, pid, code)
            return
        if self.ever_ready:
            self.replace(slot, pid, code, lived)
            self.announce()
            return
        self.early_deaths.append((slot, pid, code, lived))
        if len(self.early_deaths) == len(self.slots):
            raise self.start_failed(code)

    def on_last_exit(self, slot: Slot, pid: int, code: int) -> None:
        """A worker that drained: if it failed to, without a SIGKILL from us, our exit code is not 0 either."""
        if code in STOPPED:
            return
        self.exit_code = self.exit_code or 1
        self.log.error("worker.exit", slot=slot.index, pid=pid, reason=reason(code))

    def clear_board(self, slot: Slot) -> None:
        """Removes a dead worker from the board and wakes the others, so that they decide at once who accepts."""
        os.pwrite(self.board, bytes(_core.BOARD_SLOT_BYTES), slot.board * _core.BOARD_SLOT_BYTES)
        self.board_slots.append(slot.board)
        os.eventfd_write(self.board_wake, 1)

    def start_failed(self, code: int) -> AppError:
        """Every worker died at its first start and none was ever ready: reports the first failure with a reason."""
        failure = next((slot.failure for slot, *_ in self.early_deaths if slot.failure), "")
        line, _, report = failure.partition("\n")
        if line:
            return AppError(line, report)
        return AppError(f"cannot load {self.job.label}: the worker ended with {reason(code)} before it could serve")

    def replace(self, slot: Slot, pid: int, code: int, lived: float) -> None:
        """Schedules and logs the slot's next start; logs a traceback only if it differs from the last one."""
        wait = slot.back_off(self.clock())
        line, _, report = slot.failure.partition("\n")
        again = slot.failure == self.last_failure
        self.last_failure = slot.failure or self.last_failure
        fields: dict[str, object] = {
            "slot": slot.index,
            "pid": pid,
            "reason": reason(code),
            "after_s": f"{lived:.1f}",
        }
        if line:
            fields["error"] = line
        write = self.log.warning if code == 0 else self.log.error
        write("worker.exit", **fields, restart_s=f"{wait:.1f}")
        if report and not again:
            put(report.rstrip("\n"), self.log.fd)

    def end_all(self) -> None:
        """Kills the remaining workers, whatever ended the loop."""
        for slot in self.slots:
            if slot.pid:
                slot.signal(signal.SIGKILL)
                os.waitpid(slot.pid, 0)
                slot.ended(self.clock())

    def share(self, inheritable: bool) -> None:
        """Lets the workers inherit the listeners and the board."""
        log = self.job.options.get("access_log_fd")
        extra = [log] if isinstance(log, int) and log > 2 else []
        for fd in (*self.job.listeners, self.board, self.board_wake, *extra):
            os.set_inheritable(fd, inheritable)


def ended_child(ours: Iterable[int]) -> tuple[int, int] | None:
    """An ended child and its exit code; as process 1 of a container any child, or orphans would stay as zombies."""
    for wanted in (-1,) if os.getpid() == 1 else ours:
        try:
            pid, status = os.waitpid(wanted, os.WNOHANG)
        except ChildProcessError:
            continue
        if pid:
            return pid, os.waitstatus_to_exitcode(status)
    return None


def reason(code: int) -> str:
    """How a process ended. Example: `reason(-9)` is `"SIGKILL"`, `reason(3)` is `"exit_3"`."""
    if code >= 0:
        return f"exit_{code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal_{-code}"


def drain(fd: int) -> Sequence[int]:
    """All bytes that a non-blocking descriptor holds."""
    data = b""
    while True:
        try:
            data += os.read(fd, 4096)
        except BlockingIOError:
            return data
