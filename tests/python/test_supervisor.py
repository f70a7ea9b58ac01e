"""The supervisor with real processes in place of workers: small scripts that say what workers say."""

import gc
import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lanner.errors import AppError, LannerError
from lanner.log import Log
from lanner.process.job import Job
from lanner.process.slot import Slot, back_off_s
from lanner.process.supervisor import Supervisor, ended_child, reason

# What a worker does: reads its job, reports, and drains on SIGTERM. {body} runs after the handler is set.
WORKER = """\
import marshal, os, signal, sys
lifeline, report = int(sys.argv[1]), int(sys.argv[2])
count = int.from_bytes(os.read(lifeline, 4), "little")
job = marshal.loads(os.read(lifeline, count))
slot = job["options"]["board_slot"]
def say(text):
    os.write(report, text.encode())
    os.close(report)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
{body}
while True:
    signal.pause()
"""
READY = "say('ready wsgi')"
FAILS = "say('failed cannot load shop: KeyError\\nTraceback of shop\\n'); os._exit(3)"
DIES = "os._exit(9)"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('ready wsgi')"


class Recorder(Log):
    """Keeps the events; a test may hang an action on one: when["worker.exit"] = function of the fields."""

    def __init__(self) -> None:
        super().__init__("debug", -1)
        self.events: list[tuple[str, dict[str, object]]] = []
        self.when: dict[str, Callable[[dict[str, object]], object]] = {}

    def write(self, level: str, event: str, fields: dict[str, object]) -> None:
        self.events.append((event, fields))
        self.when.get(event, lambda fields: None)(fields)

    def names(self) -> list[str]:
        return [event for event, _ in self.events]


