"""The two pipes between a supervisor and one of its workers.

lifeline   supervisor -> worker   the job; then nothing: its end of file means that the supervisor has ended
report     worker -> supervisor   "ready <interface>" or "failed <line>\\n<traceback>"
"""

import marshal
import os
import sys

from lanner.log import put
from lanner.process.job import Job

HEADER_BYTES = 4
END = b"\0"  # of a report: a child of the application may hold the pipe open


def pack_job(job: Job) -> bytes:
    """A job as bytes for the lifeline; both ends run the same interpreter, which is what marshal asks for."""
    data = marshal.dumps({name: getattr(job, name) for name in Job.FIELDS})
    return len(data).to_bytes(HEADER_BYTES, "little") + data


def read_job(lifeline: int) -> Job:
    """The job that `pack_job` wrote."""
    count = int.from_bytes(read_exactly(lifeline, HEADER_BYTES), "little")
    return Job(**marshal.loads(read_exactly(lifeline, count)))


def read_exactly(fd: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = os.read(fd, count - len(data))
        if not part:
            sys.exit(0)  # the supervisor ended while this process started
        data += part
    return data


def send_report(report: int, text: str) -> None:
    """Reports the result of the start, once; if the supervisor is gone, a failure is at least printed."""
    data = text.encode("utf-8", "backslashreplace") + END
    try:
        while data:
            data = data[os.write(report, data) :]
    except OSError:
        put(text)
    os.close(report)
