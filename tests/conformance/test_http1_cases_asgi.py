"""The raw cases of test_http1_cases.py and the exchanges of test_wire.py, served by an ASGI application.

On both loops, answered at once and after a few turns; whole, byte by byte, and cut at each byte.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conformance.conftest import Target
from tests.conformance.test_http1_cases import failures, short
from tests.conformance.test_wire import EXCHANGES, Exchange, check
from tests.support.gate import Gate
from tests.support.server import Server, address_of
from tests.support.wire import Client, cuts, send_in_step, single_bytes

TOGETHER = 100


@pytest.fixture(scope="module", params=["auto 0", "auto 3", "uvloop 0", "uvloop 3"])
def asgi_target(request: pytest.FixtureRequest) -> Iterator[Target]:
    loop, turns = request.param.split()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lanner-wire-")))
        gate = Gate(directory)
        stack.callback(gate.close)
        unix = str(directory / "socket")
        flags = ("--loop", loop, "--bind", f"127.0.0.1:0,unix:{unix}")
        server = stack.enter_context(Server("asgi_apps:app", *flags, port=False, env={"TURNS": turns}))
        yield Target("inline", server, address_of(server.urls[0]), unix, gate)
        assert server.process.poll() is None, f"the server died:\n{server.err.text}"


def test_each_case_whole(asgi_target: Target) -> None:
    assert failures(asgi_target, lambda data: [[data]]) == []


def test_each_case_byte_by_byte(asgi_target: Target) -> None:
    assert failures(asgi_target, short(lambda data: [single_bytes(data)])) == []


def test_each_case_cut_at_each_byte(asgi_target: Target) -> None:
    assert failures(asgi_target, short(cuts)) == []


@pytest.mark.parametrize("exchange", EXCHANGES, ids=[exchange.name for exchange in EXCHANGES])
def test_exchange(exchange: Exchange, asgi_target: Target) -> None:
    ways = [[exchange.wire], single_bytes(exchange.wire), *cuts(exchange.wire)]
    wrong = []
    for at in range(0, len(ways), TOGETHER):
        with ExitStack() as stack:
            group = ways[at : at + TOGETHER]
            clients = [stack.enter_context(Client(asgi_target.unix)) for _ in group]
            send_in_step(clients, group)
            found = [check(client, exchange) for client in clients]
        wrong += [(way, what) for way, what in zip(group, found, strict=True) if what]
    assert wrong == []
