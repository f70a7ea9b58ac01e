"""PEP 3333: the environ: what an application is told about a request."""

import json
import re
import socket
from pathlib import Path

import pytest
from conftest import Serve
from server_process import ServerProcess
from wire_client import Answer, Wire, fetch, request

APP = "incoming:app"

ALWAYS = {
    "REQUEST_METHOD": "str",
    "SCRIPT_NAME": "str",
    "PATH_INFO": "str",
    "QUERY_STRING": "str",
    "RAW_URI": "str",
    "SERVER_NAME": "str",
    "SERVER_PORT": "str",
    "SERVER_PROTOCOL": "str",
    "SERVER_SOFTWARE": "str",
    "REMOTE_ADDR": "str",
    "REMOTE_PORT": "str",
    "wsgi.version": "tuple",
    "wsgi.url_scheme": "str",
    "wsgi.input": "Input",
    "wsgi.errors": "TextIOWrapper",
    "wsgi.multithread": "bool",
    "wsgi.multiprocess": "bool",
    "wsgi.run_once": "bool",
    "wsgi.file_wrapper": "type",
    "wsgi.input_terminated": "bool",
    "wsgi.early_hints": "EarlyHints",
}


class Environ:
    """An environ as it came back: values, and the names of their types."""

    def __init__(self, answer: Answer) -> None:
        assert answer.status == 200, answer
        described = json.loads(answer.body)
        self.kind = described.pop("")[1]
        self.types = {name: kind for name, (kind, _) in described.items()}
        self.values = {name: value for name, (_, value) in described.items()}

    def __getitem__(self, name: str) -> object:
        return self.values[name]

    def __contains__(self, name: str) -> bool:
        return name in self.values


def environ(server: ServerProcess, target: str = "/", method: str = "GET", **options: object) -> Environ:
    return Environ(fetch(server.address, target, method, **options))


def test_every_key_is_there_with_its_type(server: ServerProcess) -> None:
    """T18."""
    found = environ(server, "/path?query")
    assert found.kind == "dict"
    assert found.types == ALWAYS | {"HTTP_HOST": "str"}


def test_the_values_of_a_plain_request(server: ServerProcess, threads: int) -> None:
    with Wire(server.address) as wire:
        host, port = wire.socket.getsockname()
        found = Environ(wire.get("/a/b?x=1&y=%20"))
    expected = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/a/b",
        "QUERY_STRING": "x=1&y=%20",
        "RAW_URI": "/a/b?x=1&y=%20",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": str(server.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": host,
        "REMOTE_PORT": str(port),
        "HTTP_HOST": "test",
        "wsgi.version": [1, 0],
        "wsgi.url_scheme": "http",
        "wsgi.multithread": threads > 1,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
    }
    assert {name: found[name] for name in expected} == expected
    assert re.fullmatch(r"lanner/\d+\.\d+\.\d+", str(found["SERVER_SOFTWARE"]))


def test_several_workers_are_multiprocess(serve: Serve, threads: int) -> None:
    found = environ(serve(APP, "--workers", "2", "--threads", str(threads)))
    assert found["wsgi.multiprocess"] is True
    assert found["wsgi.multithread"] is (threads > 1)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/", "/"),
        ("/a%2Fb", "/a/b"),
        ("/caf%C3%A9", "/caf\xc3\xa9"),
        ("/%FF%80", "/\xff\x80"),
        ("/%41%7e%7E", "/A~~"),
        ("/a%25%32%46", "/a%2F"),
        ("/a+b", "/a+b"),
        ("/a%20b", "/a b"),
        ("/a%0d%0Ab", "/a\r\nb"),
        ("/a;v=1,2", "/a;v=1,2"),
        ("//a//b", "//a//b"),
        ("/a/../b/./c", "/a/../b/./c"),
        ("/" + "%C3%A9" * 1000, "/" + "\xc3\xa9" * 1000),
        ("/" + "a" * 5000 + "%2F", "/" + "a" * 5000 + "/"),
        ("http://test/p%2Fq?r", "/p/q"),
        ("http://test?r", "/"),
    ],
)
def test_path_info_is_the_decoded_path_as_latin_1(server: ServerProcess, target: str, path: str) -> None:
    """T36, T37."""
    found = environ(server, target)
    assert found["PATH_INFO"] == path
    assert found["RAW_URI"] == target
    assert found["SCRIPT_NAME"] == ""


