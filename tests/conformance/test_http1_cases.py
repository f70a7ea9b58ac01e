"""The 153 raw cases of tests/vectors/http1/cases.json against the real server.

Each case says how many requests the application may see, with which bodies, whether an error answers, and whether
the connection ends. No case is judged by a clock: where the connection must go on, a further request proves it.
"""

import base64
import json
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.conformance.conftest import Target
from tests.support.wire import Client, Closed, Response, cuts, request, send_in_step, single_bytes

Case = dict[str, Any]
Split = Callable[[bytes], Iterable[list[bytes]]]  # a wire input -> ways to send it in pieces

CASES: list[Case] = json.loads((Path(__file__).parents[1] / "vectors/http1/cases.json").read_text())
PROBE_BODY = b"is it still open?"
PROBE = request("POST", "/probe", body=PROBE_BODY)
# Connections at once. A request holds a thread from its head on, so no more of them than there are threads.
TOGETHER = {"inline": 200, "threads": 4}
SPLIT_BYTES_MAX = 3000  # longer ones are about sizes, not about boundaries


def answer_to(body: bytes) -> bytes:
    return b"REQ " + base64.b64encode(body)


def answers(client: Client, case: Case) -> list[Response]:
    """The answers to a case, without the probe's."""
    if case["close"]:
        return client.responses_to_end()
    found: list[Response] = []
    while not found or found[-1].body != answer_to(PROBE_BODY):
        assert len(found) <= case["requests"], "more answers than requests"
        found.append(client.read())
        assert found[-1].status == 200, f"{found[-1].status} {found[-1].body!r}"
    return found[:-1]


def judge(case: Case, found: list[Response]) -> None:
    served = [response for response in found if response.status == 200]
    errors = [response.status for response in found if response.status >= 400]
    assert len(served) == case["requests"], f"the application saw {len(served)} requests, not {case['requests']}"
    assert all(response.body.startswith(b"REQ ") for response in served)
    if case["expect"] == "accept":
        assert errors == []
        assert [response.body for response in served] == [answer_to(base64.b64decode(body)) for body in case["bodies"]]
    elif errors:
        assert errors[0] in case["status"], f"status {errors[0]}"
        assert len(errors) == 1
        assert found[-1].closes
    else:
        assert 0 in case["status"], "closed without an error"
    if case["close"] and found:
        assert found[-1].closes or found[-1].status == 200, "the close was not announced"


def failures(target: Target, split: Split) -> list[str]:
    """Runs every case in every way that `split` gives; many at a time, in step."""
    runs = [(case, pieces) for case in CASES for pieces in split(base64.b64decode(case["raw_b64"]))]
    found: list[str] = []
    together = TOGETHER[target.mode]
    for at in range(0, len(runs), together):
        found += failures_of(target, runs[at : at + together])
    return found


def failures_of(target: Target, runs: list[tuple[Case, list[bytes]]]) -> list[str]:
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(target.unix)) for _ in runs]
        send_in_step(clients, [pieces if case["close"] else [*pieces, PROBE] for case, pieces in runs])
        return [text for client, run in zip(clients, runs, strict=True) if (text := failure(client, *run))]


def failure(client: Client, case: Case, pieces: list[bytes]) -> str:
    """What is wrong with the answers, or nothing."""
    try:
        judge(case, answers(client, case))
    except (AssertionError, Closed, OSError) as error:
        return f"{case['name']} ({case['spec']}) as {[len(piece) for piece in pieces]}: {error!r}"
    return ""


def short(split: Split) -> Split:
    return lambda data: split(data) if len(data) <= SPLIT_BYTES_MAX else [[data]]


def test_all_cases_are_there() -> None:
    assert len(CASES) == 153


def test_each_case_whole(target: Target) -> None:
    assert failures(target, lambda data: [[data]]) == []


def test_each_case_byte_by_byte(target: Target) -> None:
    assert failures(target, short(lambda data: [single_bytes(data)])) == []


def test_each_case_cut_at_each_byte(target: Target) -> None:
    assert failures(target, short(cuts)) == []
