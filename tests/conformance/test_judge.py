"""What the suite calls right and wrong: for Lanner one outcome, for others whatever the texts permit."""

import base64
import json

from tests.conformance.case import After, WireCase
from tests.conformance.observe import Observation, judge
from tests.conformance.suite import WIRE
from tests.support.wire import Response

CASES = {case.id: case for case in WIRE}


def echoed(body: bytes = b"", path: str = "/", closes: bool = False) -> Response:
    told = {"method": "GET", "path": path, "query": "", "fields": {}, "body": base64.b64encode(body).decode()}
    return Response(200, "OK", [("Connection", "close")] if closes else [], json.dumps(told).encode())


def error(status: int, closes: bool = True) -> Response:
    return Response(status, "", [("Connection", "close")] if closes else [])


def wrong(
    case: WireCase, *answers: Response, after: After = After.CLOSES, strict: bool = False, way: str = "whole"
) -> str:
    return judge(case, way, Observation(list(answers), after), strict)


def test_what_a_text_permits_passes_others_and_not_lanner() -> None:
    case = CASES["line/bare-lf"]
    assert wrong(case, echoed(), after=After.STAYS) == ""
    assert wrong(case, echoed(), after=After.STAYS, strict=True) == "200, stays open"
    assert wrong(case, error(400), strict=True) == ""


def test_a_must_names_its_status() -> None:
    case = CASES["host/missing"]
    assert wrong(case, error(400)) == ""
    assert wrong(case, error(400, closes=False), after=After.STAYS) == ""
    assert wrong(case, error(500)) == "500, closes"
    assert wrong(case) == "closes"
    assert wrong(case, echoed(), after=After.STAYS) == "200, stays open"


def test_where_no_must_names_it_any_refusal_passes() -> None:
    case = CASES["chunk/data-short"]
    for answers in ([error(500)], [error(413)], []):
        assert wrong(case, *answers) == ""
    assert wrong(case, after=After.WAITS) == "waits"


def test_a_smuggled_request_is_wrong() -> None:
    case = CASES["coding/both-cl-te-smuggle"]
    assert wrong(case, echoed(closes=True)) == ""
    assert wrong(case, echoed(), echoed(path="/smuggled"), after=After.STAYS) != ""
    assert wrong(case, echoed(), after=After.STAYS) == "200, stays open"


def test_a_lost_answer_is_wrong() -> None:
    case = CASES["pipeline/then-garbage"]
    assert wrong(case, Response(200, "OK", [], b"hello"), error(400)) == ""
    assert wrong(case, error(400)) != ""


def test_an_end_that_is_announced_may_come_after_any_answer() -> None:
    case = CASES["pipeline/fifty"]
    first = Response(200, "OK", [("Connection", "close")], b"hello")
    assert wrong(case, first) == ""
    assert wrong(case, first, strict=True) == "200, closes"
    assert wrong(case, Response(200, "OK", [], b"hello")) == "200, closes"


def test_the_body_that_the_application_read_counts() -> None:
    case = CASES["length/010"]
    assert wrong(case, echoed(b"0123456789"), after=After.STAYS) == ""
    assert "the application read b'01234567'" in wrong(case, echoed(b"01234567"), after=After.STAYS)


def test_the_good_request_in_front_is_answered_first() -> None:
    case = CASES["host/missing"]
    assert wrong(case, echoed(path="/ahead"), error(400), way="behind") == ""
    assert wrong(case, error(400), way="behind") != ""


def test_lanner_ends_in_order_and_says_so() -> None:
    case = CASES["host/missing"]
    assert wrong(case, error(400, closes=False), strict=True) == "400, closes, unannounced"
    reset = Observation([error(400)], After.CLOSES, reset=True)
    assert judge(case, "whole", reset, True) == "400, closes, by a reset"
    assert judge(case, "whole", reset, False) == ""
