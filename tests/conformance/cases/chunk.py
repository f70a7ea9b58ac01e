"""Cases of the chunked coding: sizes, extensions, data and trailers."""

from tests.conformance.case import (
    GET,
    REFUSED,
    WAITS,
    After,
    Outcome,
    Seen,
    WireCase,
    accept,
    post_chunked,
    refuse,
    served,
)

CHUNK = "RFC 9112, 7.1"
EXT = "RFC 9112, 7.1.1"
TRAILER = "RFC 9112, 7.1.2"
HELLO = b"5\r\nhello\r\n"
BODY = Seen(b"hello")
SERVED = served(BODY, after=After.EITHER)


def good(
    name: str, body: bytes, why: str, read: bytes = b"hello", *, cites: str = CHUNK, lenient: bool = False
) -> WireCase:
    """A chunked body, and a request behind it."""
    wire = post_chunked(body)
    return accept(f"chunk/{name}", cites, wire, why, Seen(read), also=(REFUSED,) if lenient else ())


def bad(
    name: str,
    body: bytes,
    why: str,
    *also: Outcome,
    cites: str = CHUNK,
    status: tuple[int, ...] = (400,),
    report: str = "",
) -> WireCase:
    return refuse(f"chunk/{name}", cites, REFUSED, post_chunked(body), why, *also, status=status, report=report)


def size(
    name: str,
    text: bytes,
    why: str = "a size is hexadecimal digits",
    *also: Outcome,
    status: tuple[int, ...] = (400,),
    report: str = "",
) -> WireCase:
    return bad(f"size-{name}", text + b"\r\nhello\r\n0\r\n\r\n", why, *also, status=status, report=report)


