"""Applications to run while Python's allocator fails; /arm?first=N says when: at the N-th allocation behind its answer.

Needs _testcapi (CPython's own test module).
"""

import _testcapi

from dispatch import arguments, router, text
from leaky import counts

__all__ = ["app", "counts"]

PIECES = [b"a" * 20, b"b" * 30_000, b"c"]


class _Arms:
    def __init__(self, first, last):
        self.first, self.last = first, last

    def __iter__(self):
        return iter([b"armed"])

    def close(self):
        _testcapi.set_nomemory(self.first, self.last)


def arm(environ, start_response):
    query = arguments(environ)
    start_response("200 OK", [("Content-Length", "5")])
    return _Arms(int(query["first"]), int(query["last"]))


def disarm(environ, start_response):
    _testcapi.remove_mem_hooks()
    return text(start_response, "disarmed")


def plain(environ, start_response):
    return text(start_response, "plain")


def stream(environ, start_response):
    start_response("200 OK", [("X-A", "b")])
    yield from PIECES


def body(environ, start_response):
    return text(start_response, environ["wsgi.input"].readline() + environ["wsgi.input"].read())


def file(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return environ["wsgi.file_wrapper"](open(__file__, "rb"))


def written(environ, start_response):
    write = start_response("200 OK", [("Content-Type", "text/plain")])
    write(b"one")
    write(b"two")
    return []


def fails(environ, start_response):
    raise LookupError("of the application")


app = router(globals())
