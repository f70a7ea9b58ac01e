"""Behind a proxy: whose word counts, and what applications, frameworks and the access log are told.

Rows X01 to X08 and X10 of the project's catalogue, and reports about other servers that are named where they are tested.
The tests' own address is 127.0.0.1, which is trusted by default; 127.0.0.2 is not.
"""

import ast
import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Pool, Serve
from server_process import ServerProcess, wait_until
from wire_client import Answer, Fields, Wire, fetch, request

ROOT = Path(__file__).parents[2]
KINDS = {
    "wsgi": ("incoming:app",),
    "wsgi-threads": ("incoming:app", "--threads", "4"),
    "asgi": ("asgi_messages:app",),
    "asgi-uvloop": ("asgi_messages:app", "--loop", "uvloop"),
}
SHOP = [
    ("X-Forwarded-For", "203.0.113.66, 192.0.2.1"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "shop.example"),
]


@dataclass
class Seen:
    """What the application was told, WSGI or ASGI."""

    client: str | None
    client_port: int | None
    scheme: str
    host: str
    server: tuple[str, int | None]
    names: list[str]  # of the fields, lower case

    @property
    def short(self) -> tuple[str | None, str, str]:
        return self.client, self.scheme, self.host


def seen_in(answer: Answer) -> Seen:
    assert answer.status == 200, answer
    text = answer.body.decode()
    if text.startswith('{"'):
        environ = {name: value for name, (_, value) in json.loads(text).items()}
        port = environ.get("REMOTE_PORT")
        return Seen(
            environ["REMOTE_ADDR"],
            int(port) if port else None,
            environ["wsgi.url_scheme"],
            environ["HTTP_HOST"],
            (environ["SERVER_NAME"], int(environ["SERVER_PORT"])),
            [name[5:].replace("_", "-").lower() for name in environ if name.startswith("HTTP_")],
        )
    scope = ast.literal_eval(text)
    names = [name.decode() for name, _ in scope["headers"]]
    host = dict(scope["headers"])[b"host"].decode()
    client, port = scope["client"] or ("", None)
    return Seen(client, port or None, scope["scheme"], host, scope["server"], names)


def ask(address: tuple[str, int] | str, fields: Fields, **options: object) -> Seen:
    return seen_in(fetch(address, "/scope", fields=fields, **options))


def from_elsewhere(server: ServerProcess) -> Wire:
    """A client that is not trusted."""
    wire = Wire(server.address)
    wire.socket.close()
    wire.socket = socket.create_connection((server.host, server.port), 20, source_address=("127.0.0.2", 0))
    return wire


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return KINDS[request.param]


@pytest.fixture
def proxied(pool: Pool, kind: tuple[str, ...]) -> Iterator[ServerProcess]:
    """With the defaults: 127.0.0.1 and ::1 are trusted."""
    taken = pool.take(*kind)
    yield taken
    assert taken.alive


# ---- what a trusted proxy says


def test_client_scheme_and_host_are_as_forwarded(proxied: ServerProcess) -> None:
    """X02: the right-most address, not the one that the client wrote."""
    seen = ask(proxied.address, SHOP)
    assert seen.short == ("192.0.2.1", "https", "shop.example")
    assert seen.server == ("shop.example", 443)
    assert seen.client_port is None
    assert "x-forwarded-for" in seen.names, "they can still be read"


def test_the_standard_field(proxied: ServerProcess) -> None:
    """X04."""
    value = 'for="[2001:DB8::17]:4711";proto=https;host="shop.example:8443";by=_x, for=127.0.0.1'
    seen = ask(proxied.address, [("Forwarded", value)])
    assert seen.short == ("2001:db8::17", "https", "shop.example:8443")
    assert (seen.client_port, seen.server) == (4711, ("shop.example", 8443))


