"""tools/run_tests.py and what it is made of: steps that run beside one another, counts, clang-tidy's memory."""

import re
import sys
import threading
import time
from pathlib import Path

import lint
import pytest
import schedule
import steps
from schedule import Counts, Shell, Step, StepFailed, count, run_steps

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(schedule, "REPORTS", tmp_path / "reports")


def python(source: str) -> tuple[str, ...]:
    return (sys.executable, "-c", source)


def test_counts_come_from_all_runners(tmp_path: Path) -> None:
    report = tmp_path / "r.xml"
    report.write_text('<testsuites tests="9"><testsuite tests="5" failures="1" disabled="0" skipped="1"/></testsuites>')
    assert count(report) == Counts(3, 1, 1)  # GoogleTest
    report.write_text('<testsuites><testsuite tests="7" failures="1" errors="2" skipped="1"/></testsuites>')  # pytest
    assert count(report) == Counts(3, 3, 1)
    assert str(count(report)) == "3 passed, 3 failed, 1 skipped"


def test_a_step_counts_as_one_or_as_its_reports_say(tmp_path: Path) -> None:
    def write(_: Shell) -> None:
        (tmp_path / "reports/x-1.xml").write_text('<testsuite tests="5" failures="0" skipped="1"/>')
        (tmp_path / "reports/x-2.xml").write_text('<testsuite tests="2" failures="0"/>')

    found = run_steps(
        {"one": Step(lambda shell: shell.run("true"), "one"), "many": Step(write, "many", reports=("x-*.xml",))}, 2
    )
    assert found == Counts(7, 0, 1)


def test_a_step_that_cannot_run_here_is_skipped(capfd: pytest.CaptureFixture[str]) -> None:
    step = Step(lambda shell: shell.run("sh", "-c", "exit 77"), "skips", reports=("x.xml",))
    assert run_steps({"x": step}, 1) == Counts(0, 0, 1)
    assert "== x: skipped" in capfd.readouterr().out


def test_old_reports_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/x.xml").write_text('<testsuite tests="5" failures="0"/>')
    step = Step(lambda shell: shell.run("false"), "fails", reports=("x.xml",))
    assert run_steps({"x": step}, 1) == Counts(0, 1, 0)


