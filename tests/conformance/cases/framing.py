"""Cases of a request's framing: Content-Length and Transfer-Encoding, alone and together."""

from tests.conformance.case import (
    GET,
    REFUSED,
    WAITS,
    After,
    Answer,
    Level,
    Outcome,
    Seen,
    WireCase,
    accept,
    get,
    head,
    must,
    post,
    refuse,
    served,
)

LENGTH = "RFC 9110, 8.6; RFC 9112, 6.3"
CODING = "RFC 9112, 6.1; 6.3"
BODY = Seen(b"hello")
SERVED_BODY = served(BODY, after=After.EITHER)
BY_CODING = served(GET, after=After.CLOSES)  # MAY process by Transfer-Encoding alone, MUST close
BAD_LENGTH = must(400, after=After.CLOSES)
BAD_CODING = must(400, 501, after=After.CLOSES)
END = b"0\r\n\r\n"


def length(
    name: str,
    value: str,
    why: str,
    *also: Outcome,
    rule: Outcome = BAD_LENGTH,
    status: tuple[int, ...] = (400,),
    report: str = "",
) -> WireCase:
    return refuse(
        f"length/{name}",
        LENGTH,
        rule,
        post(b"hello", f"Content-Length: {value}"),
        why,
        *also,
        status=status,
        report=report,
    )


