"""The command line from outside: access log formats and forgeries, environment variables, other servers' flags, help.

What tests/python/test_cli.py says of single messages is not repeated here.
"""

import json
import os
import re
import time
from pathlib import Path

import pytest

from lanner.cli import flags, foreign
from tests.support.server import Server, run_to_end, until
from tests.support.wire import Client, request

APP = "wsgi_apps:app"
MODES = [pytest.param((), id="inline"), pytest.param(("--threads", "2"), id="threads")]
LINE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d \[\d+\] (debug|info|warn|error) [a-z0-9_.]+( |$)"
STAMP = r"\[\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\]"


def logged(server: Server, lines: int = 1) -> list[str]:
    """The access log, once it has so many lines."""
    text = server.out.wait(lambda all: all.count("\n") >= lines, f"{lines} lines of access log")
    return text.splitlines()


def log_of(wire: bytes, *arguments: str, method: str = "GET") -> str:
    """The line that one request leaves in the access log."""
    with Server(APP, "--access-log", *arguments) as server, Client(server.address) as client:
        client.try_send(wire)
        client.read(method)
        found = logged(server)
        assert len(found) == 1, found
        return found[0]


# ---- the access log


def test_it_is_off_unless_asked_for() -> None:
    for arguments in ((), ("--no-access-log",), ("--access-log-format", "json")):
        with Server(APP, *arguments) as server, Client(server.address) as client:
            assert client.get("/hello").status == 200
            assert server.stop() == 0
            server.out.wait(lambda _: server.out.ended, "the end")
            assert server.out.text == ""


@pytest.mark.parametrize("arguments", MODES)
def test_the_default_is_gunicorns(arguments: tuple[str, ...]) -> None:
    wire = request("GET", "/hello?a=b", "Referer: http://r/", "User-Agent: ua/1", "Authorization: Basic YWxpY2U6cw==")
    assert re.fullmatch(
        rf'127\.0\.0\.1 - alice {STAMP} "GET /hello\?a=b HTTP/1\.1" 200 5 "http://r/" "ua/1"', log_of(wire, *arguments)
    )


def test_what_is_absent_is_a_dash() -> None:
    assert re.fullmatch(
        rf'127\.0\.0\.1 - - {STAMP} "HEAD /free HTTP/1\.1" 200 - "-" "-"',
        log_of(request("HEAD", "/free"), method="HEAD"),
    )


def test_the_time_is_now_in_the_local_zone() -> None:
    line = log_of(request("GET", "/hello"))
    found = re.search(r"\[(.*)\]", line)
    assert found
    stamp = time.mktime(time.strptime(found[1][:-6], "%d/%b/%Y:%H:%M:%S"))
    assert abs(stamp - time.time()) < 30
    assert found[1].endswith(time.strftime("%z"))


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("%(m)s %(U)s %(q)s %(H)s %(s)s %(b)s %(B)s", "GET /hello a=b HTTP/1.1 200 5 5"),
        ("%(h)s|%(l)s|%(u)s", "127.0.0.1|-|-"),
        ("%({host}i)s %({X-Thing}i)s %({absent}i)s", "test thing -"),
        ("%({Content-Type}o)s %({content-length}o)s %({x}o)s", "text/plain 5 -"),
        ("%(r)s 100%%", "GET /hello?a=b HTTP/1.1 100%"),
        ("[%(s)5s][%(s)-5s][%(m).2s]", "[  200][200  ][GE]"),
        ("%({REMOTE_ADDR}e)s %({REQUEST_METHOD}e)s %({QUERY_STRING}e)s", "127.0.0.1 GET a=b"),
        ("%({HTTP_X_THING}e)s %({HTTP_HOST}e)s %({wsgi.url_scheme}e)s", "thing test http"),
        ("constant", "constant"),
        (
            "%(addr)s %(method)s %(path)s %(query_string)s %(protocol)s %(status)d",
            "127.0.0.1 GET /hello a=b HTTP/1.1 200",
        ),
    ],
)
def test_formats(format: str, expected: str) -> None:
    assert log_of(request("GET", "/hello?a=b", "X-Thing: thing"), "--access-log-format", format) == expected


