"""tools/check_layers.py and tools/check_imports.py on a copy of the project, with includes and imports planted in it."""

import shutil
from pathlib import Path

import check_imports
import check_layers
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for name in ("src", "lanner"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "assets"))
    (root / "tools").mkdir()
    shutil.copy(ROOT / "tools/layers.toml", root / "tools")
    return root


def plant(root: Path, name: str, line: str, request: pytest.FixtureRequest) -> None:
    """For the time of the test."""
    path = root / name
    before = path.read_text("utf-8")
    request.addfinalizer(lambda: path.write_text(before, "utf-8"))
    path.write_text(f"{before}\n{line}\n", "utf-8")


def test_the_project_itself_holds_to_its_table(copy: Path) -> None:
    assert check_layers.check(copy) == []
    assert check_imports.check(copy) == []


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("src/base/arena.cpp", "http/token.h"),  # up
        ("src/http/token.cpp", "server/server.h"),
        ("src/server/server.cpp", "worker/worker.h"),
        ("src/http1/session.cpp", "websocket/handshake.h"),  # beside
        ("src/server/server.cpp", "python/object/ref.h"),
        ("src/python/wsgi/environ.cpp", "python/asgi/scope.h"),  # from one interface to another
    ],
)
def test_an_include_that_goes_up_is_refused(copy: Path, request: pytest.FixtureRequest, name: str, header: str) -> None:
    plant(copy, name, f'#include "{header}"', request)
    (found,) = check_layers.check(copy)
    assert found.startswith(f"{name}:")
    assert header.rsplit("/", 1)[0] in found


@pytest.mark.parametrize(
    ("name", "header"),
    [("src/http/token.cpp", "Python.h"), ("src/server/server.cpp", "sys/epoll.h"), ("src/http/token.h", "re2/re2.h")],
)
def test_a_library_of_another_layer_is_refused(
    copy: Path, request: pytest.FixtureRequest, name: str, header: str
) -> None:
    plant(copy, name, f"#include <{header}>", request)
    (found,) = check_layers.check(copy)
    assert found.startswith(f"{name}:")


def test_a_folder_without_a_row_is_refused(tmp_path: Path) -> None:
    for name in ("tools/layers.toml", "src/base/arena.h"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "src/attic").mkdir()
    (tmp_path / "src/attic/old.h").write_text("#pragma once\n")
    assert "src/attic:1: this directory is no layer of tools/layers.toml" in check_layers.check(tmp_path)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("lanner/errors.py", "import lanner.cli"),  # up
        ("lanner/spelling.py", "from lanner.process import board"),
        ("lanner/json/__init__.py", "def late() -> None:\n    import lanner.native"),  # inside a function as well
        ("lanner/native/cookies.py", "from lanner import asgi"),  # beside
        ("lanner/errors.py", "import asyncio"),  # a library of other rooms
    ],
)
def test_an_import_that_goes_up_is_refused(copy: Path, request: pytest.FixtureRequest, name: str, line: str) -> None:
    plant(copy, name, line, request)
    found = check_imports.check(copy)
    assert found
    assert all(problem.startswith(f"{name}:") for problem in found)
