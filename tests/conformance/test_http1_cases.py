"""The 153 raw cases of tests/vectors/http1/cases.json against the real server.

Each case says how many requests the application may see, with which bodies, whether an error answers, and whether
the connection ends. No case is judged by a clock: where the connection must go on, a further request proves it.
"""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conftest import Target
from tests.support.wire import Client, Closed, Response, cuts, request, single_bytes

Case = dict[str, Any]

CASES: list[Case] = json.loads((Path(__file__).parents[1] / "vectors/http1/cases.json").read_text())
PROBE_BODY = b"is it still open?"
PROBE = request("POST", "/probe", body=PROBE_BODY)
TOGETHER = 16  # cases at once
SPLIT_BYTES_MAX = 3000  # longer ones are about sizes, not about boundaries


def answer_to(body: bytes) -> bytes:
    return b"REQ " + base64.b64encode(body)


def run(target: Target, case: Case, pieces: Sequence[bytes]) -> list[Response]:
    """Sends a case; returns the answers, without the probe's."""
    with Client(target.unix) as client:
        if case["close"]:
            client.send_pieces(pieces)
            return client.responses_to_end()
        client.send_pieces([*pieces, PROBE])
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


def failures(target: Target, split: Callable[[bytes], Iterable[list[bytes]]]) -> list[str]:
    def check(case: Case) -> str:
        for number, pieces in enumerate(split(base64.b64decode(case["raw_b64"]))):
            try:
                judge(case, run(target, case, pieces))
            except (AssertionError, Closed, OSError) as error:
                return f"{case['name']} (way {number}, {case['spec']}): {error}"
        return ""

    with ThreadPoolExecutor(TOGETHER) as pool:
        return [text for text in pool.map(check, CASES) if text]


def short(split: Callable[[bytes], Iterable[list[bytes]]]) -> Callable[[bytes], Iterable[list[bytes]]]:
    return lambda data: split(data) if len(data) <= SPLIT_BYTES_MAX else [[data]]


def test_all_cases_are_there() -> None:
    assert len(CASES) == 153


def test_each_case_whole(target: Target) -> None:
    assert failures(target, lambda data: [[data]]) == []


def test_each_case_byte_by_byte(target: Target) -> None:
    assert failures(target, short(lambda data: [single_bytes(data)])) == []


@pytest.mark.timeout(180)
def test_each_case_cut_at_each_byte(target: Target) -> None:
    assert failures(target, short(cuts)) == []
