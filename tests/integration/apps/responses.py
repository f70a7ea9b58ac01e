"""Answers of every kind that PEP 3333 allows, and many that it does not."""

import functools
import sys

from dispatch import arguments, note, router, text

PLAIN = [("Content-Type", "text/plain")]


# ---- bodies


def one_block(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return [b"one block"]


def blocks(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return [b"a", b"", b"bc", b"def"]


def as_tuple(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return b"ab", b"cd"


def large_blocks(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return [bytes([65 + i]) * 100_000 for i in range(8)]


def no_blocks(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return []


def empty_blocks(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return iter([b"", b"", b""])


def empty_generator(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield from ()


def generator(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"a"
    yield b""
    yield b"bc"


def sized_generator(environ, start_response):
    start_response("200 OK", [*PLAIN, ("Content-Length", "6")])
    yield b"abc"
    yield b"def"


def lazy(environ, start_response):
    start_response("404 Lazily Not Found", list(PLAIN))
    yield b"lazy"


class Countdown:
    """An iterator that is neither list nor generator."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return self

    def __next__(self):
        if self.count == 0:
            raise StopIteration
        self.count -= 1
        return b"%d" % self.count


def iterator(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return Countdown(5)


class Sequence:
    """An iterable by __getitem__ only."""

    def __getitem__(self, index):
        return (b"x", b"y")[index]


def sequence(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return Sequence()


class ClassApp:
    """PEP 3333's AppClass: the class is the application, its instance the iterable."""

    def __init__(self, environ, start_response):
        self.start = start_response

    def __iter__(self):
        self.start("200 OK", list(PLAIN))
        yield b"class app"


class Bytes(bytes):
    pass


class List(list):
    pass


def subclasses(environ, start_response):
    start_response("200 OK", list(PLAIN))
    return List([Bytes(b"sub"), Bytes(b"class")])


partial = functools.partial(one_block)


# ---- Content-Length against the body


def length(environ, start_response):
    """?declared=N&sent=N&as=list|generator|write"""
    query = arguments(environ)
    body = b"x" * int(query["sent"])
    write = start_response("200 OK", [*PLAIN, ("Content-Length", query["declared"])])
    if query["as"] == "list":
        return [body]
    if query["as"] == "write":
        write(body)
        return []
    return iter([body[:3], body[3:]])


def head_of(environ, start_response):
    """?status=204&length=N&as=list|generator&body=text"""
    query = arguments(environ)
    fields = [("Content-Length", query["length"])] if "length" in query else []
    start_response(query["status"], fields)
    body = query.get("body", "").encode()
    return [body] if query.get("as") == "list" else iter([body])


# ---- heads


def fields(environ, start_response):
    start_response(
        "200 Fine By Me",
        [
            ("Set-Cookie", "a=1"),
            ("X-Case-KEPT", "as it is"),
            ("Set-Cookie", "b=2"),
            ("X-Latin", "caf\xe9"),
            ("X-Empty", ""),
            ("X-Blanks", "  inner  blanks  "),
        ],
    )
    return [b"ok"]


def own_server_and_date(environ, start_response):
    start_response("200 OK", [("Server", "mine"), ("Date", "Thu, 01 Jan 1970 00:00:00 GMT")])
    return [b"ok"]


def with_status(environ, start_response):
    return text(start_response, "ok", arguments(environ)["status"])


def many_fields(environ, start_response):
    """?count=N&bytes=N"""
    query = arguments(environ)
    value = "v" * int(query["bytes"])
    start_response("200 OK", [(f"X-{i}", value) for i in range(int(query["count"]))])
    return [b"ok"]


def close_field(environ, start_response):
    start_response("200 OK", [*PLAIN, ("Connection", "close")])
    return [b"bye"]


BAD_HEADS = {
    "cr": ("200 OK", [("X-A", "a\rb")]),
    "lf": ("200 OK", [("X-A", "a\nb")]),
    "crlf": ("200 OK", [("X-A", "a\r\nSet-Cookie: evil=1")]),
    "nul": ("200 OK", [("X-A", "a\0b")]),
    "control": ("200 OK", [("X-A", "a\x1bb")]),
    "delete": ("200 OK", [("X-A", "a\x7fb")]),
    "name-empty": ("200 OK", [("", "a")]),
    "name-space": ("200 OK", [("X A", "a")]),
    "name-colon": ("200 OK", [("X:A", "a")]),
    "name-crlf": ("200 OK", [("X\r\nY", "a")]),
    "name-latin": ("200 OK", [("X-\xe9", "a")]),
    "name-wide": ("200 OK", [("X-\u2603", "a")]),
    "value-wide": ("200 OK", [("X-A", "\u2603")]),
    "name-bytes": ("200 OK", [(b"X-A", "a")]),
    "value-bytes": ("200 OK", [("X-A", b"a")]),
    "value-int": ("200 OK", [("X-A", 1)]),
    "value-none": ("200 OK", [("X-A", None)]),
    "pair-list": ("200 OK", [["X-A", "a"]]),
    "pair-short": ("200 OK", [("X-A",)]),
    "pair-long": ("200 OK", [("X-A", "a", "b")]),
    "pair-str": ("200 OK", ["ab"]),
    "fields-dict": ("200 OK", {"X-A": "a"}),
    "fields-tuple": ("200 OK", (("X-A", "a"),)),
    "fields-none": ("200 OK", None),
    "status-int": (200, []),
    "status-bytes": (b"200 OK", []),
    "status-none": (None, []),
    "status-empty": ("", []),
    "status-word": ("OK", []),
    "status-short": ("20 OK", []),
    "status-099": ("099 Low", []),
    "status-100": ("100 Continue", []),
    "status-101": ("101 Switching Protocols", []),
    "status-1000": ("1000 High", []),
    "status-signed": ("+20 OK", []),
    "status-joined": ("200OK", []),
    "status-tab": ("200\tOK", []),
    "status-digits": ("\u0662\u0660\u0660 OK", []),
    "reason-crlf": ("200 OK\r\nX-Evil: 1", []),
    "reason-nul": ("200 O\0K", []),
    "reason-wide": ("200 \u2603", []),
    "length-word": ("200 OK", [("Content-Length", "two")]),
    "length-negative": ("200 OK", [("Content-Length", "-2")]),
    "length-plus": ("200 OK", [("Content-Length", "+2")]),
    "length-empty": ("200 OK", [("Content-Length", "")]),
    "length-list": ("200 OK", [("Content-Length", "2, 2")]),
    "length-two": ("200 OK", [("Content-Length", "2"), ("Content-Length", "3")]),
    "length-huge": ("200 OK", [("Content-Length", "99999999999999999999999999")]),
    "hop-keep": ("200 OK", [("Connection", "keep-alive")]),
    "hop-upgrade": ("200 OK", [("Connection", "Upgrade")]),
    "hop-close-list": ("200 OK", [("Connection", "close, X-A")]),
    "hop-keep-alive": ("200 OK", [("Keep-Alive", "timeout=5")]),
    "hop-proxy": ("200 OK", [("Proxy-Connection", "close")]),
    "hop-te": ("200 OK", [("TE", "trailers")]),
    "hop-trailer": ("200 OK", [("Trailer", "X-A")]),
    "hop-transfer": ("200 OK", [("transfer-ENCODING", "chunked")]),
    "hop-upgrade-field": ("200 OK", [("Upgrade", "websocket")]),
}


def bad_head(environ, start_response):
    """?case=NAME; with &caught=1 the application sees the error and answers with it."""
    query = arguments(environ)
    status, headers = BAD_HEADS[query["case"]]
    try:
        start_response(status, headers)
    except Exception as error:
        if "caught" not in query:
            raise
        return text(start_response, type(error).__name__)
    return [b"ok"]


# ---- start_response and its exc_info


def start_twice(environ, start_response):
    start_response("200 OK", [("X-First", "1")])
    start_response("201 Created", [("X-Second", "1")])
    return [b"two"]


def start_twice_caught(environ, start_response):
    start_response("200 OK", [("X-First", "1")])
    try:
        start_response("201 Created", [("X-Second", "1")])
    except AssertionError as error:
        return [type(error).__name__.encode()]
    return [b"no error"]


def start_twice_with_none(environ, start_response):
    start_response("200 OK", [])
    start_response("200 OK", [], None)
    return [b"two"]


def replaced(environ, start_response):
    """The head of an answer that failed before its first byte is replaced."""
    start_response("200 OK", [("X-First", "1"), ("Content-Length", "3")])
    try:
        raise RuntimeError("before the output")
    except RuntimeError:
        start_response("503 Replaced", [("X-Second", "1")], sys.exc_info())
    return [b"the error page"]


def replaced_by_keyword(environ, start_response):
    start_response("200 OK", [])
    try:
        raise RuntimeError("before the output")
    except RuntimeError:
        start_response("503 Replaced", [], exc_info=sys.exc_info())
    return [b"the error page"]


def replaced_after_empty(environ, start_response):
    """Empty blocks do not send the head."""
    start_response("200 OK", [("X-First", "1")])
    yield b""
    yield b""
    try:
        raise RuntimeError("still before the output")
    except RuntimeError:
        start_response("500 Replaced", [("X-Second", "1")], sys.exc_info())
    yield b"the error page"


def replaced_after_empty_write(environ, start_response):
    write = start_response("200 OK", [("X-First", "1")])
    write(b"")
    try:
        raise RuntimeError("still before the output")
    except RuntimeError:
        start_response("500 Replaced", [], sys.exc_info())
    return [b"the error page"]


def exc_info_first(environ, start_response):
    """exc_info on the first call: an ordinary start."""
    try:
        raise RuntimeError("at once")
    except RuntimeError:
        start_response("502 Early", [], sys.exc_info())
    return [b"early"]


class LateError(Exception):
    pass


def too_late(environ, start_response):
    """After the first byte the error is raised again; what it was is noted."""
    start_response("200 OK", list(PLAIN))
    yield b"first"
    try:
        try:
            raise LateError("after the output")
        except LateError:
            start_response("500 Late", [], sys.exc_info())
    except LateError as error:
        names = []
        traceback = error.__traceback__
        while traceback:
            names.append(traceback.tb_frame.f_code.co_name)
            traceback = traceback.tb_next
        note(environ, f"{error} {names.count('too_late') > 0}")
        raise
    yield b"never"


def too_late_swallowed(environ, start_response):
    """An application that goes on after the re-raise: the answer stays whole."""
    start_response("200 OK", list(PLAIN))
    yield b"first "
    try:
        raise LateError("after the output")
    except LateError:
        try:
            start_response("500 Late", [], sys.exc_info())
        except LateError:
            yield b"second"


def bad_exc_info(environ, start_response):
    start_response("200 OK", [])
    try:
        start_response("500 X", [], "not a tuple")
    except TypeError:
        return [b"TypeError"]
    return [b"no error"]


def bad_call(environ, start_response):
    """?count=N arguments for start_response"""
    values = ["200 OK", [], None, None][: int(arguments(environ)["count"])]
    try:
        start_response(*values)
    except TypeError:
        return text(start_response, "TypeError")
    return [b"no error"]


_kept = {}


def keep(environ, start_response):
    write = start_response("200 OK", [])
    _kept.update(start=start_response, write=write, hints=environ["wsgi.early_hints"])
    return [b"kept"]


def use_kept(environ, start_response):
    """What an earlier request was given answers with an error now."""
    calls = {
        "start": lambda: _kept["start"]("200 OK", [("X-Stray", "1")]),
        "write": lambda: _kept["write"](b"stray"),
        "hints": lambda: _kept["hints"]([("Link", "</stray>")]),
    }
    results = []
    for name, call in calls.items():
        try:
            call()
            results.append(f"{name} ran")
        except RuntimeError:
            results.append(f"{name} RuntimeError")
    return text(start_response, ", ".join(results))


# ---- write()


def write_only(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    write(b"one ")
    write(b"")
    write(b"two")
    return []


def write_then_blocks(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    write(b"written ")
    yield b"and "
    yield b"yielded"


def write_then_list(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    write(b"written ")
    return [b"and ", b"listed"]


def write_between(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    yield b"1"
    write(b"2")
    yield b"3"


def write_bad(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    results = []
    for value in ("text", None, 1, bytearray(b"x"), memoryview(b"x")):
        try:
            write(value)
            results.append("ok")
        except TypeError:
            results.append("TypeError")
    return [" ".join(results).encode()]


def write_large(environ, start_response):
    write = start_response("200 OK", list(PLAIN))
    for i in range(40):
        write(bytes([65 + i % 26]) * 50_000)
    return [b"end"]


# ---- close()


class Closing:
    """An iterable that notes its close()."""

    def __init__(self, environ, blocks=(), error=None, close_error=None):
        self.environ = environ
        self.blocks = iter(blocks)
        self.error = error
        self.close_error = close_error

    def __iter__(self):
        return self

    def __next__(self):
        for block in self.blocks:
            return block
        if self.error:
            raise self.error
        raise StopIteration

    def close(self):
        note(self.environ, "close")
        if self.close_error:
            raise self.close_error


def closing(environ, start_response):
    """?end=normal|first|middle|close|short|str|nostart"""
    end = arguments(environ)["end"]
    if end != "nostart":
        start_response("200 OK", [*PLAIN, *([("Content-Length", "100")] if end == "short" else [])])
    if end == "first":
        return Closing(environ, error=RuntimeError("in the first block"))
    if end == "middle":
        return Closing(environ, [b"one", b"two"], error=RuntimeError("in the middle"))
    if end == "close":
        return Closing(environ, [b"one", b"two"], close_error=RuntimeError("in close()"))
    if end == "str":
        return Closing(environ, [b"one", "two"])
    return Closing(environ, [b"one", b"two"])


class ClosingList(list):
    environ = None

    def close(self):
        note(self.environ, "close")


def closing_list(environ, start_response):
    start_response("200 OK", list(PLAIN))
    result = ClosingList([b"one"])
    result.environ = environ
    return result


# ---- what an application must not return


def returns(environ, start_response):
    """?what=NAME"""
    what = arguments(environ)["what"]
    if what != "nothing-started":
        start_response("200 OK", list(PLAIN))
    return {
        "none": None,
        "str": "text",
        "bytes": b"bytes",
        "int": 7,
        "list-str": ["text"],
        "list-none": [None],
        "list-bytearray": [bytearray(b"x")],
        "tuple-str": (b"ok", "text"),
        "iter-str": iter(["text"]),
        "iter-none": iter([None]),
        "iter-memoryview": iter([memoryview(b"x")]),
        "nothing-started": [b"body"],
    }[what]


def yields_str_later(environ, start_response):
    start_response("200 OK", list(PLAIN))
    yield b"first"
    yield "second"


app = router(globals())
