"""What the integration tests share: server processes, kept while tests use them, each of them in both modes."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("asgi_fixtures", "framework_checks", "server_process", "wire_client")

from framework_checks import Large  # noqa: E402  after the line above
from server_process import ServerProcess  # noqa: E402

MODES = {"inline": 1, "threads": 4}

_used: dict[ServerProcess, int] = {}  # by the test that runs, and where in their output it began


def pytest_runtest_setup() -> None:
    _used.clear()


@pytest.fixture(scope="session", params=list(MODES))
def threads(request: pytest.FixtureRequest) -> int:
    """1: applications run on the loop thread. 4: on threads of their own. Every WSGI behaviour holds in both."""
    return MODES[request.param]


Serve = Callable[..., ServerProcess]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a server for this test only: serve("responses:app", "--threads", "4")."""
    servers: list[ServerProcess] = []

    def start(target: str, *arguments: str, **options: object) -> ServerProcess:
        log = tmp_path / f"server-{len(servers)}.log"
        server = ServerProcess(target, *arguments, log=log, **options)  # type: ignore[arg-type]
        servers.append(server)
        _used[server] = 0
        return server

    yield start
    for server in servers:
        server.close()


class Pool:
    """Servers that many tests share. One that has died is replaced, and fails the test that it died in."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.servers: dict[tuple[str, ...], ServerProcess] = {}
        self.numbers = itertools.count()

    def take(self, *command: str) -> ServerProcess:
        """Example: `pool.take("responses:app", "--threads", "4")`."""
        server = self.servers.get(command)
        if server and server.discarded:
            server.close()
        if server is None or not server.alive:
            server = ServerProcess(*command, log=self.directory / f"{next(self.numbers)}.log")
            self.servers[command] = server
        _used[server] = server.position()
        return server

    def close(self) -> None:
        for server in self.servers.values():
            server.close()


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    shared = Pool(tmp_path_factory.mktemp("servers"))
    yield shared
    shared.close()


@pytest.fixture
def server(request: pytest.FixtureRequest, pool: Pool, threads: int) -> Iterator[ServerProcess]:
    """The server of the module's APP with its FLAGS, in both modes; it must outlive the test."""
    flags = getattr(request.module, "FLAGS", ())
    taken = pool.take(request.module.APP, "--threads", str(threads), *flags)
    yield taken
    assert taken.alive or taken.discarded, f"the server died: exit code {taken.process.returncode}"


@pytest.fixture(scope="session", autouse=True)
def large(tmp_path_factory: pytest.TempPathFactory) -> Large:
    """A file of 50 MB; the sites offer it for download (their environment has its path)."""
    made = Large(tmp_path_factory.mktemp("large") / "large.bin")
    os.environ["DOWNLOAD"] = str(made.path)
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that fails shows what the servers wrote meanwhile, and leaves none of them to the next test."""
    report = yield
    if report.failed:
        for used, since in _used.items():
            used.discard()
            output = used.output(since)
            if len(output) > 8000:
                output = output[:4000] + "\n[...]\n" + output[-4000:]
            report.sections.append((f"server {used.pid}, its output", output))
    return report
