"""run_tests.py: all that must hold, in order, the cheap first; stops at the first step that fails.

    tools/run_tests.py [STEP ...]      only these steps
    tools/run_tests.py --list          what steps there are
    tools/run_tests.py --write format  lay the code out instead of complaining

Runs in .venv, which `make test` prepares (tools/setup.sh test). Ends with "N passed, N failed".
"""

import argparse
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
REPORTS = ROOT / "build/reports"
JOBS = str(os.cpu_count() or 1)
FUZZ_SECONDS = "15"
DIFFER_SECONDS = "40"
TEST_SECONDS_MAX = "120"  # for one C++ test
NOT_TESTS = r"^(?!.*_test\.cpp$).*/src/.*\.cpp$"  # what clang-tidy reads


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


class StepFailed(Exception):
    pass


def run(*command: str | Path, **environment: str) -> None:
    """Runs in the project's root; its output is ours."""
    words = [str(word) for word in command]
    if subprocess.run(words, cwd=ROOT, env=os.environ | environment, check=False).returncode != 0:
        raise StepFailed(" ".join(words[:6]))


def run_quietly(*command: str | Path) -> None:
    """The same, but its output is shown only when it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        lines = done.stdout.splitlines()
        print("\n".join(line for line in lines if not line.startswith("clang-tidy-16 ")))
        raise StepFailed(" ".join(words[:6]))


def report(name: str) -> Path:
    """Where a test runner writes its JUnit file; an old one is removed."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    path = REPORTS / f"{name}.xml"
    path.unlink(missing_ok=True)
    return path


def count(path: Path) -> Counts:
    """What a JUnit file says; nothing if the runner did not get that far."""
    counts = Counts()
    if not path.exists():
        return counts
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        number = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "errors")}
        skipped = int(suite.get("skipped", "0")) + int(suite.get("disabled", "0"))
        failed = number["failures"] + number["errors"]
        counts.add(Counts(number["tests"] - failed - skipped, failed, skipped))
    return counts


def cpp_files() -> list[str]:
    return [
        str(path.relative_to(ROOT))
        for directory in ("src", "fuzz", "bench")
        for suffix in ("*.h", "*.cpp")
        for path in sorted((ROOT / directory).rglob(suffix))
    ]


def check_format() -> None:
    run("clang-format-16", "--dry-run", "-Werror", *cpp_files())
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "ruff", "check", ".")


def write_format() -> None:
    run("clang-format-16", "-i", *cpp_files())
    run(BIN / "ruff", "check", "--fix-only", "--quiet", ".")
    run(BIN / "ruff", "format", ".")


def check_tidy() -> None:
    run(sys.executable, "tools/tidy.py")


def check_layers() -> None:
    run(sys.executable, "tools/check_layers.py")


def check_types() -> None:
    run(BIN / "mypy")


def ctest(preset: str, *options: str) -> None:
    command = ["ctest", "--preset", preset, "-j", JOBS, "--timeout", TEST_SECONDS_MAX]
    command += ["--progress", "--no-tests=error", "--output-junit", str(report(preset)), *options]
    run(*command, UBSAN_OPTIONS="print_stacktrace=1")


def unit() -> None:
    run("cmake", "--preset", "dev")
    run("cmake", "--build", "--preset", "dev")
    ctest("dev")


def threads() -> None:
    run("cmake", "--preset", "tsan")
    run("cmake", "--build", "--preset", "tsan", "--target", "net_test", "server_test")
    ctest("tsan", "-R", r"^(net|server)\.")


def extension() -> None:
    run("tools/setup.sh", "extension")


def asan() -> None:
    tests = [f"tests/python/test_schema_{name}.py" for name in ("bad_values", "user_code", "leaks", "text")]
    tests += [f"tests/python/test_{name}.py" for name in ("model", "json_options", "json_grammar")]
    run("tools/asan_python.sh", "-q", f"--junitxml={report('asan')}", *tests, LANNER_ROUNDS="1")


def python() -> None:
    run(sys.executable, "-m", "pytest", f"--junitxml={report('python')}")


def fuzz() -> None:
    run("tools/fuzz.sh", FUZZ_SECONDS)


def differ() -> None:
    run("cmake", "--preset", "fuzz")
    run("cmake", "--build", "--preset", "fuzz", "--target", "lanner_session_events")
    run(sys.executable, "tests/differential", "--seconds", DIFFER_SECONDS)


def lint() -> None:
    run_quietly("cmake", "--preset", "clang", f"-DPython_EXECUTABLE={sys.executable}")
    run_quietly("run-clang-tidy-16", "-quiet", "-p", "build/clang", "-j", JOBS, NOT_TESTS)


@dataclass(frozen=True)
class Step:
    run: Callable[[], None]
    what: str
    report: str = ""  # the JUnit file that says how many tests ran; else the step counts as one


STEPS = {
    "format": Step(check_format, "clang-format, ruff"),
    "tidy": Step(check_tidy, "house style"),
    "layers": Step(check_layers, "includes go down"),
    "types": Step(check_types, "mypy strict"),
    "unit": Step(unit, "C++ tests under ASan + UBSan", "dev"),
    "tsan": Step(threads, "C++ tests of net and server under TSan", "tsan"),
    "extension": Step(extension, "the optimized build"),
    "asan": Step(asan, "JSON and schemas in Python under ASan + UBSan", "asan"),
    "python": Step(python, "pytest", "python"),
    "fuzz": Step(fuzz, f"each fuzzer for a moment ({FUZZ_SECONDS} s)"),
    "differ": Step(differ, f"our HTTP/1 engine against h11 and llhttp ({DIFFER_SECONDS} s)"),
    "lint": Step(lint, "clang-tidy"),
}


def run_step(name: str, step: Step) -> tuple[Counts, bool]:
    print(f"\n== {name}: {step.what}", flush=True)
    began = time.monotonic()
    problem = ""
    try:
        step.run()
    except (StepFailed, OSError) as error:
        problem = str(error)
    counts = count(REPORTS / f"{step.report}.xml") if step.report else Counts(passed=not problem)
    if problem and counts.failed == 0:
        counts.failed = 1
    state = f"FAILED ({problem})" if problem else "ok"
    print(f"== {name}: {state}, {time.monotonic() - began:.0f} s", flush=True)
    return counts, not problem


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs what must hold, fail fast.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--list", action="store_true", help="name the steps")
    parser.add_argument("--write", action="store_true", help="with `format`: lay the code out")
    options = parser.parse_args()
    # A shell that starts this in the background has SIGINT ignored, which the servers under test would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if unknown := [name for name in options.steps if name not in STEPS]:
        parser.error(f"no such step: {', '.join(unknown)}; there are {', '.join(STEPS)}")
    if options.list:
        print("\n".join(f"{name:10} {step.what}" for name, step in STEPS.items()))
        return 0
    if options.write:
        write_format()
        return 0
    total = Counts()
    for name in options.steps or STEPS:
        counts, ok = run_step(name, STEPS[name])
        total.add(counts)
        if not ok:
            break
    print(f"\n{total}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
