"""What `lanner.asgi` does around the engine, in small."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from lanner import _core
from lanner.asgi import serve as asgi_serve
from lanner.asgi.driver import Driver, loop_factory
from lanner.asgi.executor import set_executor
from lanner.errors import ConfigError
from lanner.loop import EngineLoop


def test_uvloop_that_is_missing_is_a_wrong_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(ConfigError, match="uvloop is not installed; pip install uvloop, or --loop asyncio"):
        loop_factory("uvloop")


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_threads_size_the_default_executor(threads: int | None) -> None:
    async def main() -> object:
        loop = asyncio.get_running_loop()
        set_executor(loop, threads)
        return getattr(loop, "_default_executor", None)

    made = asyncio.run(main())
    assert isinstance(made, ThreadPoolExecutor)
    assert made._max_workers == (3 if threads == 3 else ThreadPoolExecutor()._max_workers)


def test_only_tasks_of_requests_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_serve, "CANCELLED_S", 0.05)

    async def main() -> tuple[bool, bool, bool]:
        request = asyncio.create_task(asyncio.sleep(0.01), name="lanner request")
        other = asyncio.create_task(asyncio.sleep(3600), name="other")
        stuck = asyncio.create_task(asyncio.sleep(3600), name="lanner request")
        found = (
            await asgi_serve.let_end({request, other}),
            await asgi_serve.let_end({stuck}),
            await asgi_serve.let_end(set()),
        )
        for task in (other, stuck):
            task.cancel()
        return found

    assert asyncio.run(main()) == (True, False, True)


def test_engine_loop_drives_itself() -> None:
    async def main() -> None:
        driver = Driver(asyncio.get_running_loop())
        assert (driver.foreign, driver.start()) == (False, None)
        driver.stop()

    with asyncio.Runner(loop_factory=EngineLoop) as runner:
        runner.run(main())


def test_another_loop_is_given_turns_until_it_stops() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        driver = Driver(loop)
        assert driver.foreign
        wants_turn = driver.start()
        assert wants_turn is not None
        wants_turn()
        await asyncio.sleep(0)
        driver.stop()
        assert not loop.remove_reader(driver.poller.fileno())

    asyncio.run(main())


def serve_options(**options: object) -> _core.Server:
    import socket

    async def app(scope: object, receive: object, send: object) -> None: ...

    with socket.create_server(("127.0.0.1", 0)) as listener:
        loop = EngineLoop()
        try:
            return _core.Server(app, [listener.fileno()], dict(options), loop.poller, loop)
        finally:
            loop.close()


def test_the_engine_refuses_what_it_does_not_know() -> None:
    with pytest.raises(TypeError, match="nonsense"):
        serve_options(nonsense=1)
    with pytest.raises((TypeError, ValueError), match="root_path"):
        serve_options(root_path=5)


def test_the_engine_takes_a_poller_of_its_own_kind_only() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(TypeError, match="Poller"):
        _core.Server(print, [listener.fileno()], {}, object(), asyncio)  # type: ignore[arg-type]
