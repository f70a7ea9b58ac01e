"""schedule.py: steps that run beside one another, each as soon as the steps before it have ended.

What a step prints goes to build/logs/STEP.log and is shown when the step fails. A step that runs alone prints at once.
The first step that fails ends the others.
"""

import os
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/logs"
REPORTS = ROOT / "build/reports"
JOBS = os.cpu_count() or 1
GRACE_S = 15.0  # for a command that is told to end
SHOWN_LINES = 400  # of the log of a step that failed


SKIPPED = 77  # the exit code of a command whose step cannot run here


class StepFailed(Exception):
    pass


class StepSkipped(Exception):
    pass


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: "Counts") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


def count(path: Path) -> Counts:
    """What a JUnit file says."""
    counts = Counts()
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        number = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "errors")}
        skipped = int(suite.get("skipped", "0")) + int(suite.get("disabled", "0"))
        failed = number["failures"] + number["errors"]
        counts.add(Counts(number["tests"] - failed - skipped, failed, skipped))
    return counts


class Shell:
    """Runs the commands of one step in the project's root."""

    def __init__(self, output: IO[bytes] | None) -> None:
        self.output = output  # None: ours
        self.cpu_s = 0.0
        self.stopped = False
        self.running: set[subprocess.Popen[bytes]] = set()
        self.lock = threading.Lock()

    def run(self, *command: str | Path, nice: int = 0, env: Mapping[str, str] | None = None) -> None:
        """The variables are set beside ours."""
        words = [str(word) for word in command]
        code = self.run_code(words, nice, env or {})
        if code != 0:
            raise (StepSkipped if code == SKIPPED else StepFailed)(" ".join(words[:6]))

    def run_beside(self, commands: Iterable[Sequence[str | Path]], env: Mapping[str, str]) -> None:
        """As many at a time as there are CPUs; all of them run, whichever fails."""
        with ThreadPoolExecutor(JOBS) as pool:
            futures = [pool.submit(self.run, *command, env=env) for command in commands]
        for future in futures:
            future.result()

    def run_code(self, words: list[str], nice: int, env: Mapping[str, str]) -> int:
        if nice:
            words = ["nice", "-n", str(nice), *words]
        with self.lock:
            if self.stopped:
                raise StepFailed("stopped")
            # A group of its own, so that stop() reaches what the command starts.
            process = subprocess.Popen(
                words,
                cwd=ROOT,
                env=os.environ | env,
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.STDOUT if self.output else None,
                process_group=0,
            )
            self.running.add(process)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with self.lock:
            self.running.discard(process)
            self.cpu_s += usage.ru_utime + usage.ru_stime
        return process.returncode

    def stop(self) -> None:
        """Ends what runs: by SIGINT, so that tests take their servers along."""
        with self.lock:
            self.stopped = True
        self.signal(signal.SIGINT)
        end = time.monotonic() + GRACE_S
        while self.running and time.monotonic() < end:
            time.sleep(0.02)
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        with self.lock:
            for process in self.running:
                try:
                    os.killpg(process.pid, number)
                except ProcessLookupError:
                    continue


@dataclass(frozen=True)
class Step:
    run: Callable[[Shell], None]
    what: str
    after: tuple[str, ...] = ()  # steps that must have ended, where they run at all
    reports: tuple[
        str, ...
    ] = ()  # patterns of the JUnit files that say how many tests ran; else the step counts as one


@dataclass
class Run:
    """A step under way, or what came of it."""

    name: str
    step: Step
    alone: bool
    problem: str = ""
    skipped: bool = False
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    shell: Shell = field(default_factory=lambda: Shell(None))

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    def go(self) -> None:
        for report in self.reports():
            report.unlink()
        began = time.monotonic()
        try:
            if self.alone:
                self.step.run(self.shell)
            else:
                LOGS.mkdir(parents=True, exist_ok=True)
                with self.log.open("wb", buffering=0) as self.shell.output:
                    self.step.run(self.shell)
        except StepSkipped:
            self.skipped = True
        except (StepFailed, OSError) as error:
            self.problem = str(error)
        self.seconds = time.monotonic() - began
        self.judge()

    def reports(self) -> list[Path]:
        REPORTS.mkdir(parents=True, exist_ok=True)
        return [path for pattern in self.step.reports for path in sorted(REPORTS.glob(pattern))]

    def judge(self) -> None:
        for report in self.reports():
            self.counts.add(count(report))
        if self.problem and self.counts.failed == 0:
            self.counts.failed = 1
        if self.skipped:
            self.counts.skipped = 1
        elif not self.problem and not self.step.reports:
            self.counts.passed = 1

    def print_outcome(self) -> None:
        if self.problem and not self.alone:
            lines = self.log.read_text("utf-8", "replace").splitlines()
            if len(lines) > SHOWN_LINES:
                print(f"[{len(lines) - SHOWN_LINES} lines more in {self.log}]")
            print("\n".join(lines[-SHOWN_LINES:]))
        state = f"FAILED ({self.problem})" if self.problem else "skipped" if self.skipped else "ok"
        counts = f", {self.counts}" if self.step.reports else ""
        print(f"== {self.name}: {state}{counts}, {self.seconds:.0f} s ({self.shell.cpu_s:.0f} s of CPU)", flush=True)


def run_steps(steps: Mapping[str, Step], at_once: int) -> Counts:
    """Runs them in this order where it leaves a choice. Ends with the first that fails; Ctrl-C ends all."""
    waiting = [Run(name, step, len(steps) == 1) for name, step in steps.items()]
    under_way: dict[Future[None], Run] = {}
    total = Counts()
    with ThreadPoolExecutor(at_once) as pool:
        try:
            while (waiting or under_way) and not total.failed:
                for run in ready(waiting, [*under_way.values()], at_once):
                    waiting.remove(run)
                    print(f"-- {run.name}: {run.step.what}", flush=True)
                    under_way[pool.submit(run.go)] = run
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    run = under_way.pop(future)
                    future.result()
                    run.print_outcome()
                    total.add(run.counts)
        finally:
            for run in under_way.values():
                print(f"-- {run.name}: stopped", flush=True)
                run.shell.stop()
    return total


def ready(waiting: list[Run], under_way: list[Run], at_once: int) -> list[Run]:
    """Which of them can begin now."""
    not_done = {run.name for run in [*waiting, *under_way]}
    able = [run for run in waiting if not not_done.intersection(run.step.after)]
    return able[: at_once - len(under_way)]
