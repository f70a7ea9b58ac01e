"""Answers of 1 MB in every way, small ones, and bodies that are counted; WSGI."""

import random
from collections.abc import Iterable, Iterator

LARGE = 1_000_000
PIECE = 50_000
Environ = dict[str, object]


def letter() -> bytes:
    """Not known beforehand: what is multiplied by it is memory of its own, and all of it is written."""
    return random.choice([b"x", b"y"])


def pieces() -> Iterator[bytes]:
    for _ in range(LARGE // PIECE):
        yield letter() * PIECE


def app(environ: Environ, start_response: object) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/small":
        start_response("200 OK", [("Content-Length", "5")])  # type: ignore[operator]
        return [b"small"]
    if path == "/count":
        read = environ["wsgi.input"].read  # type: ignore[attr-defined]
        count = sum(len(piece) for piece in iter(lambda: read(65536), b""))
        start_response("200 OK", [])  # type: ignore[operator]
        return [b"%d" % count]
    write = start_response("200 OK", [("Content-Length", str(LARGE))])  # type: ignore[operator]
    if path == "/bytes":
        return [letter() * LARGE]
    if path == "/iterator":
        return pieces()
    for piece in pieces():
        write(piece)
    return []
