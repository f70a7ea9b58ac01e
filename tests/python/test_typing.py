"""What type checkers are told: the type that a schema reads, the keywords that lanner.run() takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from lanner.cli import flags
from lanner.cli.options import Options

ROOT = Path(__file__).parents[2]

PROGRAM = """
import dataclasses
from typing import Any, assert_type

import lanner
from lanner.schema import OwnType, Schema


@dataclasses.dataclass
class Card:
    name: str


class Point(lanner.Model):
    x: int
    y: int = 0


def app(environ: Any, start_response: Any) -> list[bytes]:
    return []


cards = Schema(list[Card])
assert_type(cards, Schema[list[Card]])
assert_type(cards.decode(b"[]"), list[Card])
assert_type(cards.validate([]), list[Card])
assert_type(Schema(Point, profile="compat", from_attributes=True).decode(b"{}"), Point)
assert_type(Schema(dict[str, int], resolver=lambda tp: None).decode("{}"), dict[str, int])
assert_type(Schema(int, profile="text").decode_text(b"1"), int)
assert_type(Schema(Card, profile="text").decode_pairs([(b"name", b"x")]), Card)
optional: Schema[int | None] = Schema(int | None)
assert_type(optional.decode(b"1"), int | None)
assert_type(cards.encode([]), bytes)
Schema(int, profile="xml")  # error: call-overload
Schema(int, resolver=3)  # error: call-overload
Point(x="a")  # error: arg-type
OwnType(decode=int, encode=str, source=str)


def serve() -> None:
    lanner.run(app, host="0.0.0.0", port=80, timeout_keep_alive=2.5, limit_request_body="8m", bind=["a:1", "b:2"])
    lanner.run("shop:app", workers=2, access_log=True, log_level="debug", uds=None)
    lanner.run(app, port="http")  # error: arg-type
    lanner.run(app, prot=80)  # error: call-arg
    lanner.run(app, log_level="loud")  # error: arg-type


async def serve_here() -> None:
    await lanner.serve(app, port=0, lifespan="on")
    await lanner.serve(app, wrong=0)  # error: call-arg
"""


def test_a_checker_sees_the_type_that_a_schema_reads_and_the_keywords_of_run(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    found = re.findall(r"program\.py:(\d+): error: .*\[([\w-]+)\]", done.stdout)
    expected = [
        (str(number), line.partition("# error: ")[2])
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if "# error: " in line
    ]
    assert found == expected, done.stdout + done.stderr


def test_every_flag_is_a_keyword_for_type_checkers() -> None:
    assert list(Options.__annotations__) == [flag.setting for flag in flags.table()]