def test_durations_and_process() -> None:
    with Server(APP, "--access-log", "--access-log-format", "%(T)s %(M)s %(D)s %(L)s %(p)s") as server:
        with Client(server.address) as client:
            assert client.get("/hello").status == 200
        found = re.fullmatch(r"(\d+) (\d+) (\d+) (\d+\.\d{6}) <(\d+)>", logged(server)[0])
        assert found
        assert int(found[5]) == server.pid
        assert int(found[3]) < 30_000_000
        assert abs(float(found[4]) * 1e6 - int(found[3])) < 2
        assert int(found[2]) == int(found[3]) // 1000


def test_json() -> None:
    with Server(APP, "--access-log", "--access-log-format", "json") as server:
        with Client(server.address) as client:
            client.get('/hello?a="b', "User-Agent: \xe9\\", "Referer: x")
        line = json.loads(logged(server)[0])
        assert line["time"].endswith("Z")
        assert isinstance(line["duration_us"], int)
        assert (line["client"], line["pid"], line["method"], line["target"]) == (
            "127.0.0.1",
            server.pid,
            "GET",
            '/hello?a="b',
        )
        assert (line["protocol"], line["status"], line["bytes"]) == ("HTTP/1.1", 200, 5)
        assert (line["host"], line["referer"], line["user_agent"]) == ("test", "x", "\xe9\\")


@pytest.mark.parametrize("format", ["", "%(r)s %(f)s %(a)s %({x}i)s %(u)s", "json"])
def test_nobody_forges_a_line(format: str) -> None:
    """R11: CVE-2020-7694 of uvicorn: escapes and line ends of a peer in the log."""
    evil = '\x80\xff"\\' + "%0a%0d%1b[2J"
    credentials = "YQoiYg=="  # a, LF, "b
    lines = (f"User-Agent: {evil}", f"Referer: \t{evil}", f"X: {evil}", f"Authorization: Basic {credentials}")
    arguments = ("--access-log-format", format) if format else ()
    line = log_of(request("GET", '/hello%0d%0a?x="%1b[31m\\', *lines), *arguments)
    assert all(0x20 <= ord(letter) <= 0x7E for letter in line), line
    if format == "json":
        assert json.loads(line)["user_agent"] == evil
    else:
        assert '\\x80\\xff\\"\\\\' in line.lower()
        assert not re.search(r'(?<!\\)"\w*\\x1b', line)


@pytest.mark.parametrize(
    "wire", [b"GET /\x1b[2J HTTP/1.1\r\n\r\n", b'G"\nT / HTTP/1.1\r\n\r\n', b"\x16\x03\x01\n\x1b]0;x\x07\r\n\r\n"]
)
def test_a_request_that_is_no_request_forges_nothing_either(wire: bytes) -> None:
    with Server(APP, "--access-log") as server:
        with Client(server.address) as client:
            client.try_send(wire)
            client.responses_to_end()
        line = logged(server)[0]
        assert re.fullmatch(rf'127\.0\.0\.1 - - {STAMP} "-[ -~]*" 400 \S+ "-" "-"', line), line
        server.wait_for("h1.reject")
        assert all(letter == "\n" or 0x20 <= ord(letter) <= 0x7E for letter in server.err.text)


@pytest.mark.parametrize(
    ("path", "status", "size"),
    [("/raise", 500, None), ("/status?code=204", 204, 0), ("/stream", 200, 11), ("/large?n=2000000", 200, 2_000_000)],
)
@pytest.mark.parametrize("arguments", MODES)
def test_status_and_size_are_those_on_the_wire(
    path: str, status: int, size: int | None, arguments: tuple[str, ...]
) -> None:
    line = log_of(request("GET", path), "--access-log-format", "%(s)s %(B)s", *arguments)
    found = line.split()
    assert int(found[0]) == status
    assert size is None or int(found[1]) == size


def test_refused_requests_are_logged_with_their_status() -> None:
    with Server(APP, "--access-log", "--access-log-format", "%(s)s", "--limit-request-body", "3") as server:
        for wire in (b"x\r\n\r\n", request("GET", "/" + "x" * 20_000), request("POST", "/", body=b"1234")):
            with Client(server.address) as client:
                client.try_send(wire)
                client.read()
        assert logged(server, 3) == ["400", "414", "413"]


