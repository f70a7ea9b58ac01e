"""Reports of the loop's C++ parts in asyncio's words: a callback that failed, one that was slow."""

import asyncio
import inspect
from asyncio import base_events, format_helpers
from collections.abc import Awaitable

# Later versions of asyncio name arguments in debug mode only.
DESCRIBES_BY_DEBUG = "debug" in inspect.signature(format_helpers._format_callback_source).parameters


def callback_failed(handle: asyncio.Handle, error: BaseException) -> None:
    """What asyncio.Handle._run() does with an exception that a callback raised."""
    callback = describe(handle._callback, handle._args)  # type: ignore[attr-defined]
    context = {"message": f"Exception in callback {callback}", "exception": error, "handle": handle}
    if handle._source_traceback:  # type: ignore[attr-defined]
        context["source_traceback"] = handle._source_traceback  # type: ignore[attr-defined]
    handle._loop.call_exception_handler(context)  # type: ignore[attr-defined]


def callback_slow(handle: asyncio.Handle, took_s: float) -> None:
    """Debug mode: a callback ran longer than loop.slow_callback_duration."""
    base_events.logger.warning("Executing %s took %.3f seconds", base_events._format_handle(handle), took_s)  # type: ignore[attr-defined]


def describe(callback: object, args: object) -> str:
    """A callback with its arguments and where it was defined, in asyncio's words."""
    more = {"debug": True} if DESCRIBES_BY_DEBUG else {}
    return str(format_helpers._format_callback_source(callback, args, **more))  # type: ignore[arg-type]


async def drive(awaitable: Awaitable[object]) -> None:
    """A coroutine for a task, of whatever an application returned to be awaited. Example: `await drive(future)`"""
    await awaitable
