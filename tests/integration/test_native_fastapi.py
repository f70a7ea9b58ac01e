"""lanner.FastAPI answers what FastAPI answers: one application in both, and the same requests.

tests/support/fastapi_*.py define the application by parts; fastapi_differences.py states where the answers differ.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lanner
from tests.support import fastapi_answers, fastapi_bodies, fastapi_parameters, fastapi_structure
from tests.support.fastapi_differences import DIFFERENCES
from tests.support.fastapi_twins import Ask, Define, Twins
from tests.support.server import Server

HERE = Path(__file__).parent
PARTS: dict[str, tuple[Define, list[Ask]]] = {
    "parameters": (fastapi_parameters.define, fastapi_parameters.REQUESTS),
    "bodies": (fastapi_bodies.define, fastapi_bodies.REQUESTS),
    "answers": (fastapi_answers.define, fastapi_answers.REQUESTS),
    "structure": (fastapi_structure.define, fastapi_structure.REQUESTS),
    "handled": (fastapi_structure.handled, fastapi_structure.HANDLED),
}


@pytest.fixture(scope="module", params=PARTS)
def part(request: pytest.FixtureRequest) -> Iterator[tuple[str, Twins]]:
    name = str(request.param)
    with Server(f"fastapi_twins:{name}", cwd=HERE / "apps") as server:
        twins = Twins(PARTS[name][0], f"http://127.0.0.1:{server.address[1]}")
        yield name, twins
        twins.close()


def test_the_answers_are_the_same(part: tuple[str, Twins]) -> None:
    name, twins = part
    failed = []
    for asked in PARTS[name][1]:
        try:
            twins.check(asked)
        except AssertionError as error:
            failed.append(f"{asked.id}\n{error}")
    assert not failed, f"{len(failed)} of {len(PARTS[name][1])}:\n" + "\n\n".join(failed[:10])


def test_each_difference_is_shown_and_documented() -> None:
    shown = {asked.differs for _, requests in PARTS.values() for asked in requests} - {None}
    assert shown == set(DIFFERENCES)
    page = (HERE.parents[1] / "docs/from-fastapi.md").read_text().splitlines()
    for difference in DIFFERENCES.values():
        assert difference.row in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"redirect_slash": True}, "there is no redirect_slash=; did you mean redirect_slashes?"),
        ({"middleware": []}, "there is no middleware="),
        ({"form_limits": None}, "there is no form_limits="),
    ],
)
def test_keywords_that_are_not_there(options: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=r"FastAPI\(\)") as caught:
        lanner.FastAPI(**options)  # type: ignore[arg-type]
    assert message in str(caught.value)
