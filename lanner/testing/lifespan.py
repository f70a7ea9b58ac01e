"""Lifespan: the start and the end of an ASGI application around the requests of a test."""

from __future__ import annotations

import asyncio

from lanner.testing.exchange import ASGIApp, Message

END_S = 1.0  # for an application to return after its last word


class Lifespan:
    """state: what the application leaves there for its requests.

    Example: `await (lifespan := Lifespan(app)).start()`, later `await lifespan.stop()`
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.state: dict[str, object] = {}
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        self._from_app: asyncio.Queue[Message | None] = asyncio.Queue()  # None: the application has ended
        self._task: asyncio.Task[None] | None = None
        self._error: BaseException | None = None

    async def start(self) -> None:
        """Raises what the application raises. One that returns at once has no lifespan, which is no error."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="lanner.testing lifespan")
        await self._say("lifespan.startup")

    async def stop(self) -> None:
        if self._task is None:
            return
        if not self._task.done():
            await self._say("lifespan.shutdown")
        await self._end()

    async def _say(self, event: str) -> None:
        self._to_app.put_nowait({"type": event})
        answer = await self._from_app.get()
        if answer is None or answer["type"] == f"{event}.failed":
            await self._end()
        if answer is None or answer["type"] == f"{event}.complete":
            return
        raise RuntimeError(f"{event}: the application says {answer['type']}\n{answer.get('message', '')}".rstrip())

    async def _end(self) -> None:
        assert self._task is not None
        await asyncio.wait({self._task}, timeout=END_S)
        self._task.cancel()
        await asyncio.wait({self._task})
        if error := self._error:
            self._error = None
            raise error

    async def _run(self) -> None:
        scope: Message = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        try:
            await self.app(scope, self._to_app.get, self._from_app.put)
        except Exception as error:
            self._error = error
        finally:
            self._from_app.put_nowait(None)