class Bench:
    """Makes supervisors whose workers run given bodies: one for all, or one for each start in turn."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = Recorder()
        self.interfaces: list[str] = []
        self.on_ready: Callable[[], object] = lambda: None
        self.starts = 0

    def supervisor(self, bodies: list[str], workers: int = 2, clock: Callable[[], float] | None = None) -> Supervisor:
        def command(lifeline: int, report: int, target: str) -> list[str]:
            body = bodies[min(self.starts, len(bodies) - 1)]
            path = self.directory / f"worker{self.starts}.py"
            path.write_text(WORKER.format(body=body))
            self.starts += 1
            return [sys.executable, "-S", "-E", str(path), str(lifeline), str(report)]

        def ready(interface: str) -> None:
            self.interfaces.append(interface)
            self.on_ready()

        more = {"clock": clock} if clock else {}
        return Supervisor(Job("shop:app"), workers, 0.0, self.log, ready, command, **more)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Handlers come back, and no process and no descriptor stays."""
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)]
    gc.collect()  # loops of other tests, which own descriptors
    descriptors = os.listdir("/proc/self/fd")
    yield
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)] == handlers
    assert os.listdir("/proc/self/fd") == descriptors
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def terminate(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def steps() -> Callable[[], float]:
    """A clock that is ten seconds later each time: whoever lives, lived long, and every wait is over."""
    return map(float, itertools.count(0, 10)).__next__


def test_starts_all_announces_once_and_ends_in_order(bench: Bench) -> None:
    bench.on_ready = terminate
    assert bench.supervisor([READY], workers=3).run() == 0
    assert bench.interfaces == ["wsgi"]
    assert bench.starts == 3
    assert bench.log.names().count("stop") == 1
    assert "drain.forced" not in bench.log.names()


def test_sigint_ends_it_too(bench: Bench) -> None:
    bench.on_ready = lambda: os.kill(os.getpid(), signal.SIGINT)
    assert bench.supervisor([READY]).run() == 0


@pytest.mark.parametrize(("body", "says"), [("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"), (DIES, "exit_9")])
def test_a_dead_worker_is_replaced_and_its_end_is_told(body: str, says: str, bench: Bench) -> None:
    bench.log.when["worker.ready"] = terminate
    bodies = [READY, READY + "\nif os.fork() == 0: os._exit(0)\n" + body, READY]
    assert bench.supervisor(bodies).run() == 0
    (exit_,) = [fields for event, fields in bench.log.events if event == "worker.exit"]
    assert exit_["reason"] == says
    assert bench.starts == 3


def test_a_worker_that_lived_long_is_replaced_at_once(bench: Bench) -> None:
    bench.log.when["worker.ready"] = terminate
    assert bench.supervisor([READY, READY + "\n" + DIES, READY], clock=steps()).run() == 0
    (exit_,) = [fields for event, fields in bench.log.events if event == "worker.exit"]
    assert exit_["restart_s"] == "0.0"


def test_a_worker_that_died_soon_is_replaced_later(bench: Bench) -> None:
    bench.log.when["worker.ready"] = terminate
    assert bench.supervisor([READY, READY + "\n" + DIES, READY]).run() == 0
    (exit_,) = [fields for event, fields in bench.log.events if event == "worker.exit"]
    assert exit_["restart_s"] == "0.5"


def test_all_fail_at_the_first_start_and_the_reason_is_told_once(bench: Bench) -> None:
    with pytest.raises(AppError) as caught:
        bench.supervisor([FAILS], workers=3).run()
    assert str(caught.value) == "cannot load shop: KeyError"
    assert caught.value.report == "Traceback of shop\n"
    assert "worker.exit" not in bench.log.names()
    assert bench.interfaces == []
    assert bench.starts == 3


def test_workers_that_die_without_a_word_are_told_by_their_end(bench: Bench) -> None:
    with pytest.raises(AppError, match="cannot load shop:app: the worker ended with exit_9 before it could serve"):
        bench.supervisor([DIES]).run()


def test_one_that_fails_beside_one_that_serves_is_started_again(bench: Bench) -> None:
    bench.log.when["worker.ready"] = terminate
    bench.supervisor([READY, FAILS, READY]).run()
    assert bench.interfaces == ["wsgi"]
    (exit_,) = [fields for event, fields in bench.log.events if event == "worker.exit"]
    assert exit_["error"] == "cannot load shop: KeyError"


def test_the_same_traceback_is_printed_once(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    bench.log.fd = 2
    bench.log.when["worker.ready"] = terminate
    bench.supervisor([READY, FAILS, FAILS, FAILS, READY], clock=steps()).run()
    assert capfd.readouterr().err == "Traceback of shop\n"
    assert bench.log.names().count("worker.exit") == 3


def test_a_worker_that_does_not_drain_is_killed(bench: Bench) -> None:
    bench.on_ready = terminate
    assert bench.supervisor([STUBBORN], clock=steps()).run() == 0
    assert ("drain.forced", {"workers": 2}) in bench.log.events


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(number: int, bench: Bench) -> None:
    now = [0.0]

    def later(fields: dict[str, object]) -> None:
        now[0] += 1
        os.kill(os.getpid(), number)

    bench.on_ready = terminate
    bench.log.when["stop"] = later
    assert bench.supervisor([STUBBORN], clock=lambda: now[0]).run() == 128 + number
    assert ("stop.forced", {"signal": signal.Signals(number).name}) in bench.log.events


def test_one_signal_sent_twice_is_one(bench: Bench) -> None:
    """timeout(1) sends its signal to the process and to the group."""

    def twice() -> None:
        terminate()
        terminate()

    bench.on_ready = twice
    assert bench.supervisor([READY]).run() == 0
    assert "stop.forced" not in bench.log.names()


def test_a_signal_while_workers_boot_ends_it_without_a_banner(bench: Bench) -> None:
    body = "os.kill(os.getppid(), signal.SIGTERM)"
    assert bench.supervisor([body], workers=1).run() == 0
    assert bench.interfaces == []


def test_workers_learn_their_slot_and_share_the_board(bench: Bench, tmp_path: Path) -> None:
    body = f"os.pwrite(job['options']['board_fd'], b'x' * 8, slot * 64); open('{tmp_path}/' + str(slot), 'w'); {READY}"
    supervisor = bench.supervisor([body], workers=3)
    seen: list[bytes] = []

    def look() -> None:
        seen.append(os.pread(supervisor.board, 1000, 0))
        terminate()

    bench.on_ready = look
    supervisor.run()
    assert seen == [(b"x" * 8 + bytes(56)) * 3 + bytes(3 * 64)], "as many more for their successors"
    assert sorted(name for name in os.listdir(tmp_path) if name.isdigit()) == ["0", "1", "2"]


def test_the_board_slot_of_a_dead_worker_is_zeroed(bench: Bench) -> None:
    body = "os.pwrite(job['options']['board_fd'], b'x' * 64, slot * 64); " + READY
    supervisor = bench.supervisor([READY, body + "\n" + DIES, READY])
    seen: list[bytes] = []

    def look(fields: dict[str, object]) -> None:
        seen.append(os.pread(supervisor.board, 1000, 0))
        terminate()

    bench.log.when["worker.ready"] = look
    supervisor.run()
    assert seen == [bytes(256)]


def test_a_supervisor_that_fails_leaves_no_worker(bench: Bench) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    bench.on_ready = fail
    with pytest.raises(ZeroDivisionError):
        bench.supervisor([READY]).run()


def test_no_process_to_be_had_at_the_start_is_one_line(bench: Bench) -> None:
    supervisor = bench.supervisor([READY])
    supervisor.command = lambda lifeline, report, target: ["/no/such/python"]
    with pytest.raises(LannerError, match="cannot start a worker: No such file or directory"):
        supervisor.run()


def test_process_1_reaps_orphans_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    orphan = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, orphan, os.WEXITED | os.WNOWAIT)
    assert ended_child(()) is None
    monkeypatch.setattr(os, "getpid", lambda: 1)
    assert ended_child(()) == (orphan, 0)
    assert ended_child(()) is None


def test_back_off_doubles_up_to_30_seconds() -> None:
    assert [back_off_s(deaths) for deaths in range(9)] == [0, 0.5, 1, 2, 4, 8, 16, 30, 30]
    assert back_off_s(10**6) == 30


def test_a_long_life_ends_the_back_off() -> None:
    slot = Slot(0)
    for now in (1.0, 2.0, 3.0):
        slot.started = now - 0.5
        slot.ended(now)
    assert slot.back_off(3.0) == 2
    slot.started = 0.0
    assert slot.ended(5.0) == 5.0
    assert slot.back_off(5.0) == 0


@pytest.mark.parametrize(
    ("code", "shown"), [(0, "exit_0"), (3, "exit_3"), (-9, "SIGKILL"), (-11, "SIGSEGV"), (-99, "signal_99")]
)
def test_reasons_have_names(code: int, shown: str) -> None:
    assert reason(code) == shown
