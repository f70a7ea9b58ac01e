"""`python -m lanner`: the same as the command `lanner`."""

import sys

from lanner.cli import main

if __name__ == "__main__":
    sys.exit(main())
