"""The life of the processes: start, failure to start, signals and drain, sockets of all kinds. Workers: test_workers.py.

Rows T52, T57 and M01-M14 of the project's catalogue. The server is a black box: only sockets, signals, output and
exit codes are looked at.
"""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.gate import Gate
from tests.support.server import (
    APPS,
    PATH,
    ROOT,
    Server,
    alive,
    environment,
    run_to_end,
    until,
)
from tests.support.wire import Client, Closed, chunked, refuses, request

APP = "wsgi_apps:app"
HELLO = request("GET", "/hello")
MODES = [pytest.param((), id="inline"), pytest.param(("--threads", "4"), id="threads")]
ALL_MODES = [
    *MODES,
    pytest.param(("--workers", "2"), id="workers"),
    pytest.param(("--workers", "2", "--threads", "2"), id="workers-threads"),
]
SLACK_S = 10.0  # what a busy machine may add


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path)
    yield made
    made.close()


def read_all_chunks(client: Client) -> None:
    while client.read_chunk():
        pass


# ---- SIGTERM and SIGINT: the drain (T52, M01, M02)


@pytest.mark.parametrize("flags", ALL_MODES)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_in_flight_is_finished(number: int, flags: tuple[str, ...], gate: Gate) -> None:
    with Server(APP, *flags, env=gate.env) as server, Client(server.address) as client:
        client.send(request("GET", "/gate"))
        gate.wait()
        server.send_signal(number)
        if "--threads" in flags:  # inline, the application has the only thread
            until(lambda: refuses(server.address), "the port is given up while the request runs")
        elif "--workers" in flags:
            server.err.wait(lambda text: "info stop " in text, "the supervisor has told its workers")
        gate.release()
        response = client.read()
        assert (response.status, response.closes) == (200, True)
        client.expect_end()
        assert server.wait() == 0


@pytest.mark.parametrize("flags", MODES)
def test_a_stream_in_flight_is_finished(flags: tuple[str, ...], gate: Gate) -> None:
    with Server(APP, *flags, env=gate.env) as server, Client(server.address) as client:
        client.send(request("GET", "/gated"))
        gate.wait()
        server.send_signal(signal.SIGTERM)
        gate.release(3)
        assert client.read().body == b"onetwo"
        client.expect_end()
        assert server.wait() == 0


def test_a_body_in_flight_is_awaited() -> None:
    for flags in ((), ("--threads", "2")):
        with Server(APP, *flags) as server, Client(server.address) as client:
            client.send(request("POST", "/count", "Transfer-Encoding: chunked") + b"3\r\nabc\r\n")
            with Client(server.address) as other:
                assert other.get("/hello").status == 200  # the first request was read before this one
            server.send_signal(signal.SIGTERM)
            until(lambda: refuses(server.address), "the port is given up")
            client.send(chunked(b"defg"))
            response = client.read()
            assert (response.body, response.closes) == (b"7", True)
            assert server.wait() == 0


@pytest.mark.parametrize("flags", ALL_MODES)
def test_idle_connections_end_at_once(flags: tuple[str, ...]) -> None:
    with Server(APP, *flags) as server, ExitStack() as stack:
        clients = [stack.enter_context(Client(server.address)) for _ in range(20)]
        for client in clients:
            assert client.get("/hello").status == 200
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        for client in clients:
            client.expect_end()
            client.close()
        assert server.wait() == 0
        assert time.monotonic() - began < SLACK_S, "the drain time is 30 s: nothing waited for it"


@pytest.mark.parametrize("flags", ALL_MODES)
def test_a_silent_connection_is_served_or_closed_in_order(flags: tuple[str, ...]) -> None:
    """Its request may be on its way when the drain begins: no reset, and not the whole drain time."""
    with Server(APP, *flags) as server, Client(server.address) as silent, Client(server.address) as speaker:
        with Client(server.address) as other:
            assert other.get("/hello").status == 200  # the two before it are accepted, or in the backlog
        server.send_signal(signal.SIGTERM)
        until(lambda: refuses(server.address), "the port is given up")
        speaker.try_send(HELLO)
        answers = speaker.responses_to_end()
        assert [response.status for response in answers] in ([200], [])
        assert all(response.closes for response in answers)
        silent.expect_end()
        assert server.wait(5 + SLACK_S) == 0


