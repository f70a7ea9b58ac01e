"""Runs anyio's to_thread.run_sync(), and with it every `def` endpoint of FastAPI and Starlette, in the loop's threads.

anyio passes each call to one of its idle threads, with a queue written in Python and a wake-up for each call. It keeps
its idle threads in a variable of the event loop. On Lanner's loop that variable holds from the start a worker that is
always idle and passes its calls to the loop's threads, where one wake-up serves all waiting calls. Everything else is
still anyio's code: limiter, cancel scopes, contexts, from_thread.
"""

import importlib
import sys
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any

from lanner.loop.threads import LoopThreads

if TYPE_CHECKING:
    import asyncio

    from lanner.loop import EngineLoop

THREADS_MAX = 100_000  # anyio's limiter says how many calls run at once


def lend_threads(loop: "EngineLoop") -> bool:
    """Call on the running loop, once anyio has been imported. False: it was not, or its internals are unknown.

    Example: `lend_threads(asyncio.get_running_loop())`
    """
    if "anyio" not in sys.modules:
        return False
    try:
        backend: Any = importlib.import_module("anyio._backends._asyncio")
        idle, workers = backend._threadpool_idle_workers, backend._threadpool_workers
        claim, locals_, backend_class = backend.claim_worker_thread, backend.threadlocals, backend.AsyncIOBackend
        known = callable(claim) and "queue" in backend.WorkerThread.__init__.__code__.co_names
    except (ImportError, AttributeError):
        return False
    if not known or idle.get(None) is not None:
        return False
    worker = AlwaysIdle(loop, locals_, lambda: claim(backend_class, loop))
    idle.set(IdleWorkers(worker))
    workers.set(set())
    return True


class AlwaysIdle:
    """A substitute for anyio's worker thread.

    Example: `worker.queue.put_nowait((context, function, args, future, scope))`
    """

    idle_since = float("inf")  # it never expires

    def __init__(self, loop: "EngineLoop", locals_: Any, claim: Callable[[], Any]) -> None:
        self.queue = self
        self._threads = LoopThreads(loop, THREADS_MAX, "AnyIO worker thread")
        self._locals = locals_
        self._claim = claim
        self._claims: list[Any] = []  # of the threads, open as long as those live

    def put_nowait(self, item: "tuple[Context, Callable[..., Any], tuple[Any, ...], asyncio.Future[Any], Any]") -> None:
        context, function, args, future, scope = item
        self._threads.pool.submit(future, self._call, context, function, args, scope)

    def _call(self, context: Context, function: Callable[..., Any], args: tuple[Any, ...], scope: object) -> Any:
        locals_ = self._locals
        if not hasattr(locals_, "current_token"):
            claim = self._claim()
            claim.__enter__()
            self._claims.append(claim)
        locals_.current_cancel_scope = scope
        try:
            return context.run(function, *args)
        except StopIteration as error:
            raise RuntimeError("coroutine raised StopIteration") from error
        finally:
            del locals_.current_cancel_scope


class IdleWorkers:
    """A deque whose only member is never removed. Example: `IdleWorkers(worker).pop()` is the worker."""

    def __init__(self, worker: AlwaysIdle) -> None:
        self._worker = worker

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> AlwaysIdle:
        return self._worker

    def pop(self) -> AlwaysIdle:
        return self._worker

    def append(self, worker: object) -> None:
        """Does nothing: the worker is never removed."""
