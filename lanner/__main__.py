"""`python -m lanner`: the same as the command `lanner`."""

import sys

from lanner.log import notice
from lanner.process import stdio
from lanner.process.stop_requests import Stopped, StopRequests


def main() -> int:
    """The command line, in a process of its own."""
    stdio.complete()
    with StopRequests() as stop:
        try:
            from lanner.cli.command import main as run

            return run()
        except Stopped:
            if stop.requested:
                notice(stop.message())
            return 0


if __name__ == "__main__":
    sys.exit(main())
