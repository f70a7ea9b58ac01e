"""Listening sockets, opened for real."""

import errno
import fcntl
import os
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lanner.cli.bind import parse
from lanner.errors import ListenError
from lanner.process import listeners
from lanner.process.address import Address
from lanner.process.listeners import PATH_MAX, Listener, close_all, open_all, open_tcp, refused

Open = Callable[..., list[Listener]]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens addresses as --bind writes them, listens on them, and closes them in the end."""
    everything: list[Listener] = []

    def open_texts(*texts: str, mode: int = 0o666) -> list[Listener]:
        found = open_all([parse(text) for text in texts], mode)
        everything.extend(found)
        for listener in found:
            listener.listen(8)
        return found

    yield open_texts
    close_all(everything)


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@contextmanager
def open_directory(path: Path) -> Iterator[int]:
    fd = os.open(path, os.O_RDONLY)
    yield fd
    os.close(fd)


def port_of(listener: Listener) -> int:
    return int(listener.sock.getsockname()[1])


def test_port_0_shows_the_real_port(opened: Open) -> None:
    (listener,) = opened("127.0.0.1:0")
    assert port_of(listener) > 0
    assert listener.url == f"http://127.0.0.1:{port_of(listener)}"
    socket.create_connection(("127.0.0.1", port_of(listener))).close()


def test_sockets_do_not_block_and_are_not_inherited(opened: Open) -> None:
    (listener,) = opened("127.0.0.1:0")
    assert listener.sock.getblocking() is False
    assert os.get_inheritable(listener.fd) is False


def test_a_taken_port_is_one_line_with_cause_and_fix(opened: Open) -> None:
    (first,) = opened("127.0.0.1:0")
    port = port_of(first)
    with pytest.raises(ListenError) as caught:
        open_all([Address("127.0.0.1", port)])
    line = str(caught.value)
    assert line == (
        f"port {port} on 127.0.0.1 is taken (ss -ltnp 'sport = :{port}' shows by whom); choose another with --port"
    )


def test_a_port_shared_with_so_reuseport_is_taken_too() -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(ListenError, match="is taken"):
            open_all([Address("127.0.0.1", other.getsockname()[1])])


def test_a_port_can_be_taken_again_at_once() -> None:
    first = open_all([Address("127.0.0.1", 0)])
    first[0].listen(8)
    port = port_of(first[0])
    client = socket.create_connection(("127.0.0.1", port))
    first[0].sock.setblocking(True)
    accepted, _ = first[0].sock.accept()
    close_all(first)
    accepted.close()  # the server closes first: TIME_WAIT is on its side
    client.close()
    close_all(open_all([Address("127.0.0.1", port)]))


def test_one_failure_closes_what_was_opened(tmp_path: Path) -> None:
    with pytest.raises(ListenError):
        open_all([parse(f"unix:{tmp_path}/a"), parse("fd://9999")])
    assert not (tmp_path / "a").exists()


def test_an_unknown_host_is_told() -> None:
    with pytest.raises(ListenError, match=r"host 'no-such-host.invalid' is not known: .*; check --host"):
        open_all([Address("no-such-host.invalid", 0)])


def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(ListenError, match=r"192.0.2.1 is no address of this machine"):
        open_all([Address("192.0.2.1", 0)])


def test_a_forbidden_port_is_told() -> None:
    error = refused(OSError(errno.EACCES, "Permission denied"), "127.0.0.1", 80)
    assert str(error) == "port 80 needs a privilege (CAP_NET_BIND_SERVICE); choose one above 1023 with --port"


def test_a_host_name_is_listened_on_with_all_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, 1, 6, "", (where, port)) for where in ("127.0.0.1", "127.0.0.2", "192.0.2.1")]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    found = open_tcp(Address("shop.test", 0))
    assert [listener.sock.getsockname()[0] for listener in found] == ["127.0.0.1", "127.0.0.2"]  # the absent one is not
    assert port_of(found[0]) == port_of(found[1])
    close_all(found)


@ipv6
def test_ipv6_works(opened: Open) -> None:
    (listener,) = opened("[::1]:0")
    socket.create_connection(("::1", port_of(listener))).close()
    assert listener.url == f"http://[::1]:{port_of(listener)}"


@ipv6
def test_all_ipv6_addresses_take_ipv4_too(opened: Open) -> None:
    (listener,) = opened("[::]:0")
    socket.create_connection(("127.0.0.1", port_of(listener))).close()


@ipv6
def test_both_wildcards_may_share_a_port(opened: Open) -> None:
    (v4,) = opened("0.0.0.0:0")
    port = port_of(v4)
    v4.close()
    assert len(opened(f"[::]:{port}", f"0.0.0.0:{port}")) == 2


def test_a_unix_socket_has_exactly_its_mode(opened: Open, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        (wide,) = opened(f"unix:{tmp_path}/wide")
        (narrow,) = opened(f"unix:{tmp_path}/narrow", mode=0o600)
        assert os.umask(0o077) == 0o077
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(wide.path).st_mode) == 0o666
    assert stat.S_IMODE(os.stat(narrow.path).st_mode) == 0o600


def test_a_unix_socket_is_unlinked_in_the_end(tmp_path: Path) -> None:
    close_all(open_all([parse(f"unix:{tmp_path}/x")]))
    assert not (tmp_path / "x").exists()


def test_a_relative_unix_socket_is_found_again_after_chdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = open_all([parse("unix:x.sock")])
    monkeypatch.chdir("/")
    close_all(found)
    assert not (tmp_path / "x.sock").exists()


def test_another_servers_socket_is_not_unlinked(tmp_path: Path) -> None:
    path = tmp_path / "x"
    mine = open_all([parse(f"unix:{path}")])
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        close_all(mine)
        assert path.exists()


def test_a_stale_unix_socket_is_replaced(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "x"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    opened(f"unix:{path}")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_a_living_unix_socket_is_left_alone(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "x"
    opened(f"unix:{path}")
    with pytest.raises(ListenError, match="is taken by a running server"):
        open_all([parse(f"unix:{path}")])
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_a_successor_with_the_same_inode_number_is_not_unlinked(tmp_path: Path) -> None:
    """File systems give the number of an unlinked file to the next one."""
    path = tmp_path / "x"
    for _ in range(20):
        old = open_all([parse(f"unix:{path}")])
        old[0].listen(1)
        old[0].stop_listening()  # its drain
        new = open_all([parse(f"unix:{path}")])
        close_all(old)
        assert path.exists()
        close_all(new)
        assert not path.exists()


def test_a_path_given_up_once_is_not_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "x"
    old = open_all([parse(f"unix:{path}")])
    old[0].remove_path()
    assert not path.exists()
    new = open_all([parse(f"unix:{path}")])
    close_all(old)
    assert path.exists()
    close_all(new)


def test_a_server_that_is_starting_keeps_its_path(opened: Open, tmp_path: Path) -> None:
    """It has bound its socket, and imports its application before it listens."""
    path = tmp_path / "x"
    starting = open_all([parse(f"unix:{path}")])
    with pytest.raises(ListenError, match="is taken by a server that is starting"):
        open_all([parse(f"unix:{path}")])
    close_all(starting)
    opened(f"unix:{path}")


def test_a_process_that_was_forked_leaves_the_path_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    mine = open_all([parse(f"unix:{path}")])
    child = os.fork()
    if not child:
        close_all(mine)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert path.exists()
    close_all(mine)
    assert not path.exists()


@pytest.mark.usefixtures("no_descriptors_left")
def test_a_unix_socket_leaves_no_descriptors(tmp_path: Path) -> None:
    close_all(open_all([parse(f"unix:{tmp_path}/x")]))


def test_a_directory_that_somebody_locks_does_not_hold_a_server_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "LOCK_S", 0.02)
    with open_directory(tmp_path) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        close_all(open_all([parse(f"unix:{tmp_path}/x")]))
    assert not (tmp_path / "x").exists()


def test_a_file_at_the_path_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("precious")
    with pytest.raises(ListenError, match="exists and is no socket"):
        open_all([parse(f"unix:{path}")])
    assert path.read_text() == "precious"


def test_a_missing_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(ListenError, match="No such file or directory; check its directory"):
        open_all([parse(f"unix:{tmp_path}/no/x")])


def test_a_too_long_path_is_told() -> None:
    with pytest.raises(ListenError, match="longer than 107 bytes"):
        open_all([Address(path="/" + "x" * PATH_MAX)])


def test_an_inherited_socket_is_adopted(opened: Open) -> None:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port = made.getsockname()[1]
        fd = os.dup(made.fileno())
    (listener,) = opened(f"fd://{fd}")
    assert listener.fd == fd
    assert listener.url == f"http://127.0.0.1:{port} (fd {fd})"
    socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.parametrize("kind", ["file", "pipe", "datagram", "closed"])
def test_what_can_not_be_listened_on_is_told(kind: str, tmp_path: Path) -> None:
    if kind == "datagram":
        fd = socket.socket(type=socket.SOCK_DGRAM).detach()
    elif kind == "pipe":
        fd, other = os.pipe()
        os.close(other)
    else:
        fd = os.open(tmp_path / "x", os.O_CREAT | os.O_RDWR)
    if kind == "closed":
        os.close(fd)
    says = {"datagram": "is not a TCP or unix stream socket", "closed": "is not open here"}.get(kind, "is not a socket")
    with pytest.raises(ListenError, match=f"descriptor {fd} {says}"):
        open_all([Address(fd=fd)])
    if kind != "closed":
        os.close(fd)
