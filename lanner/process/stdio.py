"""Descriptors 0, 1 and 2: whatever was closed when the process started is /dev/null before anything else is opened."""

import os
import sys


def complete() -> None:
    """Opens /dev/null in the places of stdin, stdout and stderr that are closed.

    Otherwise the next file or socket gets that number, and print() or a log line goes into it.

    Example: after `lanner run shop:app 2>&-` and `complete()`, `os.fstat(2)` is that of /dev/null.
    """
    for number in (0, 1, 2):  # upwards: the lowest free descriptor is the one that is opened
        if not is_open(number):
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115  for the process' life
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
