"""Cases of the request target: its four forms, its characters, and the Host field."""

from tests.conformance.case import (
    GET,
    REFUSED,
    After,
    Level,
    Seen,
    WireCase,
    accept,
    get,
    head,
    must,
    refuse,
    served,
)

SERVED = served(GET, after=After.EITHER)
STARLETTE = "Starlette CVE-2026-48710"


def target(
    name: str, text: str, why: str, *also: bool, method: str = "GET", cites: str = "RFC 9112, 3.2", report: str = ""
) -> WireCase:
    wire = head(f"{method} {text} HTTP/1.1")
    return refuse(f"target/{name}", cites, REFUSED, wire, why, *([SERVED] if also else []), report=report)


def taken(
    name: str, text: str, why: str, seen: Seen, *, cites: str = "RFC 9112, 3.2.1", lenient: bool = False
) -> WireCase:
    return accept(f"target/{name}", cites, get(path=text), why, seen, also=(REFUSED,) if lenient else ())


ORIGIN = [
    taken("empty-query", "/a?", "an empty query", Seen(path="/a", query="")),
    taken("query-marks", "/a??b?c", "a query may hold question marks", Seen(path="/a", query="?b?c")),
    taken("query-slashes", "/a?/b//c/", "a query may hold slashes", Seen(path="/a", query="/b//c/")),
    taken("query-raw", "/a?x=%20%2f+%zz&y", "a query arrives as it was sent", Seen(path="/a", query="x=%20%2f+%zz&y"), lenient=True),
    taken("sub-delims", "/!$&'()*+,;=:@", "sub-delims need no escape", Seen(path="/!$&'()*+,;=:@"), cites="RFC 3986, 3.3"),
    taken("unreserved", "/-._~aZ09", "unreserved characters", Seen(path="/-._~aZ09"), cites="RFC 3986, 2.3"),
    taken("percent", "/%41%7e%20", "triplets are decoded", Seen(path="/A~ "), cites="PEP 3333; ASGI"),
    taken("percent-percent", "/%2541", "decoded once, not twice", Seen(path="/%41"), cites="RFC 3986, 2.4"),
    taken("percent-lower", "/%7E%c3%a9", "hexadecimal digits in either case", Seen(path="/~\xe9"), cites="RFC 3986, 2.1"),
    taken("double-slash", "//x/y", "an origin-form may begin with two slashes; it is no authority", Seen(path="//x/y")),
    taken("long-path", "/" + "a/" * 1000, "a thousand segments", Seen(path="/" + "a/" * 1000)),
    taken("semicolon", "/a;b=c/d", "parameters are part of the path", Seen(path="/a;b=c/d")),
]  # fmt: skip
CHARACTERS = [
    target(f"char-{name}", f"/a{char}b", "a control or a non-ASCII byte is in no URI", cites="RFC 3986, 2")
    for name, char in (("soh", "\x01"), ("esc", "\x1b"), ("del", "\x7f"), ("x80", "\x80"), ("xff", "\xff"), ("vt", "\x0b"), ("bs", "\x08"))
] + [
    target(f"query-char-{name}", f"/a?b={char}c", "a control or a non-ASCII byte is in no URI", cites="RFC 3986, 3.4")
    for name, char in (("nul", "\0"), ("soh", "\x01"), ("del", "\x7f"), ("xe9", "\xe9"))
] + [
    target("space-inside", "/a b", "a space ends the target", report="reverse proxies and origin split it differently"),
    target("cr-inside", "/a\rb", "a bare CR in the target"),
    target("fragment-empty", "/a#", "a fragment is never sent"),
    target("fragment-query", "/a?b#c", "a fragment is never sent", report="HAProxy CVE-2023-45539"),
    target("percent-end", "/a%", "a triplet has two digits", cites="RFC 3986, 2.1"),
    target("percent-one-digit", "/a%4", "a triplet has two digits", cites="RFC 3986, 2.1"),
    target("percent-not-hex", "/a%G0", "a triplet has hexadecimal digits", cites="RFC 3986, 2.1"),
    target("percent-u", "/%u0041", "no such triplet", cites="RFC 3986, 2.1"),
]  # fmt: skip
FORMS = [
    target("question-only", "?a=b", "an origin-form begins with a slash"),
    target("dot", ".", "an origin-form begins with a slash"),
    target("star-post", "*", "asterisk-form is for OPTIONS only", method="POST", cites="RFC 9112, 3.2.4"),
    target("star-put", "*", "asterisk-form is for OPTIONS only", method="PUT", cites="RFC 9112, 3.2.4"),
    target("star-star", "**", "no form begins so", method="OPTIONS"),
    target("star-path", "*/a", "no form begins so", method="OPTIONS"),
    target("authority-get", "t.example:80", "authority-form is for CONNECT only", cites="RFC 9112, 3.2.3"),
    target("host-only", "t.example", "no form at all"),
    target("backslash", "\\a", "an origin-form begins with a slash"),
    target("absolute-empty-host", "http:///a", "an http URI has a host", cites="RFC 9110, 4.2.1"),
    target("absolute-no-host", "http://", "an http URI has a host", cites="RFC 9110, 4.2.1"),
    target("absolute-one-slash", "http:/a", "no authority"),
    target("absolute-no-slash", "http:a", "no authority"),
    target("absolute-bad-port", "http://t.example:80x/", "a port has digits", cites="RFC 3986, 3.2.3"),
    target("absolute-open-bracket", "http://[::1/", "an open bracket", cites="RFC 3986, 3.2.2"),
    target("absolute-fragment", "http://t.example/#a", "a fragment is never sent"),
    target("absolute-javascript", "javascript:alert(1)", "no scheme that is served here"),
    target("absolute-file", "file:///etc/passwd", "no scheme that is served here"),
    accept("target/absolute-query-no-path", "RFC 9112, 3.2.2", get(path="http://t.example?a=b"), "an empty path is /, or empty", Seen(path="/", query="a=b"),
           also=(served(Seen(path="", query="a=b")),)),
    accept("target/absolute-case", "RFC 3986, 3.1", get(path="HTTP://t.example/a"), "schemes know no case", Seen(path="/a")),
    accept("target/absolute-port", "RFC 9112, 3.2.2", head("GET http://t.example:8080/a HTTP/1.1", host="Host: t.example:8080\r\n"),
           "absolute-form with a port", Seen(path="/a")),
    accept("target/absolute-ipv6", "RFC 9112, 3.2.2", head("GET http://[::1]:80/a HTTP/1.1", host="Host: [::1]:80\r\n"),
           "absolute-form with an IP literal", Seen(path="/a")),
    accept("target/absolute-options", "RFC 9112, 3.2.2", head("OPTIONS http://t.example/a HTTP/1.1"), "absolute-form in any method",
           Seen(method="OPTIONS", path="/a")),
    refuse("target/absolute-other-host", "RFC 9112, 3.2.2", REFUSED, head("GET http://a.example/ HTTP/1.1", host="Host: b.example\r\n"),
           "the Host field is refused, or the target's host is used in its place: never Host's",
           served(Seen(fields={"host": "a.example"}), after=After.EITHER), report="all Python servers pass on b.example"),
    refuse("target/absolute-other-port", "RFC 9112, 3.2.2", REFUSED, head("GET http://t.example:81/ HTTP/1.1", host="Host: t.example:82\r\n"),
           "as with another host", served(Seen(fields={"host": "t.example:81"}), after=After.EITHER)),
    refuse("target/absolute-no-host-field", "RFC 9112, 3.2", must(400), b"GET http://t.example/ HTTP/1.1\r\n\r\n", "1.1 without Host: MUST 400, absolute-form too"),
    refuse("target/absolute-bad-host-field", "RFC 9112, 3.2", must(400), head("GET http://t.example/ HTTP/1.1", host="Host: a/b?\r\n"), "an invalid Host: MUST 400", report=STARLETTE),
    *(refuse(f"target/connect-{name}", "RFC 9110, 9.3.6", REFUSED, head(f"CONNECT {text} HTTP/1.1", host="Host: t.example:443\r\n"),
             "a server that is no proxy makes no tunnel; a 2xx would be one", status=(400, 501), report="gunicorn answers 200" if name == "authority" else "")
      for name, text in (("authority", "t.example:443"), ("origin", "/a"), ("no-port", "t.example"), ("absolute", "http://t.example/"), ("star", "*"))),
]  # fmt: skip