@pytest.mark.parametrize("flags", ALL_MODES)
def test_an_endless_answer_is_cut_at_the_drain_limit(flags: tuple[str, ...]) -> None:
    """Cut, so that it does not look complete; the exit code is 0 all the same."""
    with (
        Server(APP, *flags, "--timeout-graceful-shutdown", "0.5") as server,
        Client(server.address) as client,
    ):
        client.send(request("GET", "/slow"))
        assert client.read_head().status == 200
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        with pytest.raises((Closed, ConnectionResetError)):
            read_all_chunks(client)
        assert server.wait(0.5 + 5 + SLACK_S) == 0
        assert time.monotonic() - began > 0.4, "not before the limit"
        assert "drain.forced" in server.err.text


@pytest.mark.parametrize("flags", MODES)
def test_a_client_that_does_not_read_cannot_hold_up_the_end(flags: tuple[str, ...]) -> None:
    with (
        Server(APP, *flags, "--timeout-graceful-shutdown", "0.5") as server,
        Client(server.address) as client,
    ):
        client.send(request("GET", "/endless"))
        assert client.read_head().status == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(0.5 + 5 + SLACK_S) == 0


@pytest.mark.parametrize("flags", ALL_MODES)
def test_a_second_signal_ends_at_once(flags: tuple[str, ...], gate: Gate) -> None:
    """M12. 143 is what a shell says for SIGTERM."""
    with Server(APP, *flags, env=gate.env) as server, Client(server.address) as client:
        client.send(request("GET", "/gate"))
        gate.wait()
        assert server.insist(signal.SIGTERM) == 128 + signal.SIGTERM
        server.all_gone()
        with pytest.raises((Closed, ConnectionResetError)):
            client.read()


@pytest.mark.parametrize("flags", MODES)
def test_ctrl_c_twice_ends_with_130(flags: tuple[str, ...], gate: Gate) -> None:
    with Server(APP, *flags, env=gate.env) as server, Client(server.address) as client:
        client.send(request("GET", "/gate"))
        gate.wait()
        assert server.insist(signal.SIGINT) == 128 + signal.SIGINT


@pytest.mark.parametrize("flags", ALL_MODES)
def test_a_stuck_application_is_ended_after_the_drain_and_5_s(flags: tuple[str, ...], gate: Gate) -> None:
    """M02: a call that never returns, where no exception and no cancelling reaches."""
    with (
        Server(APP, *flags, "--timeout-graceful-shutdown", "0.3", env=gate.env) as server,
        Client(server.address) as client,
    ):
        client.send(request("GET", "/gate"))
        gate.wait()
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        code = server.wait(0.3 + 6 + SLACK_S)
        assert time.monotonic() - began > 0.2
        assert code in (0, 1)
        server.all_gone()


def test_signals_while_it_starts_are_not_lost(tmp_path: Path) -> None:
    """M12: a SIGINT during the import of the application ends it, without a traceback of ours."""
    (tmp_path / "slow.py").write_text("import gate\ngate.enter()\ndef app(environ, start_response): ...\n")
    for workers in ("1", "2"):
        directory = tmp_path / workers
        directory.mkdir()
        gate = Gate(directory)
        flags = ("--workers", workers, "--app-dir", str(tmp_path))
        with Server("slow:app", *flags, env=gate.env | {"PYTHONPATH": f"{PATH}:{APPS}"}, ready=False) as server:
            gate.wait(int(workers))
            server.send_signal(signal.SIGINT)
            gate.release(int(workers))
            assert server.wait() in (0, 130)
            assert "lanner/" not in server.err.text, "no frames of ours"
            server.all_gone()
        gate.close()


