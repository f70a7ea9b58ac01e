"""An ordinary application inside of wsgiref.validate, which checks both sides of PEP 3333."""

from wsgiref.validate import validator

from dispatch import router

PLAIN = [("Content-Type", "text/plain")]


def listed(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return [b"one", b"two"]


def generated(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"one"
    yield b"two"


def nothing(environ, start_response):
    start_response("204 No Content", [])
    return []


def written(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    write(b"one")
    return [b"two"]


def echoed(environ, start_response):
    """Reads in every way that the PEP names."""
    stream = environ["wsgi.input"]
    parts = [stream.read(3), stream.readline(), *stream.readlines(1), *stream]
    parts.append(stream.read(100))
    start_response("200 OK", list(PLAIN))
    return parts


def read_by_length(environ, start_response):
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    start_response("200 OK", list(PLAIN))
    return [body]


def noisy(environ, start_response):
    environ["wsgi.errors"].write("noise\n")
    environ["wsgi.errors"].writelines(["more noise\n"])
    environ["wsgi.errors"].flush()
    start_response("200 OK", list(PLAIN))
    return [b"ok"]


def replaced(environ, start_response):
    import sys

    start_response("200 OK", list(PLAIN))
    try:
        raise ValueError("on purpose")
    except ValueError:
        start_response("500 Replaced", list(PLAIN), sys.exc_info())
    return [b"replaced"]


def file(environ, start_response):
    import io

    start_response("200 OK", list(PLAIN))
    return environ["wsgi.file_wrapper"](io.BytesIO(b"a file"))


def breaks_the_rules(environ, start_response):
    """The validator sees it: the test of the test."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Status", "200 OK")])
    return [b"ok"]


app = validator(router(globals()))
