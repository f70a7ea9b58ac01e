"""What the operating system does not allow the server: one line that says what, and how to go on.

Root may do all of it: without the capabilities, as here, it may do no more than any other user.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

APP = "def app(environ, start_response):\n    start_response('200 OK', [])\n    return [b'']\n"
DROPPED = "-dac_override,-dac_read_search,-net_bind_service"
PORT = "1"
UNPRIVILEGED_PORTS = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")

Refused = Callable[..., list[str]]


LIKE_OTHERS = ["setpriv", "--bounding-set", DROPPED, "--inh-caps=-all"] if os.geteuid() == 0 else []

pytestmark = pytest.mark.skipif(
    LIKE_OTHERS != []
    and (not shutil.which("setpriv") or subprocess.run([*LIKE_OTHERS, "true"], capture_output=True).returncode != 0),
    reason="root's capabilities cannot be dropped here",
)


@pytest.fixture
def refused(lanner: Callable[..., Any], tmp_path: Path) -> Refused:
    """Runs a server that may not start, to its end; returns what it says."""
    (tmp_path / "hello.py").write_text(APP)

    def run(*arguments: str, exit_code: int, **variables: str) -> list[str]:
        done = lanner("run", "hello:app", *arguments, by=LIKE_OTHERS, **variables)
        assert (done.returncode, done.stdout) == (exit_code, ""), done.stderr
        lines: list[str] = done.stderr.splitlines()
        return lines

    return run


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A directory that may be read and searched, but not written."""
    path = tmp_path / "closed"
    path.mkdir()
    path.chmod(0o555)
    return path


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_unix_socket_in_a_directory_that_may_not_be_written(refused: Refused, closed: Path, workers: str) -> None:
    path = closed / "s"
    hint = "Permission denied; check its directory, or change"
    lines = refused("--uds", str(path), "--workers", workers, exit_code=1)
    assert lines == [f"lanner: cannot make the unix socket {path}: {hint} --uds"]
    lines = refused("--workers", workers, exit_code=1, LANNER_UDS=str(path))
    assert lines == [f"lanner: cannot make the unix socket {path}: {hint} LANNER_UDS"]
    assert list(closed.iterdir()) == []


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_log_that_may_not_be_made_or_written(refused: Refused, closed: Path, workers: str) -> None:
    taken = closed.parent / "taken.log"
    taken.write_text("")
    taken.chmod(0o444)
    for path in (closed / "new.log", taken):
        lines = refused("--access-logfile", str(path), "--port", "0", "--workers", workers, exit_code=2)
        assert lines == [f"lanner: --access-logfile {path}: Permission denied"]


@pytest.mark.skipif(
    not UNPRIVILEGED_PORTS.exists() or int(UNPRIVILEGED_PORTS.read_text()) <= int(PORT),
    reason="all ports are for everybody here",
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_for_which_a_privilege_is_needed(refused: Refused, workers: str) -> None:
    words = f"lanner: port {PORT} needs a privilege (CAP_NET_BIND_SERVICE); choose one above 1023 with"
    assert refused("--port", PORT, "--workers", workers, exit_code=1) == [f"{words} --port"]
    assert refused("--workers", workers, exit_code=1, LANNER_PORT=PORT) == [f"{words} LANNER_PORT"]


def test_a_directory_that_may_not_be_entered(refused: Refused, closed: Path) -> None:
    closed.chmod(0)
    assert refused("--chdir", str(closed), exit_code=2) == [f"lanner: --chdir {closed}: Permission denied"]
