"""`python -m lanner`: the same as the command `lanner`."""

import sys

from lanner import stdio


def main() -> int:
    """The command line, in a process of its own."""
    stdio.complete()
    from lanner.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
