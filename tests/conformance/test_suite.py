"""The conformance suite on Lanner, in every mode: wire cases in every way, app cases one by one.

Lanner is held to what it does (`WireCase.want`), not only to what the texts permit; `make conformance` runs the same
cases on other servers too.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conformance.case import AppCase, WireCase
from tests.conformance.cases import lifespan
from tests.conformance.drive import Drive
from tests.conformance.observe import SINGLE_BYTES_MAX, judge, pieces, read
from tests.conformance.servers import LANNER, Mode
from tests.conformance.suite import APPS, STREAM, TITLES, WAYS, WIRE, app_cases, app_verdict, serving
from tests.support.wire import Client, cuts, send_in_step

SECONDS = 20.0
MODES = {mode.name: mode for mode in LANNER}
# ASGI applications also answer after some turns of the loop: then the exchange is kept, and goes on later.
RUNS = [
    ("wsgi", 0),
    ("wsgi, threads", 0),
    ("asgi", 0),
    ("asgi", 3),
    ("asgi, asyncio", 0),
    ("asgi, uvloop", 0),
    ("asgi, uvloop", 3),
]
CUT_RUNS = [("wsgi", 0), ("asgi", 3), ("asgi, uvloop", 0)]
QUICK = ("wsgi", "asgi")  # the other modes are `long`


def together(mode: Mode) -> int:
    """Connections at once. A request holds a thread from its head on, so no more of them than there are threads."""
    return 4 if "threads" in mode.name else 100


def param(value: Any, mode: str, id: str) -> Any:
    return pytest.param(value, id=id, marks=[] if mode in QUICK else [pytest.mark.long])


def params(runs: list[tuple[str, int]]) -> list[Any]:
    return [param(run, run[0], run[0] + (", later" if run[1] else "")) for run in runs]


@pytest.fixture(scope="module", params=params(RUNS))
def wire_drive(request: pytest.FixtureRequest) -> Iterator[Drive]:
    mode, turns = request.param
    with serving(MODES[mode], True, SECONDS, turns) as drive:
        yield drive
        drive.alive()


@pytest.fixture(scope="module", params=[param(mode, mode, mode) for mode in MODES])
def app_drive(request: pytest.FixtureRequest) -> Iterator[Drive]:
    with serving(MODES[request.param], False, SECONDS) as drive:
        yield drive
        drive.alive()


def verdicts(drive: Drive, runs: list[tuple[WireCase, str, list[bytes]]]) -> list[tuple[str, list[int], str]]:
    """What is wrong; many connections at a time, in step."""
    wrong = []
    count = together(drive.mode)
    for at in range(0, len(runs), count):
        group = runs[at : at + count]
        with ExitStack() as stack:
            clients = [stack.enter_context(drive.client()) for _ in group]
            send_in_step(clients, [parts for _, _, parts in group])
            found = [verdict(client, case, way) for client, (case, way, _) in zip(clients, group, strict=True)]
        wrong += [
            (case.id, [*map(len, parts)], text) for (case, _, parts), text in zip(group, found, strict=True) if text
        ]
    return wrong


def verdict(client: Client, case: WireCase, way: str) -> str:
    try:
        return judge(case, way, read(client, case, way), True)
    except OSError as error:
        return repr(error)


@pytest.mark.parametrize("way", WAYS)
def test_wire_cases(way: str, wire_drive: Drive) -> None:
    assert verdicts(wire_drive, [(case, way, pieces(case, way)) for case in WIRE]) == []


@pytest.mark.parametrize("run", params(CUT_RUNS))
def test_wire_cases_cut_at_each_byte(run: tuple[str, int]) -> None:
    with serving(MODES[run[0]], True, SECONDS, run[1]) as drive:
        short = [case for case in WIRE if len(case.wire) <= SINGLE_BYTES_MAX]
        assert verdicts(drive, [(case, "whole", parts) for case in short for parts in cuts(case.wire)]) == []


def test_app_cases(app_drive: Drive) -> None:
    found = {case.id: app_verdict(app_drive, case) for case in app_cases(app_drive.mode)}
    assert {id: text for id, text in found.items() if text} == {}


def test_the_suite_is_whole() -> None:
    """No id twice, every group has a title, every case a citation and a reason."""
    cases: list[WireCase | AppCase] = [*WIRE, *STREAM, *APPS["wsgi"], *APPS["asgi"]]
    assert [id for id, count in Counter(case.id for case in cases).items() if count > 1] == []
    assert {case.group for case in cases} == set(TITLES)
    assert [case.id for case in cases if not case.cites or not case.why] == []
    assert len(WIRE) >= 690
    assert len(cases) >= 930
    assert len(lifespan.CASES) == 9