GOOD = [
    good("two", b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "two chunks are one body"),
    good("single-bytes", b"".join(b"1\r\n%c\r\n" % byte for byte in b"hello") + b"0\r\n\r\n", "five chunks"),
    good("upper-case", b"A\r\n0123456789\r\n0\r\n\r\n", "upper-case digits", b"0123456789"),
    good("lower-case", b"a\r\n0123456789\r\n0\r\n\r\n", "lower-case digits", b"0123456789"),
    good("two-digits", b"1a\r\n" + b"x" * 26 + b"\r\n0\r\n\r\n", "two digits", b"x" * 26),
    good("16-digits", b"0000000000000005\r\nhello\r\n0\r\n\r\n", "sixteen digits"),
    good("data-crlf", b"6\r\n\r\n0\r\n\r\r\n0\r\n\r\n", "data are not looked into", b"\r\n0\r\n\r"),
    good("last-zeros", HELLO + b"0000\r\n\r\n", "last-chunk is 1*0"),
    good("large", b"10000\r\n" + b"x" * 65536 + b"\r\n0\r\n\r\n", "64 KiB in a chunk", b"x" * 65536),
    good("ext-value", b"5;a=b\r\nhello\r\n0\r\n\r\n", "an extension is ignored", cites=EXT),
    good("ext-two", b"5;a;b=c\r\nhello\r\n0\r\n\r\n", "extensions are ignored", cites=EXT),
    good("ext-quoted", b'5;a="q;\\"x\\\\"\r\nhello\r\n0\r\n\r\n', "a quoted value may hold a semicolon and escapes", cites=EXT),
    good("ext-quoted-obs-text", b'5;a="\xe9"\r\nhello\r\n0\r\n\r\n', "a quoted value may hold obs-text", cites=EXT),
    good("ext-bws", b"5 ; a = b\r\nhello\r\n0\r\n\r\n", "bad whitespace must be taken", cites=EXT),
    good("ext-last", HELLO + b"0;a=b\r\n\r\n", "an extension of the last chunk", cites=EXT),
    good("trailer-one", HELLO + b"0\r\nX-Sum: 1\r\n\r\n", "a trailer is read", cites=TRAILER),
    good("trailer-many", HELLO + b"0\r\n" + b"".join(b"X-%d: v\r\n" % n for n in range(20)) + b"\r\n", "twenty trailers", cites=TRAILER),
    good("trailer-odd", HELLO + b"0\r\nX: caf\xe9\t:\r\nY:\r\n\r\n", "values as in a head", cites=TRAILER),
    *(good(f"trailer-{name.lower()}", HELLO + b"0\r\n%s: 1\r\n\r\n" % name.encode(), "dropped whatever its name, or refused", cites=TRAILER, lenient=True)
      for name in ("Content-Type", "Cookie", "Authorization", "Connection", "X-Forwarded-For")),
    accept("chunk/trailer-not-merged", "RFC 9110, 6.5.1", post_chunked(HELLO + b"0\r\nX-User: evil\r\n\r\n", "X-User: good"), "a trailer is no header field",
           Seen(b"hello", fields={"x-user": "good"})),
    accept("chunk/trailer-not-added", "RFC 9110, 6.5.1", post_chunked(HELLO + b"0\r\nX-User: evil\r\n\r\n"), "a trailer is no header field",
           Seen(b"hello", fields={"x-user": None})),
]  # fmt: skip
SIZES = [
    size("plus", b"+5"), size("letter-g", b"g"), size("two-words", b"5 5"), size("underscore", b"0_5", report="Python int()"), size("nul", b"5\0"), size("nul-first", b"\x005"),
    size("tab-after", b"5\t", "whitespace only before an extension"), size("vt", b"\x0b5"), size("ff", b"5\x0c"), size("dot", b"5.0"), size("comma", b"5,"), size("quote", b'"5"'),
    size("h-suffix", b"5h"), size("colon", b"5:"), size("fullwidth", b"\xef\xbc\x95"), size("xa0", b"5\xa0"), size("minus-zero", b"-0"), size("hex-upper-prefix", b"0X5"),
    size("semicolon-first", b";a"), size("word", b"five"),
    size("2-to-63", b"8000000000000000", "never negative", WAITS, status=(400, 413)),
    size("2-to-64-less-1", b"ffffffffffffffff", "never minus one", WAITS, status=(400, 413), report="hyper CVE-2021-32714"),
    size("2-to-64", b"10000000000000000", "never zero", WAITS, status=(400, 413)),
    size("17-digits", b"00000000000000005", "digits have a bound, or not", SERVED, status=(400, 413)),
]  # fmt: skip
LINES = [
    bad("line-lf", b"5\nhello\r\n0\r\n\r\n", "a chunk line ends with CRLF", report="Go CVE-2025-22871"),
    bad("line-lf-last", HELLO + b"0\n\n", "a last chunk ends with CRLF"),
    bad("line-cr-then-data", b"5\r5\r\nhello\r\n0\r\n\r\n", "a bare CR in a chunk line", report="llhttp, ATS"),
    bad("line-space-before-lf", b"5\r \nhello\r\n0\r\n\r\n", "CR and LF are next to each other"),
    bad("line-empty-between", HELLO + b"\r\n0\r\n\r\n", "no empty line between chunks"),
    bad("ext-lf", b"5;a\nhello\r\n0\r\n\r\n", "an extension ends with CRLF", cites=EXT, report="Kestrel CVE-2025-55315"),
    bad("ext-lf-inside", b"5;a\nb\r\nhello\r\n0\r\n\r\n", "a bare LF in an extension", cites=EXT, report="Kestrel CVE-2025-55315"),
    bad("ext-cr-inside", b"5;a\rb\r\nhello\r\n0\r\n\r\n", "a bare CR in an extension", cites=EXT, report="Kestrel CVE-2025-55315"),
    bad("ext-cr-quoted", b'5;a="\rb"\r\nhello\r\n0\r\n\r\n', "a bare CR in a quoted value", cites=EXT),
    bad("ext-lf-quoted", b'5;a="\nb"\r\nhello\r\n0\r\n\r\n', "a bare LF in a quoted value", cites=EXT),
    bad("ext-open-quote", b'5;a="b\r\nhello\r\n0\r\n\r\n', "a quote that nobody closes", cites=EXT),
    bad("ext-no-value", b"5;a=\r\nhello\r\n0\r\n\r\n", "a value is missing", cites=EXT),
    bad("ext-no-name", b"5;=b\r\nhello\r\n0\r\n\r\n", "a name is missing", cites=EXT),
    bad("ext-two-words", b"5;a b\r\nhello\r\n0\r\n\r\n", "two words", cites=EXT),
    bad("ext-del", b"5;a\x7f\r\nhello\r\n0\r\n\r\n", "a control character", cites=EXT),
    bad("ext-xe9", b"5;\xe9\r\nhello\r\n0\r\n\r\n", "a name is a token", cites=EXT),
    bad("ext-20000", b"5;a=" + b"x" * 20_000 + b"\r\nhello\r\n0\r\n\r\n", "20 KB of extension: refused, or ignored", SERVED, cites=EXT, status=(400, 413, 431),
        report="Node CVE-2024-22019"),
]  # fmt: skip
DATA = [
    bad("data-short", b"6\r\nhello\r\n0\r\n\r\n", "a chunk that is one byte short: its end is no CRLF"),
    bad("data-long", b"4\r\nhello\r\n0\r\n\r\n", "a chunk that is one byte long: its end is no CRLF"),
    bad("data-cr-only", b"5\r\nhello\r0\r\n\r\n", "CR alone after the data", report="h11 CVE-2025-43859"),
    bad("data-any-two", b"5\r\nhelloXX0\r\n\r\n", "any two bytes after the data", report="h11 CVE-2025-43859"),
    bad("data-lf-cr", b"5\r\nhello\n\r0\r\n\r\n", "LF CR after the data"),
    bad("data-cr-cr", b"5\r\nhello\r\r\n0\r\n\r\n", "CR CR LF after the data"),
    bad("data-spaces", b"5\r\nhello \r\n0\r\n\r\n", "a space after the data"),
    bad("data-nothing", b"0\r\nhello\r\n\r\n", "data in the last chunk: read as a trailer without a colon"),
]  # fmt: skip
TRAILERS = [
    bad("trailer-no-colon", HELLO + b"0\r\nX\r\n\r\n", "trailers have the grammar of fields", cites=TRAILER),
    bad("trailer-space-before-colon", HELLO + b"0\r\nX : y\r\n\r\n", "trailers have the grammar of fields", cites=TRAILER),
    bad("trailer-empty-name", HELLO + b"0\r\n: y\r\n\r\n", "trailers have the grammar of fields", cites=TRAILER),
    bad("trailer-nul", HELLO + b"0\r\nX: a\0b\r\n\r\n", "NUL in a trailer: refused, or dropped with it", SERVED, cites=TRAILER),
    bad("trailer-cr", HELLO + b"0\r\nX: a\rb\r\n\r\n", "a bare CR in a trailer: refused, or dropped with it", SERVED, cites=TRAILER),
    bad("trailer-fold", HELLO + b"0\r\nX: a\r\n b\r\n\r\n", "a fold in a trailer: refused, or unfolded", SERVED, cites=TRAILER),
    bad("trailer-space-first", HELLO + b"0\r\n X: a\r\n\r\n", "a trailer that begins with a space", cites=TRAILER),
    bad("trailer-request", HELLO + b"0\r\nGET / HTTP/1.1\r\nHost: t.example\r\n\r\n", "a request in the place of trailers", cites=TRAILER),
    bad("trailer-forty", HELLO + b"0\r\n" + b"".join(b"X-%d: v\r\n" % n for n in range(40)) + b"\r\n", "more than 32: 431, or dropped", SERVED, cites=TRAILER, status=(431, 400)),
    bad("trailer-10000", HELLO + b"0\r\nX: " + b"v" * 10_000 + b"\r\n\r\n", "more than 8 KiB: 431, or dropped", SERVED, cites=TRAILER, status=(431, 400)),
    refuse("chunk/after-end", "RFC 9112, 9.3", REFUSED, post_chunked(HELLO + b"0\r\n\r\nX: y\r\n\r\n"), "what follows the body is a request line, and a bad one", ahead=(BODY,)),
]  # fmt: skip
WHOLE = [
    accept("chunk/empty-then-next", CHUNK, post_chunked(b"0\r\n\r\n") + post_chunked(HELLO + b"0\r\n\r\n"), "two chunked requests in a row", GET, BODY),
    accept("chunk/thousand", CHUNK, post_chunked(b"10\r\n0123456789abcdef\r\n" * 1000 + b"0\r\n\r\n"), "a thousand chunks", Seen(b"0123456789abcdef" * 1000)),
]  # fmt: skip

CASES: list[WireCase] = [*GOOD, *SIZES, *LINES, *DATA, *TRAILERS, *WHOLE]
