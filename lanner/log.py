"""Lanner's own log lines: `time [pid] level event key=value ...` on stderr, one write each, no logging module.

    2026-11-30T09:40:20.123+01:00 [70] info worker.ready slot=0 pid=71
    2026-11-30T09:40:29.324+01:00 [70] error worker.exit slot=0 pid=71 reason=SIGSEGV after_s=9.2

A line that stderr does not take at once is dropped: the server never waits for its own log.
"""

import os
import time

LEVELS = {"critical": 50, "error": 40, "warning": 30, "info": 20, "debug": 10}
STDERR = 2


class Log:
    """Lines at or above one level, to one descriptor.

    Example: `Log("info").info("worker.start", slot=0, pid=71)`
    """

    def __init__(self, level: str = "info", fd: int = STDERR) -> None:
        self.least = LEVELS[level]
        self.fd = fd

    def enabled(self, level: str) -> bool:
        return LEVELS[level] >= self.least

    def debug(self, event: str, **fields: object) -> None:
        self.write("debug", event, fields)

    def info(self, event: str, **fields: object) -> None:
        self.write("info", event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self.write("warning", event, fields)

    def error(self, event: str, **fields: object) -> None:
        self.write("error", event, fields)

    def write(self, level: str, event: str, fields: dict[str, object]) -> None:
        if self.enabled(level):
            put(stamp() + line(level, event, fields), self.fd)


def stamp() -> str:
    """How a line begins: local time (RFC 3339) and process, as in sys/log_stamp.h."""
    now = time.time()
    local = time.localtime(now)
    east_min = local.tm_gmtoff // 60
    sign, minutes = ("-", -east_min) if east_min < 0 else ("+", east_min)
    return (
        f"{local.tm_year:04}-{local.tm_mon:02}-{local.tm_mday:02}T"
        f"{local.tm_hour:02}:{local.tm_min:02}:{local.tm_sec:02}.{int(now * 1000) % 1000:03}"
        f"{sign}{minutes // 60:02}:{minutes % 60:02} [{os.getpid()}] "
    )


def line(level: str, event: str, fields: dict[str, object]) -> str:
    """One log line behind its stamp. Example: `line("info", "a.b", {"k": "x y"})` is `'info a.b k="x y"'`."""
    words = (f"{key}={escape(str(value))}" for key, value in fields.items())
    return " ".join(["warn" if level == "warning" else level, event, *words])


def escape(text: str) -> str:
    """A value as log/log.h writes it: bare, or in quotes with every byte outside 0x20..0x7E as \\xNN."""
    data = text.encode("utf-8", "surrogateescape")
    if data and all(0x21 <= byte <= 0x7E and byte not in b'"\\=' for byte in data):
        return text
    return '"' + "".join(map(escape_byte, data)) + '"'


def escape_byte(byte: int) -> str:
    if not 0x20 <= byte <= 0x7E:
        return f"\\x{byte:02X}"
    return "\\" + chr(byte) if byte in b'"\\' else chr(byte)


def put(text: str, fd: int = STDERR) -> None:
    """Writes lines to a descriptor in one call; if it is closed or full they are lost, and nobody waits."""
    try:
        os.write(fd, (text + "\n").encode("utf-8", "backslashreplace"))
    except OSError:
        return


def notice(text: str) -> None:
    """One line for the user of the command line. Example: `notice("--loop: not needed")`."""
    put("lanner: " + text)