GOOD_LENGTHS = [
    accept("length/zero", LENGTH, post(b"", "Content-Length: 0"), "no body", GET),
    accept("length/zeros", LENGTH, post(b"hello", "Content-Length: 00005"), "leading zeros are decimal", BODY, report="OpenLiteSpeed: octal"),
    accept("length/010", LENGTH, post(b"0123456789", "Content-Length: 010"), "ten, not eight", Seen(b"0123456789")),
    accept("length/zero-many", LENGTH, post(b"", "Content-Length: " + "0" * 30), "zero in thirty digits", GET, also=(REFUSED,)),
    accept("length/binary", LENGTH, post(bytes(range(256)), "Content-Length: 256"), "all bytes", Seen(bytes(range(256)))),
    accept("length/looks-chunked", LENGTH, post(b"0\r\n\r\n", "Content-Length: 5"), "a body is not looked into", Seen(b"0\r\n\r\n")),
    accept("length/looks-like-requests", LENGTH, post(get() * 3, f"Content-Length: {len(get()) * 3}"), "a body is no request", Seen(get() * 3)),
    *(accept(f"length/in-{method.lower()}", "RFC 9112, 6.3", head(f"{method} / HTTP/1.1", "Content-Length: 5") + b"hello", "framing does not depend on the method",
             Seen(b"hello", method), also=(REFUSED,) if method == "BREW" else ())
      for method in ("PUT", "PATCH", "DELETE", "BREW")),
    accept("length/two-posts", "RFC 9112, 9.3.2", post(b"one", "Content-Length: 3") + post(b"second", "Content-Length: 6"), "bodies stay with their heads",
           Seen(b"one"), Seen(b"second")),
    accept("length/one-short", "RFC 9112, 9.3", post(b"hello", "Content-Length: 4") + get(), "what follows the body begins the next request", Seen(b"hell"), Seen(method="oGET"),
           also=(Outcome((Answer(seen=Seen(b"hell")),), REFUSED.error, After.EITHER),)),
    accept("length/in-1.0", "RFC 9112, 6.3", b"POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello", "a length in 1.0", BODY, after=After.CLOSES),
]  # fmt: skip
BAD_LENGTHS = [
    *(length(name, value, "a length is digits: MUST 400 and close", report=report)
      for name, value, report in (
          ("plus-zero", "+0", ""), ("minus-five", "-5", "Mongoose CVE-2023-34188"), ("two-minus", "--5", ""), ("binary-prefix", "0b101", ""), ("octal-prefix", "0o5", ""),
          ("hex-digits", "a", ""), ("exponent", "5e0", ""), ("semicolon", "5;5", ""), ("parameter", "5; q=1", ""), ("tab-inside", "1\t0", ""), ("nul-after", "5\0", ""),
          ("nul-before", "\x005", ""), ("nbsp-after", "5\xa0", "Tornado, Bun strip"), ("nbsp-before", "\xa05", ""), ("x85", "5\x85", ""),
          ("fullwidth", "\xef\xbc\x95", "Werkzeug #2716"), ("superscript", "\xc2\xb2", ""), ("comma-differ", "5,6", "HAProxy CVE-2023-40225 (kind)"), ("comma-zero", "5,0", ""),
          ("words", "five", ""), ("null", "null", ""), ("percent", "%35", ""), ("dot", "5.", ""), ("quote-open", '"5', ""), ("apostrophe", "'5'", ""), ("ff", "\x0c5", ""))),
    *(length(name, value, "a list with empty members: MUST 400, or they are ignored", SERVED_BODY) for name, value in (("comma-last", "5,"), ("comma-first", ",5"))),
    length("list-three", "5, 5, 5", "a list of one value: refused, or taken as it", SERVED_BODY),
    length("list-spelt-otherwise", "5, 05", "the same number, not the same value", SERVED_BODY),
    *(length(name, value, "more than fits in 64 bits: never wrapped around", WAITS, rule=REFUSED, status=(400, 413), report=report)
      for name, value, report in (("2-to-63", "9223372036854775808", ""), ("2-to-64", "18446744073709551616", "HAProxy CVE-2021-40346 (kind)"),
                                  ("2-to-64-and-5", "018446744073709551621", "hyper CVE-2021-32714"), ("2-to-128-and-5", "340282366920938463463374607431768211461", ""))),
    refuse("length/same-three-times", LENGTH, BAD_LENGTH, post(b"hello", *["Content-Length: 5"] * 3), "refused, or taken as one", SERVED_BODY),
    refuse("length/same-apart", LENGTH, BAD_LENGTH, post(b"hello", "Content-Length: 5", "X: y", "content-length: 5"), "refused, or taken as one", SERVED_BODY),
    refuse("length/differ-apart", LENGTH, BAD_LENGTH, post(b"hello", "Content-Length: 5", "X: y", "content-length: 4"), "MUST 400 and close"),
    refuse("length/zero-and-five", LENGTH, BAD_LENGTH, post(b"hello", "Content-Length: 0", "Content-Length: 5"), "MUST 400 and close"),
    refuse("length/five-and-empty", LENGTH, BAD_LENGTH, post(b"hello", "Content-Length: 5", "Content-Length:"), "MUST 400 and close"),
    refuse("length/bad-in-get", LENGTH, BAD_LENGTH, get("Content-Length: x"), "in any method"),
    refuse("length/bad-in-1.0", LENGTH, BAD_LENGTH, b"POST / HTTP/1.0\r\nContent-Length: +5\r\n\r\nhello", "in any version"),
]  # fmt: skip


def coding(name: str, value: str, why: str, *also: Outcome, rule: Outcome = BAD_CODING, report: str = "") -> WireCase:
    return refuse(
        f"coding/{name}",
        CODING,
        rule,
        post(END, f"Transfer-Encoding: {value}"),
        why,
        *also,
        status=(400, 501),
        report=report,
    )


