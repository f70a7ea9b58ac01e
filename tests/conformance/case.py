"""A case of the conformance suite: bytes or steps for a server, and all that a correct server may do.

A wire case is data: what is sent on a fresh connection, what Lanner does (`want`), and what the texts permit beside
(`also`). Lanner is held to `want`; other servers pass by either. An app case is a function with a client that raises
`Wrong` (or any AssertionError) when the server does what the text forbids.

    refuse("host/missing", "RFC 9112, 3.2", must(400), b"GET / HTTP/1.1\\r\\n\\r\\n", "MUST answer 400")
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

HOST = "Host: t.example\r\n"
ANY_ERROR = frozenset(range(400, 600)) | {0}  # 0: the connection ends without an answer


class Wrong(AssertionError):
    """The server did what the case forbids; the text says what was seen."""


class After(Enum):
    """What becomes of the connection after the last answer."""

    STAYS = "stays open"  # a further request is served
    CLOSES = "closes"
    EITHER = "either"
    WAITS = "waits"  # for more of the request, without an answer


@dataclass(frozen=True)
class Seen:
    """What a request must be to the application (apps/echo: JSON); what is None is not looked at."""

    body: bytes | None = b""
    method: str | None = None
    path: str | None = None  # percent-decoded
    query: str | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)  # by lower-case name; None: must not be there


@dataclass(frozen=True)
class Answer:
    """One final answer."""

    status: int = 200
    seen: Seen | None = None  # of the echo application
    body: bytes | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """Answers, then perhaps an error, then the end or not."""

    answers: tuple[Answer, ...] = ()
    error: frozenset[int] = frozenset()  # statuses; 0: it may also be silent
    after: After = After.STAYS
    may_end: bool = False  # after any answer, if it says so: always so for others (RFC 9112, 9.6)

    def behind(self, first: Answer) -> "Outcome":
        return replace(self, answers=(first, *self.answers))


def served(*seen: Seen, after: After = After.STAYS) -> Outcome:
    """The application sees these requests and no others, and answers each."""
    return Outcome(tuple(Answer(seen=one) for one in seen), after=after)


def must(*statuses: int, after: After = After.EITHER) -> Outcome:
    """Refused with one of these statuses, as a MUST says."""
    return Outcome(error=frozenset(statuses), after=after)


REFUSED = Outcome(error=ANY_ERROR, after=After.EITHER)  # in any way: where no MUST names the status
WAITS = Outcome(after=After.WAITS)
GET = Seen()
HELLO = Answer(body=b"hello")


class Level(Enum):
    """How strongly the text asks for it."""

    MUST = "MUST"
    SHOULD = "SHOULD"  # a SHOULD, or a grammar that the input does not match


@dataclass(frozen=True)
class WireCase:
    """Bytes on a fresh connection."""

    id: str  # group/name
    cites: str
    wire: bytes
    want: Outcome
    why: str
    also: tuple[Outcome, ...] = ()
    level: Level = Level.SHOULD
    report: str = ""  # a public report of a server that got it wrong
    methods: tuple[str, ...] = ()  # of the requests, where an answer is to a HEAD

    @property
    def group(self) -> str:
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class AppCase:
    """A function that talks to a server which runs one of the suite's applications."""

    id: str
    cites: str
    run: Callable[[Any], None]  # with a drive.Drive
    why: str
    level: Level = Level.MUST
    report: str = ""

    @property
    def group(self) -> str:
        return self.id.partition("/")[0]


def accept(
    id: str,
    cites: str,
    wire: bytes,
    why: str,
    *seen: Seen,
    after: After = After.STAYS,
    also: tuple[Outcome, ...] = (),
    level: Level = Level.MUST,
    report: str = "",
) -> WireCase:
    """The application sees exactly these requests (one GET without a body where none is named)."""
    return WireCase(id, cites, wire, served(*(seen or (GET,)), after=after), why, also, level, report)


def refuse(
    id: str,
    cites: str,
    rule: Outcome,
    wire: bytes,
    why: str,
    *also: Outcome,
    status: tuple[int, ...] = (400,),
    ahead: tuple[Seen, ...] = (),
    report: str = "",
    level: Level | None = None,  # MUST where the rule demands a status
) -> WireCase:
    """Refused: by Lanner with one of `status` and a close, by others as `rule` says or as `also` permits.

    `ahead` are the requests before the bad one, which must be served.
    """
    answers = tuple(Answer(seen=one) for one in ahead)
    want = Outcome(answers, frozenset(status), After.CLOSES)
    legal = tuple(replace(rule, answers=answers) if rule.error else rule for rule in (rule, *also))
    found = level or (Level.SHOULD if rule is REFUSED else Level.MUST)
    return WireCase(id, cites, wire, want, why, legal, found, report)


def head(start: str, *lines: str, host: str = HOST) -> bytes:
    """A request head, latin-1. Example: `head("GET / HTTP/1.1", "X: y")` has its Host field first."""
    return (f"{start}\r\n{host}" + "".join(f"{line}\r\n" for line in lines) + "\r\n").encode("latin-1")


def get(*lines: str, path: str = "/") -> bytes:
    return head(f"GET {path} HTTP/1.1", *lines)


def post(body: bytes, *lines: str) -> bytes:
    """A POST whose framing is in `lines`."""
    return head("POST / HTTP/1.1", *lines) + body


def post_chunked(body: bytes, *lines: str) -> bytes:
    return post(body, "Transfer-Encoding: chunked", *lines)


NEXT = get("Connection: close", path="/next")
SEEN_NEXT = Seen(path="/next")
