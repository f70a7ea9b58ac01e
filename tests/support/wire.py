"""A raw HTTP/1.1 client for tests: sends bytes as they are, and reads answers with a parser that forgives nothing."""

import fcntl
import os
import re
import select
import socket
import struct
import termios
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

DEADLINE_S = 60.0
STATUS_LINE = re.compile(rb"HTTP/(1\.[01]) ([1-9][0-9][0-9]) ([\t -~\x80-\xff]*)")
FIELD_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*")
CHUNK_HEAD = re.compile(rb"([0-9a-fA-F]{1,16})")

Address = tuple[str, int] | tuple[str, int, int, int] | str


class Closed(Exception):
    """The server closed the connection where an answer, or the rest of one, should have been."""


@dataclass
class Response:
    """One final answer."""

    status: int
    reason: str
    fields: list[tuple[str, str]]
    body: bytes = b""
    chunks: list[bytes] = field(default_factory=list)  # of a chunked body
    interim: list["Response"] = field(default_factory=list)  # the 1xx before it
    version: str = "1.1"
    to_the_end: bool = False  # the body had no framing but the end of the connection

    def get(self, name: str) -> str | None:
        """The one value of a field, None without it; more than one is an error."""
        values = self.get_all(name)
        assert len(values) < 2, f"{name} is repeated: {values}"
        return values[0] if values else None

    def get_all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key.lower() == name.lower()]

    @property
    def closes(self) -> bool:
        words = [word.strip().lower() for word in ",".join(self.get_all("connection")).split(",")]
        return "close" in words or self.to_the_end or (self.version == "1.0" and "keep-alive" not in words)


