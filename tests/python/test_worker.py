"""A worker process, as the supervisor starts it, with the real engine."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from lanner.process.address import Address
from lanner.process.job import Job
from lanner.process.listeners import open_all
from lanner.process.pipes import END, pack_job, read_job
from lanner.process.slot import Slot
from lanner.worker.command_line import command


class Started:
    """A worker of one slot, and what a supervisor would know of it."""

    def __init__(self, job: Job) -> None:
        self.slot = Slot(0)
        self.slot.start(job, command, now=0.0)

    def read_report(self) -> str:
        """All that it reports about its start."""
        os.set_blocking(self.slot.report, True)
        data = b""
        while part := os.read(self.slot.report, 4096):
            data += part
        return data.removesuffix(END).decode()

    def wait(self) -> int:
        _, status = os.waitpid(self.slot.pid, 0)
        self.slot.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self.slot.pid:
            os.kill(self.slot.pid, signal.SIGKILL)
            self.wait()
        self.slot.ended(0.0)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    (made,) = open_all([Address("127.0.0.1", 0)])
    made.listen(8)
    made.sock.set_inheritable(True)
    yield made.sock
    made.close()


@pytest.fixture
def start(tmp_path: Path, listener: socket.socket) -> Iterator[object]:
    everything: list[Started] = []

    def started(target: str, **options: object) -> Started:
        job = Job(target, app_dir=str(tmp_path), listeners=[listener.fileno()], options=options, argv=["lanner", "x"])
        everything.append(Started(job))
        return everything[-1]

    yield started
    for worker in everything:
        worker.close()


LIST_INHERITABLE = """\
import os

def app(environ, start_response):
    start_response("200 OK", [])
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found += [name] * os.get_inheritable(int(name))
        except OSError:
            pass  # of the directory itself
    return [" ".join(found).encode()]
"""


def get(listener: socket.socket) -> bytes:
    with socket.create_connection(listener.getsockname(), timeout=30) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        data = b""
        while part := client.recv(4096):
            data += part
    return data.rpartition(b"\r\n\r\n")[2]


def test_a_worker_serves_what_its_job_says(start, hello: str, listener: socket.socket) -> None:
    worker = start(hello)
    assert worker.read_report() == "ready wsgi"
    assert get(listener) == str(worker.slot.pid).encode()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_worker_ends_with_its_supervisor(threads: int, start, hello: str) -> None:
    worker = start(hello, threads=threads)
    assert worker.read_report() == "ready wsgi"
    os.close(worker.slot.lifeline)  # what the kernel does when a supervisor is killed
    worker.slot.lifeline = -1
    assert worker.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_drains_on_signals_and_more_of_them_change_nothing(number: int, start, hello: str) -> None:
    worker = start(hello)
    assert worker.read_report() == "ready wsgi"
    for _ in range(3):
        os.kill(worker.slot.pid, number)
    assert worker.wait() == 0


def test_a_failed_start_is_reported_and_not_printed(start, write, capfd: pytest.CaptureFixture[str]) -> None:
    write("shop.py", "raise KeyError('DATABASE_URL')")
    worker = start("shop")
    lines = worker.read_report().splitlines()
    assert lines[0] == "failed cannot load shop: KeyError: 'DATABASE_URL'"
    assert lines[-1] == "KeyError: 'DATABASE_URL'"
    assert worker.wait() == 3
    assert capfd.readouterr().err == ""


def test_a_worker_runs_with_the_arguments_of_its_supervisor(start, write, listener: socket.socket) -> None:
    source = "import sys\ndef app(environ, start):\n    start('200 OK', [])\n    return [' '.join(sys.argv).encode()]"
    write("shop.py", source)
    worker = start("shop")
    assert worker.read_report() == "ready wsgi"
    assert get(listener) == b"lanner x"


def test_programs_of_the_application_inherit_no_descriptor_of_ours(start, write, listener: socket.socket) -> None:
    write("shop.py", LIST_INHERITABLE)
    listener.set_inheritable(False)
    others = {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}
    others = {name for name in others if os.get_inheritable(int(name))}  # the test run's own
    listener.set_inheritable(True)
    worker = start("shop")
    assert worker.read_report() == "ready wsgi"
    assert set(get(listener).decode().split()) == others


def test_a_job_survives_the_pipe() -> None:
    job = Job("shop:app", True, "/x", "wsgi", [3, 4], {"threads": 2, "root_path": "/\u00e9"}, ["lanner", "run"])
    read_end, write_end = os.pipe()
    os.write(write_end, pack_job(job))
    found = read_job(read_end)
    os.close(read_end)
    os.close(write_end)
    assert [getattr(found, name) for name in Job.FIELDS] == [getattr(job, name) for name in Job.FIELDS]
