"""Answers that take their time: streams, slow readers, early hints; a FIFO of the test's says when to go on."""

import os
import sys
import threading

from dispatch import arguments, note, router, text

PLAIN = [("Content-Type", "text/plain")]


class Steps:
    """Waits for one byte of the FIFO ?fifo=PATH for each step: it works in both modes, where only one thread runs."""

    def __init__(self, environ):
        self.fd = os.open(arguments(environ)["fifo"], os.O_RDONLY)

    def wait(self):
        os.read(self.fd, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)


def blocks(environ, start_response):
    """Each block only after the test has said that it saw the one before."""
    start_response("200 OK", list(PLAIN))
    with Steps(environ) as steps:
        for i in range(4):
            yield b"block %d" % i
            steps.wait()


def sized_blocks(environ, start_response):
    start_response("200 OK", [*PLAIN, ("Content-Length", "28")])
    with Steps(environ) as steps:
        for i in range(4):
            yield b"block %d" % i
            steps.wait()


def writes(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    with Steps(environ) as steps:
        for i in range(4):
            write(b"block %d" % i)
            steps.wait()
    return []


def hints(environ, start_response):
    """103 is seen before the answer is made; with threads each on its own."""
    environ["wsgi.early_hints"]([("Link", "</a.css>; rel=preload"), ("Link", "</b.js>; rel=preload")])
    with Steps(environ) as steps:
        steps.wait()
    start_response("200 OK", list(PLAIN))
    return [b"final"]


def two_hints(environ, start_response):
    environ["wsgi.early_hints"]([("Link", "</a.css>")])
    environ["wsgi.early_hints"]([("Link", "</b.css>"), ("X-Other", "1")])
    start_response("200 OK", [*PLAIN, ("Link", "</c.css>")])
    return [b"final"]


BAD_HINTS = {
    "crlf": [("Link", "a\r\nX: y")],
    "name": [("Bad Name", "a")],
    "wide": [("Link", "\u2603")],
    "hop": [("Transfer-Encoding", "chunked")],
    "str": "Link: a",
    "none": None,
    "pair": [("Link",)],
}


def bad_hints(environ, start_response):
    try:
        environ["wsgi.early_hints"](BAD_HINTS[arguments(environ)["case"]])
    except (ValueError, TypeError) as error:
        return text(start_response, type(error).__name__)
    return text(start_response, "no error")


def late_hints(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"first "
    try:
        environ["wsgi.early_hints"]([("Link", "</late>")])
    except RuntimeError:
        yield b"RuntimeError"


# ---- much, for clients that do not read

PIECE = bytes(range(256)) * 256  # 64 KiB
PIECES = 320  # 20 MiB


def much_written(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    for _ in range(PIECES):
        write(PIECE)
    note(environ, "written")
    return []


def much_yielded(environ, start_response):
    start_response("200 OK", list(PLAIN))
    for _ in range(PIECES):
        yield PIECE
    note(environ, "yielded")


def much_listed(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return [PIECE] * PIECES


# ---- without an end


class Endless:
    def __init__(self, environ, block):
        self.environ = environ
        self.block = block
        self.first = True

    def __iter__(self):
        return self

    def __next__(self):
        if self.first:
            self.first = False
            note(self.environ, "started")
            return b"first"
        return self.block

    def close(self):
        note(self.environ, "close")


def endless(environ, start_response):
    """?block=size of each"""
    start_response("200 OK", list(PLAIN))
    return Endless(environ, b"x" * int(arguments(environ)["block"]))


def endless_generator(environ, start_response):
    start_response("200 OK", list(PLAIN))
    try:
        while True:
            yield b"x" * 1000
    except GeneratorExit:
        note(environ, "GeneratorExit")
        raise
    finally:
        note(environ, "finally")


def endless_write(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    try:
        while True:
            write(b"x" * 1000)
    except OSError as error:
        note(environ, type(error).__name__)
        raise
    finally:
        note(environ, "finally")


# ---- with threads: one request waits for another

_gates = {}


def gate(environ):
    return _gates.setdefault(arguments(environ)["gate"], threading.Event())


def wait_at_gate(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"waiting "
    yield b"opened" if gate(environ).wait(30) else b"timed out"


def open_gate(environ, start_response):
    gate(environ).set()
    return text(start_response, "ok")


def meet(environ, start_response):
    """Answers when ?count=N requests are in here at once."""
    query = arguments(environ)
    barrier = _gates.setdefault(query["gate"], threading.Barrier(int(query["count"])))
    barrier.wait(30)
    return text(start_response, f"met as {threading.current_thread().name}")


def thread(environ, start_response):
    return text(start_response, f"{threading.current_thread() is threading.main_thread()} {sys.getswitchinterval()}")


def broken_stream(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"first"
    raise RuntimeError("breaks off")


app = router(globals())