def test_a_line_for_each_request_in_order() -> None:
    with Server(APP, "--access-log", "--access-log-format", "%(q)s") as server, Client(server.address) as client:
        client.send(b"".join(request("GET", f"/hello?{n}") for n in range(500)))
        for _ in range(500):
            client.read()
        assert logged(server, 500) == [str(n) for n in range(500)]


def test_it_goes_to_a_file_and_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text("before\n")
    with Server(APP, "--access-logfile", str(path), "--access-log-format", "%(U)s", "--workers", "2") as server:
        with Client(server.address) as client:
            assert client.get("/hello").status == 200
        assert server.stop() == 0
        assert server.out.text == ""
    assert path.read_text() == "before\n/hello\n"


def test_nothing_is_lost_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with Server(APP, "--access-logfile", str(path), "--access-log-format", "%(q)s") as server:
        with Client(server.address) as client:
            client.send(b"".join(request("GET", f"/hello?{n}") for n in range(200)))
            for _ in range(200):
                client.read()
        assert server.stop() == 0
    assert path.read_text().split() == [str(n) for n in range(200)]


def test_a_log_that_nobody_reads_stops_nobody() -> None:
    """M17, A24: a full pipe costs lines, never requests."""
    read_end, write_end = os.pipe()
    try:
        log = f"/proc/self/fd/{write_end}"
        with Server(APP, "--access-logfile", log, pass_fds=(write_end,)) as server, Client(server.address) as client:
            for _ in range(40):
                client.send(request("GET", "/hello?" + "x" * 1000) * 100)
                for _ in range(100):
                    assert client.read().status == 200
            assert server.stop() == 0
    finally:
        os.close(read_end)
        os.close(write_end)


def test_a_full_disk_for_the_log_stops_nobody() -> None:
    with Server(APP, "--access-logfile", "/dev/full") as server, Client(server.address) as client:
        for _ in range(100):
            assert client.get("/hello").status == 200
        assert 'error="No space left on device"' in server.wait_for("access_log.dropped")
        assert server.stop() == 0
    server.all_gone()
    counts = [int(count) for count in re.findall(r"warn access_log\.dropped n=(\d+)", server.err.text)]
    assert sum(counts) == 100
    assert len(counts) <= 2, "once a minute, and at the end"


@pytest.mark.parametrize("extra", [*MODES, pytest.param(("--workers", "2"), id="workers")])
def test_every_line_but_the_banner_has_time_process_and_level(extra: tuple[str, ...]) -> None:
    with Server(APP, "--log-level", "debug", *extra) as server:
        with Client(server.address) as client:
            assert client.get("/raise").status == 500
        with Client(server.address) as client:
            client.send(b"x\r\n\r\n")
            assert client.read().status == 400
        server.wait_for("app.error")
        server.wait_for("h1.reject")
        assert server.stop() == 0
    server.all_gone()
    head, _, traceback = server.err.text.partition("Traceback (most recent call last):\n")
    assert traceback
    for line in head.splitlines():
        if " serves " not in line and " stops it " not in line:
            assert re.match(LINE, line), line
    (end,) = [line for line in traceback.splitlines() if "h1.reject" in line]
    assert re.match(LINE, end), end


@pytest.mark.parametrize("format", ["%(h", "%(nonsense)s", "%(h)x", "%"])
def test_a_wrong_format_is_one_line(format: str) -> None:
    found = run_to_end("run", APP, "--port", "0", "--access-log", "--access-log-format", format)
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1), found.stderr
    assert "access" in found.stderr


# ---- the server's own log


