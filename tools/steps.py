"""steps.py: what must hold, step by step: SHORT is `make test`, LONG is `make test-long`.

A new step is a function that takes a Shell, and an entry in one of the two tables.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from schedule import REPORTS, ROOT, Shell, Step

BIN = Path(sys.executable).parent
NICE = 10  # of builds and fuzzers: tests that wait for answers run beside them
FUZZ_SECONDS, LONG_FUZZ_SECONDS = "3", "25"  # for each fuzzer
DIFFER_SECONDS, LONG_DIFFER_SECONDS = "8", "40"
PYTEST_PROCESSES = "2"
ASAN_TESTS = (
    "test_schema_bad_values",
    "test_schema_user_code",
    "test_schema_leaks",
    "test_schema_text",
    "test_model",
    "test_json_options",
    "test_json_grammar",
)
SIMD = ("http1", "json", "schema")  # the layers with vector instructions
THREADED = ("net", "log", "server")  # the layers with threads
LEVEL_TESTS = ("test_json_*", "test_schema*", "test_model")
LEVELS = ("baseline", "avx2")  # beside all that the machine has
# Lanes: a quick part of the tests (tools/lane.sh lists it) on other interpreters and other builds of the extension.
# A new one is a line here: name -> interpreter, then options of CMake. One whose interpreter is not found is skipped.
LANES: dict[str, tuple[str, ...]] = {
    "python3.12": ("python3.12",),
    "python3.13": ("python3.13",),
    "portable": ("python3.11", "-DLANNER_PORTABLE=ON"),  # what a Python gets whose layouts were not tested
}
# Tests that try more when they are told to.
RANDOM_TESTS = ("test_json_loads", "test_schema_agree", "test_schema_leaks")
RANDOM_ROUNDS = {"LANNER_DOUBLES": "1000000", "LANNER_EXAMPLES": "2000", "LANNER_ROUNDS": "60"}


def cpp_files() -> list[str]:
    return [
        str(path.relative_to(ROOT))
        for directory in ("src", "fuzz", "bench")
        for suffix in ("*.h", "*.cpp")
        for path in sorted((ROOT / directory).rglob(suffix))
    ]


def check_format(shell: Shell) -> None:
    shell.run("clang-format-16", "--dry-run", "-Werror", *cpp_files())
    shell.run(BIN / "ruff", "format", "--check", ".")
    shell.run(BIN / "ruff", "check", ".")


def write_format(shell: Shell) -> None:
    shell.run("clang-format-16", "-i", *cpp_files())
    shell.run(BIN / "ruff", "check", "--fix-only", "--quiet", ".")
    shell.run(BIN / "ruff", "format", ".")


def check_tidy(shell: Shell) -> None:
    shell.run(sys.executable, "tools/tidy.py")


def check_layers(shell: Shell) -> None:
    shell.run(sys.executable, "tools/check_layers.py")
    shell.run(sys.executable, "tools/check_imports.py")
    shell.run(sys.executable, "tools/draw_layers.py", "--check")


def check_types(shell: Shell) -> None:
    shell.run(BIN / "mypy")


def configure(shell: Shell, preset: str) -> None:
    shell.run("cmake", "--preset", preset, f"-DPython_EXECUTABLE={sys.executable}", "--no-warn-unused-cli")


def build(shell: Shell, preset: str, *targets: str) -> None:
    configure(shell, preset)
    shell.run("cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else []), nice=NICE)


def run_unit_tests(shell: Shell, preset: str, layers: list[str]) -> None:
    """Each layer's tests in one process; those of layers with vector instructions again with fewer of these."""
    runs = [(layer, "") for layer in layers]
    runs += [(layer, level) for layer in layers if layer in SIMD for level in LEVELS]
    commands = [
        [
            *(["env", f"LANNER_SIMD={level}"] if level else []),
            *("timeout", "600", f"build/{preset}/{layer}_test", "--gtest_brief=1"),
            f"--gtest_output=xml:{REPORTS}/{preset}-{layer}{level}.xml",
        ]
        for layer, level in runs
    ]
    shell.run_beside(commands, {"UBSAN_OPTIONS": "print_stacktrace=1"})


def layers_with_tests(preset: str) -> list[str]:
    found = [path.name.removesuffix("_test") for path in (ROOT / "build" / preset).glob("*_test")]
    return sorted(found, key=lambda layer: (layer != "server", layer))  # the longest first


def unit(shell: Shell) -> None:
    build(shell, "dev")
    run_unit_tests(shell, "dev", layers_with_tests("dev"))


def threads(shell: Shell) -> None:
    build(shell, "tsan", *(f"{layer}_test" for layer in THREADED))
    run_unit_tests(shell, "tsan", list(THREADED))


def extension(shell: Shell) -> None:
    shell.run("tools/setup.sh", "extension")


def asan(shell: Shell, report: str = "asan", *arguments: str) -> None:
    tests = [f"tests/python/{name}.py" for name in ASAN_TESTS]
    command = ["tools/asan_python.sh", "-q", f"--junitxml={REPORTS}/{report}.xml", *arguments, *tests]
    shell.run(*command, nice=NICE, env={"LANNER_ROUNDS": "1"})


