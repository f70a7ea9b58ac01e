"""Real clients and all that asyncio offers, on Lanner's loop: inside handlers, and without a server."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from server_process import ServerProcess
from wire_client import fetch

from tests.support import services
from tests.support.loop_clients import CHECKS
from tests.support.server import APPS, PATH, environment


@pytest.fixture(scope="module")
def places() -> Iterator[dict[str, str]]:
    """PostgreSQL and Redis, as environment variables."""
    with contextlib.ExitStack() as stack:
        try:
            found = {
                "TEST_POSTGRES": stack.enter_context(services.postgres()),
                "TEST_REDIS": stack.enter_context(services.redis()),
            }
        except services.ServiceMissing as error:
            pytest.skip(str(error))
        yield found


@pytest.fixture(scope="module", params=["lanner", "asyncio"])
def server(
    request: pytest.FixtureRequest, places: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    log = tmp_path_factory.mktemp("clients") / "log"
    flags = ("--loop", request.param, "--lifespan", "off")
    served = ServerProcess("loop_clients:app", *flags, log=log, app_dir=APPS, env=places)
    yield served
    served.close()


@pytest.mark.parametrize("name", CHECKS)
def test_works_inside_a_handler(server: ServerProcess, name: str) -> None:
    since = server.position()
    for _ in range(2):
        assert fetch(server.address, f"/{name}").body.decode() == "ok"
    assert server.output(since) == ""


def test_all_work_at_a_time_inside_handlers(server: ServerProcess) -> None:
    found: dict[str, str] = {}

    def ask(name: str) -> None:
        found[name] = fetch(server.address, f"/{name}").body.decode()

    threads = [threading.Thread(target=ask, args=(name,)) for name in CHECKS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == dict.fromkeys(CHECKS, "ok")


@pytest.mark.parametrize("debug", ["", "1"])
def test_works_without_a_server(places: dict[str, str], debug: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(APPS / "loop_clients.py")],
        env=environment({"PYTHONPATH": PATH, "PYTHONASYNCIODEBUG": debug, **places}),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout.splitlines() == [f"{name} ok" for name in CHECKS]
    assert (done.stderr, done.returncode) == ("", 0)
