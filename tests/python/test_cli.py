"""The command line as a user meets it: in a process of its own, with real sockets."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import lanner as package
from lanner.cli import command, flags


def test_version(lanner) -> None:
    for arguments in (["--version"], ["run", "--version"]):
        result = lanner(*arguments)
        assert (result.returncode, result.stdout) == (0, f"lanner {package.__version__}\n")


def test_help_has_every_flag_and_fits_a_terminal(lanner) -> None:
    result = lanner("run", "--help")
    assert result.returncode == 0
    for flag in flags.table():
        shown = f"--[no-]{flag.name}" if flag.switch and flag.name != "factory" else f"--{flag.name}"
        assert re.search(re.escape(shown) + r"[ \n]", result.stdout), flag.name
        for alias in flag.aliases:
            assert flags.dashes(alias) in result.stdout, alias
    assert max(map(len, result.stdout.splitlines())) <= 120


def test_help_of_lanner_names_its_commands(lanner) -> None:
    result = lanner("--help")
    assert result.returncode == 0
    assert "run      Serve an application." in result.stdout
    assert all(f"\n  {name} " in result.stdout for name in command.COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "x", "--prot", "1"], "unknown flag --prot; did you mean --port?"),
        (["run", "x", "--no-acces-log"], "unknown flag --no-acces-log; did you mean --no-access-log?"),
        (["run", "x", "--banana"], "unknown flag --banana"),
        (["run", "x", "--port", "y"], "--port: 'y' is not a whole number"),
        (["run", "x", "--loop", "gevent"], "--loop: 'gevent' is not one of auto, lanner, asyncio, uvloop"),
        (["run", "x", "--lifespan", "yes"], "--lifespan: 'yes' is not one of auto, on, off"),
        (["run", "x", "--lifespam", "on"], "unknown flag --lifespam; did you mean --lifespan?"),
        (
            ["run", "x", "--keep-alive", "y"],
            "--timeout-keep-alive: 'y' is not a time; write seconds, for example 30 or 2.5",
        ),
        (["run", "x", "--port"], "option '--port' requires an argument."),
        (["run", "x", "y"], "got unexpected extra argument (y)"),
        (["run"], "run needs a TARGET; for example: lanner run shop.wsgi:application"),
        (["rnu"], "unknown command rnu; did you mean run?"),
        (["shop:app"], "unknown command shop:app; did you mean: lanner run shop:app"),
        (["run", "x", "--bind", "a:b"], "--bind a:b: 'b' is not a whole number"),
        (["run", "x", "--chdir", "/no/such"], "--chdir /no/such: No such file or directory"),
        (["run", "x", "--app-dir", "/no/such"], "--app-dir /no/such is not a directory"),
        (["run", "x", "--access-logfile", "/no/such"], "--access-logfile /no/such: No such file or directory"),
        (["run", "x", "--access-logfile", "/tmp"], "--access-logfile /tmp: Is a directory"),
        (
            ["run", "x", "--access-log-format", "%(nope)s"],
            "--access-log-format: malformed access log format, at character 2 of '%(nope)s'; "
            "write gunicorn's atoms, such as %(h)s and %({host}i)s, or json",
        ),
        (
            ["run", "x", "--access-log-format", "%({wsgi.input}e)s"],
            "--access-log-format: the access log has REMOTE_ADDR, REQUEST_METHOD, QUERY_STRING, SERVER_PROTOCOL, "
            "wsgi.url_scheme, CONTENT_TYPE, CONTENT_LENGTH and HTTP_*, but no other variable, "
            "at character 3 of '%({wsgi.input}e)s'",
        ),
        (
            ["run", "x", "--access-log-format", ""],
            "--access-log-format: is empty; write gunicorn's atoms, such as %(h)s, or json",
        ),
        (["run", "x", "--host", ""], "--host: is empty; write 127.0.0.1, or 0.0.0.0 for all addresses"),
        (["run", "x", "--uds", ""], "--uds: is empty; write a path"),
        (["run", "x", "--bind", ","], "--bind: is empty; write HOST:PORT, unix:PATH or fd://N"),
        (["run", "x", "--chdir", ""], "--chdir: is empty; write a path"),
        (["run", "x", "--app-dir", ""], "--app-dir: is empty; write a path"),
        (["run", "x", "--app-dir", "/dev/null"], "--app-dir /dev/null is not a directory"),
        (["run", "x", "--port", "-1"], "--port: -1 is negative"),
        (["run", "x", "--fd", "99999999999"], "--fd: 99999999999 is too large for a descriptor"),
        (
            ["run", "x", "--bind", "fd://99999999999"],
            "--bind fd://99999999999: 99999999999 is too large for a descriptor",
        ),
        (["run", "x", "--backlog", "99999999999"], "--backlog: 99999999999 is too large; 2147483647 is the most"),
        (["run", "x", "--workers", "9999"], "--workers: 9999 is too large; 1024 is the most"),
        (["run", "x", "--threads", "9999"], "--threads: 9999 is too large; 4096 is the most"),
        (["run", "x", "--limit-request-head", "5"], "--limit-request-head: must be from 128 to 67108864"),
        (["run", "x", "--limit-request-fields", "0"], "--limit-request-fields: must be from 1 to 10000"),
        (["run", "x", "--limit-connections", "0"], "--limit-connections: must be at least 1"),
        (["run", "x", "--write-high-mark", "0"], "--write-high-mark: 0 is too small; 1 is the least"),
        (
            ["run", "x", "--limit-request-body", "9999999g"],
            "--limit-request-body: must be from 0 to 9007199254740992, not 10737417166258176",
        ),
        (["run", "x", "--env-file", "x"], "--env-file: set it before the command: env KEY=VALUE lanner run ..."),
    ],
)
def test_a_wrong_flag_is_one_line_and_exit_2(arguments: list[str], line: str, lanner) -> None:
    result = lanner(*arguments)
    assert (result.returncode, result.stderr, result.stdout) == (2, f"lanner: {line}\n", "")


def test_an_application_that_is_not_there_is_one_line_and_exit_3(lanner, tmp_path: Path) -> None:
    result = lanner("run", "nope:app", "--port", "0")
    assert result.returncode == 3
    assert result.stderr == (
        f"lanner: cannot load nope:app: there is no module 'nope' in {tmp_path}; check the name, or give --app-dir\n"
    )


@pytest.mark.parametrize("workers", ["1", "3"])
def test_an_application_that_raises_is_its_traceback_once_and_exit_3(workers: str, lanner, write) -> None:
    path = write("shop.py", "def connect():\n    raise KeyError('DATABASE_URL')\nconnect()\n")
    result = lanner("run", "shop", "--port", "0", "--workers", workers)
    assert result.returncode == 3
    places = [line.strip() for line in result.stderr.splitlines() if line.lstrip().startswith("File ")]
    assert places == [f'File "{path}", line 3, in <module>', f'File "{path}", line 2, in connect']
    assert result.stderr.endswith("KeyError: 'DATABASE_URL'\nlanner: cannot load shop: KeyError: 'DATABASE_URL'\n")


def test_a_taken_port_is_one_line_and_exit_1(lanner, hello: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = lanner("run", hello, "--port", str(port))
    assert result.returncode == 1
    assert result.stderr.startswith(f"lanner: port {port} on 127.0.0.1 is taken")
    assert len(result.stderr.splitlines()) == 1


def test_a_taken_port_is_found_before_the_application_is_imported(lanner, write) -> None:
    write("shop.py", "print('imported')")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = lanner("run", "shop", "--port", str(taken.getsockname()[1]))
    assert result.stdout == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("extra", [[], ["--threads", "3"], ["--workers", "2"]])
def test_serves_and_ends_with_0_on_a_signal(number: int, extra: list[str], serve, hello: str) -> None:
    with serve(hello, "--port", "0", *extra) as server:
        assert server.get().isdigit()
        assert server.stop(number) == 0


def test_the_banner_says_what_is_where_and_how_to_stop(serve, hello: str) -> None:
    with serve(hello, "--port", "0", "--threads", "2", "--timeout-graceful-shutdown", "7") as server:
        pid = server.process.pid
        assert "".join(server.lines) == (
            f"lanner {package.__version__} serves hello:app (wsgi) on http://127.0.0.1:{server.port}\n"
            f"1 worker of 2 threads, pid {pid}; Ctrl-C or kill {pid} stops it and lets open requests finish"
            " (7 s at most)\n"
        )


def test_flags_of_other_servers_are_told_and_it_serves(serve, hello: str) -> None:
    with serve(hello, "-k", "gevent", "--http", "h11", "-t", "30", "-b", "127.0.0.1:0") as server:
        assert server.get().isdigit()
        assert {line.split(": ")[1] for line in server.lines[:3]} == {"-k", "--http", "-t"}


def test_a_wsgi_application_takes_the_flags_of_asgi(serve, hello: str) -> None:
    """One command line for both: they concern nobody here, and nothing is said."""
    with serve(hello, "--port", "0", "--loop", "uvloop", "--lifespan", "off") as server:
        assert server.get().isdigit()
        assert server.lines[0].startswith("lanner ")


ASGI = """\
import asyncio, sys