# ---- starts that fail


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_application_that_raises_is_exit_3_with_the_users_frames(workers: str, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("import stock\napp = stock.make()\n")
    (tmp_path / "stock.py").write_text("def make():\n    return {}['DATABASE_URL']\n")
    found = run_to_end("run", "shop:app", "--port", "0", "--workers", workers, cwd=tmp_path)
    assert found.returncode == 3
    files = re.findall(r'File "([^"]+)", line (\d+)', found.stderr)
    assert files == [(str(tmp_path / "shop.py"), "2"), (str(tmp_path / "stock.py"), "2")]
    assert "importlib" not in found.stderr
    assert found.stderr.count("Traceback") == 1
    assert found.stderr.splitlines()[-1] == "lanner: cannot load shop:app: KeyError: 'DATABASE_URL'"


def test_a_syntax_error_is_shown_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("def app(environ, start_response)\n    pass\n")
    found = run_to_end("run", "shop:app", "--port", "0", cwd=tmp_path)
    assert found.returncode == 3
    assert f'File "{tmp_path / "shop.py"}", line 1' in found.stderr
    assert "lanner/" not in found.stderr


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nothere:app", ["no module 'nothere'"]),
        ("shop:nothere", ["nothere"]),
        ("shop:number", ["int"]),
        ("nothere.py:app", ["nothere.py"]),
        ("shop:", []),
        (":app", []),
    ],
)
def test_a_target_that_cannot_be_is_one_line_and_exit_3(target: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("number = 1\ndef app(e, s): ...\nasync def three(scope, receive, send): ...\n")
    found = run_to_end("run", target, "--port", "0", cwd=tmp_path)
    assert found.returncode in (2, 3)
    assert len(found.stderr.splitlines()) == 1, found.stderr
    assert found.stderr.startswith("lanner: ")
    assert all(word in found.stderr for word in words), found.stderr


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--wrokers", "2"), "--workers"),
        (("--timeout-keepalive", "2"), "--timeout-keep-alive"),
        (("--limit-request-feilds", "2"), "--limit-request-fields"),
        (("--workers", "0"), "1 is the least"),
        (("--port", "70000"), "65535"),
        (("--limit-request-head", "1"), "--limit-request-head"),
        (("--access-log-format", "%(", "--access-log"), "access"),
    ],
)
def test_a_wrong_flag_is_one_line_and_exit_2(flags: tuple[str, ...], words: str) -> None:
    found = run_to_end("run", APP, "--port", "0", *flags)
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1), found.stderr
    assert words in found.stderr


def test_a_taken_port_is_one_line_and_exit_1() -> None:
    with Server(APP) as server:
        port = str(server.address[1])
        for workers in ("1", "2"):
            found = run_to_end("run", APP, "--port", port, "--workers", workers)
            assert (found.returncode, len(found.stderr.splitlines())) == (1, 1), found.stderr
            assert "--port" in found.stderr
        with Client(server.address) as client:
            assert client.get("/hello").status == 200, "the first server is not disturbed"


def test_a_port_is_free_again_at_once() -> None:
    """No wait for TIME_WAIT."""
    with Server(APP) as server:
        port = str(server.address[1])
        with Client(server.address) as client:
            assert client.get("/hello").status == 200
            assert server.stop() == 0
            client.expect_end()
    with Server(APP, "--port", port, port=False) as server, Client(server.address) as client:
        assert client.get("/hello").status == 200


# ---- where it listens (T57, M14)


def test_a_unix_socket_is_served_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(APP, "--uds", str(path), port=False) as server:
        assert server.urls == [f"unix:{path}"]
        with Client(str(path)) as client:
            assert client.get("/hello").body == b"hello"
        assert server.stop() == 0
    assert not path.exists()


def test_a_stale_unix_socket_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(APP, "--uds", str(path), port=False) as server:
        server.send_signal(signal.SIGKILL)
        server.wait()
    assert path.exists()
    with Server(APP, "--bind", f"unix:{path}", port=False), Client(str(path)) as client:
        assert client.get("/hello").body == b"hello"


def test_a_foreign_file_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("precious")
    found = run_to_end("run", APP, "--uds", str(path))
    assert (found.returncode, len(found.stderr.splitlines())) == (1, 1), found.stderr
    assert path.read_text() == "precious"


