"""Streams of requests to try: valid ones from a grammar, then changed where their structure lies, then in their bytes.

Everything follows from the random source that is passed in: the same seed gives the same stream.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

Token = tuple[str, bytes]  # what it is, its bytes

METHODS = [b"GET", b"GET", b"GET", b"POST", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH"]
TARGETS = [
    b"/",
    b"/a",
    b"/a/b?c=d",
    b"/%41%2f",
    b"/?",
    b"//a",
    b"/a;b=c/",
    b"/a?b?c",
    b"http://t/",
    b"http://t/a?b",
    b"http://t",
    b"http://t?a",
    b"*",
]
HOSTS = [b"t", b"t", b"t:80", b"t.example", b"127.0.0.1:8000", b"[::1]", b"[::1]:80"]
FIELDS = [
    (b"User-Agent", b"differ/1"),
    (b"Accept", b"*/*"),
    (b"Accept", b"a, b;q=0.5"),
    (b"Cookie", b"a=b; c=d"),
    (b"X-Empty", b""),
    (b"X-Long", b"v" * 300),
    (b"x", b'"quoted \\" text"'),
    (b"X-Bytes", b"\x80\xff"),
    (b"X-Tab", b"a\tb  c"),
    (b"Content-Type", b"text/plain"),
    (b"Connection", b"close"),
    (b"Connection", b"keep-alive"),
    (b"Connection", b"x-a, Close"),
    (b"Expect", b"100-continue"),
    (b"TE", b"trailers"),
    (b"Upgrade", b"h2c"),
    (b"Connection", b"upgrade"),
    (b"Date", b"Mon, 30 Nov 2026 12:00:00 GMT"),
]
EXTENSIONS = [b"", b"", b"", b";a", b";a=b", b';a="b;\\"c"', b" ; a = b"]
TRAILERS = [(b"X-Sum", b"1"), (b"X-A", b""), (b"Content-Length", b"3"), (b"Host", b"u")]

# What a mutation puts in the place of a token, besides deleting, doubling and swapping it.
OTHERWISE: dict[str, list[bytes]] = {
    "method": [b"get", b"G-T", b"CONNECT", b"PRI", b"", b"GE T", b"G\xc3T", b"(GET)", b"M" * 40, b"FOO", b"SOURCE"],
    "space": [b"  ", b"\t", b"", b" \t", b"\x0b", b"\xa0", b"\r", b"\n"],
    "target": [
        *TARGETS,
        b"a",
        b"@t",
        b"/\x80",
        b"/ a",
        b"/a#b",
        b"/%",
        b"/%0g",
        b"/%00",
        b"/\\",
        b'/"<>^`{|}',
        b"t:80",
        b"http://u@t/",
        b"http:///a",
        b"HTTP://t/",
        b"https://t/",
        b"ftp://t/",
        b"http://u/",
        b"/\x7f",
        b"/\x00",
        b"*a",
        b"?a",
        b"/" + b"x" * 2000,
    ],
    "version": [
        b"HTTP/1.0",
        b"HTTP/1.1",
        b"HTTP/1.2",
        b"HTTP/2.0",
        b"HTTP/0.9",
        b"HTTP/1.10",
        b"HTTP/11",
        b"http/1.1",
        b"HTTP/1,1",
        b"HTTP /1.1",
        b"HTTP/1.",
        b"HTTPS/1.1",
        b"",
        b"ICE/1.0",
        b"HTTP/3.1",
    ],
    "eol": [
        b"\n",
        b"\r",
        b"\r\r\n",
        b"\n\r",
        b"",
        b" \r\n",
        b"\r\n ",
        b"\r\n\t",
        b"\x00\r\n",
        b"\x0b\r\n",
        b"\r\n\r\n",
    ],
    "name": [
        b"Content-Length",
        b"Transfer-Encoding",
        b"Host",
        b"Connection",
        b"Expect",
        b"content-length ",
        b"Transfer_Encoding",
        b"",
        b" X",
        b"X\tY",
        b"X(",
        b"\xc3X",
        b"X\x00",
        b":",
        b"Content-Length\x0b",
        b"TRANSFER-ENCODING",
        b"Trailer",
        b"Upgrade",
    ],
    "colon": [b"", b" :", b"\t:", b"::", b":\r\n ", b";", b":\n"],
    "blank": [b"", b"  ", b"\t", b" \t ", b"\x0b", b"\x0c", b"\r\n ", b"\x00", b"\xa0"],
    "value": [
        b"chunked",
        b"Chunked",
        b"chunked, chunked",
        b"gzip, chunked",
        b"chunked;a=b",
        b"identity",
        b"chunked,",
        b",chunked",
        b"xchunked",
        b"gzip",
        b'"chunked"',
        b"0",
        b"5",
        b"+5",
        b"-1",
        b"05",
        b"5, 5",
        b"5,6",
        b"5 5",
        b"0x5",
        b"5.0",
        b"1e1",
        b"",
        b"18446744073709551616",
        b"9223372036854775808",
        b"a\x00b",
        b"a\x7fb",
        b"a\x01b",
        b"a\rb",
        b"a\nb",
        b"t/evil",
        b"u@t",
        b"t, t",
        b"t:99999",
        b"[::1",
        b"[::g]",
        b"t%41",
        b"close",
        b"keep-alive",
        b"close, keep-alive",
        b"upgrade",
        b"100-Continue",
        b"200-ok",
        b"\xc3\xa4",
    ],
    "size": [
        b"0",
        b"00",
        b"005",
        b"5 ",
        b" 5",
        b"0x5",
        b"+5",
        b"-5",
        b"g",
        b"",
        b"5\t",
        b"A",
        b"a",
        b"fffffffff",
        b"10000000000000005",
        b"7fffffffffffffff",
        b"8000000000000000",
        b"0_5",
        b"5" + b"0" * 20,
        b"0" * 15 + b"5",
        b"0" * 16 + b"5",
        b"0" * 20 + b"5",
    ],
    "extension": [
        *EXTENSIONS,
        b";",
        b";;",
        b";a=",
        b";=b",
        b';a="b',
        b";a b",
        b" ;a",
        b";a\x00",
        b";a\n",
        b";\xc3",
        b";a\rb",
        b" a",
        b";a=b;",
        b"; ",
        b";a=b\x7f",
    ],
    "data": [b"", b"\r\n", b"x", b"0\r\n\r\n", b"GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n"],
    "empty": [b"\r\n", b"\r\n\r\n", b"\n", b"\r", b" \r\n", b"\r\n" * 9],
}
BYTES = [
    b"\r",
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"\x00",
    b":",
    b";",
    b"0",
    b"5",
    b"\x80",
    b"\x7f",
    b",",
    b"\x0b",
    b"%",
    b"?",
]


@dataclass
class Stream:
    """Bytes to send, and where the network cuts them."""

    wire: bytes
    cuts: list[int]


def line(name: bytes, value: bytes) -> list[Token]:
    return [("name", name), ("colon", b":"), ("blank", b" "), ("value", value), ("blank", b""), ("eol", b"\r\n")]


def chunks(random: Random) -> list[Token]:
    tokens: list[Token] = []
    for _ in range(random.choice([0, 1, 1, 2, 3])):
        data = bytes(random.choices(b"abc\r\n0;", k=random.choice([1, 2, 5, 5, 17, 300])))
        size = (b"%x", b"%X", b"%04x")[random.choice([0, 0, 1, 2])] % len(data)
        tokens += [("size", size), ("extension", random.choice(EXTENSIONS)), ("eol", b"\r\n")]
        tokens += [("data", data), ("eol", b"\r\n")]
    tokens += [
        ("size", random.choice([b"0", b"0", b"000"])),
        ("extension", random.choice(EXTENSIONS[:5])),
        ("eol", b"\r\n"),
    ]
    for name, value in random.sample(
        TRAILERS[:2] if random.random() < 0.9 else TRAILERS, random.choice([0, 0, 0, 1, 2])
    ):
        tokens += line(name, value)
    return [*tokens, ("eol", b"\r\n")]


def request(random: Random) -> list[Token]:
    """The tokens of one request, valid but for some whose target does not fit its method."""
    method, version = random.choice(METHODS), random.choice([b"HTTP/1.1"] * 6 + [b"HTTP/1.0"])
    target = random.choice(TARGETS[: -1 if method != b"OPTIONS" else None])
    tokens: list[Token] = [("empty", b""), ("method", method), ("space", b" "), ("target", target), ("space", b" ")]
    tokens += [("version", version), ("eol", b"\r\n")]
    host = b"t" if target.startswith(b"http") else random.choice(HOSTS)
    fields = [(b"Host", host), *random.sample(FIELDS, random.choice([0, 0, 1, 1, 2, 4]))]
    body: list[Token] = []
    framing = random.choice(["none", "none", "length", "chunked"])
    if framing == "length":
        data = bytes(random.choices(b"abc\r\n", k=random.choice([0, 1, 5, 40])))
        fields.append((b"Content-Length", b"%d" % len(data)))
        body = [("data", data)]
    elif framing == "chunked" and version == b"HTTP/1.1":
        fields.append((b"Transfer-Encoding", b"chunked"))
        body = chunks(random)
    random.shuffle(fields)
    for name, value in fields:
        tokens += line(name, value)
    return [*tokens, ("eol", b"\r\n"), *body]


def lines_of(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where the lines are: from a token to behind the next end of line."""
    found, begin = [], 0
    for at, (kind, _) in enumerate(tokens):
        if kind == "eol":
            found.append((begin, at + 1))
            begin = at + 1
    return found


