"""ASGI HTTP 2.5: the scope of a request: keys, types, targets, addresses, fields, extensions.

Rows T36, T42, T43 and A19 of the project's catalogue.
"""

import ast
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from conftest import Serve
from server_process import ServerProcess
from wire_client import Wire, request

pytest_plugins = ["asgi_fixtures"]
APP = "asgi_messages:app"

KEYS = {
    "type": str,
    "asgi": dict,
    "http_version": str,
    "method": str,
    "scheme": str,
    "path": str,
    "raw_path": bytes,
    "query_string": bytes,
    "root_path": str,
    "headers": list,
    "client": tuple,
    "server": tuple,
    "extensions": dict,
}


def scope_of(wire: Wire, target: str = "/scope", method: str = "GET", **options: Any) -> dict[str, Any]:
    answer = wire.get(target, method, **options)
    assert answer.status == 200, answer
    found: dict[str, Any] = ast.literal_eval(answer.body.decode())
    return found


@pytest.fixture
def wire(asgi: ServerProcess) -> Any:
    with Wire(asgi.address) as made:
        yield made


def test_all_keys_have_their_types(wire: Wire) -> None:
    scope = scope_of(wire)
    assert {key: type(value) for key, value in scope.items()} == KEYS
    assert (scope["type"], scope["scheme"], scope["root_path"]) == ("http", "http", "")
    assert scope["asgi"] == {"version": "3.0", "spec_version": "2.5"}


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_http_version(wire: Wire, version: str) -> None:
    assert scope_of(wire, version=version)["http_version"] == version


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY", "BREW-2"])
def test_method(wire: Wire, method: str) -> None:
    assert scope_of(wire, method=method)["method"] == method


# ---- targets


@pytest.mark.parametrize(
    ("target", "path", "raw_path", "query"),
    [
        ("/scope", "/scope", b"/scope", b""),
        ("/scope?", "/scope", b"/scope", b""),
        ("/scope?a=1&b=%20+&c", "/scope", b"/scope", b"a=1&b=%20+&c"),
        ("/scope?a?b/c", "/scope", b"/scope", b"a?b/c"),
        ("/scope/a%2Fb%C3%A9%FF?x=%20", "/scope/a/b\u00e9\ufffd", b"/scope/a%2Fb%C3%A9%FF", b"x=%20"),  # T36
        ("/scope/%E2%82%AC", "/scope/\u20ac", b"/scope/%E2%82%AC", b""),
        ("/scope/%F0%9F%A6%85/x", "/scope/\U0001f985/x", b"/scope/%F0%9F%A6%85/x", b""),
        ("/scope/%C3", "/scope/\ufffd", b"/scope/%C3", b""),
        ("/scope/%ED%A0%80", "/scope/\ufffd\ufffd\ufffd", b"/scope/%ED%A0%80", b""),  # a lone surrogate is no UTF-8
        ("/scope/a%20b%2Bc+d", "/scope/a b+c+d", b"/scope/a%20b%2Bc+d", b""),
        ("/scope/%3Fx", "/scope/?x", b"/scope/%3Fx", b""),
        ("/scope/%25", "/scope/%", b"/scope/%25", b""),
        ("/scope/%2525", "/scope/%25", b"/scope/%2525", b""),
        ("/scope//a/../b/.", "/scope//a/../b/.", b"/scope//a/../b/.", b""),
        ("/%73cope/%41", "/scope/A", b"/%73cope/%41", b""),
        ("http://test/scope/%41?q", "/scope/A", b"/scope/%41", b"q"),
    ],
)
def test_path_is_decoded_and_the_rest_raw(wire: Wire, target: str, path: str, raw_path: bytes, query: bytes) -> None:
    scope = scope_of(wire, target)
    assert (scope["path"], scope["raw_path"], scope["query_string"]) == (path, raw_path, query)


def test_the_same_path_again_is_the_same(wire: Wire) -> None:
    """Texts may be cached; what differs in one byte must not be found."""
    for target in ("/scope/a", "/scope/b", "/scope/a", "/scope/%61", "/scope/A"):
        assert scope_of(wire, target)["raw_path"] == target.encode()


@pytest.mark.parametrize(
    ("target", "path", "raw_path"),
    [
        ("/scope/x", "/scope/x", b"/scope/x"),  # the proxy left the prefix in
        ("/scope", "/scope", b"/scope"),
        ("/scopes/x", "/scope/scopes/x", b"/scope/scopes/x"),  # or took it off
        ("/x/%41%C3%A9?q", "/scope/x/A\u00e9", b"/scope/x/%41%C3%A9"),
        ("/", "/scope/", b"/scope/"),
    ],
)
def test_root_path_is_part_of_path(pool: Any, loop: str, target: str, path: str, raw_path: bytes) -> None:
    """T43. root_path is what SCRIPT_NAME is, and path begins with it."""
    server = pool.take(APP, "--loop", loop, "--root-path", "/scope")
    with Wire(server.address) as wire:
        scope = scope_of(wire, target)
    assert (scope["root_path"], scope["path"], scope["raw_path"]) == ("/scope", path, raw_path)


