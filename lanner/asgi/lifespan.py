"""The lifespan of an ASGI application: started before the first request, ended after the last (ASGI Lifespan 2.0)."""

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

from lanner.errors import AppError
from lanner.log import Log, put
from lanner.report import summary, trimmed

Message = MutableMapping[str, object]
AsgiApp = Callable[..., object]  # async (scope, receive, send) -> None

STARTUP = "lifespan.startup"
SHUTDOWN_FAILED = "lifespan.shutdown.failed"
STARTUP_S = 60.0
SHUTDOWN_S = 30.0
END_S = 0.5  # for the coroutine to return after its last answer
CANCELLED_S = 5.0  # and to end once it is cancelled


class ShutdownError(AppError):
    """The application served, but failed to shut down.

    Example: `ShutdownError("shop:app: its lifespan raised OSError: disk full").exit_code` is 1.
    """

    exit_code = 1
    while_serving = True


class Lifespan:
    """One run of it. mode: "auto" goes on without when the application does not know the protocol, "on" insists.

    Example: `await (life := Lifespan(app, "auto", "shop:app")).startup()`, later `await life.shutdown()`
    """

    def __init__(self, app: AsgiApp, mode: str, label: str, log: Log | None = None) -> None:
        self.app = app
        self.mode = mode
        self.label = label
        self.log = log or Log()
        self.state: dict[str, object] = {}
        self.supported = mode != "off"
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        self._event = ""  # the event that waits for its answer
        self._answer: asyncio.Future[Message] | None = None
        self._task: asyncio.Task[None] | None = None
        self._early: Message | None = None  # lifespan.shutdown.failed before lifespan.shutdown
        self._failure_logged = False  # that it failed while serving

    async def startup(self) -> None:
        """AppError when the application reports a failure, takes over a minute, or (mode "on") knows no lifespan."""
        if not self.supported:
            return
        scope: Message = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        self._task = asyncio.ensure_future(self._call(scope))
        try:
            message = await self._ask(STARTUP, STARTUP_S)
        except asyncio.CancelledError:
            await self._end()
            raise
        if message is None:
            self._not_spoken()
        elif message["type"] == "lifespan.startup.failed":
            await self._end()
            text = text_of(message)
            raise AppError(f"{self.label}: the application could not start: {last_line(text)}", text)
        else:
            self._task.add_done_callback(self._ended_early)

    def _ended_early(self, task: "asyncio.Task[None]") -> None:
        """It raised while requests are served: that is logged now, and is the exit code in the end."""
        error = self._error()
        if self._event == STARTUP and error is not None:
            self._log_failure(summary(error), trimmed(error))

    def _failed_early(self, message: Message) -> None:
        """Starlette sends this before it raises."""
        self._early = message
        text = text_of(message)
        self._log_failure(last_line(text), text)

    def _log_failure(self, error: str, report: str) -> None:
        if self._failure_logged:
            return
        self._failure_logged = True
        if report:
            put(report.rstrip("\n"), self.log.fd)
        self.log.error("lifespan.failed", error=error, hint="the server goes on; its exit code will be 1")

    async def shutdown(self) -> None:
        """AppError (exit code 1) when the application failed to shut down, or its lifespan while it served."""
        if not self.supported or self._task is None:
            return
        message = None if self._task.done() else await self._ask("lifespan.shutdown", SHUTDOWN_S)
        message = self._early or message
        await self._end()
        error = self._error()
        if message is not None and message["type"] == SHUTDOWN_FAILED:
            text = text_of(message)
            line = f"{self.label}: the application could not shut down: {last_line(text)}"
            raise ShutdownError(line, "" if self._failure_logged else text)
        if message is None and error is not None:
            report = "" if self._failure_logged else trimmed(error)
            raise ShutdownError(f"{self.label}: its lifespan raised {summary(error)}", report)

    async def _call(self, scope: Message) -> None:
        await self.app(scope, self._to_app.get, self._send)  # type: ignore[misc]

    async def _send(self, message: Message) -> None:
        kind = message.get("type")
        if kind == SHUTDOWN_FAILED and self._started():
            return self._failed_early(message)
        if self._answer is None or self._answer.done():
            raise RuntimeError(f"send() of {kind!r}: nothing was asked, or it was answered already")
        if kind not in (f"{self._event}.complete", f"{self._event}.failed"):
            raise RuntimeError(f"send() of {kind!r}: {self._event} is answered by {self._event}.complete or .failed")
        self._answer.set_result(message)

    def _started(self) -> bool:
        """The startup is complete, and no other event was sent."""
        if self._event != STARTUP or self._answer is None or not self._answer.done():
            return False
        return self._answer.result()["type"] == f"{STARTUP}.complete"

    async def _ask(self, event: str, limit_s: float) -> Message | None:
        """The application's answer; None when its lifespan ended without one."""
        assert self._task is not None
        self._event = event
        self._answer = asyncio.get_running_loop().create_future()
        self._to_app.put_nowait({"type": event})
        waiting: set[asyncio.Future[Any]] = {self._answer, self._task}
        done, _ = await asyncio.wait(waiting, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        if self._answer.done():
            return self._answer.result()
        if not done:
            await self._end()
            raise AppError(f"{self.label}: no answer to {event} within {limit_s:g} s; see its lifespan handler")
        return None

    async def _end(self) -> None:
        """Gives the application's coroutine a moment to end, then cancels it; its exception counts as seen."""
        assert self._task is not None
        await asyncio.wait({self._task}, timeout=END_S if self._answer and self._answer.done() else 0)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=CANCELLED_S)
        self._error()

    def _error(self) -> BaseException | None:
        task = self._task
        return None if task is None or not task.done() or task.cancelled() else task.exception()

    def _not_spoken(self) -> None:
        """It returned or raised instead of an answer: ASGI asks servers to go on without ("auto")."""
        self.supported = False
        error = self._error()
        if self.mode != "on":
            return
        if error is None:
            raise AppError(f"{self.label}: the application ended its lifespan without an answer (--lifespan on)")
        raise AppError(f"{self.label}: its lifespan raised {summary(error)} (--lifespan on)", trimmed(error))


def text_of(message: Message) -> str:
    """The text of a `...failed`. Example: `text_of({"type": "lifespan.startup.failed"})` is `""`."""
    return str(message.get("message", "")).strip()


def last_line(text: str) -> str:
    """Of a traceback, what went wrong. Example: `last_line("Traceback...\\nKeyError: 'x'")` is `"KeyError: 'x'"`."""
    return text.splitlines()[-1] if text else "see its lifespan handler"