def test_a_living_unix_socket_is_not_stolen(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(APP, "--uds", str(path), port=False):
        found = run_to_end("run", APP, "--uds", str(path))
        assert (found.returncode, len(found.stderr.splitlines())) == (1, 1), found.stderr
        with Client(str(path)) as client:
            assert client.get("/hello").body == b"hello"


@pytest.mark.parametrize("how", ["fd", "bind"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_inherited_socket_is_served(how: str, workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        fd = listener.fileno()
        where = ("--fd", str(fd)) if how == "fd" else ("--bind", f"fd://{fd}")
        with Server(APP, *where, "--workers", workers, port=False, pass_fds=(fd,)) as server:
            with Client(listener.getsockname()) as client:
                assert client.get("/hello").body == b"hello"
            assert server.stop() == 0


def test_descriptor_0_is_served() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        Server(APP, "--fd", "0", port=False, stdin=listener.fileno()),
        Client(listener.getsockname()) as client,
    ):
        assert client.get("/hello").body == b"hello"


def test_a_descriptor_that_is_no_socket_is_one_line() -> None:
    for fd in ("0", "77"):
        found = run_to_end("run", APP, "--fd", fd, stdin=subprocess.DEVNULL)
        assert (found.returncode, len(found.stderr.splitlines())) == (1, 1), found.stderr
        assert "--fd" in found.stderr


def test_port_0_is_announced() -> None:
    with Server(APP) as first, Server(APP) as second:
        assert first.address != second.address
        assert 0 not in (first.address[1], second.address[1])


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("flags", [("--host", "::1"), ("--bind", "[::1]:0")])
def test_ipv6_is_served(flags: tuple[str, ...]) -> None:
    with Server(APP, *flags, port=flags[0] == "--host") as server, Client(server.address) as client:
        assert server.address[0] == "::1"
        assert client.get("/hello").body == b"hello"


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_two_colons_are_both_families() -> None:
    with Server(APP, "--host", "::") as server:
        port = int(server.address[1])
        for host in ("127.0.0.1", "::1"):
            with Client((host, port)) as client:
                assert client.get("/hello").body == b"hello"


def test_localhost_is_all_its_addresses_on_one_port() -> None:
    found = {info[4][0] for info in socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)}
    with Server(APP, "--host", "localhost") as server:
        port = int(server.address[1])
        for host in found if has_ipv6() else found - {"::1"}:
            with Client((str(host), port)) as client:
                assert client.get("/hello").body == b"hello"


def test_several_addresses_are_served_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(APP, "-b", "127.0.0.1:0", "-b", f"unix:{path}", port=False) as server:
        assert len(server.urls) == 2
        for address in (server.address, str(path)):
            with Client(address) as client:
                assert client.get("/hello").body == b"hello"


# ---- what an application sees of it


def test_workers_do_not_inherit_the_connections_of_others(tmp_path: Path) -> None:
    """A program that the application starts holds no socket of ours open."""
    (tmp_path / "forks.py").write_text(
        "import json, os, subprocess, sys\n"
        'code = \'import json, os; print(json.dumps([os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")'
        ' if os.path.exists(f"/proc/self/fd/{n}")]))\'\n'
        "def app(environ, start_response):\n"
        "    body = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, close_fds=False).stdout\n"
        "    start_response('200 OK', [('Content-Length', str(len(body)))])\n"
        "    return [body]\n"
    )
    for flags in ((), ("--workers", "2"), ("--threads", "2")):
        with Server("forks:app", *flags, cwd=tmp_path) as server, Client(server.address) as client:
            held = json.loads(client.get("/").body)
            assert not [name for name in held if name.startswith(("socket:", "/memfd:", "anon_inode:[event"))], held


def test_python_m_lanner_is_the_command() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "lanner", "--version"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert found.stdout.startswith("lanner ")


def test_lanner_run_serves_from_a_script(tmp_path: Path) -> None:
    """The Python entry: the same drain, the script goes on afterwards."""
    (tmp_path / "script.py").write_text(
        "import lanner\n"
        "def app(environ, start_response):\n"
        "    start_response('200 OK', [('Content-Length', '2')])\n"
        "    return [b'ok']\n"
        "lanner.run(app, port=0)\n"
        "print('went on')\n"
    )
    with subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=environment({"PYTHONPATH": PATH}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert found
        with Client(("127.0.0.1", int(found[1]))) as client:
            assert client.get("/").body == b"ok"
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=30)
        assert (process.returncode, out) == (0, "went on\n")


def test_no_process_is_left_behind() -> None:
    with Server(APP, "--workers", "3") as server:
        family = server.workers()
        assert len(family) == 3
        assert server.stop() == 0
        assert not any(alive(pid) for pid in family)
