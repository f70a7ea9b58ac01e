"""Compares our HTTP/1 engine with h11 and llhttp on streams made by a grammar: each disagreement is explained, or fails.

    .venv/bin/python tests/differential [--seconds 60] [--seed 1] [--stop 1]
    .venv/bin/python tests/differential --wire 'GET / HTTP/1.1\\r\\n\\r\\n'

Needs build/fuzz/fuzz/lanner_session_events (cmake --preset fuzz; cmake --build build/fuzz --target
lanner_session_events). First the examples of explained.toml: each must still show its disagreement. Then streams, for
so many seconds; the seed decides what they are. A new disagreement is cut down to what it needs, printed, and makes
the exit code 1.
"""

import argparse
import json
import sys
import time
from base64 import b64decode
from pathlib import Path
from random import Random

import compare
import grammar
from engines import H11, ROOT, Llhttp, Ours

VECTORS = ROOT / "tests/vectors/http1/cases.json"
SEED_MAX = 3000  # bytes of a vector to start from
FLUSH = b"\r\n\r\n"


class Differ:
    """Our engine and the others, and what is explained."""

    def __init__(self) -> None:
        self.ours = Ours()
        self.peers: dict[str, H11 | Llhttp] = {"h11": H11(), "llhttp": Llhttp()}
        self.explanations = compare.load()

    def look(self, wire: bytes, cuts: list[int]) -> list[compare.Disagreement]:
        """All disagreements about the wire: one for each other engine at most."""
        found = []
        ours = self.ours.run(wire, cuts)
        for name, peer in self.peers.items():
            theirs = peer.run(wire, cuts)
            if compare.undecided(ours, theirs):
                longer = wire + FLUSH
                one = compare.compare(name, self.ours.run(longer, cuts), peer.run(longer, cuts))
            else:
                one = compare.compare(name, ours, theirs)
            if one:
                found.append(one)
        return found

    def explain(self, found: compare.Disagreement, wire: bytes) -> compare.Explanation | None:
        for one in self.explanations:
            if one.explains(found, wire + FLUSH):
                one.count += 1
                return one
        return None

    def unexplained(self, wire: bytes, cuts: list[int]) -> list[compare.Disagreement]:
        return [one for one in self.look(wire, cuts) if not self.explain(one, wire)]

    def check_examples(self) -> list[str]:
        """What is wrong with explained.toml."""
        problems = []
        for one in self.explanations:
            shown = {found.peer for found in self.look(one.example, []) if one.explains(found, one.example + FLUSH)}
            if missing := set(one.peers) - shown:
                problems.append(f"{one.name}: its example shows no such disagreement with {', '.join(sorted(missing))}")
        return problems

    def shrink(self, wire: bytes, cuts: list[int], found: compare.Disagreement) -> tuple[bytes, list[int]]:
        """A smaller stream with the same unexplained disagreement."""

        def same(smaller: bytes, where: list[int]) -> bool:
            return any(key(one) == key(found) for one in self.unexplained(smaller, where))

        if same(wire, []):
            cuts = []
        step = len(wire) // 2
        while step > 0:
            at = 0
            while at < len(wire):
                smaller = wire[:at] + wire[at + step :]
                where = [cut for cut in cuts if cut < len(smaller)]
                if same(smaller, where):
                    wire, cuts = smaller, where
                else:
                    at += step
            step //= 2
        return wire, cuts


def key(found: compare.Disagreement) -> tuple[str, ...]:
    """What makes two disagreements the same; numbers in a reason do not."""
    reason = found.theirs.partition(": ")[0]
    return (found.peer, found.kind, found.ours, reason, found.item)


def report(differ: Differ, wire: bytes, cuts: list[int], found: compare.Disagreement) -> None:
    print(f"\nDISAGREEMENT {found}\n  wire {ascii(wire)[2:-1]}")
    if cuts:
        print(f"  cuts {cuts}")
    print(f"  ours   {differ.ours.run(wire, cuts)}")
    print(f"  {found.peer:6} {differ.peers[found.peer].run(wire, cuts)}", flush=True)


def fuzz(differ: Differ, seconds: float, seed: int, stop: int) -> int:
    """The number of new kinds of disagreement."""
    cases = json.loads(VECTORS.read_text())
    seeds = [b64decode(case["raw_b64"]) for case in cases if not case.get("limit")]  # others have other limits
    seeds = [wire for wire in seeds if len(wire) <= SEED_MAX]
    seen: set[tuple[str, ...]] = set()
    number, end = 0, time.monotonic() + seconds
    while time.monotonic() < end and len(seen) < stop:
        stream = grammar.make_stream(Random(f"{seed}/{number}"), seeds)
        number += 1
        for found in differ.unexplained(stream.wire, stream.cuts):
            if key(found) not in seen:
                seen.add(key(found))
                print(f"\nstream {number - 1} of seed {seed}:", end="")
                report(differ, *differ.shrink(stream.wire, stream.cuts, found), found)
    explained = sum(one.count for one in differ.explanations)
    print(f"{number} streams of seed {seed}, {explained} explained disagreements, {len(seen)} new")
    return len(seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stop", type=int, default=1, metavar="N", help="after so many kinds of disagreement")
    parser.add_argument("--counts", action="store_true", help="how often each explanation was needed")
    parser.add_argument("--wire", help="look at these bytes only, escaped as in Python")
    options = parser.parse_args()
    differ = Differ()
    if options.wire is not None:
        wire = options.wire.encode("latin-1").decode("unicode_escape").encode("latin-1")
        for found in differ.look(wire, []):
            explanation = differ.explain(found, wire)
            report(differ, wire, [], found)
            print(f"  {explanation.name}: {explanation.why}" if explanation else "  not explained")
        return 0
    problems = differ.check_examples()
    for problem in problems:
        print(f"{Path(compare.EXPLAINED).name}: {problem}")
    new = fuzz(differ, options.seconds, options.seed, options.stop)
    if options.counts:
        for one in sorted(differ.explanations, key=lambda one: -one.count):
            print(f"{one.count:8} {one.name}")
    differ.ours.close()
    return 1 if new or problems else 0


if __name__ == "__main__":
    sys.exit(main())
