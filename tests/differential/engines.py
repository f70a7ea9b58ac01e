"""What three HTTP/1 engines make of the same bytes: ours (http1::Session), h11, and llhttp (through httptools).

Each reads the bytes in the same pieces as a server that answers every request at once, and gives an Outcome.
"""

import itertools
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import h11
import httptools

Cuts = Sequence[int]

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/fuzz/fuzz/lanner_session_events"
INCOMPLETE_MAX = 1 << 20  # bytes of a head that h11 keeps


@dataclass
class Message:
    """One request. `fields`: names in lower case, values without blanks around; `start`: ours only."""

    method: bytes = b""
    target: bytes = b""
    minor: int = 1  # of the HTTP version; what is not 1.0 counts as 1.1
    fields: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    keep_alive: bool = True
    complete: bool = False  # the body, too
    start: int = 0  # offset of its first byte


@dataclass
class Outcome:
    """`end`: waits (for more bytes), refused (the bytes are wrong), closed (by the last request's wish), upgraded."""

    messages: list[Message] = field(default_factory=list)
    end: str = "waits"
    reason: str = ""  # of a refusal
    at: int = -1  # offset of the offending byte, or of the first one not used: ours only
    start: int = 0  # offset of the request that was refused, or that is waited for: ours only


def pieces(wire: bytes, cuts: Cuts) -> list[bytes]:
    edges = [0, *cuts, len(wire)]
    return [wire[begin:end] for begin, end in itertools.pairwise(edges)]


def unescape(text: bytes) -> bytes:
    return text.decode("unicode_escape").encode("latin-1") if b"\\" in text else text


class Ours:
    """http1::Session, in a process of its own. Example: `Ours().run([(b"GET / HTTP/1.1\\r\\n\\r\\n", [])])`."""

    def __init__(self, program: Path = PROGRAM) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, wire: bytes, cuts: Cuts) -> Outcome:
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the process has no pipes")
        stdin.write(" ".join(map(str, [len(wire), *cuts])).encode() + b"\n" + wire)
        stdin.flush()
        outcome = Outcome()
        for line in stdout:
            word, *rest = line.split()
            if word == b".":
                if outcome.end != "refused":
                    outcome.at = outcome.start = int(rest[0])
                return outcome
            self.take(outcome, word, [unescape(one) for one in rest])
        raise RuntimeError(
            f"{self.process.args!r} has died, exit code {self.process.wait()}, of {wire!r}, cut at {cuts}"
        )

    def take(self, outcome: Outcome, word: bytes, rest: list[bytes]) -> None:
        if word == b"head":
            message = Message(rest[1], rest[4], int(rest[2]), keep_alive=rest[3] == b"1", start=int(rest[0]))
            outcome.messages.append(message)
        elif word == b"field":
            value = rest[1] if len(rest) > 1 else b""
            outcome.messages[-1].fields.append((rest[0].lower(), value))
        elif word == b"body":
            outcome.messages[-1].body += rest[0]
        elif word == b"end":
            outcome.messages[-1].complete = True
            if not outcome.messages[-1].keep_alive:
                outcome.end = "closed"
        elif word == b"error":
            outcome.end, outcome.reason = "refused", rest[0].decode()
            outcome.at, outcome.start = int(rest[1]), int(rest[2])

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.communicate()


class H11:
    """h11's server side."""

    def run(self, wire: bytes, cuts: Cuts) -> Outcome:
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=INCOMPLETE_MAX)
        outcome = Outcome()
        for piece in pieces(wire, cuts):
            if not piece:  # would be the end of the stream
                continue
            connection.receive_data(piece)
            try:
                while outcome.end == "waits" and self.step(connection, outcome):
                    pass
            except h11.RemoteProtocolError as error:
                outcome.end, outcome.reason = "refused", str(error)
            except ValueError as error:  # int() of thousands of digits
                outcome.end, outcome.reason = "refused", f"ValueError: {error}"
        return outcome

    def step(self, connection: h11.Connection, outcome: Outcome) -> bool:
        event = connection.next_event()
        if isinstance(event, h11.Request):
            minor = 0 if event.http_version == b"1.0" else 1
            fields = [(bytes(name), bytes(value)) for name, value in event.headers]
            outcome.messages.append(Message(bytes(event.method), bytes(event.target), minor, fields))
            return True
        if isinstance(event, h11.Data):
            outcome.messages[-1].body += bytes(event.data)
            return True
        if isinstance(event, h11.EndOfMessage):
            outcome.messages[-1].complete = True
            # No 2xx: that would accept a CONNECT.
            connection.send(h11.Response(status_code=404, headers=[("content-length", "0")]))
            connection.send(h11.EndOfMessage())
            if connection.our_state is h11.DONE:
                connection.start_next_cycle()
                return True
            outcome.messages[-1].keep_alive = False
            outcome.end = "closed"
        return False


class Llhttp:
    """llhttp, strict as it is by default, through httptools."""

    def run(self, wire: bytes, cuts: Cuts) -> Outcome:
        watcher = _LlhttpWatcher()
        outcome = watcher.outcome
        for piece in pieces(wire, cuts):
            if not piece or outcome.end != "waits":
                continue
            try:
                watcher.parser.feed_data(piece)
            except httptools.HttpParserUpgrade:
                outcome.end = "upgraded"
            except httptools.HttpParserError as error:
                if outcome.end == "waits":
                    outcome.end, outcome.reason = "refused", str(error)
        return outcome


class _LlhttpWatcher:
    """Takes the callbacks of one connection."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self.parser = httptools.HttpRequestParser(self)
        self.message = Message()
        self.in_head = True

    def on_message_begin(self) -> None:
        self.message, self.in_head = Message(), True

    def on_url(self, url: bytes) -> None:
        self.message.target += url

    def on_header(self, name: bytes, value: bytes | None) -> None:
        if self.in_head:  # else it is a trailer
            self.message.fields.append((name.lower(), (value or b"").strip(b" \t")))

    def on_headers_complete(self) -> None:
        self.in_head = False
        self.message.method = self.parser.get_method()
        self.message.minor = 0 if self.parser.get_http_version() == "1.0" else 1
        if self.outcome.end == "waits":
            self.outcome.messages.append(self.message)

    def on_body(self, body: bytes) -> None:
        self.message.body += body

    def on_message_complete(self) -> None:
        if self.outcome.end != "waits":
            return
        self.message.complete = True
        self.message.keep_alive = self.parser.should_keep_alive()
        if not self.message.keep_alive:
            self.outcome.end = "closed"
