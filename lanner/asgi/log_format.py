"""Messages of `logging` that no handler takes begin as every line of Lanner's log."""

import logging

from lanner.log import stamp


def stamp_last_resort() -> None:
    """Messages of `logging` that no handler takes, such as asyncio's, begin as every other line of the log."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(StampedFormatter())


class StampedFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        level = "warn" if record.levelname == "WARNING" else record.levelname.lower()
        return f"{stamp()}{level} {record.name} {super().format(record)}"
