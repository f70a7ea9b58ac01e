"""The command line of a worker process."""

import os
import subprocess
import sys

# Not -m: the working directory must not decide which lanner the worker imports.
BOOT = (
    "import sys;sys.path.insert(0,sys.argv[1]);from lanner.worker.main import main;del sys.path[0];main(sys.argv[2:])"
)


def command(lifeline: int, report: int, target: str) -> list[str]:
    """The command line of a worker: this interpreter with its own flags, and this very package."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    safe = [] if "-P" in flags else ["-P"]
    return [sys.executable, *flags, *safe, "-c", BOOT, package, str(lifeline), str(report), target]
