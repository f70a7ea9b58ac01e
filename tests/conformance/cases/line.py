"""Cases of the request line: its terminators and separators, methods and versions."""

from tests.conformance.case import (
    GET,
    HOST,
    REFUSED,
    WAITS,
    After,
    Level,
    Seen,
    WireCase,
    accept,
    get,
    head,
    refuse,
    served,
)

SERVED = served(GET, after=After.EITHER)
ANY_METHOD = "!#$%&'*+-.^_`|~09Az"
LINE_RECOMMENDED = 8000  # octets that everybody should support (RFC 9112, 3)


def line(start: bytes, end: bytes = b"\r\n") -> bytes:
    return start + end + HOST.encode() + b"\r\n"


def bad(
    name: str, start: bytes, why: str, *, also: bool = False, status: tuple[int, ...] = (400,), report: str = ""
) -> WireCase:
    """A request line that no grammar allows; with `also`, one that a lenient server may take."""
    cites = "RFC 9112, 3"
    return refuse(
        f"line/{name}", cites, REFUSED, line(start), why, *([SERVED] if also else []), status=status, report=report
    )


METHODS = [
    accept(f"line/method-{method.lower()}", "RFC 9110, 9.1", head(f"{method} / HTTP/1.1", "Content-Length: 0"),
           "the method arrives as it was sent", Seen(method=method))
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")
] + [
    accept(f"line/method-{name}", "RFC 9110, 9.1", head(f"{method} / HTTP/1.1"),
           "any token is a method; an unknown one arrives unchanged or is refused", Seen(method=method), also=(REFUSED,))
    for name, method in (("unknown", "BREW"), ("webdav", "PROPFIND"), ("dash", "M-SEARCH"), ("mixed-case", "Get"),
                         ("all-tchars", ANY_METHOD), ("long", "M" * 64))
]  # fmt: skip
BAD_METHODS = [
    bad(f"method-{name}", b"G" + byte + b"T / HTTP/1.1", "a method is a token (RFC 9110, 5.6.2)", report="aiohttp CVE-2024-23829 (kind)" if name == "colon" else "")
    for name, byte in (("quote", b'"'), ("comma", b","), ("colon", b":"), ("at", b"@"), ("bracket", b"["), ("brace", b"{"),
                       ("slash", b"/"), ("equals", b"="), ("del", b"\x7f"), ("obs-text", b"\xe9"), ("esc", b"\x1b"))
]  # fmt: skip
BAD_VERSIONS = [
    bad(f"version-{name}", b"GET / " + version, "HTTP-version is HTTP/DIGIT.DIGIT (RFC 9112, 2.3)", status=(400, 505))
    for name, version in (("letter", b"HTTP/1.x"), ("no-minor", b"HTTP/1."), ("no-major", b"HTTP/.1"), ("no-dot", b"HTTP/11"),
                          ("comma", b"HTTP/1,1"), ("space", b"HTTP /1.1"), ("https", b"HTTPS/1.1"), ("mixed-case", b"Http/1.1"),
                          ("minus", b"HTTP/-1.1"), ("plus", b"HTTP/+1.1"), ("nul", b"HTTP/1.1\0"), ("empty", b"HTTP/"),
                          ("three", b"HTTP/1.1.1"), ("hex", b"HTTP/0x1.1"))
] + [
    bad(f"version-{version}", b"GET / HTTP/" + version.encode(), "a major version that is not spoken here (RFC 9110, 2.5)", status=(400, 505))
    for version in ("0.9", "3.0", "9.9")
]  # fmt: skip
SEPARATORS = [
    bad(name, start, "one SP between the words; RFC 9112, 3 lets a lenient parser split on any whitespace", also=True)
    for name, start in (("two-spaces-version", b"GET /  HTTP/1.1"), ("vt-separator", b"GET\x0b/\x0bHTTP/1.1"),
                        ("ff-separator", b"GET\x0c/\x0cHTTP/1.1"), ("tab-before-version", b"GET /\tHTTP/1.1"),
                        ("trailing-tab", b"GET / HTTP/1.1\t"), ("leading-tab", b"\tGET / HTTP/1.1"))
]  # fmt: skip
TERMINATORS = [
    refuse("line/cr-cr-lf", "RFC 9112, 2.2", REFUSED, line(b"GET / HTTP/1.1\r"), "a bare CR is invalid, or a space", SERVED),
    refuse("line/cr-first", "RFC 9112, 2.2", REFUSED, b"\r" + get(), "a bare CR before the request", SERVED),
    refuse("line/cr-only-lines", "RFC 9112, 2.2", REFUSED, get().replace(b"\r\n", b"\r"), "CR ends no line; more may follow", WAITS),
    refuse("line/cr-for-space", "RFC 9112, 3", REFUSED, line(b"GET\r/ HTTP/1.1"), "bare CR as separator", SERVED),
    refuse("line/lf-cr", "RFC 9112, 2.2", REFUSED, get().replace(b"\r\n", b"\n\r"), "LF CR is no line end"),
    refuse("line/lf-first", "RFC 9112, 2.2", REFUSED, b"\n" + get(), "a bare LF before the request", SERVED),
    refuse("line/bare-lf-field", "RFC 9112, 2.2", REFUSED, b"GET / HTTP/1.1\r\nHost: t.example\nX: y\r\n\r\n",
           "strict: the MAY for a bare LF is the root of most desyncs", SERVED, report="Node CVE-2022-35256"),
    refuse("line/bare-lf-end", "RFC 9112, 2.2", REFUSED, b"GET / HTTP/1.1\r\nHost: t.example\r\n\n",
           "the empty line ended by LF alone", SERVED, report="Node CVE-2022-35256"),
    refuse("line/lf-lf-end", "RFC 9112, 2.2", REFUSED, b"GET / HTTP/1.1\r\nHost: t.example\n\n" + get(path="/x"),
           "two bare LF end a head only where both sides agree", served(GET, Seen(path="/x"), after=After.EITHER)),
]  # fmt: skip
OTHERS = [
    bad("http-0.9", b"GET /", "HTTP/0.9 is gone; no bare body may come", report="Node, nginx answer 200"),
    bad("method-only", b"GET", "a request line has three words"),
    bad("four-words", b"GET / HTTP/1.1 x", "a request line has three words"),
    bad("version-first", b"HTTP/1.1 GET /", "a request line begins with the method"),
    bad("response", b"HTTP/1.1 200 OK", "a status line is no request", status=(400, 501)),
    bad("nul-first", b"\0GET / HTTP/1.1", "NUL before the method"),
    bad("nul-between", b"GET\0/ HTTP/1.1", "NUL is no separator"),
    bad("bom", b"\xef\xbb\xbfGET / HTTP/1.1", "a byte order mark is no method"),
    bad("quoted", b'"GET / HTTP/1.1"', "quotes are no token"),
    refuse("line/tls-hello", "RFC 9112, 2.2", REFUSED, bytes.fromhex("1603010200010001fc0303") + bytes(500),
           "TLS on the plain port ends at the first bad byte", report="gunicorn #1929"),
    refuse("line/ssh", "RFC 9112, 2.2", REFUSED, b"SSH-2.0-OpenSSH_9.9\r\n\r\n", "another protocol's greeting"),
    refuse("line/h2-preface", "RFC 9113, 3.4", REFUSED, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
           "refused where HTTP/2 is not spoken", WAITS, status=(505,)),
    WireCase("line/version-1.2", "RFC 9110, 2.5", b"GET / HTTP/1.2\r\nHost: t.example\r\n\r\n", served(GET),
             "a higher minor version is served as the highest one known"),
    accept("line/crlf-twice", "RFC 9112, 2.2", b"\r\n\r\n" + get(), "at least one empty line before a request is ignored",
           also=(REFUSED,), level=Level.SHOULD, report="Go, h11 refuse one"),
    accept("line/crlf-eight", "RFC 9112, 2.2", b"\r\n" * 8 + get(), "several empty lines are ignored", also=(REFUSED,), level=Level.SHOULD),
    refuse("line/crlf-nine", "RFC 9112, 2.2", REFUSED, b"\r\n" * 9 + get(), "not without end: Lanner's limit", SERVED),
    refuse("line/crlf-many", "RFC 9112, 2.2", REFUSED, b"\r\n" * 1000 + get(), "not without end", SERVED),
    accept("line/crlf-between", "RFC 9112, 2.2", get() + b"\r\n" + get(path="/b"), "an empty line after a request is ignored",
           GET, Seen(path="/b"), level=Level.SHOULD),
    accept("line/octets-8000", "RFC 9112, 3", get(path="/" + "x" * (LINE_RECOMMENDED - len("GET / HTTP/1.1"))),
           "request lines of 8000 octets are supported", level=Level.SHOULD, report="gunicorn: 4094"),
    refuse("line/octets-20000", "RFC 9110, 15.5.15", REFUSED, get(path="/" + "x" * 20_000),
           "too long: 414, or it is served", SERVED, status=(414,)),
    refuse("line/octets-200000", "RFC 9110, 15.5.15", REFUSED, get(path="/" + "x" * 200_000),
           "far too long: 414, or it is served", SERVED, status=(414,)),
    refuse("line/method-20000", "RFC 9112, 3", REFUSED, head("M" * 20_000 + " / HTTP/1.1"),
           "a method longer than any known: 501, or an error", SERVED, status=(414, 501, 400)),
]  # fmt: skip

CASES: list[WireCase] = [*METHODS, *BAD_METHODS, *BAD_VERSIONS, *SEPARATORS, *TERMINATORS, *OTHERS]
