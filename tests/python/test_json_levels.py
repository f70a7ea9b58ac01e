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
    for level in ("scalar", "avx2", ""):
        environment = {**os.environ, "LANNER_SIMD": level}
        done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True)
        levels[level] = done.stdout.splitlines()
    assert len(levels["scalar"]) == 6 + 9
    assert levels["avx2"] == levels["scalar"]
    assert levels[""] == levels["scalar"]