@pytest.mark.parametrize(
    ("level", "banner", "reject"), [("debug", 1, 1), ("info", 1, 1), ("warning", 0, 1), ("error", 0, 0)]
)
def test_log_levels(level: str, banner: int, reject: int, tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(APP, "--log-level", level, "--uds", str(path), port=False, ready=False) as server:
        until(path.exists, "the socket")
        until(lambda: answers(path), "an answer")
        with Client(str(path)) as client:
            client.send(b"x\r\n\r\n")
            assert client.read().status == 400
        assert server.stop() == 0
        server.all_gone()
        assert server.err.text.count("stops it") == banner
        assert server.err.text.count("warn h1.reject") == reject


def answers(path: Path) -> bool:
    try:
        with Client(str(path)) as client:
            return client.get("/hello").status == 200
    except ConnectionRefusedError:
        return False


def test_a_quiet_server_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Server(APP, "--log-level", "critical", "--uds", str(path), port=False, ready=False) as server:
        until(path.exists, "the socket")
        until(lambda: answers(path), "an answer")
        with Client(str(path)) as client:
            client.send(request("GET", "/hello") + b"x\r\n\r\n")
            assert [response.status for response in client.responses_to_end()] == [200, 400]
        assert server.stop() == 0
        server.all_gone()
        assert (server.err.text, server.out.text) == ("", "")


def test_the_same_reason_is_logged_once_a_second() -> None:
    with Server(APP) as server:
        for _ in range(200):
            with Client(server.address) as client:
                client.send(b"x\r\n\r\n")
                client.read()
        server.wait_for("h1.reject")
        assert server.err.text.count("h1.reject") < 60


# ---- other servers' names


def own_names() -> set[str]:
    return {name for flag in flags.table() for name in (flag.name, *flag.aliases)}


@pytest.mark.parametrize(
    ("arguments", "setting"),
    [
        (("-w", "2"), "2 workers"),
        (("--blocking-threads", "3"), "3 threads"),
        (("--graceful-timeout", "7"), "(7 s at most)"),
        (("--workers-kill-timeout", "1m"), "(60 s at most)"),
    ],
)
def test_an_alias_is_the_flag_itself(arguments: tuple[str, ...], setting: str) -> None:
    with Server(APP, *arguments) as server:
        assert setting in server.err.text
        assert len(server.err.text.splitlines()) == 2, "no warning: it means the same"


def test_pythonpath_url_prefix_and_keep_alive_are_aliases(tmp_path: Path) -> None:
    (tmp_path / "there.py").write_text("from wsgi_apps import app\n")
    env = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), str(Path(__file__).parents[1] / "support")])}
    arguments = ("--pythonpath", str(tmp_path), "--url-path-prefix", "/api", "--keep-alive", "0.3")
    with Server("there:app", *arguments, env=env) as server, Client(server.address) as client:
        told = json.loads(client.get("/api/tell").body)
        assert told["SCRIPT_NAME"] == "/api"
        client.expect_end()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-k", "gevent"), "--threads"),
        (("--worker-class", "uvicorn.workers.UvicornWorker"), "--threads"),
        (("--http", "h11"), "one engine"),
        (("--ws", "none"), ""),
        (("-t", "30"), "--timeout-body"),
        (("--max-requests", "1000"), "not recycled"),
        (("--reload",), "restart"),
        (("--header-map", "drop"), "--root-path"),
        (("--preload",), "imports"),
    ],
)
def test_a_flag_that_means_nothing_here_warns_and_names_the_equivalent(arguments: tuple[str, ...], words: str) -> None:
    with Server(APP, *arguments) as server:
        first = server.err.text.splitlines()[0]
        assert first.startswith(f"lanner: {arguments[0]}: ")
        assert words in first
        with Client(server.address) as client:
            assert client.get("/hello").status == 200


@pytest.mark.parametrize(
    "arguments",
    [
        ("--ssl-keyfile", "x"),
        ("--certfile", "x"),
        ("--daemon",),
        ("--user", "x"),
        ("--config", "x"),
        ("--pid", "x"),
        ("--static-path-mount", "x"),
    ],
)
def test_a_flag_whose_absence_would_hurt_is_refused(arguments: tuple[str, ...]) -> None:
    found = run_to_end("run", APP, "--port", "0", *arguments)
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1), found.stderr
    assert arguments[0] in found.stderr


def test_no_foreign_flag_hides_one_of_ours() -> None:
    assert own_names() & set(foreign.by_name()) == set()


# ---- the environment


def test_every_flag_is_a_variable() -> None:
    for flag in flags.table():
        assert flag.variables[0] == "LANNER_" + flag.name.upper().replace("-", "_")


