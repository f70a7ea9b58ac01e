"""A client that is gone when the application's first step sends: one rule for every message, and no memory error."""

import itertools
import socket
import struct
from pathlib import Path

import pytest
from asgi_ledger import noted
from server_process import ServerProcess, wait_until
from wire_client import request

pytest_plugins = ["asgi_fixtures"]
APP = "asgi_faulty:app"
GONE = ["http.disconnect"] * 3


@pytest.mark.parametrize("what", ["hint", "hints", "body", "whole"])
def test_what_follows_is_a_disconnect(asgi: ServerProcess, place: str, tmp_path: Path, what: str) -> None:
    since = asgi.position()
    began, until = tmp_path / "began", tmp_path / "until"
    client = socket.create_connection(asgi.address)
    client.sendall(request(f"/gone?id={place}&what={what}&began={began}&until={until}"))
    wait_until(began.exists, "the application runs")
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()  # a reset
    until.touch()
    wait_until(lambda: noted(asgi, place)[-3:] == GONE, "the application has been told")
    assert set(itertools.takewhile(lambda event: event != GONE[0], noted(asgi, place))) <= {"ConnectionResetError"}
    assert "MemoryError" not in asgi.output(since)
    assert "app.error" not in asgi.output(since)
