"""lanner.json and Schema.encode write the same bytes by every level of vector instructions."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("json_levels.py")


def test_every_level_writes_the_same() -> None:
    written = {}
    for level in ("scalar", "avx2", ""):
        environment = {**os.environ, "LANNER_SIMD": level}
        done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True)
        written[level] = done.stdout.split()
    assert len(written["scalar"]) == 6
    assert written["avx2"] == written["scalar"]
    assert written[""] == written["scalar"]
