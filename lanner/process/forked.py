"""Children that an application forks: they get signals as if there were no server, and never serve themselves.

A child of os.fork() has its own copy of everything Python, and shares with its parent what the kernel knows: the
clients' connections, the listening sockets, what the loop waits for. The engine lets go of them in the child
(sys/fork.h). What the child does then is the application's business, until it returns or raises into the engine.
"""

import os
import signal
import sys
from contextlib import contextmanager

from lanner.log import line, put, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

HINT = "end a child of os.fork() by os._exit() or an exec, before it returns into the server"


def end(error: BaseException | None) -> "NoReturn":
    """Ends this child at once, with a line: it came back by a return (None) or an exception.

    Exit codes are Python's: that of sys.exit(), 1 for another exception; 1 for a return.
    """
    code = 1
    if isinstance(error, SystemExit):
        code = exit_code(error)
        flush()
    elif error is not None:
        from traceback import format_exception

        put("".join(format_exception(error)).rstrip("\n"))
    fields: dict[str, object] = {"pid": os.getpid(), "by": type(error).__name__ if error else "return", "exit": code}
    put(stamp() + line("error", "fork.child_ended", {**fields, "hint": HINT}))
    os._exit(code)


def exit_code(error: SystemExit) -> int:
    """As the interpreter has it. Example: `exit_code(SystemExit(7))` is 7, `exit_code(SystemExit("why"))` is 1."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    put(str(error.code))
    return 1


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue


@contextmanager
def guard() -> "Iterator[None]":
    """Around code that may call the application: a child that leaves it ends. Example: `with guard(): load()`"""
    pid = os.getpid()
    try:
        yield
    except BaseException as error:
        if os.getpid() != pid:
            end(error)
        raise
    if os.getpid() != pid:
        end(None)


def forget_loop_signals() -> None:
    """In a child: signals that the parent's event loop handled do what they did before.

    They would be written to a descriptor that the parent's loop reads (signal.set_wakeup_fd), and be lost here.
    """
    from asyncio import AbstractEventLoop, Runner

    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        name = getattr(handler, "__name__", "")
        owner = getattr(handler, "__self__", None)
        if isinstance(owner, AbstractEventLoop | Runner) or name == "_sighandler_noop":
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def refuse_loop(pid: int) -> None:
    """A loop that was made in another process, `pid`, waits for what is that process'."""
    if os.getpid() != pid:
        raise RuntimeError(f"this event loop was made in process {pid}, before a fork: make a new one in the child")