def test_kinds_of_fields_are_not_mixed(proxied: ServerProcess) -> None:
    """X04: nginx passes on a Forwarded that a client has sent."""
    fields = [("Forwarded", "for=203.0.113.66;proto=https;host=evil"), ("X-Forwarded-For", "192.0.2.1")]
    assert ask(proxied.address, fields).short == ("192.0.2.1", "http", "test")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-For", "192.0.2.1, 127.0.0.1, ::1")], ("192.0.2.1", "http", "test")),
        ([("X-Forwarded-For", "127.0.0.1")], ("127.0.0.1", "http", "test")),  # uvicorn 1068: None
        ([("X-Forwarded-For", "192.0.2.1:1024")], ("192.0.2.1", "http", "test")),  # uvicorn 2789
        ([("X-Forwarded-For", "")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-For", "192.0.2.1, unknown")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "junk")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-For", "1.1.1.1, " * 2000 + "192.0.2.1")], ("192.0.2.1", "http", "test")),
        ([("X-Forwarded-Proto", "https,http")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-Proto", "HTTPS")], ("127.0.0.1", "https", "test")),
        ([("X-Forwarded-Proto", "javascript")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-Host", "evil, shop.example")], ("127.0.0.1", "http", "shop.example")),
        ([("X-Forwarded-Host", "a/b?c")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-Host", "u@h")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-Port", "8443")], ("127.0.0.1", "http", "test:8443")),  # uvicorn 1974
        ([("X-Forwarded-Port", "443")], ("127.0.0.1", "http", "test")),
        ([("X-Forwarded-Port", "99999")], ("127.0.0.1", "http", "test")),
    ],
    ids=str,
)
def test_junk_and_edges(proxied: ServerProcess, fields: Fields, expected: object) -> None:
    """X03, X05, X06."""
    assert ask(proxied.address, fields).short == expected


@pytest.mark.parametrize("value", ['for="1.2.3.4', "for=", '"', "for=a;for=b", ',,,"\\', "for=[::1", "=" * 5000])
def test_a_broken_forwarded_field_is_no_error(proxied: ServerProcess, value: str) -> None:
    """waitress 257: a 500."""
    assert ask(proxied.address, [("Forwarded", value)]).short == ("127.0.0.1", "http", "test")


def test_one_connection_of_a_proxy_carries_many_clients(proxied: ServerProcess) -> None:
    with Wire(proxied.address) as wire:
        own = wire.socket.getsockname()[1]
        wire.send(
            request("/scope", fields=SHOP)
            + request("/scope", fields=[("X-Forwarded-For", "192.0.2.2:5")])
            + request("/scope")
        )
        first, second, third = (seen_in(wire.answer()) for _ in range(3))
    assert first.short == ("192.0.2.1", "https", "shop.example")
    assert (second.short, second.client_port) == (("192.0.2.2", "http", "test"), 5)
    assert (third.short, third.client_port) == (("127.0.0.1", "http", "test"), own)
    assert second.server == third.server == proxied.address


def test_an_absolute_target_has_the_forwarded_host(proxied: ServerProcess) -> None:
    seen = seen_in(fetch(proxied.address, "http://test/scope", fields=SHOP))
    assert seen.short == ("192.0.2.1", "https", "shop.example")


def test_http_1_0_without_host(pool: Pool) -> None:
    with Wire(pool.take("incoming:app").address) as wire:
        wire.send(b"GET / HTTP/1.0\r\nX-Forwarded-Host: shop.example\r\n\r\n")
        environ = json.loads(wire.answer().body)
    assert environ["SERVER_NAME"] == ["str", "shop.example"]
    assert "HTTP_HOST" not in environ


# ---- whose word counts


def test_others_are_not_believed(proxied: ServerProcess) -> None:
    """X01; what they sent can still be read, since applications have checks of their own."""
    with from_elsewhere(proxied) as wire:
        seen = seen_in(wire.get("/scope", fields=[*SHOP, ("Forwarded", "for=192.0.2.1;host=evil")]))
    assert seen.short == ("127.0.0.2", "http", "test")
    assert {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"} <= set(seen.names)


def test_with_named_proxies_nobody_elses_fields_get_through(serve: Serve, kind: tuple[str, ...]) -> None:
    """X01, as waitress does since 3.0: an application that reads them by itself cannot be fooled."""
    server = serve(*kind, "--forwarded-allow-ips", "127.0.0.2, 10.0.0.0/8")
    seen = ask(server.address, [*SHOP, ("X-Forwarded-Port", "1"), ("Forwarded", "for=a"), ("X-Other", "1")])
    assert seen.short == ("127.0.0.1", "http", "test")
    assert sorted(seen.names) == ["host", "x-other"]
    with from_elsewhere(server) as wire:
        seen = seen_in(wire.get("/scope", fields=[("X-Forwarded-For", "192.0.2.1, 10.1.2.3")]))
    assert seen.client == "192.0.2.1"


def test_a_star_is_about_the_peer_alone(serve: Serve, kind: tuple[str, ...]) -> None:
    """X02: with `*` uvicorn takes the left-most address, which anybody can write."""
    server = serve(*kind, "--forwarded-allow-ips", "*")
    with from_elsewhere(server) as wire:
        assert seen_in(wire.get("/scope", fields=SHOP)).short == ("192.0.2.1", "https", "shop.example")


def test_nobody_is_believed_if_asked(serve: Serve, kind: tuple[str, ...]) -> None:
    for flags in (("--no-proxy-headers",), ("--forwarded-allow-ips", "")):
        assert ask(serve(*kind, *flags).address, SHOP).short == ("127.0.0.1", "http", "test"), flags


def test_fields_of_listed_proxies_pass_without_being_applied(serve: Serve, kind: tuple[str, ...]) -> None:
    """For an application that reads them itself: a stranger's are removed all the same."""
    server = serve(*kind, "--no-proxy-headers", "--forwarded-allow-ips", "127.0.0.1")
    seen = ask(server.address, SHOP)
    assert seen.short == ("127.0.0.1", "http", "test")
    assert {name.lower() for name, _ in SHOP} <= set(seen.names)
    with from_elsewhere(server) as wire:
        seen = seen_in(wire.get("/scope", fields=SHOP))
    assert (seen.short, seen.names) == (("127.0.0.2", "http", "test"), ["host"])


def test_only_the_named_fields_count(serve: Serve) -> None:
    flags = ("--forwarded-headers", "x-forwarded-for,X-Forwarded-Proto")
    server = serve("incoming:app", *flags)
    assert ask(server.address, SHOP).short == ("192.0.2.1", "https", "test")
    server = serve("incoming:app", "--trusted-proxy-headers", "forwarded")
    assert ask(server.address, [*SHOP, ("Forwarded", "for=192.0.2.9")]).short == ("192.0.2.9", "http", "test")


def test_fields_that_nobody_vouches_for_are_removed(serve: Serve, kind: tuple[str, ...]) -> None:
    """Where the fields that the proxies set are listed, a proxy passes others on as the client wrote them."""
    others = (
        "X-Forwarded-Port",
        "X-Forwarded-Prefix",
        "x-forwarded-user",
        "X-Real-IP",
        "Forwarded",
        "CF-Connecting-IP",
    )
    server = serve(*kind, "--forwarded-headers", "x-forwarded-for x-real-ip")
    asked = [*SHOP, *((name, "1") for name in others), ("X-Forward", "1")]
    assert sorted(ask(server.address, asked).names) == ["host", "x-forward", "x-forwarded-for", "x-real-ip"]
    with from_elsewhere(server) as wire:
        assert sorted(seen_in(wire.get("/scope", fields=asked)).names) == ["host", "x-forward"]
    server = serve(*kind, "--forwarded-allow-ips", "127.0.0.1")
    assert {name.lower() for name in others} <= set(ask(server.address, asked).names), "all are vouched for"


def test_the_variable_that_all_know(serve: Serve) -> None:
    server = serve("incoming:app", env={"FORWARDED_ALLOW_IPS": "127.0.0.2"})
    assert ask(server.address, SHOP).client == "127.0.0.1"
    with from_elsewhere(server) as wire:
        assert seen_in(wire.get("/scope", fields=SHOP)).client == "192.0.2.1"


def test_each_worker_knows_whom_to_trust(serve: Serve) -> None:
    server = serve("incoming:app", "--workers", "2", "--forwarded-allow-ips", "127.0.0.0/8")
    assert {ask(server.address, SHOP).client for _ in range(20)} == {"192.0.2.1"}


@pytest.mark.parametrize("flags", [(), ("--forwarded-allow-ips", "127.0.0.0/8,::/0")], ids=["default", "networks"])
def test_unix_peers_are_not_believed_unless_listed(
    serve: Serve, kind: tuple[str, ...], flags: tuple[str, ...], tmp_path: Path
) -> None:
    """X10."""
    seen = ask(serve(*kind, *flags, uds=str(tmp_path / "s")).address, SHOP)
    assert seen.short == ("", "http", "test")


@pytest.mark.parametrize("listed", ["unix:", "*"])
def test_a_listed_unix_peer_is_believed(serve: Serve, kind: tuple[str, ...], listed: str, tmp_path: Path) -> None:
    """gunicorn 797 and 1755: there the client is lost."""
    server = serve(*kind, "--forwarded-allow-ips", listed, uds=str(tmp_path / "s"))
    seen = ask(server.address, SHOP)
    assert seen.short == ("192.0.2.1", "https", "shop.example")
    assert seen.server == ("shop.example", 443)
    assert ask(server.address, []).client == ""


def test_names_with_underscores_say_nothing(proxied: ServerProcess) -> None:
    """X07: a WSGI application could not tell them apart."""
    fields = [("X_Forwarded_For", "203.0.113.66"), ("X_Forwarded_Proto", "https")]
    seen = ask(proxied.address, fields)
    assert seen.short == ("127.0.0.1", "http", "test")
    assert "x-forwarded-for" not in seen.names


def test_the_proxy_protocol_is_no_request(proxied: ServerProcess) -> None:
    """X08: while it is not spoken."""
    for preamble in (b"PROXY TCP4 192.0.2.1 127.0.0.1 1 2\r\n", b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12)):
        with Wire(proxied.address) as wire:
            wire.send(preamble + request("/scope"))
            assert wire.answer().status == 400
            assert wire.ended()


# ---- the access log


def test_the_access_log_names_the_client(serve: Serve) -> None:
    for flags in ((), ("--access-log-format", "json")):
        server = serve("incoming:app", "--access-log", *flags)
        ask(server.address, SHOP)
        assert "192.0.2.1" in server.wait_for_output("/scope")
        with from_elsewhere(server) as wire:
            since = server.position()
            wire.get("/elsewhere", fields=SHOP)
        assert "127.0.0.2" in server.wait_for_output("/elsewhere", since)


# ---- frameworks


@pytest.mark.parametrize("app", ["flask", "fixed", "starlette"])
def test_links_that_frameworks_make_lead_back(pool: Pool, app: str) -> None:
    """frameworks: https links behind TLS. `fixed` has werkzeug's ProxyFix, as it was needed elsewhere."""
    server = pool.take(f"proxied:{app}")
    fields = [*SHOP, ("X-Forwarded-Port", "443")]
    assert fetch(server.address, "/page?a=1", fields=fields).body.decode() == "192.0.2.1 https://shop.example/page?a=1"
    fields = [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Port", "8443")]
    assert fetch(server.address, "/page", fields=fields).body.decode() == "192.0.2.1 https://test:8443/page"


# ---- nginx with the configuration of docs/proxy.md


class Nginx:
    """nginx with one `server` block, in front of a server."""

    def __init__(self, directory: Path, block: str, listen: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address: tuple[str, int] = free.getsockname()
        assert listen in block
        block = block.replace(listen, f"listen 127.0.0.1:{self.address[1]};")
        temporary = "".join(
            f"{kind}_temp_path {directory}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        file = directory / "nginx.conf"
        file.write_text(
            f"daemon off; master_process off; pid {directory}/pid; error_log {directory}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off; {temporary}\n{block}\n}}\n"
        )
        command = ["nginx", "-e", str(directory / "error.log"), "-p", str(directory), "-c", str(file)]
        self.process = subprocess.Popen(command)
        wait_until(self.answers, "nginx listens")

    def answers(self) -> bool:
        assert self.process.poll() is None, "nginx did not start"
        with socket.socket() as probe:
            return probe.connect_ex(self.address) == 0

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def example(number: int) -> str:
    """One of the nginx configurations in docs/proxy.md."""
    blocks = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs/proxy.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    return str(blocks[number])


def ask_through(nginx: Nginx, fields: Fields) -> Seen:
    """From 127.0.0.9, with whatever the client wants nginx to pass on."""
    with Wire(nginx.address) as wire:
        wire.socket.close()
        wire.socket = socket.create_connection(nginx.address, 20, source_address=("127.0.0.9", 0))
        wire.send(request("/scope", fields=fields).replace(b"Host: test", b"Host: shop.example:81"))
        return seen_in(wire.answer())


LIES = [
    ("X-Forwarded-For", "203.0.113.66, 127.0.0.1"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "evil.example"),
    ("X-Forwarded-Port", "1"),
    ("Forwarded", 'for="203.0.113.66;proto=https;host=evil.example'),
]


@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
@pytest.mark.parametrize("place", ["tcp", "unix"])
def test_the_nginx_examples_tell_the_truth(serve: Serve, kind: tuple[str, ...], place: str, tmp_path: Path) -> None:
    if place == "tcp":
        server = serve(*kind)
        block = example(0).replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
    else:
        server = serve(*kind, "--forwarded-allow-ips", "unix:", uds=str(tmp_path / "shop.sock"))
        block = example(1).replace("/run/shop.sock", server.uds)
    nginx = Nginx(tmp_path, block, "listen 80;")
    try:
        for fields in ([], LIES):
            seen = ask_through(nginx, fields)
            assert seen.short == ("127.0.0.9", "http", "shop.example:81")
            assert seen.server == ("shop.example", 81)
            assert "forwarded" not in seen.names
    finally:
        nginx.close()
