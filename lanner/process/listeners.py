"""Listening sockets: TCP, unix sockets and inherited descriptors, opened once and shared by all workers.

A socket is bound when it is opened, so that a taken port is known before the application is imported, and listens
from `listen()` on. There is no SO_REUSEPORT: with it a second server on the port would not be noticed.
"""

import contextlib
import errno
import fcntl
import os
import socket
import stat
import time
from collections.abc import Iterable, Iterator

from lanner.errors import ListenError
from lanner.process.address import ALL, Address

PATH_MAX = 107  # bytes of sun_path without the final NUL
LOCK_S = 1.0  # at most, for the lock of a directory, which is held for microseconds
LISTENS, UNCONNECTED = 0x10000, b"01"  # of /proc/net/unix: __SO_ACCEPTCON in the flags; the state of a socket
ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class Listener:
    """One socket. Example: `open_all([Address("127.0.0.1", 0)])[0].url` is `"http://127.0.0.1:40123"`."""

    def __init__(self, sock: socket.socket, url: str, path: str = "", inherited: bool = False) -> None:
        self.sock = sock
        self.inherited = inherited  # another process may go on listening on it
        self.url = url
        self.path = path  # of a unix socket that is ours to unlink
        # Held open, so that no other file can get its inode number. -1: none.
        self.file = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC) if path else -1
        self.owner = os.getpid()
        sock.setblocking(False)
        sock.set_inheritable(False)

    @property
    def fd(self) -> int:
        return self.sock.fileno()

    def listen(self, backlog: int) -> None:
        """May be called for a socket that listens already."""
        try:
            self.sock.listen(backlog)
        except OSError as error:
            raise ListenError(f"cannot listen on {self.url}: {error.strerror}; choose another address") from None

    def lend(self) -> int:
        """A copy of the descriptor, for an engine that closes it when its drain begins."""
        return os.dup(self.fd)

    def stop_listening(self) -> None:
        """Closes the socket; its path stays until remove_path() or close()."""
        self.sock.close()

    def remove_path(self) -> None:
        """Unlinks its path, once; not that of another server, nor in a process that was forked from ours."""
        file, self.file = self.file, -1
        if file < 0:
            return
        try:
            if os.getpid() == self.owner:
                with locked(os.path.dirname(self.path)):
                    if identity(self.path) == (os.fstat(file).st_dev, os.fstat(file).st_ino):
                        os.unlink(self.path)
        finally:
            os.close(file)

    def close(self) -> None:
        """Closes it, and unlinks its path unless another server has put its own socket there."""
        self.remove_path()
        self.sock.close()


def open_all(addresses: Iterable[Address], mode: int = 0o666) -> list[Listener]:
    """Opens every address or none; mode is for unix sockets. ListenError names the cause and the fix."""
    places = list(addresses)
    opened: list[Listener] = []
    try:
        for place in places:
            if place.path:
                opened.append(open_unix(place.path, mode))
            elif place.fd is not None:
                opened.append(adopt(place.fd))
            else:
                twin = any(other.host == ALL[0] and other.port == place.port for other in places)
                opened += open_tcp(place, only_v6=twin)
    except BaseException:
        close_all(opened)
        raise
    return opened


def close_all(listeners: Iterable[Listener]) -> None:
    for listener in listeners:
        listener.close()


def open_tcp(place: Address, only_v6: bool = False) -> list[Listener]:
    """A listener for each address of a host name, all on one port. `::` takes IPv4 too, unless 0.0.0.0 has a socket."""
    try:
        found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ListenError(f"host {place.host!r} is not known: {reason}; check --host") from None
    opened: list[Listener] = []
    port, absent = place.port, None
    for family, _, _, _, where in dict.fromkeys(found):
        try:
            sock = bind_tcp(family, (where[0], port, *where[2:]), only_v6)
        except OSError as error:
            if error.errno not in ABSENT or len(found) == 1:
                close_all(opened)
                raise refused(error, str(where[0]), port) from None
            absent = error
            continue
        port = sock.getsockname()[1]
        opened.append(Listener(sock, str(Address(str(where[0]), port))))
    if not opened and absent is not None:
        raise refused(absent, place.host, port)
    return opened


def bind_tcp(family: int, where: tuple[object, ...], only_v6: bool) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only_v6)
        sock.bind(where)
    except BaseException:
        sock.close()
        raise
    return sock


