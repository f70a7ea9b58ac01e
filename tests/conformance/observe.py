"""What a server does with a wire case: the bytes go out, the answers are read, a probe tells open from closed.

Nothing is judged by a clock where a server works: a further request proves that a connection goes on, its end that it
does not. A server that says nothing at all is given up after `Client.seconds`.
"""

import base64
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from tests.conformance.case import After, Answer, Outcome, Seen, WireCase, get
from tests.support.wire import Client, Closed, Response, send_in_step, single_bytes

AHEAD = get(path="/ahead")  # the good request of the way `behind`
SEEN_AHEAD = Answer(seen=Seen(path="/ahead"))
PROBE = get("X-Probe: 1", path="/probe?still=open")
SINGLE_BYTES_MAX = 3000  # longer inputs are about sizes, not about boundaries


@dataclass
class Observation:
    """All that came back."""

    answers: list[Response] = field(default_factory=list)
    after: After = After.EITHER
    broken: str = ""  # what no client could read
    reset: bool = False  # it was no orderly end

    @property
    def text(self) -> str:
        """In a few words. Example: `200, 400, closes`."""
        if self.broken:
            return self.broken
        ends = {After.STAYS: "stays open", After.CLOSES: "closes", After.WAITS: "waits"}
        return ", ".join([*(str(answer.status) for answer in self.answers), ends[self.after]])


def pieces(case: WireCase, way: str) -> list[bytes]:
    """A case as it is sent: `whole`, in single `bytes`, or `behind` a good request in the same segment."""
    if way == "behind":
        return [AHEAD + case.wire]
    return single_bytes(case.wire) if way == "bytes" and len(case.wire) <= SINGLE_BYTES_MAX else [case.wire]


def observe(client: Client, case: WireCase, way: str) -> Observation:
    """Sends a case in that way, and reads all that comes back."""
    with suppress(AssertionError):  # the server does not read on; what it says is read all the same
        send_in_step([client], [pieces(case, way)])
    return read(client, case, way)


def read(client: Client, case: WireCase, way: str) -> Observation:
    """What comes back for a case that was sent."""
    methods = ("GET", *case.methods) if way == "behind" else case.methods
    count = len(case.want.answers) + bool(case.want.error) + (way == "behind")
    found = Observation()
    try:
        read_answers(client, found, count, methods)
    except AssertionError as error:
        found.broken = f"an answer that is none: {str(error).splitlines()[0]}"
    return found


def read_answers(client: Client, found: Observation, count: int, methods: tuple[str, ...]) -> None:
    try:
        while len(found.answers) < count and not ended(found):
            number = len(found.answers)
            found.answers.append(client.read(methods[number] if number < len(methods) else "GET"))
            if found.answers[-1].status == 101:
                found.after = After.WAITS  # for another protocol, which is not spoken here
                return
    except (Closed, OSError) as error:
        found.after = After.WAITS if isinstance(error, TimeoutError) else After.CLOSES
        if found.after == After.CLOSES:
            found.reset = isinstance(error, OSError)
            return
    if not ended(found):
        client.try_send(PROBE)
    try:
        while not is_probe(response := client.read()):
            found.answers.append(response)
        found.after = After.STAYS
    except TimeoutError:
        found.after = After.WAITS
    except (Closed, OSError) as error:
        found.after, found.reset = After.CLOSES, isinstance(error, OSError)


def ended(found: Observation) -> bool:
    """Whether the last answer said that it is the last, or is an error."""
    return bool(found.answers) and found.answers[-1].closes


def is_probe(response: Response) -> bool:
    return response.status == 200 and b'"still=open"' in response.body


# ---- judging


def judge(case: WireCase, way: str, found: Observation, strict: bool) -> str:
    """What is wrong with it, or nothing. Strict: Lanner's own promise; else anything that the texts permit."""
    outcomes: Iterable[Outcome] = (case.want,) if strict else (case.want, *case.also)
    if way == "behind":
        outcomes = [outcome.behind(SEEN_AHEAD) for outcome in outcomes]
    wrong = [differs(found, outcome, strict) for outcome in outcomes]
    return "" if "" in wrong else wrong[0]


def differs(found: Observation, outcome: Outcome, strict: bool) -> str:
    """How an observation differs from an outcome, or nothing."""
    if found.broken:
        return found.broken
    answers = found.answers
    for response, answer in zip(answers, outcome.answers, strict=False):
        if wrong := answer_differs(response, answer, strict):
            return f"{found.text}: {wrong}"
    if len(answers) < len(outcome.answers):
        # A server may end a connection after any answer, if it says so (RFC 9112, 9.6).
        may_end = outcome.may_end or not strict
        return "" if may_end and ended(found) and found.after == After.CLOSES else found.text
    rest = [response.status for response in answers[len(outcome.answers) :]]
    if rest and (len(rest) > 1 or rest[0] not in outcome.error):
        return found.text
    if not rest and outcome.error and 0 not in outcome.error:
        return found.text
    if not rest and outcome.error and found.after != After.CLOSES:
        return found.text
    return after_differs(found, outcome, strict)


def after_differs(found: Observation, outcome: Outcome, strict: bool) -> str:
    if outcome.after == After.EITHER:
        return found.text if found.after == After.WAITS else ""
    if found.after == outcome.after:
        if strict and found.after == After.CLOSES and found.answers and not found.answers[-1].closes:
            return f"{found.text}, unannounced"
        if strict and found.reset:
            return f"{found.text}, by a reset"
        return ""
    if (
        (outcome.may_end or not strict)
        and outcome.after == After.STAYS
        and found.after == After.CLOSES
        and ended(found)
    ):
        return ""
    return found.text


def answer_differs(response: Response, answer: Answer, strict: bool) -> str:
    if response.status != answer.status:
        return f"{response.status} in place of {answer.status}"
    if strict and response.version != "1.1":
        return f"answers in HTTP/{response.version}"
    if answer.body is not None and response.body != answer.body:
        return f"body {response.body[:40]!r}"
    for name, value in answer.fields.items():
        if (got := response.get(name)) != value:
            return f"{name}: {got}"
    return seen_differs(response.body, answer.seen) if answer.seen else ""


def seen_differs(body: bytes, seen: Seen) -> str:
    """How what the application saw differs, or nothing."""
    try:
        told = json.loads(body)
        body_read = told["body"]
    except (ValueError, TypeError, KeyError):
        return f"not the application's answer: {body[:40]!r}"
    got = base64.b64decode(body_read)
    if seen.body is not None and got != seen.body:
        return f"the application read {got[:40]!r}"
    for name in ("method", "path", "query"):
        if (wanted := getattr(seen, name)) is not None and told[name] != wanted:
            return f"the application saw {name} {told[name]!r}"
    for name, value in seen.fields.items():
        had = told["fields"].get(name)
        if (had and had.replace(", ", ",")) != (value and value.replace(", ", ",")):  # a list, joined either way
            return f"the application saw {name}: {had!r}"
    return ""