@pytest.mark.parametrize("given", ["/gr\u00f6\u00dfe/a b", "/gr%C3%B6%c3%9fe/a%20b"])
@pytest.mark.parametrize(
    ("target", "rest", "raw_path"),
    [
        ("/gr%C3%B6%C3%9Fe/a%20b/x", "/x", b"/gr%C3%B6%C3%9Fe/a%20b/x"),
        ("/%67r%c3%b6%c3%9fe/a%20b", "", b"/%67r%c3%b6%c3%9fe/a%20b"),
        ("/x%C3%B6", "/x\u00f6", b"/gr%C3%B6%C3%9Fe/a%20b/x%C3%B6"),
        ("/", "/", b"/gr%C3%B6%C3%9Fe/a%20b/"),
    ],
)
def test_root_path_may_be_any_text(pool: Any, loop: str, given: str, target: str, rest: str, raw_path: bytes) -> None:
    """Percent-decoded UTF-8, whether it was given so or percent-encoded; path has it once."""
    server = pool.take(APP, "--loop", loop, "--root-path", given)
    with Wire(server.address) as wire:
        scope = scope_of(wire, target)
    root_path = "/gr\u00f6\u00dfe/a b"
    assert (scope["root_path"], scope["path"], scope["raw_path"]) == (root_path, root_path + rest, raw_path)


def test_root_path_may_have_what_paths_encode(pool: Any, loop: str) -> None:
    server = pool.take(APP, "--loop", loop, "--root-path", "/\u043c?#%25")
    with Wire(server.address) as wire:
        scope = scope_of(wire, "/%D0%BC%3F%23%25/x")
        assert (scope["root_path"], scope["path"]) == ("/\u043c?#%", "/\u043c?#%/x")
        assert scope_of(wire, "/x")["raw_path"] == b"/%D0%BC%3F%23%25/x"


# ---- addresses (T42)


def test_addresses_on_tcp(wire: Wire) -> None:
    scope = scope_of(wire)
    assert scope["client"] == wire.socket.getsockname()
    assert scope["server"] == wire.socket.getpeername()
    assert isinstance(scope["client"][1], int)


def test_addresses_on_ipv6(serve: Serve, loop: str) -> None:
    server = serve(APP, "--loop", loop, "--host", "::1")
    with Wire(server.address) as wire:
        scope = scope_of(wire)
        assert scope["client"] == wire.socket.getsockname()[:2]
        assert scope["server"] == ("::1", server.port)


def test_addresses_on_a_unix_socket(serve: Serve, loop: str, tmp_path: Path) -> None:
    path = str(tmp_path / "\u00e9.sock")
    server = serve(APP, "--loop", loop, uds=path)
    with Wire(server.address) as wire:
        scope = scope_of(wire)
    assert scope["server"] == (path, None)
    assert scope["client"] is None


def test_a_client_with_a_bound_unix_socket(serve: Serve, loop: str, tmp_path: Path) -> None:
    server = serve(APP, "--loop", loop, uds=str(tmp_path / "server.sock"))
    with Wire(server.address) as wire:
        wire.socket.close()
        wire.socket = socket.socket(socket.AF_UNIX)
        wire.socket.bind(os.fspath(tmp_path / "client.sock"))
        wire.socket.connect(str(tmp_path / "server.sock"))
        assert scope_of(wire)["client"] is None


# ---- fields


def test_fields_are_in_order_lower_case_and_repeated(wire: Wire) -> None:
    fields = [
        ("X-One", "1"),
        ("COOKIE", "a=1"),
        ("x-one", "2"),
        ("Accept", "text/html, */*;q=0.1"),
        ("Cookie", "b=2"),
        ("X_Under", "u"),
        ("X-ONE", "3"),
    ]
    assert scope_of(wire, fields=fields)["headers"] == [
        (b"host", b"test"),
        (b"x-one", b"1"),
        (b"cookie", b"a=1"),
        (b"x-one", b"2"),
        (b"accept", b"text/html, */*;q=0.1"),
        (b"cookie", b"b=2"),
        (b"x_under", b"u"),
        (b"x-one", b"3"),
    ]


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("", b""),
        ("  \t ", b""),
        (" \t a  b\t", b"a  b"),
        ("\xe9\xff\x80", b"\xe9\xff\x80"),
        ("a\tb", b"a\tb"),
        ('"q\\""', b'"q\\""'),
        ("v" * 30_000, b"v" * 30_000),
    ],
)
def test_values_are_bytes_as_sent(wire: Wire, sent: str, value: bytes) -> None:
    assert dict(scope_of(wire, fields=[("X-Value", sent)])["headers"])[b"x-value"] == value


