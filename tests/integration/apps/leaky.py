"""Small applications to be asked ten thousand times, and what the process holds afterwards."""

import gc
import json
import os
import sys

from dispatch import arguments, router

PLAIN = [("Content-Type", "text/plain")]


def counts(environ, start_response):
    """What a leak would make grow: objects, blocks of Python's allocator, descriptors."""
    gc.collect()
    found = {
        "objects": len(gc.get_objects()),
        "blocks": sys.getallocatedblocks(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "garbage": len(gc.garbage),
    }
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(found).encode()]


def plain(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return [b"plain"]


def body(environ, start_response):
    stream = environ["wsgi.input"]
    line, rest = stream.readline(), stream.read()
    start_response("200 OK", list(PLAIN))
    return [line, rest]


def large(environ, start_response):
    """A block that goes out by reference."""
    start_response("200 OK", list(PLAIN))
    return [bytes(20_000)]


def generated(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"one"
    yield b"two"


def written(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    write(b"one")
    return [b"two"]


def fails_before(environ, start_response):
    raise RuntimeError("before the start")


def fails_after(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"first"
    raise RuntimeError("after the start")


def fails_replaced(environ, start_response):
    """exc_info is a reference cycle waiting to be made."""
    start_response("200 OK", list(PLAIN))
    try:
        raise RuntimeError("before the first byte")
    except RuntimeError:
        start_response("500 Replaced", list(PLAIN), sys.exc_info())
    return [b"replaced"]


def fails_head(environ, start_response):
    start_response("200 OK", [("Bad Name", "x")])


def endless(environ, start_response):
    start_response("200 OK", list(PLAIN))
    while True:
        yield b"x" * 5000


def file(environ, start_response):
    """?path=FILE"""
    start_response("200 OK", list(PLAIN))
    return environ["wsgi.file_wrapper"](open(arguments(environ)["path"], "rb"))


def hinted(environ, start_response):
    environ["wsgi.early_hints"]([("Link", "</a.css>")])
    start_response("200 OK", list(PLAIN))
    return [b"hinted"]


_kept = []


def keeps(environ, start_response):
    """The application holds on to what it was given, for a while."""
    _kept.append((environ, start_response, start_response("200 OK", list(PLAIN))))
    if len(_kept) > 50:
        _kept.clear()
    return [b"kept"]


app = router(globals())
