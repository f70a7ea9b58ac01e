"""lanner.json and schemas write the same bytes, and read and refuse alike, by every level of vector instructions.

`make test-long` runs all tests of JSON and schemas at each level (tools/steps.py).
"""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("json_levels.py")


def test_every_level_writes_and_reads_the_same() -> None:
    levels = {}
    for level in ("baseline", "avx2", ""):
        environment = {**os.environ, "LANNER_SIMD": level}
        done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True)
        levels[level] = done.stdout.splitlines()
    assert len(levels["baseline"]) == 6 + 9
    assert levels["avx2"] == levels["baseline"]
    assert levels[""] == levels["baseline"]


def test_a_level_that_does_not_exist_is_refused() -> None:
    environment = {**os.environ, "LANNER_SIMD": "scalar"}
    done = subprocess.run([sys.executable, "-c", "import lanner.json"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: LANNER_SIMD=scalar: the levels are baseline, avx2 and avx512" in done.stderr