def test_framing_fields_are_there(wire: Wire) -> None:
    headers = dict(scope_of(wire, method="POST", body=b"abc")["headers"])
    assert headers[b"content-length"] == b"3"
    headers = dict(scope_of(wire, method="POST", chunks=[b"abc"])["headers"])
    assert headers[b"transfer-encoding"] == b"chunked"
    assert b"content-length" not in headers


def test_a_1_0_request_without_host_has_none(wire: Wire) -> None:
    wire.send(b"GET /scope HTTP/1.0\r\n\r\n")
    answer = wire.answer()
    assert ast.literal_eval(answer.body.decode())["headers"] == []


# ---- extensions

ALWAYS = {"http.response.pathsend", "http.response.zerocopysend", "http.response.early_hint", "http.response.debug"}


@pytest.mark.parametrize(
    ("te", "version", "offered"),
    [
        (None, "1.1", False),
        ("trailers", "1.1", True),
        ("Trailers", "1.1", True),
        ("gzip;q=0.5, trailers", "1.1", True),
        ("gzip", "1.1", False),
        ("xtrailers", "1.1", False),
        ("trailers", "1.0", False),
    ],
)
def test_trailers_are_offered_only_to_who_takes_them(wire: Wire, te: str | None, version: str, offered: bool) -> None:
    fields = [("TE", te), ("Connection", "TE, keep-alive")] if te else []
    extensions = scope_of(wire, fields=fields, version=version)["extensions"]
    assert set(extensions) == ALWAYS | ({"http.response.trailers"} if offered else set())
    assert all(value == {} for value in extensions.values())


# ---- each request has its own


def test_a_scope_outlives_its_request(asgi: ServerProcess) -> None:
    """What it holds is a copy, no view of memory that is reused."""
    for number in range(20):
        with Wire(asgi.address) as wire:
            target = f"/keep/{number}/%41?q={number}"
            wire.get(target, "POST", fields=[("X-Number", f"{number}" * 40), (f"X-N{number}", "x")], body=b"b")
    with Wire(asgi.address) as wire:
        found = ast.literal_eval(wire.get("/kept_scopes").body.decode())
    for number, scope in enumerate(found):
        assert (scope["path"], scope["query_string"]) == (f"/keep/{number}/A", b"q=%d" % number)
        assert scope["raw_path"] == b"/keep/%d/%%41" % number
        assert (b"x-number", b"%d" % number * 40) in scope["headers"]
        assert (b"x-n%d" % number, b"x") in scope["headers"]


def test_what_an_application_does_to_its_scope_stays_there(wire: Wire) -> None:
    """Middleware that announces an extension or changes a header must not do so for other requests."""
    before = scope_of(wire)
    wire.get("/spoil", fields=[("TE", "trailers"), ("Connection", "TE")])
    wire.get("/spoil")
    assert scope_of(wire) == before
    assert "spoilt" not in scope_of(wire, fields=[("TE", "trailers"), ("Connection", "TE")])["extensions"]


def test_pipelined_requests_have_their_own_scopes(wire: Wire) -> None:
    wire.send(b"".join(request(f"/scope/{number}", fields=[("X-N", str(number))]) for number in range(50)))
    for number in range(50):
        scope = ast.literal_eval(wire.answer().body.decode())
        assert scope["path"] == f"/scope/{number}"
        assert dict(scope["headers"])[b"x-n"] == b"%d" % number


# ---- state (A19)

STATE = """\
shared = {"hits": 0}

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        scope["state"]["shared"] = shared
        scope["state"]["name"] = "shop"
        await send({"type": "lifespan.startup.complete"})
        scope["state"]["late"] = "not for requests that were there before"
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    state = scope["state"]
    body = repr((sorted(set(state) - {"late"}), state["name"], state["shared"]["hits"])).encode()
    state["mine"] = 1
    state["name"] = "spoilt"
    state["shared"]["hits"] += 1
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": body})
"""


def test_state_is_a_shallow_copy_for_each_request(serve: Serve, loop: str, tmp_path: Path) -> None:
    (tmp_path / "stateful.py").write_text(STATE)
    server = serve("stateful:app", "--loop", loop, app_dir=tmp_path)
    with Wire(server.address) as wire:
        for hits in range(3):
            assert ast.literal_eval(wire.get("/").body.decode()) == (["name", "shared"], "shop", hits)


def test_without_a_lifespan_there_is_no_state(serve: Serve, loop: str, tmp_path: Path) -> None:
    (tmp_path / "stateful.py").write_text(STATE.replace('state = scope["state"]', 'state = scope.get("state")', 1))
    server = serve("asgi_messages:app", "--loop", loop, "--lifespan", "off")
    with Wire(server.address) as wire:
        assert "state" not in scope_of(wire)
