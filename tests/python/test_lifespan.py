"""The lifespan of an application, without any server."""

import asyncio
import warnings
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from lanner.asgi import lifespan
from lanner.asgi.lifespan import Lifespan, last_line
from lanner.errors import AppError

Body = Callable[[dict[str, Any], Any, Any], Coroutine[Any, Any, None]]


def run(
    body: Body, mode: str = "auto", then: Callable[[Lifespan], Coroutine[Any, Any, None]] | None = None
) -> Lifespan:
    """Starts and ends the lifespan of an application; `then` runs in between."""
    unhandled: list[dict[str, Any]] = []

    async def main() -> Lifespan:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: unhandled.append(context))
        life = Lifespan(body, mode, "shop:app")
        await life.startup()
        if then is not None:
            await then(life)
        await life.shutdown()
        return life

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return asyncio.run(main())
        finally:
            assert unhandled == []


def answers(
    startup: dict[str, Any] | None, shutdown: dict[str, Any] | None = None, seen: list[Any] | None = None
) -> Body:
    """An application that answers so."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        for answer in (startup, shutdown):
            message = await receive()
            if seen is not None:
                seen.append(message)
            if answer is None:
                return
            await send(answer)
            if answer["type"] == "lifespan.startup.failed":
                return

    return app


COMPLETE = {"type": "lifespan.startup.complete"}
ENDED = {"type": "lifespan.shutdown.complete"}


def test_both_events_in_their_order() -> None:
    seen: list[Any] = []
    life = run(answers(COMPLETE, ENDED, seen), "on")
    assert seen == [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    assert life.supported


def test_state_is_what_the_application_put_there() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope["state"]["key"] = 1
        await receive()
        await send(COMPLETE)
        await receive()
        await send(ENDED)

    async def check(life: Lifespan) -> None:
        assert life.state == {"key": 1}

    run(app, "on", check)


def test_off_calls_nobody() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        raise AssertionError("called")

    assert run(app, "off").supported is False


async def raises(scope: dict[str, Any], receive: Any, send: Any) -> None:
    raise ValueError("no such protocol")


@pytest.mark.parametrize("app", [raises, answers(None)])
def test_auto_goes_on_without(app: Body) -> None:
    assert run(app).supported is False


@pytest.mark.parametrize(
    ("app", "says"),
    [
        (raises, "shop:app: its lifespan raised ValueError: no such protocol (--lifespan on)"),
        (answers(None), "shop:app: the application ended its lifespan without an answer (--lifespan on)"),
    ],
)
def test_on_insists(app: Body, says: str) -> None:
    with pytest.raises(AppError) as caught:
        run(app, "on")
    assert (str(caught.value), caught.value.exit_code) == (says, 3)
    assert ("no such protocol" in caught.value.report) == (app is raises)
    assert "lifespan.py" not in caught.value.report.replace("test_lifespan.py", "")


@pytest.mark.parametrize("mode", ["auto", "on"])
@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("no database", "no database"),
        ("Traceback\n  File x\nKeyError: 'x'\n", "KeyError: 'x'"),
        ("", "see its lifespan handler"),
        (None, "see its lifespan handler"),
    ],
)
def test_a_failed_startup(mode: str, message: str | None, says: str) -> None:
    answer = {"type": "lifespan.startup.failed"} | ({} if message is None else {"message": message})
    with pytest.raises(AppError) as caught:
        run(answers(answer), mode)
    assert str(caught.value) == f"shop:app: the application could not start: {says}"
    assert caught.value.exit_code == 3


def test_an_exception_after_a_failed_startup_is_not_told_twice() -> None:
    """As Starlette does it: sends its traceback, then raises."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})
        raise KeyError("no database")

    with pytest.raises(AppError, match="no database"):
        run(app)


@pytest.mark.parametrize("message", ["the queue did not empty", ""])
def test_a_failed_shutdown_is_exit_code_1(message: str) -> None:
    with pytest.raises(AppError) as caught:
        run(answers(COMPLETE, {"type": "lifespan.shutdown.failed", "message": message}))
    assert caught.value.exit_code == 1
    assert (message or "see its lifespan handler") in str(caught.value)


def test_an_exception_at_the_shutdown_is_exit_code_1() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await send(COMPLETE)
        await receive()
        raise LookupError("the queue did not empty")

    with pytest.raises(AppError, match="LookupError: the queue did not empty") as caught:
        run(app)
    assert caught.value.exit_code == 1
    assert "in app" in caught.value.report


def test_a_lifespan_that_returned_early_has_nothing_to_shut_down() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await send(COMPLETE)

    async def wait(life: Lifespan) -> None:
        await asyncio.sleep(0)

    assert run(app, "on", wait).supported


@pytest.mark.parametrize(
    "message",
    [
        {"type": "lifespan.startup"},
        {"type": "lifespan.shutdown.complete"},
        {"type": "lifespan.shutdown.failed"},
        {"type": "http.response.start"},
        {"type": None},
        {},
    ],
)
def test_a_wrong_answer_raises_in_the_application(message: dict[str, Any]) -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        with pytest.raises(RuntimeError, match=r"lifespan\.startup\.complete"):
            await send(message)
        await send(COMPLETE)
        with pytest.raises(RuntimeError, match="answered already"):
            await send(COMPLETE)
        await receive()
        with pytest.raises(RuntimeError, match=r"lifespan\.shutdown\.complete"):
            await send(COMPLETE)
        await send(ENDED)

    run(app, "on")


def test_an_answer_before_it_was_asked_for_raises() -> None:
    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await send(COMPLETE)
        with pytest.raises(RuntimeError, match="nothing was asked"):
            await send(ENDED)
        await receive()
        await send(ENDED)

    run(app, "on")


async def hangs(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await asyncio.sleep(3600)


async def hangs_later(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await send(COMPLETE)
    await receive()
    await asyncio.sleep(3600)


@pytest.mark.parametrize(
    ("app", "event"), [(hangs, "lifespan.startup"), (hangs_later, "lifespan.shutdown")], ids=["startup", "shutdown"]
)
def test_a_lifespan_that_hangs_is_given_up(app: Body, event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifespan, "STARTUP_S", 0.05)
    monkeypatch.setattr(lifespan, "SHUTDOWN_S", 0.05)
    with pytest.raises(AppError, match=f"no answer to {event} within 0.05 s"):
        run(app)


def test_a_startup_that_is_cancelled_cancels_the_application() -> None:
    ends: list[str] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        try:
            await asyncio.sleep(3600)
        finally:
            ends.append("cancelled")

    async def main() -> None:
        task = asyncio.create_task(Lifespan(app, "auto", "shop:app").startup())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert ends == ["cancelled"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_last_line() -> None:
    assert last_line("Traceback...\nKeyError: 'x'") == "KeyError: 'x'"
    assert last_line("one") == "one"
    assert last_line("") == "see its lifespan handler"
