"""A WSGI application that raises at a point of its choice: /run?at=POINT&error=NAME."""

from dispatch import arguments, router
from failing import FAILURES
from leaky import counts

__all__ = ["app", "counts"]


class _Trip:
    """Raises when it comes to the point."""

    def __init__(self, query):
        self.at = query.get("at", "nowhere")
        self.error = query.get("error", "Exception")

    def __call__(self, point):
        if point == self.at:
            FAILURES[self.error]()


class _Blocks:
    """An iterable that passes points in all that the server does with it."""

    def __init__(self, trip):
        self.trip = trip
        self.number = 0

    def __iter__(self):
        self.trip("iter")
        return self

    def __next__(self):
        self.number += 1
        if self.number > 3:
            raise StopIteration
        self.trip(f"next{self.number}")
        return b"block" if self.number != 2 else b"b" * 20_000

    def close(self):
        self.trip("close")


def run(environ, start_response):
    """&length=1: with Content-Length. &write=1: the first block by write()."""
    query = arguments(environ)
    trip = _Trip(query)
    trip("called")
    stream = environ["wsgi.input"]
    stream.readline()
    trip("read")
    stream.read()
    trip("read_all")
    whole = 20_010 + (5 if "write" in query else 0)
    write = start_response("200 OK", [("Content-Length", str(whole))] if "length" in query else [])
    trip("started")
    if "write" in query:
        write(b"block")
        trip("written")
    return _Blocks(trip)


app = router(globals())
