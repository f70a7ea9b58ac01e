"""Applications that fail, in every way that Python knows; and what else they do to their process."""

import os
import signal
import subprocess
import sys
import threading

from dispatch import arguments, router, text


class OwnBaseException(BaseException):
    pass


class BadStr(Exception):
    def __str__(self):
        raise ValueError("no text")


def _recurse(depth=0):
    return _recurse(depth + 1) + 1


def _chained():
    try:
        raise KeyError("the cause")
    except KeyError as error:
        raise RuntimeError("the effect") from error


def _group():
    raise ExceptionGroup("several", [ValueError("one"), TypeError("two")])


def _raise(error):
    raise error


FAILURES = {
    "Exception": lambda: _raise(Exception("plain")),
    "OSError": lambda: _raise(OSError(5, "of the application")),
    "ConnectionResetError": lambda: _raise(ConnectionResetError("of the application's database")),
    "StopIteration": lambda: _raise(StopIteration("stray")),
    "GeneratorExit": lambda: _raise(GeneratorExit()),
    "SystemExit": lambda: sys.exit("exit at once"),
    "SystemExit0": lambda: sys.exit(0),
    "KeyboardInterrupt": lambda: _raise(KeyboardInterrupt()),
    "RecursionError": _recurse,
    "MemoryError": lambda: bytearray(1 << 62),
    "OwnBaseException": lambda: _raise(OwnBaseException("own")),
    "BadStr": lambda: _raise(BadStr()),
    "SyntaxError": lambda: compile("a b", "page.py", "exec"),
    "UnicodeError": lambda: b"\xff".decode(),
    "Surrogate": lambda: _raise(Exception("\ud800")),
    "RuntimeError": _chained,
    "ExceptionGroup": _group,
}


def before(environ, start_response):
    """?error=NAME before start_response."""
    FAILURES[arguments(environ)["error"]]()


def started(environ, start_response):
    """After start_response, before the first byte."""
    start_response("200 OK", [("X-First", "1")])
    FAILURES[arguments(environ)["error"]]()


def first_step(environ, start_response):
    FAILURES[arguments(environ)["error"]]()
    yield b"never"


def after(environ, start_response):
    """&length=N: with a Content-Length."""
    query = arguments(environ)
    start_response("200 OK", [("Content-Length", query["length"])] if "length" in query else [])
    yield b"first"
    FAILURES[query["error"]]()


def after_write(environ, start_response):
    write = start_response("200 OK", [])
    write(b"first")
    FAILURES[arguments(environ)["error"]]()


# ---- the process


def pid(environ, start_response):
    return text(start_response, os.getpid())


def fork(environ, start_response):
    """A child that leaves at once; the parent answers with how it ended."""
    child = os.fork()
    if child == 0:
        os._exit(7)
    return text(start_response, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def run(environ, start_response):
    done = subprocess.run([sys.executable, "-c", "print('from a child')"], capture_output=True, text=True)
    return text(start_response, done.stdout)


def in_thread(environ, start_response):
    found = []
    worker = threading.Thread(target=lambda: found.append(threading.current_thread().name), name="helper")
    worker.start()
    worker.join()
    return text(start_response, found[0])


def background(environ, start_response):
    """Leaves a thread behind that works on."""
    counter = []
    environ_kept = environ["wsgi.errors"]

    def work():
        for _ in range(10_000):
            counter.append(environ_kept)

    threading.Thread(target=work).start()
    return text(start_response, "left")


def inherited(environ, start_response):
    """What a program that is started with close_fds=False has open."""
    done = subprocess.run(["ls", "-l", "/proc/self/fd"], capture_output=True, text=True, close_fds=False)
    return text(start_response, done.stdout)


def end(environ, start_response):
    """?how=exit|kill|segv|abort: this process, at once."""
    how = arguments(environ)["how"]
    if how == "exit":
        os._exit(9)
    os.kill(os.getpid(), {"kill": signal.SIGKILL, "segv": signal.SIGSEGV, "abort": signal.SIGABRT}[how])
    return text(start_response, "still here")


# ---- asyncio inside of a handler


def imported(environ, start_response):
    """?names=a,b: which of them somebody has imported."""
    return text(start_response, ",".join(n for n in arguments(environ)["names"].split(",") if n in sys.modules))


def asyncio_run(environ, start_response):
    import asyncio

    async def work():
        await asyncio.sleep(0)
        return await asyncio.gather(*(asyncio.sleep(0, i) for i in range(3)))

    return text(start_response, asyncio.run(work()))


def async_to_sync(environ, start_response):
    from asgiref.sync import async_to_sync, sync_to_async

    async def work(value):
        return await sync_to_async(lambda: value * 2)()

    return text(start_response, async_to_sync(work)(21))


def asyncio_child(environ, start_response):
    """asyncio's own child watcher and signals on whatever thread this is."""
    import asyncio

    async def work():
        child = await asyncio.create_subprocess_exec("/bin/echo", "child", stdout=asyncio.subprocess.PIPE)
        return (await child.communicate())[0]

    return text(start_response, asyncio.run(work()))


def running_loop(environ, start_response):
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return text(start_response, "none")
    return text(start_response, "one")


app = router(globals())