async def app(scope, receive, send):
    assert scope["type"] == "http"
    body = f"{type(asyncio.get_running_loop()).__module__} {'uvloop' in sys.modules}".encode()
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": body})
"""


FAILS_AT_THE_END = """\
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        raise OSError("disk full")
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_failure_of_a_running_server_is_a_line_of_its_log(workers: str, serve, write) -> None:
    write("shop.py", FAILS_AT_THE_END)
    with serve("shop:app", "--port", "0", "--workers", workers) as server:
        server.process.terminate()
        line = server.wait_for("disk full")
        assert re.fullmatch(
            r'\d{4}-\d\d-\d\dT\S+[+-]\d\d:\d\d \[\d+\] error app.failed error="shop:app: .*OSError: disk full"\n', line
        ), line


LOGGING = """\
import logging

async def app(scope, receive, send):
    logging.getLogger("shop").warning("no handler for %s", scope["path"])
    await send({"type": "http.response.start", "status": 204})
    await send({"type": "http.response.body"})
"""


def test_messages_of_logging_that_no_handler_takes_begin_as_every_log_line(serve, write) -> None:
    write("shop.py", LOGGING)
    with serve("shop:app", "--port", "0", "--lifespan", "off") as server:
        server.get("/x")
        line = server.wait_for("no handler")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\S+[+-]\d\d:\d\d \[\d+\] warn shop no handler for /x\n", line), line


