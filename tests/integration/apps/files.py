"""wsgi.file_wrapper around files of all kinds."""

import io
import os

from dispatch import arguments, note, router, text

PLAIN = [("Content-Type", "application/octet-stream")]


class Watched:
    """A file that notes what is done to it."""

    def __init__(self, environ, raw):
        self.environ = environ
        self.raw = raw

    def read(self, size=-1):
        note(self.environ, f"read {size}")
        return self.raw.read(size)

    def fileno(self):
        return self.raw.fileno()

    def tell(self):
        return self.raw.tell()

    def close(self):
        note(self.environ, "close")
        self.raw.close()


class OnlyRead:
    """The least that PEP 3333 asks of a file-like object."""

    def __init__(self, raw):
        self.read = raw.read


class ReadFails(io.BytesIO):
    """A file whose second block fails."""

    count = 0

    def read(self, size=-1):
        self.count += 1
        if self.count > 1:
            raise OSError("the disk is on fire")
        return super().read(size)


def _file(environ, **options):
    """?path=FILE; the server closes it."""
    return open(arguments(environ)["path"], "rb", **options)


def _wrapped(environ, start_response, filelike, *block):
    query = arguments(environ)
    length = [("Content-Length", query["length"])] if "length" in query else []
    start_response(query.get("status", "200 OK"), [*PLAIN, *length])
    return environ["wsgi.file_wrapper"](filelike, *block)


def whole(environ, start_response):
    """?path=FILE"""
    return _wrapped(environ, start_response, _file(environ))


def watched(environ, start_response):
    return _wrapped(environ, start_response, Watched(environ, _file(environ)))


def from_offset(environ, start_response):
    """?path=FILE&offset=N"""
    query = arguments(environ)
    file = _file(environ)
    file.seek(int(query["offset"]))
    return _wrapped(environ, start_response, file)


def after_reading(environ, start_response):
    """What was read is not sent again, though the buffer has read ahead."""
    file = _file(environ)
    file.read(10)
    return _wrapped(environ, start_response, file)


def unbuffered(environ, start_response):
    file = _file(environ, buffering=0)
    file.read(10)
    return _wrapped(environ, start_response, file)


def bytes_io(environ, start_response):
    file = io.BytesIO(b"0123456789" * 30_000)
    file.seek(5)
    return _wrapped(environ, start_response, Watched(environ, file), 100_000)


def only_read(environ, start_response):
    return _wrapped(environ, start_response, OnlyRead(io.BytesIO(b"least")))


def pipe(environ, start_response):
    reader, writer = os.pipe()
    os.write(writer, b"through a pipe")
    os.close(writer)
    return _wrapped(environ, start_response, os.fdopen(reader, "rb"))


def closed(environ, start_response):
    file = _file(environ)
    file.close()
    return _wrapped(environ, start_response, file)


def bad_read(environ, start_response):
    return _wrapped(environ, start_response, ReadFails(b"x" * 100), 10)


def text_file(environ, start_response):
    return _wrapped(environ, start_response, io.StringIO("text"))


def no_read(environ, start_response):
    return _wrapped(environ, start_response, object())


def iterated(environ, start_response):
    """As a middleware does that looks at the blocks."""
    start_response("200 OK", list(PLAIN))
    wrapper = environ["wsgi.file_wrapper"](_file(environ), 4096)
    try:
        sizes = [len(block) for block in wrapper]
    finally:
        wrapper.close()
    return [repr((sizes[:2], sum(sizes), wrapper.filelike.closed)).encode()]


def after_write(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    write(b"written, then ")
    return environ["wsgi.file_wrapper"](_file(environ))


def constructor(environ, start_response):
    wrapper = environ["wsgi.file_wrapper"]
    results = []
    for make in (lambda: wrapper(), lambda: wrapper(io.BytesIO(), 0), lambda: wrapper(io.BytesIO(), "x")):
        try:
            make()
            results.append("ok")
        except (TypeError, ValueError) as error:
            results.append(type(error).__name__)
    results.append(repr(wrapper(io.BytesIO(b"abc"), 2).__iter__().__next__()))
    return text(start_response, " ".join(results))


app = router(globals())
