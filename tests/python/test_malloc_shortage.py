"""C allocations of the extension fail, each in turn: a MemoryError or the right result, and the process goes on.

That of Python's own allocator is in test_schema_leaks.py and tests/integration/test_no_memory.py.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"
COMPILER = shutil.which("cc")
TAIL = 2000  # characters of what the process said


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="another allocator is in the process")
def test_a_lack_of_memory_in_the_extension_is_a_memory_error(tmp_path: Path) -> None:
    shim = tmp_path / "failing_malloc.so"
    source = SUPPORT / "failing_malloc.c"
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-O1", "-Wall", "-o", shim, source], check=True)
    process = subprocess.run(
        [sys.executable, SUPPORT / "malloc_shortage.py", shim],
        env=os.environ | {"LD_PRELOAD": str(shim), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-TAIL:]
    assert process.stdout[:TAIL] == ""