@pytest.mark.parametrize(
    ("extra", "body"),
    [
        ([], b"lanner.loop False"),
        (["--loop", "asyncio"], b"lanner.loop False"),
        (["--loop", "none", "--asgi-lifespan", "off"], b"lanner.loop False"),
        (["--asgi-loop", "uvloop"], b"uvloop True"),
        (["--workers", "2", "--loop", "uvloop"], b"uvloop True"),
    ],
)
def test_an_asgi_application_is_served(extra: list[str], body: bytes, serve, write) -> None:
    write("shop.py", ASGI)
    with serve("shop:app", "--port", "0", *extra) as server:
        assert server.get() == body
        assert "serves shop:app (asgi) on " in "".join(server.lines)
        assert server.stop(signal.SIGTERM) == 0


@pytest.mark.parametrize("interface", ["auto", "asgi", "asgi3", "asginl"])
def test_the_interface_may_be_named_as_other_servers_do(interface: str, serve, write) -> None:
    write("shop.py", ASGI)
    with serve("shop:app", "--port", "0", "--interface", interface) as server:
        assert server.get() == b"lanner.loop False"


def test_the_environment_configures_it(serve, hello: str) -> None:
    with serve(hello, LANNER_PORT="0", LANNER_WORKERS="2") as server:
        assert "2 workers" in "".join(server.lines)
        assert server.get().isdigit()


def test_a_unix_socket_is_served_and_unlinked(serve, hello: str, tmp_path: Path) -> None:
    path = tmp_path / "x.sock"
    with serve(hello, "--uds", str(path)) as server:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(str(path))
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
        assert server.stop(signal.SIGTERM) == 0
    assert not path.exists()


