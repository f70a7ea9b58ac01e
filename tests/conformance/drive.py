"""What an app case is given: a server that runs a suite application, and short ways to talk to it.

def close_once(drive):
    id = drive.id()
    drive.get(f"/blocks?id={id}&blocks=one")
    drive.expect(drive.events(id, "closed") == ["closed"], "close() was called once")
"""

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.case import Wrong
from tests.conformance.servers import Mode, Running, free_port
from tests.support.wire import Address, Client, Closed, Response, request

IDS = itertools.count(1)


class Drive:
    """One server under test."""

    def __init__(self, mode: Mode, address: Address, gates: Path, seconds: float) -> None:
        self.mode, self.address, self.gates, self.seconds = mode, address, gates, seconds

    @property
    def strict(self) -> bool:
        """Lanner is held to its own promises too: exceptions of a clear type."""
        return self.mode.server == "lanner"

    def client(self) -> Client:
        return Client(self.address, seconds=self.seconds, lenient=not self.strict)

    def get(self, path: str, *lines: str, method: str = "GET", body: bytes | None = None) -> Response:
        """One request on a connection of its own."""
        with self.client() as client:
            client.send(request(method, path, *lines, body=body))
            return client.read(method)

    def tell(self, path: str, *lines: str, method: str = "GET", body: bytes | None = None) -> Any:
        """The JSON of a 200."""
        response = self.get(path, *lines, method=method, body=body)
        expect(response.status == 200, f"{response.status} in place of 200")
        return json.loads(response.body)

    def id(self) -> str:
        """A new id to note events under."""
        return f"n{next(IDS)}"

    def events(self, id: str, *until: str, count: int = 0) -> list[str]:
        """What was noted, once it has one of `until` (by its beginning) or so many, or the time is over."""
        end = time.monotonic() + self.seconds
        while True:
            found: list[str] = self.tell(f"/events?id={id}")
            done = len(found) >= count if count or not until else any(event.startswith(until) for event in found)
            if done or time.monotonic() > end:
                return found
            time.sleep(0.01)

    def open(self, id: str, number: int = 1) -> None:
        """Lets a request of that id pass its gate."""
        if self.mode.interface == "wsgi":
            (self.gates / f"{id}.{number}").touch()
        else:
            self.get(f"/open?id={id}")

    def alive(self) -> None:
        """It serves on."""
        response = self.get("/hello")
        expect(response.body == b"hello", f"afterwards it answers {response.status}")

    def cut(self, path: str, *lines: str) -> tuple[Response | None, bytes]:
        """An answer that must not look whole: its head if there is one, and the body that came.

        Wrong if it ends as a complete answer of 200 would.
        """
        with self.client() as client:
            client.send(request("GET", path, *lines))
            try:
                head = client.read_head()
            except (Closed, ConnectionResetError):
                return None, b""
            body = self.broken_body(client, head)
        return head, body

    def broken_body(self, client: Client, head: Response) -> bytes:
        if head.status >= 500:
            client.read_body(head, "GET")
            return head.body
        try:
            client.read_body(head, "GET")
        except TimeoutError:
            raise Wrong("the answer neither goes on nor ends") from None
        except (Closed, ConnectionResetError):
            return b"".join(head.chunks)
        framed = head.get("content-length") is not None or head.get("transfer-encoding") is not None
        expect(not framed, "the answer looks whole")
        return head.body

    @contextmanager
    def started(self, app: str, notes: Path) -> Iterator[Running]:
        """Another server of this kind, that runs an application of lifespan_suite; ready or ended."""
        with Running(
            self.mode, f"lifespan_suite:{app}", free_port(), {"SUITE_NOTES": str(notes)}, ready=False
        ) as server:
            server.wait_listening()
            yield server


def expect(condition: object, seen: str) -> None:
    """Wrong, with what was seen, unless the condition holds."""
    if not condition:
        raise Wrong(seen)


def same(got: object, wanted: object, what: str = "") -> None:
    expect(got == wanted, f"{what}{' ' if what else ''}{shown(got)} in place of {shown(wanted)}")


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