def refused(error: OSError, host: str, port: int) -> ListenError:
    """The system's refusal of a TCP address as a line with its fix."""
    if error.errno == errno.EADDRINUSE:
        look = f"ss -ltnp 'sport = :{port}'"
        return ListenError(f"port {port} on {host} is taken ({look} shows by whom); choose another with --port")
    if error.errno == errno.EACCES:
        return ListenError(f"port {port} needs a privilege (CAP_NET_BIND_SERVICE); choose one above 1023 with --port")
    if error.errno in ABSENT:
        return ListenError(f"{host} is no address of this machine; give --host 0.0.0.0 for all of its addresses")
    return ListenError(f"cannot listen on {host} port {port}: {error.strerror}; check --host and --port")


def open_unix(path: str, mode: int) -> Listener:
    """A unix socket with exactly this mode; a stale one of a server that is gone is replaced."""
    if len(os.fsencode(path)) > PATH_MAX:
        raise ListenError(f"unix socket path is longer than {PATH_MAX} bytes: {path}; give a shorter one with --uds")
    whole = os.path.abspath(path)
    with locked(os.path.dirname(whole)):
        remove_stale(path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o777 & ~mode)  # bind creates the file: no moment with a wider mode
        try:
            # By its whole name, if that is not too long: others look for it there (is_starting).
            sock.bind(whole if len(os.fsencode(whole)) <= PATH_MAX else path)
            return Listener(sock, "unix:" + path, whole)
        except OSError as error:
            sock.close()
            raise ListenError(
                f"cannot make the unix socket {path}: {error.strerror}; check its directory, or change --uds"
            ) from None
        finally:
            os.umask(before)


@contextlib.contextmanager
def locked(directory: str) -> Iterator[None]:
    """Two servers that start or end at one moment do not take each other's path for a stale one.

    Where the lock cannot be had (no permission to read the directory, another holder), it goes on without one.
    """
    try:
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        end = time.monotonic() + LOCK_S
        while not try_lock(fd) and time.monotonic() < end:
            time.sleep(0.01)
        yield
    finally:
        os.close(fd)


def try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_stale(path: str) -> None:
    """Unlinks a socket that nobody listens on; whatever else is at the path stays, and is an error."""
    try:
        found = os.lstat(path)
    except OSError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ListenError(f"{path} exists and is no socket; remove it, or give another path with --uds")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)  # a full backlog answers EAGAIN at once: alive too
        code = probe.connect_ex(path)
    if code == errno.ECONNREFUSED and is_starting(os.path.abspath(path)):
        raise ListenError(f"unix socket {path} is taken by a server that is starting; give another path with --uds")
    if code == errno.ECONNREFUSED:
        os.unlink(path)
    elif code == errno.EACCES:
        raise ListenError(f"no permission to use {path}; remove it, or give another path with --uds")
    elif code != errno.ENOENT:
        raise ListenError(f"unix socket {path} is taken by a running server; stop it, or give another path with --uds")


def is_starting(path: str) -> bool:
    """A socket is bound to the path and does not listen: a server that is importing its application."""
    try:
        with open("/proc/net/unix", "rb") as table:
            rows = [line.split(None, 7) for line in table]
    except OSError:
        return False
    name = os.fsencode(path)
    return any(
        len(row) == 8 and row[7].rstrip(b"\n") == name and row[5] == UNCONNECTED and not int(row[3], 16) & LISTENS
        for row in rows[1:]
    )


def adopt(fd: int) -> Listener:
    """An inherited socket (systemd, a supervisor), 0 included; bound by who made it."""
    try:
        if not stat.S_ISSOCK(os.fstat(fd).st_mode):
            raise ListenError(f"descriptor {fd} is not a socket; pass a listening socket to --fd")
        sock = socket.socket(fileno=fd)
    except OSError as error:
        raise ListenError(f"descriptor {fd} is not open here ({error.strerror}); pass a socket to --fd") from None
    if sock.type != socket.SOCK_STREAM or sock.family not in (
        socket.AF_INET,
        socket.AF_INET6,
        socket.AF_UNIX,
    ):
        sock.detach()
        raise ListenError(f"descriptor {fd} is not a TCP or unix stream socket; pass one to --fd")
    name = sock.getsockname()
    url = f"unix:{name}" if sock.family == socket.AF_UNIX else str(Address(str(name[0]), int(name[1])))
    return Listener(sock, f"{url} (fd {fd})", inherited=True)


def identity(path: str) -> tuple[int, int] | None:
    """Device and inode, which differ between two files of one name; None when there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
