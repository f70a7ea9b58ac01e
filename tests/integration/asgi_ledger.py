"""What an application behind asgi_dispatch notes while a test looks, and the gate that it waits at."""

import itertools
import json
from typing import Any

from server_process import ServerProcess, wait_until
from wire_client import fetch

_marks = itertools.count()


def noted(server: ServerProcess, place: str) -> list[Any]:
    """What the application noted there up to now."""
    found: list[Any] = json.loads(server.get(f"/ledger?id={place}"))
    return found


def events(server: ServerProcess, place: str, count: int = 1) -> list[Any]:
    """The same, once there is that much."""
    wait_until(lambda: len(noted(server, place)) >= count, f"{count} events of {place}")
    return noted(server, place)


def wait_for_event(server: ServerProcess, place: str, event: object) -> list[Any]:
    """The same, once that event is there."""
    wait_until(lambda: event in noted(server, place), f"{event!r} noted by {place}")
    return noted(server, place)


def release(server: ServerProcess, place: str) -> None:
    """Lets what waits at the gate of that place go on."""
    server.get(f"/release?id={place}")


def log_since(server: ServerProcess, since: int) -> str:
    """What it has written since then, with all that was to be logged up to now."""
    mark = f"/silent?mark={next(_marks)}"
    assert fetch(server.address, mark).status == 500
    return server.wait_for_output(mark, since).partition(mark)[0].rpartition("\n")[0]