def test_a_failing_step_shows_its_output_and_ends_the_others(capfd: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    running = threading.Event()

    def hang(shell: Shell) -> None:
        running.set()
        shell.run(*python("import time; print('hangs', flush=True); time.sleep(3600)"))

    def fail(shell: Shell) -> None:
        running.wait(30)
        shell.run(*python("import sys; print('what went wrong'); sys.exit(3)"))

    never = Step(lambda shell: shell.run("true"), "not begun", after=("hangs",))
    found = run_steps({"hangs": Step(hang, "hangs"), "fails": Step(fail, "fails"), "never": never}, 2)
    text = capfd.readouterr().out
    assert found == Counts(0, 1, 0)
    assert re.search(r"what went wrong\n== fails: FAILED \(.*\), \d+ s \(\d+ s of CPU\)\n-- hangs: stopped\n", text)
    assert "never" not in text
    assert "hangs\n" not in text.replace("-- hangs: hangs\n", ""), "the output of another step"
    assert time.monotonic() - began < 60


def test_steps_run_beside_one_another_and_after_what_they_need() -> None:
    meet = threading.Barrier(2, timeout=30)
    order: list[str] = []

    def meets(name: str) -> Step:
        def run(_: Shell) -> None:
            meet.wait()
            order.append(name)

        return Step(run, name)

    last = Step(lambda _: order.append("last"), "last", after=("a", "b", "not in this run"))
    assert run_steps({"last": last, "a": meets("a"), "b": meets("b")}, 2) == Counts(3, 0, 0)
    assert order[2:] == ["last"]


def test_no_more_than_so_many_steps_run_at_a_time() -> None:
    lock = threading.Lock()
    most = 0

    def run(shell: Shell) -> None:
        nonlocal most
        with lock:
            most = max(most, sum(thread.name.startswith("ThreadPool") for thread in threading.enumerate()))
        shell.run("true")

    assert run_steps({str(n): Step(run, "") for n in range(6)}, 2) == Counts(6, 0, 0)
    assert most == 2


def test_a_step_that_runs_alone_prints_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_steps({"x": Step(lambda shell: shell.run("echo", "seen"), "x")}, 2) == Counts(1, 0, 0)
    assert "\nseen\n" in capfd.readouterr().out


def test_a_shell_counts_the_cpu_time_of_what_its_commands_started() -> None:
    shell = Shell(None)
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    shell.run("sh", "-c", f'{sys.executable} -c "{busy}"; true')
    assert 0.2 <= shell.cpu_s < 20


def test_a_shell_runs_all_of_several_commands(tmp_path: Path) -> None:
    names = ["a", "b", "c", "d"]
    with pytest.raises(StepFailed):
        Shell(None).run_beside([["false"], *(["touch", str(tmp_path / name)] for name in names)], {})
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_stopped_shell_runs_nothing_more() -> None:
    shell = Shell(None)
    shell.stop()
    with pytest.raises(StepFailed, match="stopped"):
        shell.run("true")


def test_steps_name_only_steps() -> None:
    known = steps.SHORT | steps.LONG
    for name, step in known.items():
        assert set(step.after) <= set(known) - {name}
    order = list(known)
    assert all(order.index(before) < order.index(name) for name, step in known.items() for before in step.after)


# lint.py


class Tree:
    """A source, the headers behind it, and how it is compiled."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("src/base/arena.cpp", '#include "base/arena.h"\n')
        self.write("src/base/arena.h", '#include <new>\n#include "list.def"\n')
        self.write("src/base/list.def", "X(a)\n")
        self.write("src/base/other.h", "\n")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def key(self, command: str = "c++ -c", rules: bytes = b"rules") -> str:
        lint.headers.cache_clear()
        return lint.key(self.root / "src/base/arena.cpp", command, rules)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    return Tree(tmp_path)


@pytest.mark.parametrize("name", ["arena.cpp", "arena.h", "list.def"])
def test_a_source_is_read_again_when_anything_behind_it_changes(tree: Tree, name: str) -> None:
    before = tree.key()
    tree.write(f"src/base/{name}", (tree.root / "src/base" / name).read_text() + "// more\n")
    assert tree.key() != before


def test_a_source_is_read_again_when_flags_or_rules_change(tree: Tree) -> None:
    assert len({tree.key(), tree.key("c++ -O2 -c"), tree.key(rules=b"others")}) == 3


def test_a_source_is_not_read_again_for_what_it_does_not_include(tree: Tree) -> None:
    before = tree.key()
    tree.write("src/base/other.h", "int a;\n")
    assert tree.key() == before


def test_what_is_clean_is_not_read_again(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    build = tree.root / "build/clang"
    monkeypatch.setattr(lint, "BUILD", build)
    monkeypatch.setattr(lint, "CLEAN", tree.root / "build/lint")
    sources = {name: f"int {name}();\n" for name in ("a", "b")}
    for name, text in sources.items():
        tree.write(f"src/base/{name}.cpp", text)
    entries = ", ".join(
        f'{{"directory": "{tree.root}", "command": "clang++-16 -c src/base/{name}.cpp", "file": "src/base/{name}.cpp"}}'
        for name in [*sources, "c_test"]
    )
    tree.write("build/clang/compile_commands.json", f"[{entries}]")
    tree.write(".clang-tidy", "Checks: '-*,misc-redundant-expression'\nWarningsAsErrors: '*'\n")

    def linted(*, recent: bool = False) -> tuple[int, str]:
        lint.headers.cache_clear()
        return lint.lint(recent), capfd.readouterr().out

    monkeypatch.setattr(lint, "ALL_READ", tree.root / "build/lint-all-read")
    assert linted() == (0, "clang-tidy: 2 of 2 sources\n")
    assert linted() == (0, "clang-tidy: 0 of 2 sources\n")
    tree.write("src/base/a.cpp", "bool a(int n) { return n == n; }\n")
    for recent in (False, True):  # what is not clean is read each time
        failed, said = linted(recent=recent)
        assert failed == 1
        assert said.startswith("clang-tidy: 1 of 2 sources\n")
        assert "misc-redundant-expression" in said
    tree.write("src/base/a.cpp", sources["a"])
    assert linted() == (0, "clang-tidy: 0 of 2 sources\n")


def test_in_a_new_clone_what_changed_lately_is_read(tree: Tree) -> None:
    base = tree.root / "src/base"
    for name in ("one", "two", "three"):
        tree.write(f"src/base/{name}.cpp", '#include "base/arena.h"\n')
    behind = [base / f"{name}.cpp" for name in ("arena", "one", "two", "three")]
    lint.headers.cache_clear()
    for changed, read in (
        ({base / "arena.h"}, {"arena"}),  # a header: by its own source
        ({base / "list.def", base / "two.cpp"}, {"arena", "two"}),  # or by one that includes it
        ({base / "other.h", base / "arena_test.cpp", tree.root / "README.md"}, set()),
    ):
        assert {path.stem for path in lint.readers(changed, behind)} == read
    assert lint.changed_lately() is None  # no repository: all is read