def test_descriptor_0_is_served(hello: str, tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        command = [sys.executable, "-P", "-m", "lanner", "run", hello, "--fd", "0"]
        with subprocess.Popen(command, stdin=listener, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
            with socket.create_connection(listener.getsockname(), timeout=30) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                assert client.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
            process.terminate()
            assert process.wait(60) == 0


def test_chdir_comes_before_everything(serve, write, tmp_path: Path) -> None:
    write(
        "site/shop.py",
        "import os\ndef app(environ, start):\n    start('200 OK', [])\n    return [os.getcwd().encode()]",
    )
    with serve("shop:app", "--chdir", "site", "--bind", "127.0.0.1:0") as server:
        assert server.get() == os.fsencode(tmp_path / "site")


def test_python_m_lanner_in_a_directory_of_its_own_name(serve, write) -> None:
    """The workers import the lanner that started them, not one that lies in the working directory."""
    write("lanner/__init__.py", "raise ImportError('the wrong lanner')")
    write("shop.py", "def app(environ, start):\n    start('200 OK', [])\n    return [b'shop']")
    with serve("shop:app", "--port", "0", "-w", "2") as server:
        assert server.get() == b"shop"


def test_main_returns_exit_codes(capfd: pytest.CaptureFixture[str]) -> None:
    assert command.main(["run", "--banana"]) == 2
    assert capfd.readouterr().err == "lanner: unknown flag --banana\n"


RUN_FROM_CODE = """\
import lanner
from lanner.errors import AppError, ConfigError

def app(environ, start_response): return []

try:
    lanner.run(app, port="x")
except ConfigError as error:
    print(error)
try:
    lanner.run("nope:app", port=0)
except AppError as error:
    print(error.exit_code)
print(lanner.__version__)
"""


def test_run_from_code_raises_what_the_command_prints(write, tmp_path: Path) -> None:
    write("main.py", RUN_FROM_CODE)
    result = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    assert result.stdout == f"port: 'x' is not a whole number\n3\n{package.__version__}\n"


SERVE_FROM_CODE = """\
import lanner

def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"from code"]

lanner.run(app, port=0, timeout_graceful_shutdown=2.5)
print("goes on", flush=True)
"""


def test_run_from_code_serves_and_returns_after_the_drain(write, served, tmp_path: Path) -> None:
    write("main.py", SERVE_FROM_CODE)
    with subprocess.Popen(
        [sys.executable, "main.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        assert process.stdout
        server = served(process, [])
        assert "(2.5 s at most)" in server.wait_for("stops it")
        assert "__main__:app (wsgi)" in server.lines[0]
        assert server.get() == b"from code"
        assert server.stop(signal.SIGTERM) == 0
        assert process.stdout.read() == "goes on\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_access_log_goes_to_stdout_or_a_file(workers: str, serve, hello: str, tmp_path: Path) -> None:
    with serve(hello, "--port", "0", "-w", workers, "--access-log", "--access-log-format", "%(m)s %(s)s") as server:
        server.get()
        assert server.stop(signal.SIGTERM) == 0
        assert server.process.stdout.read() == "GET 200\n"
    path = tmp_path / "access.log"
    with serve(
        hello, "--port", "0", "-w", workers, "--access-logfile", str(path), "--access-log-fmt", "%(U)s"
    ) as server:
        server.get("/x")
        assert server.stop(signal.SIGTERM) == 0
        assert server.process.stdout.read() == ""
    assert path.read_text() == "/x\n"


def test_a_wrong_access_log_format_is_a_wrong_flag(lanner, hello: str) -> None:
    result = lanner("run", hello, "--port", "0", "--access-log", "--access-log-format", "%(nope)s")
    assert result.returncode == 2
    assert result.stderr.startswith("lanner: --access-log-format: ")


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("ACCESS_LOG_FORMAT", "%(", "LANNER_ACCESS_LOG_FORMAT: malformed access log format, at character 0 of '%('"),
        ("LIMIT_REQUEST_HEAD", "5", "LANNER_LIMIT_REQUEST_HEAD: must be from 128 to 67108864"),
        ("APP_DIR", "/no/such", "LANNER_APP_DIR /no/such is not a directory"),
        ("CHDIR", "/no/such", "LANNER_CHDIR /no/such: No such file or directory"),
        ("ACCESS_LOGFILE", "/tmp", "LANNER_ACCESS_LOGFILE /tmp: Is a directory"),
        ("BIND", "a:b", "LANNER_BIND a:b: 'b' is not a whole number"),
        (
            "UDS",
            "/no/such/s",
            "cannot make the unix socket /no/such/s: No such file or directory; check its directory, or change LANNER_UDS",
        ),
        ("FD", "77", "descriptor 77 is not open here (Bad file descriptor); pass a socket to LANNER_FD"),
        ("WRITE_LOW_MARK", "1g", "LANNER_WRITE_LOW_MARK is above --write-high-mark; lower it, or raise the other"),
        ("THREADS", "many", "LANNER_THREADS: 'many' is not a whole number"),
    ],
)
def test_a_wrong_variable_is_one_line_that_names_it(variable: str, value: str, line: str, lanner, hello: str) -> None:
    result = lanner("run", hello, **{"LANNER_" + variable: value})
    assert result.returncode in (1, 2)
    assert result.stderr.startswith(f"lanner: {line}")
    assert len(result.stderr.splitlines()) == 1


def test_lanner_alone_is_its_help_on_several_lines(lanner) -> None:
    result = lanner()
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.rstrip("\n") == lanner("--help").stdout.rstrip("\n")
    assert "lanner run app:app" in result.stderr
    assert len(result.stderr.splitlines()) > 8


def test_help_names_applications_and_options_of_both_interfaces(lanner) -> None:
    text = lanner("run", "--help").stdout
    for word in ("WSGI", "ASGI", "FastAPI", "--loop", "--lifespan", "--threads"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("\n\n") > 8, "sections"


def test_a_deleted_working_directory_is_one_line(hello: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = "rmdir ../gone && exec " + " ".join([sys.executable, "-P", "-m", "lanner", "run", hello, "--port", "0"])
    result = subprocess.run(["sh", "-c", command], cwd=gone, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert result.stderr == (
        "lanner: the working directory does not exist any more; change to another one, or give --chdir\n"
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interface_that_cannot_be_is_one_line(workers: str, lanner, write) -> None:
    write("shop.py", ASGI)
    result = lanner("run", "shop:app", "--port", "0", "--workers", workers, "--interface", "wsgi")
    assert result.returncode == 3
    assert result.stderr == (
        "lanner: --interface wsgi: shop:app is async, so it is an ASGI application; give --interface asgi\n"
    )


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (
            "shop:make_later",
            "shop:make_later is async; a factory must be a plain function that returns the application",
        ),
        (
            "shop:make_of",
            "cannot load shop:make_of: TypeError: make_of() missing 1 required positional argument: 'mode'; "
            "arguments of a factory belong to the target: shop:make_of('prod', debug=False)",
        ),
        ("shop:make_none", "shop:make_none is not an application: NoneType objects can not be called"),
    ],
)
def test_a_wrong_factory_is_one_line(target: str, line: str, lanner, write) -> None:
    write("shop.py", "async def make_later(): ...\ndef make_of(mode): ...\ndef make_none(): ...\n")
    result = lanner("run", target, "--port", "0", "--factory")
    assert (result.returncode, result.stderr) == (3, f"lanner: {line}\n")


IN_A_LOOP = """\
import asyncio
import warnings
import lanner
from lanner.errors import LannerError

warnings.simplefilter("error")

def wsgi(environ, start_response): ...
async def asgi(scope, receive, send): ...

async def main():
    for app in (wsgi, asgi, "nope:app"):
        try:
            lanner.run(app, port=0)
        except LannerError as error:
            print(error, error.__cause__, error.__context__)
    for app in (asgi, "nope:app"):
        try:
            await lanner.serve(app, port=0, workers=2)
        except LannerError as error:
            print(error)
    print(asyncio.all_tasks() == {asyncio.current_task()})

asyncio.run(main())
print([name for name in dir(lanner) if name == name.upper() and not name.startswith("_")])
print(set(lanner.__all__) <= set(dir(lanner)))
"""


def test_run_inside_a_loop_and_workers_for_serve_are_one_error(write, tmp_path: Path) -> None:
    write("main.py", IN_A_LOOP)
    result = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    run = "lanner.run cannot be called while an event loop runs in this thread; use `await lanner.serve(app)` there"
    serve = "workers=2: lanner.serve serves in this process; use lanner.run for more workers than one"
    assert result.stdout.splitlines() == [f"{run} None None"] * 3 + [serve] * 2 + ["True", "[]", "True"]


IMPORTED = """\
import sys

def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [" ".join(sys.modules).encode()]
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_serving_process_imports_nothing_heavy(workers: str, serve, write) -> None:
    write("shop.py", IMPORTED)
    with serve("shop:app", "--port", "0", "--workers", workers) as server:
        modules = set(server.get().decode().split())
    heavy = {"asyncio", "logging", "multiprocessing", "rich", "ssl", "email", "http", "urllib", "concurrent", "ctypes"}
    if workers != "1":  # a worker of a supervisor needs no flags either
        heavy |= {"click", "dataclasses", "inspect", "typing", "subprocess", "json", "re"}
    assert not heavy & modules
