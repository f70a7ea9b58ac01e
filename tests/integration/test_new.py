"""`lanner new`: the project that it writes runs, and its commands do what its README says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.support.server import PATH, ROOT, Server, command, environment

FILES = {
    ".dockerignore",
    ".gitignore",
    "Dockerfile",
    "README.md",
    "card_shop/__init__.py",
    "card_shop/app.py",
    "pyproject.toml",
    "tests/test_app.py",
}


def new(name: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    env = environment({"PYTHONPATH": PATH})
    return subprocess.run(command("new", name), cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = new("card-shop", tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert "lanner run card_shop.app:app" in made.stdout
    return tmp_path / "card-shop"


def test_what_is_in_it(project: Path) -> None:
    found = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert found == FILES
    for name in FILES:
        assert not re.search(r"\$(name|package|image|\{)", (project / name).read_text())


def test_its_test_passes(project: Path) -> None:
    env = environment({"PYTHONPATH": PATH})
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error"],
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3 passed" in tested.stdout, tested.stdout + tested.stderr


def test_it_runs(project: Path) -> None:
    with Server("card_shop.app:app", cwd=project) as server:
        base = f"http://127.0.0.1:{server.address[1]}"
        assert httpx.post(f"{base}/notes", json={"text": "a"}).headers["location"] == "/notes/1"
        assert httpx.get(f"{base}/notes").json() == [{"text": "a", "done": False}]
        assert httpx.get(f"{base}/docs").status_code == 200


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("there", "there is there already; choose another name, or empty it"),
        ("9lives", "'9lives' is no name of a project"),
        ("class", "'class' is no name of a project"),
        ("json", "would hide the module json"),
        ("lanner", "would hide the module lanner"),
        ("file/shop", "file"),
    ],
)
def test_a_name_that_will_not_do(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/kept").touch()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    made = new(name, tmp_path)
    assert made.returncode == 2
    assert said in made.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_directory_will_do(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    assert new("shop", tmp_path).returncode == 0


def test_without_a_name() -> None:
    made = subprocess.run(command("new"), capture_output=True, text=True, check=False, cwd=ROOT)
    assert made.returncode == 2
    assert "new needs a NAME" in made.stderr


def readme_commands(project: Path) -> list[str]:
    """Those of the first block, but the one that serves."""
    block = (project / "README.md").read_text().split("```")[1]
    return [line for line in block.strip().splitlines() if "lanner run" not in line]


@pytest.mark.long
def test_its_commands_in_a_clean_environment(tmp_path: Path) -> None:
    """With the built wheel; pip needs its index for pytest, httpx, click and setuptools."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LANNER_IN_TREE")}
    wheels = tmp_path / "wheels"

    def run(*words: str, cwd: Path = tmp_path) -> str:
        done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    built = os.environ.get("LANNER_WHEELS")  # a directory with the wheel, where somebody has built it
    if built is None:
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    env["PIP_FIND_LINKS"] = built or str(wheels)
    run(sys.executable, "-m", "venv", "outer")
    run("outer/bin/pip", "install", "lanner")
    run("outer/bin/lanner", "new", "shop")
    project = tmp_path / "shop"
    for line in readme_commands(project):
        said = run("bash", "-c", line, cwd=project)
    assert "3 passed" in said
    program = [str(project / ".venv/bin/lanner"), "run", "shop.app:app", "--port", "0"]
    with Server("shop.app:app", cwd=project, program=program, env={"PYTHONPATH": ""}) as server:
        assert httpx.get(f"http://127.0.0.1:{server.address[1]}/notes").json() == []
