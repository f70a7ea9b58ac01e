"""A gate between a test and an application in another process: who has entered, and who may go on.

The test makes it and gives its environment to the server; the application calls enter(), which says so and
waits. Two named pipes, one byte each time.
"""

import os
import select
from pathlib import Path

VARIABLE = "TEST_GATE"  # the directory of the pipes


class Gate:
    """The test's side."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        for name in ("entered", "released"):
            os.mkfifo(directory / name)
        self.entered = os.open(directory / "entered", os.O_RDWR)
        self.released = os.open(directory / "released", os.O_RDWR)

    @property
    def env(self) -> dict[str, str]:
        return {VARIABLE: str(self.directory)}

    def wait(self, count: int = 1, seconds: float = 30) -> None:
        """Until so many more have entered."""
        for _ in range(count):
            ready, _, _ = select.select([self.entered], [], [], seconds)
            assert ready, "nobody has entered the application"
            os.read(self.entered, 1)

    def release(self, count: int = 1) -> None:
        os.write(self.released, b"." * count)

    def close(self) -> None:
        os.close(self.entered)
        os.close(self.released)


def enter() -> None:
    """The application's side: tells the test, then waits for it."""
    directory = os.environ[VARIABLE]
    told = os.open(os.path.join(directory, "entered"), os.O_WRONLY)
    os.write(told, b".")
    os.close(told)
    gate = os.open(os.path.join(directory, "released"), os.O_RDONLY)
    os.read(gate, 1)
    os.close(gate)