@pytest.mark.parametrize(
    ("target", "query"),
    [
        ("/", ""),
        ("/?", ""),
        ("/?a=%2F%C3%A9%FF&b=+", "a=%2F%C3%A9%FF&b=+"),
        ("/?a?b?c", "a?b?c"),
        ("/?/a/../b", "/a/../b"),
        ("/%3Fa?b", "b"),
    ],
)
def test_query_string_is_raw(server: ServerProcess, target: str, query: str) -> None:
    assert environ(server, target)["QUERY_STRING"] == query


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "get", "M-SEARCH"])
def test_any_method(server: ServerProcess, method: str) -> None:
    assert environ(server, "/", method, body=b"")["REQUEST_METHOD"] == method


def test_a_1_0_request(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(b"GET /x HTTP/1.0\r\n\r\n")
        found = Environ(wire.answer())
    assert found["SERVER_PROTOCOL"] == "HTTP/1.0"
    assert "HTTP_HOST" not in found


def test_header_values_are_latin_1(server: ServerProcess) -> None:
    """T10."""
    every = "".join(map(chr, [*range(0x21, 0x7F), *range(0xA1, 0x100)]))
    found = environ(server, fields=[("X-Cafe", "caf\xe9"), ("X-Every", every), ("User-Agent", "\xfc")])
    assert found["HTTP_X_CAFE"] == "caf\xe9"
    assert found["HTTP_X_EVERY"] == every
    assert found["HTTP_USER_AGENT"] == "\xfc"


def test_blanks_around_a_value_are_not_part_of_it(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        wire.send(b"GET / HTTP/1.1\r\nHost:test\r\nX-A: \t a b \t\r\nX-B:\r\nX-C:\xa0\x85\r\n\r\n")
        found = Environ(wire.answer())
    assert (found["HTTP_X_A"], found["HTTP_X_B"], found["HTTP_X_C"]) == ("a b", "", "\xa0\x85")


def test_repeated_fields_are_joined(server: ServerProcess) -> None:
    fields = [("X-A", "1"), ("Accept", "a"), ("x-a", "2"), ("Cookie", "a=1; b=2"), ("X-A", ""), ("accept", "b, c")]
    fields += [("Cookie", "c=3"), ("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "2.2.2.2")]
    found = environ(server, fields=fields)
    assert re.fullmatch("1, ?2, ?", str(found["HTTP_X_A"]))
    assert re.fullmatch("a, ?b, c", str(found["HTTP_ACCEPT"]))
    assert re.fullmatch("1.1.1.1, ?2.2.2.2", str(found["HTTP_X_FORWARDED_FOR"]))
    assert found["HTTP_COOKIE"] == "a=1; b=2; c=3"


def test_names_with_an_underscore_are_dropped(server: ServerProcess) -> None:
    """Else X_Real_IP would pass for X-Real-IP, which a proxy sets."""
    fields = [("X-Real-IP", "proxy"), ("X_Real_IP", "client"), ("X_Other", "1"), ("Content_Length", "7")]
    fields += [("Content_Type", "evil"), ("User_Agent", "evil"), ("_", "1")]
    found = environ(server, fields=fields)
    assert found["HTTP_X_REAL_IP"] == "proxy"
    assert found.types.keys() == ALWAYS.keys() | {"HTTP_HOST", "HTTP_X_REAL_IP"}


def test_no_field_can_pass_for_a_key_of_the_server(server: ServerProcess) -> None:
    fields = [("Script-Name", "/evil"), ("Path-Info", "/evil"), ("Remote-Addr", "6.6.6.6"), ("wsgi.input", "evil")]
    found = environ(server, fields=fields)
    assert (found["SCRIPT_NAME"], found["PATH_INFO"], found["REMOTE_ADDR"]) == ("", "/", "127.0.0.1")
    assert found["HTTP_SCRIPT_NAME"] == "/evil"
    assert found.types["wsgi.input"] == "Input"


def test_content_type_and_length_have_keys_of_their_own(server: ServerProcess) -> None:
    found = environ(server, "/", "POST", body=b"12345", fields=[("Content-Type", "text/plain; charset=utf-8")])
    assert (found["CONTENT_LENGTH"], found["CONTENT_TYPE"]) == ("5", "text/plain; charset=utf-8")
    assert "HTTP_CONTENT_LENGTH" not in found
    assert "HTTP_CONTENT_TYPE" not in found


def test_no_content_length_is_invented(server: ServerProcess, threads: int) -> None:
    """T11: not for a chunked body whose size is not known yet, and not for none."""
    for options in ({"chunks": [b"abc"]}, {"method": "GET"})[threads == 1 :]:
        found = environ(server, "/", **{"method": "POST"} | options)
        assert "CONTENT_LENGTH" not in found
        assert "CONTENT_TYPE" not in found
        assert found["wsgi.input_terminated"] is True


def test_an_environ_belongs_to_one_request(server: ServerProcess) -> None:
    with Wire(server.address) as wire:
        first = Environ(wire.get("/x?y"))
        for _ in range(3):
            assert wire.get("/scribble?y").body == b"scribbled"
        assert Environ(wire.get("/x?y")).values.keys() == first.values.keys()
        again = Environ(wire.get("/x?y"))
    for name in ("SCRIPT_NAME", "wsgi.url_scheme", "QUERY_STRING", "wsgi.errors", "PATH_INFO"):
        assert again[name] == first[name]


def test_pipelined_requests_have_their_own_values(server: ServerProcess) -> None:
    """Values that are kept for reuse must not be mixed up."""
    with Wire(server.address) as wire:
        targets = [f"/p{i % 7}?q{i}" for i in range(300)]
        for i, target in enumerate(targets):
            wire.send(request(target, fields=[("X-Number", str(i % 5)), ("User-Agent", f"agent/{i % 3}")]))
        for i, target in enumerate(targets):
            found = Environ(wire.answer())
            assert found["RAW_URI"] == target
            assert found["PATH_INFO"] == f"/p{i % 7}"
            assert found["QUERY_STRING"] == f"q{i}"
            assert (found["HTTP_X_NUMBER"], found["HTTP_USER_AGENT"]) == (str(i % 5), f"agent/{i % 3}")


# ---- --root-path


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/api/x", "/x"),
        ("/api/", "/"),
        ("/api", ""),
        ("/%61pi/x%2Fy", "/x/y"),
        ("/apix", "/apix"),  # another resource
        ("/x", "/x"),  # the proxy has stripped the prefix
        ("/", "/"),
        ("/api/api/x", "/api/x"),
    ],
)
def test_root_path_is_script_name(pool: "object", threads: int, target: str, path: str) -> None:
    server = pool.take(APP, "--threads", str(threads), "--root-path", "/api")  # type: ignore[attr-defined]
    found = environ(server, target)
    assert (found["SCRIPT_NAME"], found["PATH_INFO"]) == ("/api", path)
    assert found["RAW_URI"] == target


@pytest.mark.parametrize("root_path", ["/gr\u00f6\u00dfe", "/gr%C3%B6%c3%9fe", "/gr\u00f6%C3%9Fe/"])
@pytest.mark.parametrize(
    ("target", "path"),
    [("/gr%C3%B6%C3%9Fe/x", "/x"), ("/%67r%c3%b6%c3%9fe", ""), ("/x%C3%B6", "/x\u00f6"), ("/gr%C3%B6", "/gr\u00f6")],
)
def test_root_path_may_be_any_text(pool: "object", threads: int, root_path: str, target: str, path: str) -> None:
    """Its UTF-8 as latin-1 text, as PATH_INFO is, whether it was given decoded or percent-encoded."""
    server = pool.take(APP, "--threads", str(threads), "--root-path", root_path)  # type: ignore[attr-defined]
    found = environ(server, target)
    assert found["SCRIPT_NAME"].encode("latin-1").decode() == "/gr\u00f6\u00dfe"
    assert found["PATH_INFO"].encode("latin-1").decode() == path


@pytest.mark.parametrize(
    ("root_path", "target", "script"),
    [
        ("/a b", "/a%20b/x", "/a b"),
        ("/a%20b", "/a%20b/x", "/a b"),
        (
            "/\u043c\u0430\u0433\u0430\u0437\u0438\u043d",
            "/%D0%BC%D0%B0%D0%B3%D0%B0%D0%B7%D0%B8%D0%BD/x",
            "/\u043c\u0430\u0433\u0430\u0437\u0438\u043d",
        ),
        ("/\U0001f6d2", "/%F0%9F%9B%92/x", "/\U0001f6d2"),
        ("/100%25", "/100%25/x", "/100%"),
        ("/a?b#c", "/a%3Fb%23c/x", "/a?b#c"),
    ],
)
def test_a_root_path_is_taken_off_once(pool: "object", threads: int, root_path: str, target: str, script: str) -> None:
    server = pool.take(APP, "--threads", str(threads), "--root-path", root_path)  # type: ignore[attr-defined]
    found = environ(server, target)
    assert (found["SCRIPT_NAME"].encode("latin-1").decode(), found["PATH_INFO"]) == (script, "/x")


def test_a_chunked_body_that_is_here_whole_has_a_size(server: ServerProcess, threads: int) -> None:
    for chunks, size in (([b"ab", b"c"], "3"), ([], "0")):
        found = environ(server, "/", "POST", chunks=chunks)
        if threads == 1:
            assert found["CONTENT_LENGTH"] == size
            assert "HTTP_TRANSFER_ENCODING" not in found
        else:
            assert "CONTENT_LENGTH" not in found
            assert found["HTTP_TRANSFER_ENCODING"] == "chunked"


# ---- other sockets


def test_a_unix_socket_has_no_remote_address(serve: Serve, threads: int, tmp_path: Path) -> None:
    """T42. The server's name and port must not be empty even there (PEP 3333)."""
    path = str(tmp_path / "app.sock")
    found = environ(serve(APP, "--threads", str(threads), uds=path), "/a?b")
    assert found["REMOTE_ADDR"] == ""
    assert "REMOTE_PORT" not in found
    assert found["SERVER_NAME"]
    assert found["SERVER_PORT"]
    assert found.types["SERVER_NAME"] == found.types["SERVER_PORT"] == "str"
    assert (found["PATH_INFO"], found["QUERY_STRING"]) == ("/a", "b")


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no ::1 on this machine")
def test_ipv6_addresses_have_no_brackets(serve: Serve, threads: int) -> None:
    server = serve(APP, "--threads", str(threads), "--host", "::1")
    with Wire(server.address) as wire:
        port = wire.socket.getsockname()[1]
        found = Environ(wire.get("/"))
    assert (found["REMOTE_ADDR"], found["REMOTE_PORT"]) == ("::1", str(port))
    assert (found["SERVER_NAME"], found["SERVER_PORT"]) == ("::1", str(server.port))


# ---- wsgi.errors, and what the server imports


def test_wsgi_errors_is_the_servers_stderr(server: ServerProcess) -> None:
    since = server.position()
    assert fetch(server.address, "/errors").body == b"ok"
    assert server.wait_for_output("line two\n", since).count("written caf\xe9\nline one\nline two\n") == 1


def test_a_wsgi_server_imports_no_event_loop(server: ServerProcess) -> None:
    """A worker that serves WSGI imports no asyncio (docs/architecture.md)."""
    names = "asyncio,asgiref,uvloop,logging,socketserver,wsgiref"
    assert json.loads(fetch(server.address, f"/modules?names={names}").body) == []
