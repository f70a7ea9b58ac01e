"""Where two engines disagree about the same bytes, and which disagreements are explained (explained.toml)."""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines import Message, Outcome

EXPLAINED = Path(__file__).with_name("explained.toml")


@dataclass(frozen=True)
class Disagreement:
    """The first difference between ours and another engine's outcome.

    kind      "stricter": we refuse a request that the other takes, or waits for more of
              "laxer": the other refuses a request that we take, or wait for more of
              "differs": both take it, for something else
    ours      our reason of a refusal, as in errors.def
    theirs    the other's
    item      what differs: method, target, minor, fields, keep_alive, body, end
    start     offset of the request's first byte
    at        offset of the byte that we refuse
    """

    peer: str
    kind: str
    ours: str = ""
    theirs: str = ""
    item: str = ""
    start: int = 0
    at: int = 0
    detail: str = ""

    def __str__(self) -> str:
        parts = [f"{self.peer}: {self.kind}", self.item, self.ours and f"ours: {self.ours} at {self.at}"]
        parts += [self.theirs and f"theirs: {self.theirs}", self.detail]
        return ", ".join(part for part in parts if part)


def refused_by_us(peer: str, ours: Outcome) -> Disagreement:
    return Disagreement(peer, "stricter", ours=ours.reason, start=ours.start, at=ours.at)


def compare_heads(peer: str, ours: Message, theirs: Message) -> Disagreement | None:
    for item in ("method", "target", "minor", "fields"):
        mine, other = getattr(ours, item), getattr(theirs, item)
        if mine != other:
            return Disagreement(peer, "differs", item=item, start=ours.start, detail=f"{mine!r} / {other!r}")
    return None


def compare_ends(peer: str, ours: Outcome, theirs: Outcome, start: int) -> Disagreement | None:
    """Both stand within the same request, or before it."""
    if ours.end == theirs.end:
        return None
    if ours.end == "refused":
        return refused_by_us(peer, ours)
    if theirs.end == "refused":
        return Disagreement(peer, "laxer", theirs=theirs.reason, start=start)
    return Disagreement(peer, "differs", item="end", start=start, detail=f"{ours.end} / {theirs.end}")


def compare_bodies(peer: str, ours: Outcome, theirs: Outcome, at: int) -> Disagreement | None:
    mine, other = ours.messages[at], theirs.messages[at]
    both = min(len(mine.body), len(other.body))
    if mine.complete and other.complete:
        for item in ("body", "keep_alive"):
            one, two = getattr(mine, item), getattr(other, item)
            if one != two:
                return Disagreement(peer, "differs", item=item, start=mine.start, detail=f"{one!r} / {two!r}")
        return None
    if mine.body[:both] != other.body[:both]:
        detail = f"{mine.body!r} / {other.body!r}"
        return Disagreement(peer, "differs", item="body", start=mine.start, detail=detail)
    if mine.complete == other.complete:
        return compare_ends(peer, ours, theirs, mine.start)
    if theirs.end == "refused" and mine.complete:
        return Disagreement(peer, "laxer", theirs=theirs.reason, start=mine.start)
    if ours.end == "refused" and other.complete:
        return refused_by_us(peer, ours)
    detail = f"complete: {mine.complete} / {other.complete}"
    return Disagreement(peer, "differs", item="body", start=mine.start, detail=detail)


def compare(peer: str, ours: Outcome, theirs: Outcome) -> Disagreement | None:
    """The first difference, or None."""
    for at in range(min(len(ours.messages), len(theirs.messages))):
        mine, other = ours.messages[at], theirs.messages[at]
        if found := compare_heads(peer, mine, other):
            return found
        if theirs.end == "upgraded" and at == len(theirs.messages) - 1:
            return None  # it leaves the rest to another protocol, the body included
        if found := compare_bodies(peer, ours, theirs, at):
            return found
        if not mine.complete or not mine.keep_alive:
            return None
    if len(ours.messages) == len(theirs.messages):
        return compare_ends(peer, ours, theirs, ours.start)
    if len(ours.messages) < len(theirs.messages):
        if ours.end == "refused":
            return refused_by_us(peer, ours)
        return Disagreement(peer, "differs", item="end", start=ours.start, detail="we wait, the other has a request")
    start = ours.messages[len(theirs.messages)].start
    if theirs.end == "refused":
        return Disagreement(peer, "laxer", theirs=theirs.reason, start=start)
    return Disagreement(peer, "differs", item="end", start=start, detail="we have a request, the other waits")


def undecided(ours: Outcome, theirs: Outcome) -> bool:
    """One refuses, the other waits: a few bytes more may make it decide, too."""
    return {ours.end, theirs.end} == {"waits", "refused"}


@dataclass
class Explanation:
    """One entry of explained.toml; its head says what the keys mean."""

    name: str
    peers: list[str]
    kind: str
    why: str
    example: bytes
    ours: list[str] = field(default_factory=list)
    theirs: "re.Pattern[str] | None" = None
    item: str = ""
    at: "re.Pattern[bytes] | None" = None
    before: "re.Pattern[bytes] | None" = None
    request: "re.Pattern[bytes] | None" = None
    count: int = 0  # disagreements that it explained

    def explains(self, found: Disagreement, wire: bytes) -> bool:
        if found.peer not in self.peers or found.kind != self.kind or found.item != self.item:
            return False
        if self.ours and found.ours not in self.ours:
            return False
        if self.theirs and not self.theirs.search(found.theirs):
            return False
        if self.at and not self.at.match(wire, found.at):
            return False
        line = wire[max(found.start, wire.rfind(b"\n", 0, found.at) + 1) : found.at]
        if self.before and not self.before.fullmatch(line):
            return False
        return not self.request or self.request.match(wire, found.start) is not None


def pattern(text: str | None) -> "re.Pattern[bytes] | None":
    return re.compile(text.encode("latin-1"), re.DOTALL) if text else None


def load(path: Path = EXPLAINED) -> list[Explanation]:
    """The entries of the file. Raises ValueError for one that is not whole."""
    explanations = []
    for entry in tomllib.loads(path.read_text())["explained"]:
        explanations.append(read_entry(entry))
    names = [one.name for one in explanations]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{path}: more than one entry is called {', '.join(sorted(twice))}")
    return explanations


def read_entry(entry: dict[str, Any]) -> Explanation:
    kind, name = entry["kind"], entry["name"]
    needed = {"stricter": ["ours", "at"], "laxer": ["theirs", "request"], "differs": ["item", "request"]}[kind]
    if missing := [key for key in [*needed, "why", "example", "peers"] if not entry.get(key)]:
        raise ValueError(f"explanation {name}: {', '.join(missing)} must be given")
    return Explanation(
        name=name,
        peers=entry["peers"],
        kind=kind,
        why=entry["why"],
        example=entry["example"].encode("latin-1"),
        ours=entry.get("ours", []),
        theirs=re.compile(entry["theirs"]) if "theirs" in entry else None,
        item=entry.get("item", ""),
        at=pattern(entry.get("at")),
        before=pattern(entry.get("before")),
        request=pattern(entry.get("request")),
    )
