"""The servers of the wire tests: one inline, one with four threads, each on TCP and on a unix socket."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.gate import Gate
from tests.support.server import Address, Server, address_of

MODES = ("inline", "threads")
FLAGS = {"inline": (), "threads": ("--threads", "4")}


@dataclass
class Target:
    """A server that all tests of one mode share: they must not stop it, nor need it for themselves."""

    mode: str
    server: Server
    tcp: Address
    unix: Address  # tells when the server has read what was sent (wire.Client.wait_taken)
    gate: Gate


@pytest.fixture(scope="session")
def targets() -> Iterator[dict[str, Target]]:
    with ExitStack() as stack:
        found = {}
        for mode in MODES:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lanner-wire-")))
            gate = Gate(directory)
            stack.callback(gate.close)
            unix = str(directory / "socket")
            server = stack.enter_context(
                Server("wsgi_apps:app", *FLAGS[mode], "--bind", f"127.0.0.1:0,unix:{unix}", port=False, env=gate.env)
            )
            found[mode] = Target(mode, server, address_of(server.urls[0]), unix, gate)
        yield found
        for target in found.values():
            assert target.server.process.poll() is None, f"the server died:\n{target.server.err.text}"


@pytest.fixture(params=MODES)
def target(request: pytest.FixtureRequest, targets: dict[str, Target]) -> Iterator[Target]:
    found = targets[request.param]
    yield found
    assert found.server.process.poll() is None, f"the server died:\n{found.server.err.text}"
