"""What an import of the package brings with it: each worker pays for it."""

import subprocess
import sys
from pathlib import Path

import pytest

import lanner

PLACE = Path(lanner.__file__).parents[1]
DEAR = ("asyncio", "click", "dataclasses", "inspect", "json", "pydantic", "re", "ssl", "threading", "typing")


def imported(statement: str) -> set[str]:
    """What a statement imports beside the interpreter's own modules; without site, which would import more."""
    script = f"import sys\nsys.path.insert(0, {str(PLACE)!r})\nbefore = set(sys.modules)\n{statement}\n"
    script += "print(*sorted(set(sys.modules) - before))"
    command = [sys.executable, "-S", "-c", script]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=60, check=True)
    return set(done.stdout.split())


def test_the_package_alone_imports_nothing() -> None:
    assert imported("import lanner") == {"lanner"}


@pytest.mark.parametrize("statement", ["import lanner.errors", "import lanner.worker.main", "import lanner.process"])
def test_what_a_worker_needs_is_cheap(statement: str) -> None:
    assert imported(statement) & set(DEAR) == set()


def test_an_application_brings_nothing_that_it_does_not_use() -> None:
    made = "from lanner import App\napp = App()\n@app.get('/{n}')\ndef h(n: int, q: str = '') -> list[int]: return [n]"
    unwanted = {"asyncio", "pydantic", "httpx", "email.utils", "http.client", "logging", "socket", "threading"}
    assert imported(made) & unwanted == set()


def test_the_command_line_imports_no_loop() -> None:
    assert "asyncio" not in imported("import lanner.cli.launch")


def test_json_needs_no_schemas_and_no_loop() -> None:
    found = imported("import lanner.json")
    assert not {name for name in found if name.startswith(("lanner.schema", "lanner.loop", "asyncio"))}
