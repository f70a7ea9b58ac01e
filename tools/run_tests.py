"""run_tests.py: all that must hold, step by step, two steps at a time; the first that fails ends it.

    tools/run_tests.py                 what `make test` runs
    tools/run_tests.py --long          what `make test-long` runs beside
    tools/run_tests.py --all           both
    tools/run_tests.py STEP ...        only these steps
    tools/run_tests.py --list          what steps there are
    tools/run_tests.py --write format  lay the code out instead of complaining

Runs in .venv, which `make test` prepares (tools/setup.sh test). Ends with "N passed, N failed".
"""

import argparse
import signal
import sys

from schedule import JOBS, Shell, run_steps
from steps import LONG, SHORT, write_format

AT_ONCE = max(2, JOBS // 2)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs what must hold, fail fast.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(SHORT | LONG))
    parser.add_argument("--long", action="store_true", help="what takes long")
    parser.add_argument("--all", action="store_true", help="what is quick, and what takes long")
    parser.add_argument("--list", action="store_true", help="name the steps")
    parser.add_argument("--write", action="store_true", help="with `format`: lay the code out")
    options = parser.parse_args()
    # A shell that starts this in the background has SIGINT ignored, which the servers under test would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # likewise under nohup
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends what runs, as Ctrl-C does
    known = SHORT | LONG
    if unknown := [name for name in options.steps if name not in known]:
        parser.error(f"no such step: {', '.join(unknown)}; there are {', '.join(known)}")
    if options.list:
        print("\n".join(f"{name:12} {step.what}" for name, step in known.items()))
        return 0
    if options.write:
        write_format(Shell(None))
        return 0
    chosen = known if options.all else LONG if options.long else SHORT
    if options.steps:
        chosen = {name: step for name, step in known.items() if name in options.steps}
    try:
        total = run_steps(chosen, AT_ONCE)
    except KeyboardInterrupt:
        return 130
    print(f"\n{total}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