def asan_long(shell: Shell) -> None:
    asan(shell, "asan-long", "-m", "long")


def pytest(shell: Shell, report: str, *arguments: str, env: Mapping[str, str] | None = None) -> None:
    beside = ("-n", PYTEST_PROCESSES, "--dist", "worksteal")
    shell.run(sys.executable, "-m", "pytest", f"--junitxml={REPORTS}/{report}.xml", *beside, *arguments, env=env)


def python(shell: Shell) -> None:
    pytest(shell, "python")


def python_long(shell: Shell) -> None:
    pytest(shell, "python-long", "-m", "long")
    files = [f"tests/python/{name}.py" for name in RANDOM_TESTS]
    pytest(shell, "python-long-random", *files, env=RANDOM_ROUNDS)


def lane(name: str) -> Step:
    python, *options = LANES[name]

    def run(shell: Shell) -> None:
        shell.run("tools/lane.sh", name, python, *options, nice=NICE)

    what = " ".join(["the quick part of pytest:", python, *options])
    return Step(run, what, after=("python-levels",), reports=(f"{name}.xml",))


def python_levels(shell: Shell) -> None:
    files = [
        str(path.relative_to(ROOT)) for name in LEVEL_TESTS for path in sorted(ROOT.glob(f"tests/python/{name}.py"))
    ]
    for level in LEVELS:
        pytest(shell, f"python-{level}", *files, env={"LANNER_SIMD": level})


def aarch64(shell: Shell) -> None:
    shell.run("tools/aarch64.sh", nice=NICE)


def fuzz(shell: Shell) -> None:
    shell.run("tools/fuzz.sh", FUZZ_SECONDS, nice=NICE)


def fuzz_long(shell: Shell) -> None:
    shell.run("tools/fuzz.sh", LONG_FUZZ_SECONDS, "all", nice=NICE)


def differ(shell: Shell, seconds: str = DIFFER_SECONDS) -> None:
    build(shell, "fuzz", "lanner_session_events")
    shell.run(sys.executable, "tests/differential", "--seconds", seconds, nice=NICE)


def differ_long(shell: Shell) -> None:
    differ(shell, LONG_DIFFER_SECONDS)


def lint(shell: Shell, *options: str) -> None:
    configure(shell, "clang")
    shell.run(sys.executable, "tools/lint.py", *options, nice=NICE)


def lint_recent(shell: Shell) -> None:
    lint(shell, "--recent")


# Two run at a time, the first that can: what others wait for, and what is long, stands early.
SHORT = {
    "format": Step(check_format, "clang-format, ruff"),
    "tidy": Step(check_tidy, "house style"),
    "layers": Step(check_layers, "includes and imports go down, as docs/architecture.svg shows"),
    "extension": Step(extension, "the optimized build"),
    "types": Step(check_types, "mypy strict"),
    "python": Step(python, "pytest", after=("extension",), reports=("python.xml",)),
    "unit": Step(unit, "C++ tests under ASan + UBSan", reports=("dev-*.xml",)),
    "asan": Step(asan, "JSON and schemas in Python under ASan + UBSan", after=("unit",), reports=("asan.xml",)),
    "lint": Step(lint_recent, "clang-tidy, of what changed since it was clean"),
    "fuzz": Step(fuzz, f"each fuzzer for a moment ({FUZZ_SECONDS} s)"),
    "differ": Step(differ, f"our HTTP/1 engine against h11 and llhttp ({DIFFER_SECONDS} s)", after=("fuzz",)),
}
LONG = {
    "extension": SHORT["extension"],
    "python-long": Step(
        python_long,
        "pytest: leaks, storms, failing allocations, more of the random tests",
        after=("extension", "python"),
        reports=("python-long.xml", "python-long-random.xml"),
    ),
    "python-levels": Step(
        python_levels,
        "JSON and schemas in Python at each level of vector instructions",
        after=("python-long",),
        reports=tuple(f"python-{level}.xml" for level in LEVELS),
    ),
    "asan-long": Step(
        asan_long, "the same under ASan + UBSan", after=("asan", "python-long"), reports=("asan-long.xml",)
    ),
    "tsan": Step(threads, "C++ tests of what has threads, under TSan", after=("unit",), reports=("tsan-*.xml",)),
    **{name: lane(name) for name in LANES},
    "aarch64": Step(
        aarch64,
        "C++ tests of the layers with vector instructions, for aarch64 under qemu",
        after=("unit",),
        reports=("aarch64-*.xml",),
    ),
    "lint-whole": Step(lint, "clang-tidy, of all that was not read yet", after=("lint",)),
    "fuzz-long": Step(fuzz_long, f"each fuzzer for {LONG_FUZZ_SECONDS} s", after=("fuzz", "differ")),
    "differ-long": Step(
        differ_long, f"our HTTP/1 engine against h11 and llhttp ({LONG_DIFFER_SECONDS} s)", after=("fuzz-long",)
    ),
}
