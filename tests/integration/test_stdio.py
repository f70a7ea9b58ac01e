"""Servers that are started with stdin, stdout or stderr closed: those numbers are /dev/null, and nothing else's."""

import os
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path

import pytest

from tests.support.server import Server, until
from tests.support.wire import Client, refuses

APP = """
import os, sys
print("imported", flush=True)

def app(environ, start_response):
    print("served", flush=True)
    print("an error", file=sys.stderr, flush=True)
    environ["wsgi.errors"].write("an error of the application\\n")
    sys.stdin.read()
    kinds = ",".join(os.readlink(f"/proc/self/fd/{number}") for number in (0, 1, 2))
    start_response("200 OK", [("Content-Length", str(len(kinds)))])
    return [kinds.encode()]
"""
CLOSED = [closed for count in (1, 2, 3) for closed in combinations((0, 1, 2), count)]
WORKERS = [pytest.param((), id="single"), pytest.param(("--workers", "2"), id="workers")]


def closing(numbers: Iterable[int]) -> Callable[[], None]:
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize("flags", WORKERS)
@pytest.mark.parametrize("closed", CLOSED, ids=["".join(map(str, closed)) for closed in CLOSED])
def test_what_was_closed_is_dev_null(tmp_path: Path, closed: tuple[int, ...], flags: tuple[str, ...]) -> None:
    (tmp_path / "shop.py").write_text(APP)
    path = tmp_path / "socket"
    place = ("--uds", str(path), "--access-log", *flags)
    with Server("shop:app", *place, cwd=tmp_path, port=False, ready=False, preexec_fn=closing(closed)) as server:
        until(lambda: path.exists() and not refuses(str(path)), "it serves")
        for _ in range(4):
            with Client(str(path)) as client:
                response = client.get("/")
            assert response.status == 200
            kinds = response.body.decode().split(",")
            assert [kinds[number] for number in closed] == ["/dev/null"] * len(closed)
            assert not any(kind.startswith(("socket:", "/memfd:", "anon_inode:")) for kind in kinds)
        assert server.stop() == 0
        server.all_gone()