def host(name: str, value: str, why: str, *, lenient: bool = False, report: str = "") -> WireCase:
    """An invalid Host: MUST 400; with `lenient`, one whose grammar holds."""
    also, rule = ((SERVED,), REFUSED) if lenient else ((), must(400))
    wire = head("GET / HTTP/1.1", host=f"Host: {value}\r\n")
    return refuse(f"host/{name}", "RFC 9112, 3.2; RFC 3986, 3.2.2", rule, wire, why, *also, report=report)


BAD_HOSTS = [
    *(host(f"char-{name}", f"t{char}e", "no reg-name has it", report=STARLETTE if name in ("slash", "query") else "")
      for name, char in (("slash", "/"), ("query", "?"), ("hash", "#"), ("backslash", "\\"), ("quote", '"'), ("less", "<"),
                         ("greater", ">"), ("caret", "^"), ("backtick", "`"), ("brace", "{"), ("pipe", "|"), ("bracket", "]"),
                         ("tab", "\t"), ("del", "\x7f"), ("soh", "\x01"), ("xe9", "\xe9"), ("nul", "\0"), ("at", "@"))),
    host("absolute", "http://t.example", "a Host is no URI"),
    host("userinfo-password", "u:p@t.example", "a Host has no userinfo"),
    host("two-ports", "t.example:80:80", "one port"),
    host("port-minus", "t.example:-1", "a port has digits"),
    host("port-plus", "t.example:+80", "a port has digits"),
    host("port-space", "t.example: 80", "a port has digits"),
    host("port-hex", "t.example:0x50", "a port has digits"),
    host("ipv6-bare", "::1", "an IPv6 address stands in brackets"),
    host("ipv6-after", "[::1]x", "only a port may follow"),
    host("ipv6-close-only", "::1]", "no opening bracket"),
    host("ipv6-empty", "[]", "no address"),
    host("ipv6-letter", "[::g]", "no hexadecimal digit"),
    host("ipv6-long", "[1:2:3:4:5:6:7:8:9]", "nine groups"),
    host("ipv6-two-gaps", "[1::2::3]", "two gaps"),
    host("ipv4-brackets", "[127.0.0.1]", "no IP literal"),
    host("percent-not-hex", "t%zz", "a triplet has hexadecimal digits"),
    host("percent-short", "t%4", "a triplet has two digits"),
    host("port-only", ":80", "a host is missing; the grammar allows it", lenient=True),
    refuse("host/three", "RFC 9112, 3.2", must(400), head("GET / HTTP/1.1", "Host: t.example", "X: y", "Host: t.example"), "more than one Host: MUST 400"),
    refuse("host/two-in-1.0", "RFC 9112, 3.2", must(400), b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "in any version"),
    refuse("host/bad-in-1.0", "RFC 9112, 3.2", must(400), b"GET / HTTP/1.0\r\nHost: a/b?\r\n\r\n", "in any version", report=STARLETTE),
    refuse("host/missing-post", "RFC 9112, 3.2", must(400), b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", "in any method"),
    refuse("host/missing-options", "RFC 9112, 3.2", must(400), b"OPTIONS * HTTP/1.1\r\n\r\n", "in any form of target"),
    refuse("host/lookalike", "RFC 9112, 3.2", must(400), b"GET / HTTP/1.1\r\nHosts: a\r\nX-Host: b\r\n\r\n", "another name is no Host"),
]  # fmt: skip
GOOD_HOSTS = [
    accept(f"host/ok-{name}", "RFC 9112, 3.2; RFC 3986, 3.2", head("GET / HTTP/1.1", host=f"Host: {value}\r\n"),
           "a valid Host reaches the application", Seen(fields={"host": value}))
    for name, value in (("case", "T.Example"), ("port", "t.example:80"), ("port-max", "t.example:65535"), ("ipv4", "127.0.0.1:8000"),
                        ("ipv6", "[::1]"), ("ipv6-empty-port", "[::1]:"), ("ipv6-ipv4", "[::ffff:1.2.3.4]:1"), ("underscore", "a_b.example"),
                        ("dash", "-a-.example"), ("final-dot", "t.example."), ("one-letter", "t"))
] + [
    accept("host/ok-any-case-name", "RFC 9110, 5.1", b"GET / HTTP/1.1\r\nhOST: t.example\r\n\r\n", "field names know no case", Seen(fields={"host": "t.example"})),
    accept("host/ok-whitespace", "RFC 9112, 5.1", b"GET / HTTP/1.1\r\nHost: \t t.example \t\r\n\r\n", "OWS is not part of the value", Seen(fields={"host": "t.example"})),
    accept("host/ok-last", "RFC 9110, 5.3", b"GET / HTTP/1.1\r\nX: y\r\nHost: t.example\r\n\r\n", "anywhere in the head"),
    accept("host/ok-sub-delims", "RFC 3986, 3.2.2", head("GET / HTTP/1.1", host="Host: a!$&'()*+;=b\r\n"), "a reg-name may have sub-delims", also=(REFUSED,), level=Level.SHOULD),
    accept("host/ok-percent", "RFC 3986, 3.2.2", head("GET / HTTP/1.1", host="Host: t%41\r\n"), "a reg-name may have triplets", also=(REFUSED,), level=Level.SHOULD),
]  # fmt: skip

CASES: list[WireCase] = [*ORIGIN, *CHARACTERS, *FORMS, *BAD_HOSTS, *GOOD_HOSTS]
