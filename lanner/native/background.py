"""Functions that run after the answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


class BackgroundTask:
    """One call, made after the answer's last byte is queued.

    Example: `Response(background=BackgroundTask(mail, to))`
    """

    def __init__(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs

    async def __call__(self) -> None:
        result = self.func(*self.args, **self.kwargs)
        if inspect.isawaitable(result):
            await result


class BackgroundTasks:
    """Calls made after the answer, in the order in which they were added; also when the client has gone.

    One that raises is logged, and the next ones run all the same.

    Example: `def order(tasks: BackgroundTasks) -> None: tasks.add_task(mail, "shop@example.com")`
    """

    def __init__(self, tasks: list[BackgroundTask] | None = None) -> None:
        self.tasks = list(tasks or ())

    def add_task(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """func: a function, or a coroutine function that is awaited."""
        self.tasks.append(BackgroundTask(func, *args, **kwargs))

    async def __call__(self) -> None:
        from lanner.native.traceback_log import log_exception

        for task in self.tasks:
            try:
                await task()
            except Exception as error:
                log_exception("app.background_error", error)