GOOD_CODINGS = [
    accept("coding/upper-case", "RFC 9112, 7", post(END, "TRANSFER-ENCODING: CHUNKED"), "codings know no case", GET),
    *(accept(f"coding/in-{method.lower()}", "RFC 9112, 6.3", head(f"{method} / HTTP/1.1", "Transfer-Encoding: chunked") + b"5\r\nhello\r\n" + END,
             "framing does not depend on the method", Seen(b"hello", method))
      for method in ("PUT", "PATCH", "DELETE", "OPTIONS")),
    accept("coding/in-get", "RFC 9110, 9.3.1", get("Transfer-Encoding: chunked") + b"5\r\nhello\r\n" + END, "a GET with a body: framed, or refused",
           Seen(b"hello"), also=(REFUSED, served(Seen(None)))),
    accept("coding/te-is-another", "RFC 9110, 10.1.4", post(b"hello", "TE: chunked", "Content-Length: 5"), "TE frames nothing", BODY),
    accept("coding/te-trailers", "RFC 9110, 10.1.4", post(b"hello", "TE: trailers", "Connection: TE", "Content-Length: 5"), "TE frames nothing", BODY),
    accept("coding/x-names", "RFC 9110, 5.1", post(b"hello", "X-Transfer-Encoding: chunked", "Transfer-Encoding-X: chunked", "Content-Length: 5"), "other names", BODY),
    accept("coding/empty-member-first", "RFC 9110, 5.6.1.2", post(END, "Transfer-Encoding: , chunked"), "empty members of a list are ignored, or the framing is refused", GET,
           also=(REFUSED,), level=Level.SHOULD),
    accept("coding/empty-line-first", "RFC 9110, 5.6.1.2", post(END, "Transfer-Encoding:", "Transfer-Encoding: chunked"), "the same list on two lines", GET, also=(REFUSED,), level=Level.SHOULD),
    accept("coding/content-encoding", "RFC 9110, 8.4", post(b"hello", "Content-Encoding: chunked", "Content-Length: 5"), "a content coding frames nothing", BODY),
]  # fmt: skip
BAD_CODINGS = [
    *(coding(name, value, "not chunked at its end: MUST 400 and close, or 501", report=report)
      for name, value, report in (
          ("identity", "identity", "Node CVE-2022-32213 (kind)"), ("gzip", "gzip", ""), ("deflate", "deflate", ""), ("br", "br", ""), ("chunked-identity", "chunked, identity", ""),
          ("chunked-then-x", "chunked, x", ""), ("two-words", "chunked x", ""), ("short", "chunke", ""), ("long", "cchunked", ""), ("apostrophes", "'chunked'", ""),
          ("nul-first", "\0chunked", ""), ("vt-first", "\x0bchunked", "Node CVE-2022-32213"), ("vt-last", "chunked\x0b", ""), ("ff-first", "\x0cchunked", ""),
          ("x85-last", "chunked\x85", ""), ("zero-byte-utf16", "c\0h\0u\0n\0k\0e\0d\0", ""), ("colon", ": chunked", ""), ("slash", "chunked/1.1", ""), ("star", "*", ""), ("number", "5", ""))),
    coding("semicolon-last", "chunked;", "an empty parameter", rule=REFUSED),
    coding("parameter-space", "chunked ; x=y", "chunked has no parameters", rule=REFUSED),
    coding("identity-chunked", "identity, chunked", "identity is gone (RFC 9112, 7)", rule=REFUSED),
    coding("gzip-gzip-chunked", "gzip, gzip, chunked", "a coding that is not known: 501", rule=REFUSED),
    coding("chunked-gzip-chunked", "chunked, gzip, chunked", "chunked twice", rule=REFUSED),
    coding("comma-twice", "chunked,,", "empty members: refused, or ignored", served(GET, after=After.EITHER), rule=REFUSED),
    coding("comma-alone", ",", "no coding at all: refused, or no body; the rest is no request", rule=REFUSED),
    refuse("coding/cr-last", CODING, REFUSED, post(END, "Transfer-Encoding: chunked\r"), "a bare CR: refused, or a space", served(GET, after=After.EITHER), status=(400, 501)),
    refuse("coding/two-lines-case", CODING, REFUSED, post(END, "Transfer-Encoding: chunked", "transfer-encoding: chunked"), "chunked twice", status=(400, 501),
           report="granian takes it"),
    refuse("coding/gzip-line-chunked-line", CODING, REFUSED, post(END, "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"), "gzip is not known", status=(400, 501)),
    *(refuse(f"coding/unknown-{name}", "RFC 9112, 6.1; RFC 9110, 5.3", REFUSED, post(END, *lines), "SHOULD 501: one list, however it is split", status=(501,))
      for name, lines in (("in-a-list", ("Transfer-Encoding: gzip, chunked",)), ("on-lines", ("Transfer-Encoding: gzip", "Transfer-Encoding: chunked")),
                          ("behind-empty", ("Transfer-Encoding: ,gzip, chunked",)), ("behind-empty-line", ("Transfer-Encoding:", "Transfer-Encoding: gzip, chunked")),
                          ("with-a-comma", ('Transfer-Encoding: x;a="b, chunked"',)))),
    refuse("coding/chunked-line-gzip-line", CODING, BAD_CODING, post(END, "Transfer-Encoding: chunked", "Transfer-Encoding: gzip"), "chunked is not last: MUST 400", status=(400, 501)),
    refuse("coding/chunked-line-x-line", CODING, BAD_CODING, post(END, "Transfer-Encoding: chunked", "Transfer-Encoding: x"), "chunked is not last: MUST 400", status=(400, 501)),
    refuse("coding/in-1.0", CODING, REFUSED, b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "faulty framing: refused, or closed afterwards",
           served(Seen(None), after=After.CLOSES), status=(400, 501), level=Level.MUST, report="Go, Node, uvicorn"),
    refuse("coding/in-1.0-keep-alive", CODING, REFUSED, b"POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + END, "MUST close afterwards",
           served(Seen(None), after=After.CLOSES), status=(400, 501), level=Level.MUST),
    refuse("coding/in-1.0-length", CODING, REFUSED, b"POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + END, "MUST close afterwards",
           served(Seen(None), after=After.CLOSES), status=(400, 501), level=Level.MUST),
]  # fmt: skip
SMUGGLED = get(path="/smuggled")
BOTH = [
    refuse(f"coding/both-{name}", "RFC 9112, 6.1", REFUSED, wire, "both framings: refused, or by Transfer-Encoding; closed in any case", BY_CODING, status=(400, 501), report=report, level=Level.MUST)
    for name, wire, report in (
        ("cl-te-smuggle", post(END + SMUGGLED, f"Content-Length: {len(END + SMUGGLED)}", "Transfer-Encoding: chunked"), "gunicorn #2176, CVE-2024-1135"),
        ("te-cl-smuggle", post(END + SMUGGLED, "Transfer-Encoding: chunked", f"Content-Length: {len(END + SMUGGLED)}"), ""),
        ("te-cl-short", post(END + SMUGGLED, "Transfer-Encoding: chunked", "Content-Length: 3"), ""),
        ("cl-0-te", post(END, "Content-Length: 0", "Transfer-Encoding: chunked"), "TE.0"),
        ("cl-same-te", post(END, "Content-Length: 5", "Transfer-Encoding: chunked"), ""),
        ("two-cl-te", post(END, "Content-Length: 5", "Content-Length: 6", "Transfer-Encoding: chunked"), ""), ("bad-cl-te", post(END, "Content-Length: x", "Transfer-Encoding: chunked"), ""),
        ("apart", post(END, "Content-Length: 5", "X: y", "Transfer-Encoding: chunked"), ""),
        ("case", post(END, "content-LENGTH: 5", "transfer-ENCODING: CHUNKED"), ""))
] + [
    refuse(f"coding/both-{name}", "RFC 9112, 6.1", REFUSED, wire, "both framings, and one is bad: refused", status=(400, 501))
    for name, wire in (("cl-bad-te", post(END, "Content-Length: 5", "Transfer-Encoding: xchunked")),
                       ("cl-te-identity", post(b"hello", "Content-Length: 5", "Transfer-Encoding: identity")))
] + [
    refuse("coding/both-space-te", "RFC 9112, 5.1", must(400), post(END, "Content-Length: 5", "Transfer-Encoding : chunked"), "whitespace before the colon: MUST 400"),
    WireCase("coding/both-underscore", "RFC 9110, 5.1", post(b"0\r\n\r\n", "Content-Length: 5", "Transfer_Encoding: chunked"), served(Seen(END)),
             "Transfer_Encoding is another field", level=Level.MUST, report="CGI servers"),
]  # fmt: skip
CASES: list[WireCase] = [*GOOD_LENGTHS, *BAD_LENGTHS, *GOOD_CODINGS, *BAD_CODINGS, *BOTH]
