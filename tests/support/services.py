"""Real services for tests and measurements: a PostgreSQL and a Redis of their own, in a temporary directory.

    with postgres() as dsn:      "host=/tmp/lanner-x dbname=postgres user=postgres"
    with redis() as path:        "/tmp/lanner-x/redis.sock"

Both listen on a unix socket only and forget everything at the end. ServiceMissing when they are not installed.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.support.server import until


class ServiceMissing(Exception):
    """Not installed here; the text says what to install."""


@contextlib.contextmanager
def directory(user: str | None) -> Iterator[Path]:
    """Short, for the sake of unix sockets, and reachable for another user, as pytest's are not."""
    made = Path(tempfile.mkdtemp(prefix="lanner-", dir="/tmp"))
    try:
        if user is not None:
            os.chown(made, pwd.getpwnam(user).pw_uid, -1)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextlib.contextmanager
def running(command: list[str | Path], user: str | None, log: Path, end: int) -> Iterator["subprocess.Popen[bytes]"]:
    words = [str(word) for word in command]
    with log.open("wb") as output:
        process = subprocess.Popen(
            words, user=user, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        process.send_signal(end)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def postgres_programs() -> Path:
    """Where initdb and postgres are. Debian keeps each version apart, and out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise ServiceMissing("no PostgreSQL here: apt-get install postgresql")
    return found[-1].parent


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """A new cluster; its DSN. PostgreSQL refuses to run as root: then it runs as the user that Debian made for it."""
    programs = postgres_programs()
    user = "postgres" if os.geteuid() == 0 else None
    with directory(user) as home:
        data, log = home / "data", home / "log"
        made = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(
            [str(word) for word in made], user=user, cwd=home, check=True, stdout=subprocess.DEVNULL, timeout=60
        )
        options = ["fsync=off", "listen_addresses=", f"unix_socket_directories={home}", "max_connections=50"]
        command = [programs / "postgres", "-D", data, *(word for option in options for word in ("-c", option))]
        with running(command, user, log, signal.SIGINT) as process:
            ready = "ready to accept connections"
            until(lambda: process.poll() is not None or ready in log.read_text("utf-8", "replace"), ready)
            if process.poll() is not None:
                raise RuntimeError(log.read_text("utf-8", "replace"))
            yield f"host={home} dbname=postgres user=postgres"


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """The path of its socket."""
    program = shutil.which("redis-server")
    if program is None:
        raise ServiceMissing("no redis-server here: apt-get install redis-server")
    with directory(None) as home:
        path = home / "redis.sock"
        command: list[str | Path] = [program, "--port", "0", "--unixsocket", path, "--save", "", "--dir", home]
        with running(command, None, home / "log", signal.SIGTERM) as process:
            until(lambda: process.poll() is not None or path.exists(), "Redis listens")
            if process.poll() is not None:
                raise RuntimeError((home / "log").read_text("utf-8", "replace"))
            yield str(path)
