"""What an application is told about a request, and what it reads of its body."""

import io
import itertools
import json
import sys

from dispatch import arguments, note, router, text


def _described(value):
    """[type, value], the value as text where JSON has none."""
    kind = type(value).__name__
    if isinstance(value, str | bool | int):
        return [kind, value]
    return [kind, list(value) if isinstance(value, tuple) else repr(value)]


def show(environ, start_response):
    """The environ, whatever the path."""
    start_response("200 OK", [("Content-Type", "application/json")])
    environ_type = type(environ).__name__
    return [json.dumps({"": ["type", environ_type]} | {k: _described(v) for k, v in environ.items()}).encode()]


def scribble(environ, start_response):
    """An application may change its environ as it likes (PEP 3333)."""
    environ["HTTP_X_STRAY"] = "left behind"
    environ["wsgi.url_scheme"] = "gopher"
    environ["SCRIPT_NAME"] = "/stray"
    del environ["wsgi.errors"]
    environ.pop("QUERY_STRING")
    return text(start_response, "scribbled")


def errors(environ, start_response):
    stream = environ["wsgi.errors"]
    stream.write("written caf\xe9\n")
    stream.writelines(["line one\n", "line two\n"])
    stream.flush()
    return text(start_response, "ok")


def modules(environ, start_response):
    """?names=a,b: which of them the process has imported."""
    return text(start_response, json.dumps([n for n in arguments(environ)["names"].split(",") if n in sys.modules]))


# ---- wsgi.input


def echo(environ, start_response):
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "application/octet-stream")])
    return [body]


def call(environ, start_response):
    """?calls=JSON: a list of [method, argument or null]; what each gives, as JSON."""
    calls = json.loads(arguments(environ)["calls"])
    return text(start_response, json.dumps([perform(environ["wsgi.input"], *one) for one in calls]))


def perform(stream, method, argument=None):
    """One call on a file of bytes, its result as JSON data. The tests do the same to an io.BytesIO."""
    if method == "next":
        return [line.decode("latin-1") for line in itertools.islice(stream, argument)]
    if method == "readinto":
        buffer = bytearray(argument)
        count = stream.readinto(buffer)
        return [count, buffer[:count].decode("latin-1")]
    result = getattr(stream, method)(*([] if argument is None else [argument]))
    if isinstance(result, list):
        return [line.decode("latin-1") for line in result]
    return result.decode("latin-1")


def past_the_end(environ, start_response):
    stream = environ["wsgi.input"]
    first = stream.read()
    rest = [stream.read(), stream.read(10), stream.readline(), stream.readline(5), stream.readlines(), list(stream)]
    rest += [stream.readinto(bytearray(4)), stream.read(), stream.read(0), stream.readline(0)]
    return text(start_response, repr((first, rest)))


def read_huge(environ, start_response):
    """More than there is memory for may be asked for."""
    stream = environ["wsgi.input"]
    return text(start_response, stream.read(sys.maxsize) + stream.read(sys.maxsize))


def bad_reads(environ, start_response):
    stream = environ["wsgi.input"]
    calls = [
        lambda: stream.read("1"),
        lambda: stream.read(1, 2),
        lambda: stream.read(1.5),
        lambda: stream.readline("1"),
        lambda: stream.readlines("1"),
        lambda: stream.readinto(b"read only"),
        lambda: stream.readinto(5),
    ]
    results = []
    for one in calls:
        try:
            one()
            results.append("ok")
        except (TypeError, BufferError):
            results.append("refused")
    return text(start_response, " ".join([*results, repr(stream.read())]))


def buffered(environ, start_response):
    """The text layers of io on top of it."""
    lines = io.TextIOWrapper(io.BufferedReader(_Raw(environ["wsgi.input"])), "utf-8").readlines()
    return text(start_response, json.dumps(lines))


class _Raw(io.RawIOBase):
    def __init__(self, stream):
        self.stream = stream

    def readable(self):
        return self.stream.readable()

    def readinto(self, buffer):
        return self.stream.readinto(buffer)


def digest(environ, start_response):
    """Size and SHA-256 of the body, read in pieces of ?piece=N bytes, or by lines."""
    import hashlib

    query = arguments(environ)
    stream = environ["wsgi.input"]
    sha, size = hashlib.sha256(), 0
    if "piece" in query:
        pieces = iter(lambda: stream.read(int(query["piece"])), b"")
    elif "line" in query:
        pieces = iter(lambda: stream.readline(int(query["line"])), b"")
    else:
        pieces = stream
    for piece in pieces:
        sha.update(piece)
        size += len(piece)
    return text(start_response, f"{size} {sha.hexdigest()}")


def unread(environ, start_response):
    return text(start_response, "unread")


def read_some(environ, start_response):
    return text(start_response, environ["wsgi.input"].read(10))


_kept = []


def keep_input(environ, start_response):
    stream = environ["wsgi.input"]
    _kept.append((stream, stream.read))
    return text(start_response, stream.read(3))


def use_kept(environ, start_response):
    stream, read = _kept.pop()
    calls = [read, lambda: read(1), stream.readline, stream.readlines, lambda: next(stream)]
    calls.append(lambda: stream.readinto(bytearray(1)))
    results = []
    for one in calls:
        try:
            results.append(repr(one()))
        except ValueError:
            results.append("ValueError")
    return text(start_response, " ".join([*results, repr(environ["wsgi.input"].read())]))


def broken(environ, start_response):
    """Notes what a body gives that ends too early; with &caught=1 it tries to answer all the same."""
    note(environ, "started")
    try:
        body = environ["wsgi.input"].read()
    except OSError as error:
        note(environ, type(error).__name__)
        if "caught" not in arguments(environ):
            raise
        body = b"answered all the same"
    else:
        note(environ, f"read {len(body)}")
    return text(start_response, body)


def echo_pieces(environ, start_response):
    """Answers each 5 bytes of the body as soon as they are there."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    while piece := environ["wsgi.input"].read(5):
        yield piece


def wait_then_read(environ, start_response):
    """Reads the body only after a byte has come through the FIFO ?fifo=PATH."""
    with open(arguments(environ)["fifo"], "rb", buffering=0) as fifo:
        fifo.read(1)
    size = 0
    while piece := environ["wsgi.input"].read(65536):
        size += len(piece)
    return text(start_response, size)


def refuse(environ, start_response):
    """Answers without reading."""
    return text(start_response, "no", "401 Unauthorized")


_router = router(globals())
_paths = {name for name in globals() if not name.startswith("_")}


def app(environ, start_response):
    """Every other path shows the environ."""
    name = environ["PATH_INFO"].split("/")[1] if environ["PATH_INFO"].startswith("/") else ""
    if name in _paths or name in ("hello", "ledger"):
        return _router(environ, start_response)
    return show(environ, start_response)