def test_variables_configure_and_flags_win() -> None:
    env = {"LANNER_TIMEOUT_GRACEFUL_SHUTDOWN": "7", "LANNER_THREADS": "2", "LANNER_DATE_HEADER": "no"}
    with Server(APP, "--threads", "3", env=env) as server, Client(server.address) as client:
        assert "of 3 threads" in server.err.text
        assert "(7 s at most)" in server.err.text
        assert client.get("/hello").get("date") is None


def test_variables_of_limits_and_logs() -> None:
    env = {"LANNER_LIMIT_REQUEST_LINE": "100", "LANNER_ACCESS_LOG": "1", "LANNER_ACCESS_LOG_FORMAT": "%(s)s"}
    with Server(APP, env=env) as server:
        with Client(server.address) as client:
            client.send(request("GET", "/" + "x" * 200))
            assert client.read().status == 414
        assert logged(server) == ["414"]


def test_variables_of_hosts_are_read() -> None:
    """PORT of platforms, WEB_CONCURRENCY of gunicorn; ours win over them."""
    with Server(APP, env={"WEB_CONCURRENCY": "2", "PORT": "0"}, port=False) as server:
        assert "2 workers" in server.err.text
    with Server(APP, env={"WEB_CONCURRENCY": "2", "LANNER_WORKERS": "1"}) as server:
        assert "1 worker " in server.err.text


@pytest.mark.parametrize(
    ("name", "value"),
    [("LANNER_PORT", "http"), ("LANNER_WORKERS", "-1"), ("LANNER_ACCESS_LOG", "maybe"), ("PORT", "x")],
)
def test_a_wrong_variable_is_one_line_that_names_it(name: str, value: str) -> None:
    found = run_to_end("run", APP, env={name: value})
    assert (found.returncode, len(found.stderr.splitlines())) == (2, 1), found.stderr
    assert name in found.stderr


def test_a_misspelt_variable_is_told() -> None:
    with Server(APP, env={"LANNER_WORKER": "3"}) as server:
        assert "LANNER_WORKERS" in server.err.text.splitlines()[0]
        assert "1 worker " in server.err.text


# ---- help and version


def test_version() -> None:
    found = run_to_end("--version")
    assert found.returncode == 0
    assert re.fullmatch(r"lanner \d+\.\d+\.\d+\n", found.stdout)


def test_help_mentions_every_flag_its_default_and_every_alias() -> None:
    found = run_to_end("run", "--help", env={"COLUMNS": "100"})
    assert (found.returncode, found.stderr) == (0, "")
    words = set(re.findall(r"(?<![\w-])--?[\w-]+", found.stdout.replace("[no-]", "")))
    missing = [name for name in own_names() if flags.dashes(name) not in words]
    assert missing == []
    text = " ".join(found.stdout.split())
    for flag in flags.table():
        default = flags.shown_default(flag)
        assert not default or f"[{default}" in text, flag.name


def test_help_says_how_to_stop_and_what_exit_codes_mean() -> None:
    text = run_to_end("run", "--help").stdout
    assert "SIGTERM" in text
    assert re.search(r"0 stopped\n.*1 .*\n.*2 .*\n.*3 ", text)


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_the_bare_command_helps(arguments: tuple[str, ...]) -> None:
    found = run_to_end(*arguments)
    assert "run" in found.stdout + found.stderr
    assert "Traceback" not in found.stderr


# ---- targets


@pytest.mark.parametrize(
    "arguments",
    [
        ("shop:app",),
        ("shop.py:app",),
        ("./shop.py",),
        ("shop",),
        ("shop:make", "--factory"),
        ("shop:nested.app",),
        ("shop:app", "--interface", "wsgi"),
    ],
)
def test_targets(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "from wsgi_apps import app\nclass nested:\n    app = staticmethod(app)\ndef make():\n    return app\n"
    )
    env = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), str(Path(__file__).parents[1] / "support")])}
    target, *rest = arguments
    with Server(target, *rest, cwd=tmp_path, env=env) as server, Client(server.address) as client:
        assert client.get("/hello").body == b"hello"
