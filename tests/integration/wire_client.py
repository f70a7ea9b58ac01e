"""A client that sends the bytes it is given and reads answers strictly (RFC 9112): no retries, no repairs."""

import contextlib
import socket
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

TIMEOUT_S = 60.0

Fields = Iterable[tuple[str, str]]


@dataclass
class Head:
    """A status line and its fields."""

    version: str
    status: int
    reason: str
    fields: list[tuple[str, str]]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def get(self, name: str) -> str | None:
        """The one value of a field, or None; it must not be repeated."""
        values = self.all(name)
        assert len(values) < 2, (name, values)
        return values[0] if values else None


@dataclass
class Answer(Head):
    """A whole answer; `blocks` are its chunks when it came in chunks."""

    body: bytes = b""
    blocks: list[bytes] = field(default_factory=list)


class CutError(Exception):
    """The connection ended inside an answer; `body` is what came of it."""

    def __init__(self, head: Head | None, body: bytes) -> None:
        super().__init__(f"cut after {len(body)} bytes of the body")
        self.head = head
        self.body = body


def request(
    target: str = "/",
    method: str = "GET",
    fields: Fields = (),
    body: bytes | None = None,
    version: str = "1.1",
    chunks: Iterable[bytes] | None = None,
) -> bytes:
    """A request as bytes. Example: `request("/a", "POST", body=b"x")`, or in chunks: `chunks=[b"a", b"b"]`."""
    lines = [f"{method} {target} HTTP/{version}", "Host: test"]
    lines += [f"{name}: {value}" for name, value in fields]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    if chunks is not None:
        lines.append("Transfer-Encoding: chunked")
        body = b"".join(chunk(piece) for piece in chunks if piece) + b"0\r\n\r\n"
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


class Wire:
    """One connection.

    Example: `with Wire(server.address) as wire: assert wire.get("/hello").body == b"hello"`
    """

    def __init__(self, address: tuple[str, int] | str, receive_bytes: int = 0) -> None:
        family = socket.AF_UNIX
        if not isinstance(address, str):
            family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.held = b""
        if receive_bytes:  # a small window: the server soon has to wait for us
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(TIMEOUT_S)
        self.socket.connect(address)

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()  # a test that failed may have left it open

    def close(self) -> None:
        self.socket.close()

    def reset(self) -> None:
        """Closes with RST, as a client does that crashes."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def get(self, target: str = "/", method: str = "GET", **options: object) -> Answer:
        """Sends one request and reads its answer."""
        self.send(request(target, method, **options))  # type: ignore[arg-type]
        return self.answer(method)

    def more(self) -> bool:
        """Receives something; False at the end of the stream."""
        data = self.socket.recv(262144)
        self.held += data
        return bool(data)

    def line(self) -> bytes:
        """One line without its CRLF."""
        while b"\r\n" not in self.held:
            if not self.more():
                raise CutError(None, self.held)
        line, _, self.held = self.held.partition(b"\r\n")
        assert b"\n" not in line, line
        assert b"\r" not in line, line
        return line

    def exactly(self, count: int) -> bytes:
        parts, have = [self.held], len(self.held)
        while have < count:
            try:
                data = self.socket.recv(min(count - have, 1 << 20))
            except ConnectionResetError:
                data = b""
            if not data:
                self.held = b""
                raise CutError(None, b"".join(parts))
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.held = whole[count:]
        return whole[:count]

    def head(self) -> Head:
        """A status line and its fields, also those of a 1xx."""
        line = self.line().decode("latin-1")
        version, _, rest = line.partition(" ")
        code, separator, reason = rest.partition(" ")
        assert version in ("HTTP/1.1", "HTTP/1.0"), line
        assert separator, line
        assert len(code) == 3, line
        fields = []
        while line := self.line().decode("latin-1"):
            name, colon, value = line.partition(":")
            assert colon, line
            assert name.strip() == name != "", line
            fields.append((name, value.strip(" \t")))
        return Head(version, int(code), reason, fields)

    def final_head(self) -> Head:
        """The next head that is not a 1xx."""
        while (head := self.head()).status < 200:
            pass
        return head

    def block(self) -> bytes:
        """One chunk; b"" is the last one."""
        size = int(self.line(), 16)
        data = self.exactly(size)
        assert self.line() == b""
        return data

    def blocks(self) -> Iterator[bytes]:
        while data := self.block():
            yield data

    def answer(self, method: str = "GET") -> Answer:
        """One whole answer, its framing checked; CutError when the connection ends within."""
        head = self.final_head()
        answer = Answer(head.version, head.status, head.reason, head.fields)
        coding, length = head.get("Transfer-Encoding"), head.get("Content-Length")
        assert coding is None or length is None, head
        if method == "HEAD" or head.status in (204, 304):
            return answer
        try:
            if coding is not None:
                assert coding == "chunked", head
                for data in self.blocks():
                    answer.blocks.append(data)
                answer.body = b"".join(answer.blocks)
            elif length is not None:
                answer.body = self.exactly(int(length))
            else:
                answer.body = self.rest()
        except CutError as cut:
            raise CutError(head, b"".join(answer.blocks) + cut.body) from None
        except ConnectionResetError:
            raise CutError(head, b"".join(answer.blocks) + self.held) from None
        return answer

    def rest(self) -> bytes:
        """Everything up to the end of the stream."""
        parts = [self.held]
        while data := self.socket.recv(1 << 20):
            parts.append(data)
        self.held = b""
        return b"".join(parts)

    def ended(self) -> bool:
        """The server has closed or reset, and nothing else came."""
        with contextlib.suppress(ConnectionResetError):
            return self.rest() == b""
        return self.held == b""


def fetch(address: tuple[str, int] | str, target: str = "/", method: str = "GET", **options: object) -> Answer:
    """One request on a connection of its own."""
    with Wire(address) as wire:
        return wire.get(target, method, **options)