class Client:
    """One connection."""

    def __init__(
        self,
        address: Address,
        receive_buffer: int | None = None,
        source: str | None = None,
        seconds: float = DEADLINE_S,
        lenient: bool = False,
    ) -> None:
        family = (
            socket.AF_UNIX if isinstance(address, str) else socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        )
        self.sock = socket.socket(family, socket.SOCK_STREAM)
        self.unix = family == socket.AF_UNIX
        self.seconds = seconds
        self.lenient = lenient  # an end that is not announced may frame a body (RFC 9112, 6.3)
        self.sock.settimeout(seconds)
        if receive_buffer is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source is not None:
            self.sock.bind((source, 0))
        self.buffer = b""
        try:
            self.sock.connect(address)
        except BaseException:
            self.sock.close()
            raise
        if not self.unix:
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self.sock.close()

    def reset(self) -> None:
        """Closes with a RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    # ---- out

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def get(self, path: str = "/", *lines: str) -> Response:
        """One GET and its answer."""
        self.send(request("GET", path, *lines))
        return self.read()

    def send_pieces(self, pieces: Sequence[bytes]) -> None:
        """Each piece only after the server has taken the one before it, or has something to say."""
        send_in_step([self], [pieces])

    def try_send(self, data: bytes) -> None:
        """Sends to a server that may have closed already: what it said is still to be read."""
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return

    def wait_taken(self) -> None:
        """Until the server has read all that was sent. Only a unix socket tells; TCP tells what the kernel has."""
        end = time.monotonic() + self.seconds
        while self.unread() > 0 and not self.readable(0):
            assert time.monotonic() < end, "the server does not read"
            os.sched_yield()

    def unread(self) -> int:
        answer = fcntl.ioctl(self.sock.fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
        return int(struct.unpack("i", answer)[0])

    def end_input(self) -> None:
        """Half-closes: nothing more will be sent."""
        self.sock.shutdown(socket.SHUT_WR)

    # ---- in

    def readable(self, seconds: float) -> bool:
        if self.buffer:
            return True
        poll = select.poll()  # not select(): descriptors above 1023
        poll.register(self.sock, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def more(self) -> None:
        part = self.sock.recv(65536)
        if not part:
            raise Closed(f"after {self.buffer[-200:]!r}")
        self.buffer += part

    def take(self, count: int) -> bytes:
        if len(self.buffer) < count:
            parts, have = [self.buffer], len(self.buffer)
            while have < count:
                part = self.sock.recv(min(1 << 20, count - have))
                if not part:
                    self.buffer = b"".join(parts)
                    raise Closed(f"{count - have} of {count} bytes of a body are missing")
                parts.append(part)
                have += len(part)
            self.buffer = b"".join(parts)
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def line(self) -> bytes:
        """A line without its CRLF; a bare LF or CR is an error."""
        while b"\r\n" not in self.buffer:
            self.more()
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        assert b"\n" not in line, f"bare LF in {line!r}"
        assert b"\r" not in line, f"bare CR in {line!r}"
        return line

    def read(self, method: str = "GET") -> Response:
        """The next final answer, to a request of that method."""
        interim = []
        while True:
            response = self.read_head()
            if response.status >= 200 or response.status == 101:
                break
            assert not response.get_all("content-length"), "RFC 9110, 8.6: no Content-Length in 1xx"
            assert not response.get_all("transfer-encoding"), "RFC 9112, 6.1: no Transfer-Encoding in 1xx"
            interim.append(response)
        response.interim = interim
        self.read_body(response, method)
        return response

    def read_head(self) -> Response:
        matched = STATUS_LINE.fullmatch(line := self.line())
        assert matched, f"status line: {line!r}"
        fields = []
        while line := self.line():
            found = FIELD_LINE.fullmatch(line)
            assert found, f"field line: {line!r}"
            fields.append((found[1].decode("latin-1"), found[2].decode("latin-1")))
        return Response(int(matched[2]), matched[3].decode("latin-1"), fields, version=matched[1].decode())

    def read_body(self, response: Response, method: str) -> None:
        length, coding = response.get("content-length"), response.get("transfer-encoding")
        assert length is None or coding is None, "RFC 9112, 6.2: two framings"
        assert length is None or re.fullmatch("[0-9]+", length), f"Content-Length: {length}"
        if method == "HEAD" or response.status in (101, 304):
            return
        if response.status == 204:
            assert length is None, "RFC 9110, 8.6: no Content-Length in 204"
            assert coding is None, "RFC 9112, 6.1: no Transfer-Encoding in 204"
        elif coding is not None:
            assert coding.lower() == "chunked", coding
            self.read_chunks(response)
        elif length is not None:
            response.body = self.take(int(length))
        else:
            assert response.closes or self.lenient, "a body without framing on a connection that goes on"
            response.to_the_end = True
            response.body = self.read_to_end()

    def read_chunks(self, response: Response) -> None:
        while chunk := self.read_chunk():
            response.chunks.append(chunk)
        assert self.line() == b"", "trailers that nobody asked for"
        response.body = b"".join(response.chunks)

    def read_chunk(self) -> bytes:
        """One chunk; b"" is the last one, whose empty line is not taken yet."""
        head = CHUNK_HEAD.fullmatch(line := self.line())
        assert head, f"chunk head: {line!r}"
        size = int(head[1], 16)
        if size == 0:
            return b""
        chunk = self.take(size + 2)
        assert chunk.endswith(b"\r\n"), "chunk without CRLF"
        return chunk[:-2]

    def read_to_end(self) -> bytes:
        """All bytes up to an orderly end of the connection."""
        parts = [self.buffer]
        self.buffer = b""
        while part := self.sock.recv(1 << 20):
            parts.append(part)
        return b"".join(parts)

    def expect_end(self) -> None:
        """The server has closed, in order (no reset), and has said nothing more."""
        rest = self.read_to_end()
        assert rest == b"", f"more than expected: {rest[:300]!r}"

    def expect_closed(self) -> None:
        """The server has closed, in order or by a reset, and has said nothing more."""
        try:
            self.expect_end()
        except ConnectionResetError:
            return

    def responses_to_end(self, methods: Sequence[str] = ()) -> list[Response]:
        """Every answer until the server closes."""
        found: list[Response] = []
        while True:
            try:
                if not self.buffer:
                    self.more()
            except (Closed, ConnectionResetError):
                return found
            found.append(self.read(methods[len(found)] if len(found) < len(methods) else "GET"))


def request(method: str, target: str, *lines: str, body: bytes | None = None, version: str = "HTTP/1.1") -> bytes:
    """A request with a Host field. Example: `request("POST", "/x", body=b"hi")` has its Content-Length."""
    if not any(line.lower().startswith("host:") for line in lines):
        lines = ("Host: test", *lines)
    if body is not None:
        lines = (*lines, f"Content-Length: {len(body)}")
    head = "".join(f"{line}\r\n" for line in (f"{method} {target} {version}", *lines, ""))
    return head.encode("latin-1") + (body or b"")


def refuses(address: Address) -> bool:
    """Nobody listens there."""
    try:
        with Client(address, seconds=5):
            return False
    except ConnectionRefusedError:
        return True


def send_in_step(clients: Sequence[Client], pieces: Sequence[Sequence[bytes]]) -> None:
    """Sends the first piece on every connection, and once the server has taken it the second, and so on."""
    for number in range(max(map(len, pieces))):
        sending = [(client, mine[number]) for client, mine in zip(clients, pieces, strict=True) if number < len(mine)]
        for client, piece in sending:
            client.try_send(piece)
        for client, _ in sending:
            client.wait_taken()


def chunked(*chunks: bytes) -> bytes:
    """A chunked body."""
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in (*chunks, b"") if chunk) + b"0\r\n\r\n"


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """The data in two pieces, in every way."""
    for at in range(1, len(data)):
        yield [data[:at], data[at:]]


def single_bytes(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]