def mutate(random: Random, tokens: list[Token]) -> None:
    """Changes one thing, in place."""
    how = random.random()
    if how < 0.6:
        at = random.randrange(len(tokens))
        kind = tokens[at][0]
        tokens[at] = (kind, random.choice(OTHERWISE[kind]))
    elif how < 0.75:
        begin, end = random.choice(lines_of(tokens))
        where = random.choice(lines_of(tokens))[0]
        moved = tokens[begin:end]
        if random.random() < 0.5:
            del tokens[begin:end]
            where = min(where, len(tokens))
        tokens[where:where] = moved
    elif how < 0.85:
        name = random.choice([b"Content-Length", b"Transfer-Encoding", b"Host", b"Connection", b"Expect", b"X"])
        where = random.choice(lines_of(tokens))[1]
        tokens[where:where] = line(name, random.choice(OTHERWISE["value"]))
    elif how < 0.93:
        at = random.randrange(len(tokens))
        kind, data = tokens[at]
        cut = random.randint(0, len(data))
        tokens[at] = (kind, data[:cut] + random.choice(BYTES) + data[cut + random.randint(0, 1) :])
    else:
        del tokens[random.randrange(len(tokens))]
    if not lines_of(tokens):
        tokens.append(("eol", b"\r\n"))


def change_bytes(random: Random, wire: bytes) -> bytes:
    at = random.randint(0, len(wire))
    how = random.randrange(4)
    if how == 0:
        return wire[:at] + random.choice(BYTES) + wire[at:]
    if how == 1:
        return wire[:at] + wire[at + 1 :]
    if how == 2:
        return wire[:at] + bytes([random.randrange(256)]) + wire[at + 1 :]
    other = random.randint(0, len(wire))
    return wire[:at] + wire[min(at, other) : max(at, other)][:100] + wire[at:]


def make_cuts(random: Random, size: int) -> list[int]:
    how = random.random()
    if how < 0.4 or size < 2:
        return []
    if how < 0.5 and size < 400:
        return list(range(1, size))
    return sorted({random.randrange(1, size) for _ in range(random.choice([1, 1, 2, 4]))})


def make_stream(random: Random, seeds: Sequence[bytes]) -> Stream:
    """`seeds`: wires to start from now and then."""
    if seeds and random.random() < 0.15:
        wire = change_bytes(random, random.choice(seeds))
    else:
        requests = [request(random) for _ in range(random.choice([1, 1, 1, 2, 3]))]
        for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
            mutate(random, random.choice(requests))
        wire = b"".join(data for tokens in requests for _, data in tokens)
    while random.random() < 0.1:
        wire = change_bytes(random, wire)
    if random.random() < 0.05:
        wire = wire[: random.randint(0, len(wire))]
    return Stream(wire, make_cuts(random, len(wire)))
