"""Cases of field lines: names, values, folding, repetition, numbers and sizes."""

from tests.conformance.case import (
    GET,
    HOST,
    REFUSED,
    After,
    Level,
    Outcome,
    Seen,
    WireCase,
    accept,
    get,
    must,
    refuse,
    served,
)

SERVED = served(GET, after=After.EITHER)
NAME = "RFC 9110, 5.1; 5.6.2"
VALUE = "RFC 9110, 5.5"
COLON = "RFC 9112, 5.1"
FOLD = "RFC 9112, 5.2"


def value_seen(text: str) -> Outcome:
    return served(Seen(fields={"x": text}), after=After.EITHER)


BAD_NAMES = [
    refuse(f"field/name-{name}", NAME, REFUSED, get(f"X{char}Y: v"), "a field name is a token")
    for name, char in (("quote", '"'), ("paren", "("), ("comma", ","), ("slash", "/"), ("semicolon", ";"), ("less", "<"), ("equals", "="),
                       ("query", "?"), ("at", "@"), ("backslash", "\\"), ("brace", "{"), ("space", " "), ("tab", "\t"), ("nul", "\0"),
                       ("del", "\x7f"), ("soh", "\x01"), ("xe9", "\xe9"), ("vt", "\x0b"), ("cr", "\r"))
]  # fmt: skip
COLONS = [
    refuse("field/space-before-colon", COLON, must(400), get("X : v"), "whitespace before the colon: MUST 400", report="Node CVE-2021-22959"),
    refuse("field/space-before-colon-host", COLON, must(400), b"GET / HTTP/1.1\r\nHost : t.example\r\n\r\n", "whitespace before the colon: MUST 400"),
    refuse("field/space-before-colon-length", COLON, must(400), get("Content-Length : 5") + b"hello", "whitespace before the colon: MUST 400",
           report="OpenLiteSpeed CVE-2023-40518"),
    refuse("field/space-before-colon-coding", COLON, must(400), get("Transfer-Encoding : chunked") + b"0\r\n\r\n", "whitespace before the colon: MUST 400"),
    refuse("field/tab-before-colon-x", COLON, must(400), get("X\t: v"), "whitespace before the colon: MUST 400"),
    refuse("field/colon-only", NAME, REFUSED, get(":"), "an empty name", report="HAProxy CVE-2023-25725 (kind)"),
    refuse("field/name-only", NAME, REFUSED, get("X"), "a line without a colon"),
    refuse("field/no-colon-first", NAME, REFUSED, b"GET / HTTP/1.1\r\nX\r\n" + HOST.encode() + b"\r\n", "a line without a colon"),
    refuse("field/second-request-line", NAME, REFUSED, b"GET / HTTP/1.1\r\nGET / HTTP/1.1\r\n" + HOST.encode() + b"\r\n", "a request line among the fields"),
    refuse("field/name-over-two-lines", NAME, REFUSED, get("X-", "Y: v"), "a name split over lines", report="nginx answers 200"),
    accept("field/no-space-after-colon", COLON, get("X:v"), "OWS is optional", Seen(fields={"x": "v"})),
    accept("field/colons-in-value", VALUE, get("X: a:b: c"), "the first colon ends the name", Seen(fields={"x": "a:b: c"})),
    accept("field/name-all-tchars", NAME, get("!#$%&'*+-.^`|~09Az: v"), "any token is a name"),
    accept("field/name-case", "RFC 9110, 5.1", get("cOnTeNt-LeNgTh: 5") + b"hello", "names know no case", Seen(b"hello")),
]  # fmt: skip
BAD_VALUES = [
    refuse(f"field/value-{name}", VALUE, REFUSED, get(f"X: {value}"), "CR, LF and NUL are invalid and dangerous: refused, or a space in their place",
           value_seen(instead), report=report)
    for name, value, instead, report in (
        ("nul-first", "\0b", "b", ""), ("nul-last", "a\0", "a", "gunicorn #3144"), ("nul-alone", "\0", "", ""), ("bare-cr", "a\rb", "a b", "llhttp CVE-2023-30589"),
        ("cr-last", "a\r", "a", ""), ("cr-hides-field", "a\rContent-Length: 5", "a Content-Length: 5", "llhttp CVE-2025-23167"))
] + [
    refuse(f"field/value-{name}", VALUE, REFUSED, get(f"X: a{char}b"), "a control character: refused, or kept", SERVED)
    for name, char in (("soh", "\x01"), ("bs", "\x08"), ("vt", "\x0b"), ("ff", "\x0c"), ("us", "\x1f"), ("del", "\x7f"))
] + [
    refuse("field/value-bare-lf", "RFC 9112, 2.2", REFUSED, get("X: a\nb"), "a bare LF ends the line, or nothing; the rest is no field"),
    refuse("field/value-bare-lf-field", "RFC 9112, 2.2", REFUSED, get("X: a\nContent-Length: 5") + b"hello", "a bare LF hides a field",
           served(Seen(b"hello"), after=After.EITHER)),
    refuse("field/value-nul-host", VALUE, must(400), b"GET / HTTP/1.1\r\nHost: t\0.example\r\n\r\n", "NUL in Host"),
]  # fmt: skip
GOOD_VALUES = [
    accept(f"field/value-ok-{name}", VALUE, get(f"X: {value}"), "arrives byte for byte", Seen(fields={"x": value}))
    for name, value in (("tab-inside", "a\tb"), ("visible", "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~"), ("latin-1", "\xe9"), ("utf-8", "\xc3\xa9"),
                        ("quoted", '"a, b"; c'), ("x80", "a\x80b"))
] + [
    accept("field/value-ok-trimmed", COLON, get("X: \t a b \t "), "OWS around the value is not part of it", Seen(fields={"x": "a b"})),
    accept("field/value-ok-nbsp", "RFC 9110, 5.6.3", get("X: \xa0a\x85"), "only SP and HTAB are whitespace", Seen(fields={"x": "\xa0a\x85"}),
           report="waitress, Tornado, Bun strip"),
    accept("field/value-ok-4000", "RFC 9110, 5.4", get("X: " + "v" * 4000), "a value of 4000 octets", Seen(fields={"x": "v" * 4000}), level=Level.SHOULD),
    accept("field/value-ok-empty-last", VALUE, get("X:"), "an empty value without OWS", Seen(fields={"x": ""})),
]  # fmt: skip
FOLDS = [
    refuse(f"field/fold-{name}", FOLD, must(400), wire, "a server MUST refuse a fold, or put spaces in its place", SERVED, report=report)
    for name, wire, report in (
        ("space", get("X: a", " b"), "Node CVE-2022-32215"), ("tab", get("X: a", "\tb"), ""), ("empty-value", get("X:", " b"), ""), ("blank", get("X: a", " "), ""),
        ("twice", get("X: a", " b", " c"), ""), ("host", b"GET / HTTP/1.1\r\nHost:\r\n t.example\r\n\r\n", ""), ("lookalike", get("X: a", " Y: b"), ""))
] + [
    refuse("field/fold-length", FOLD, must(400), get("Content-Length:", " 5") + b"hello", "a folded length", served(Seen(b"hello"), after=After.EITHER)),
    refuse("field/fold-coding", FOLD, must(400), get("Transfer-Encoding:", " chunked") + b"0\r\n\r\n", "a folded coding", SERVED),
    refuse("field/space-before-first", "RFC 9112, 2.2", must(400), b"GET / HTTP/1.1\r\n X: y\r\n" + HOST.encode() + b"\r\n",
           "whitespace before the first field: MUST refuse, or drop the line", served(Seen(fields={"x": None}), after=After.EITHER)),
    refuse("field/tab-before-first", "RFC 9112, 2.2", must(400), b"GET / HTTP/1.1\r\n\tX: y\r\n" + HOST.encode() + b"\r\n",
           "whitespace before the first field: MUST refuse, or drop the line", served(Seen(fields={"x": None}), after=After.EITHER)),
]  # fmt: skip
REPEATED = [
    accept("field/repeated", "RFC 9110, 5.3", get("X: 1", "Y: 2", "X: 3"), "in order, as one list", Seen(fields={"x": "1, 3"}), report="fastpysgi: last wins"),
    accept("field/repeated-case", "RFC 9110, 5.3", get("X-A: 1", "x-a: 2"), "names know no case", Seen(fields={"x-a": "1, 2"})),
    accept("field/underscore", "RFC 9110, 5.1", get("X_A: evil", "X-A: good"), "no other name may pass for X-A", Seen(fields={"x-a": "good"}), level=Level.SHOULD,
           report="CGI and WSGI servers since 1996"),
    accept("field/underscore-length", "RFC 9110, 5.1", get("Content_Length: 3"), "no framing field"),
]  # fmt: skip
SIZES = [
    accept("field/count-60", "RFC 9110, 5.4", get(*(f"X-{n}: {n}" for n in range(60))), "60 fields", Seen(fields={"x-59": "59"}), level=Level.SHOULD),
    accept("field/count-99", "RFC 9110, 5.4", get(*(f"X-{n}: {n}" for n in range(99))), "100 fields with Host: Lanner's limit", also=(REFUSED,), level=Level.SHOULD),
    refuse("field/count-101", "RFC 6585, 5", REFUSED, get(*(f"X-{n}: {n}" for n in range(100))), "one more: 431, or it is served", SERVED, status=(431,)),
    refuse("field/count-3000", "RFC 6585, 5", REFUSED, get(*(f"X-{n}: {n}" for n in range(3000))), "far too many: 431, or it is served", SERVED, status=(431,)),
    accept("field/size-30000", "RFC 9110, 5.4", get("X: " + "v" * 30_000), "below Lanner's limit", also=(REFUSED,), level=Level.SHOULD),
    refuse("field/size-33000", "RFC 6585, 5", REFUSED, get("X: " + "v" * 33_000), "a field line over 32 KiB: 431, or it is served", SERVED, status=(431,)),
    refuse("field/name-size-33000", "RFC 6585, 5", REFUSED, get("X" * 33_000 + ": v"), "a name over 32 KiB: 431, or it is served", SERVED, status=(431, 400)),
    refuse("field/head-70000", "RFC 6585, 5", REFUSED, get(*(f"X-{n}: " + "v" * 10_000 for n in range(7))), "a head over 64 KiB: 431, or it is served", SERVED, status=(431,)),
]  # fmt: skip

CASES: list[WireCase] = [*BAD_NAMES, *COLONS, *BAD_VALUES, *GOOD_VALUES, *FOLDS, *REPEATED, *SIZES]
