"""JSON Lines (also called NDJSON): a JSON value a line, read and written a piece at a time."""

from collections.abc import Iterable, Iterator
from typing import Any

from lanner._core import json_dump_into, json_loads
from lanner.json.errors import JSONDecodeError, JSONEncodeError

LINE_BYTES_MAX = 16 * 1024 * 1024
_PIECE_BYTES = 64 * 1024  # of what dump_lines() collects before it hands it over
Document = bytes | bytearray | memoryview | str


def load_lines(
    data: Document | Iterable[bytes],
    *,
    duplicate_keys: str = "last",
    line_bytes_max: int = LINE_BYTES_MAX,
    lines_max: int | None = None,
) -> Iterator[Any]:
    """The values of `data`, one after the other: a document, a binary file, or the pieces of a body as they come.

    A line ends in "\\n" or "\\r\\n"; the last one needs no end. Lines of white space are passed over, and count.
    line_bytes_max: a longer line is an error, so that no more than this and one piece is held.
    lines_max: more lines are an error.
    Raises JSONDecodeError with the line in lineno, and offset from the beginning of the data.

    Example: `list(load_lines(b'{"a":1}\\n[2]\\n'))` is `[{"a": 1}, [2]]`.
    """
    offset = 0
    for number, line in enumerate(_lines(data, line_bytes_max), 1):
        if lines_max is not None and number > lines_max:
            raise JSONDecodeError(f"more than {lines_max} lines", offset, number, 1)
        if len(line) - line.endswith(b"\n") > line_bytes_max:
            raise JSONDecodeError(f"a line of more than {line_bytes_max} bytes", offset, number, 1)
        if line.strip(b" \t\r\n"):
            try:
                value = json_loads(line, duplicate_keys=duplicate_keys)
            except JSONDecodeError as error:
                raise JSONDecodeError(error.msg, offset + error.offset, number, error.colno) from None
            yield value
        offset += len(line)


def dump_lines(values: Iterable[object], **options: Any) -> Iterator[bytes]:
    """Each of `values` as a line, in pieces of about 64 KiB: a body to send, or a file to write.

    options: those of dumps(), but indent and append_newline. Raises JSONEncodeError with the line in its path;
    what stands before it was handed over, or is lost with the piece.

    Example: `b"".join(dump_lines([{"a": 1}, [2]]))` is `b'{"a":1}\\n[2]\\n'`.
    """
    for name in ("indent", "append_newline"):
        if name in options:
            raise TypeError(f"dump_lines() has no argument {name}: a value is a line")
    piece = bytearray()
    for number, value in enumerate(values, 1):
        begin = len(piece)
        try:
            json_dump_into(value, piece, append_newline=True, **options)
        except JSONEncodeError as error:
            raise JSONEncodeError(error.msg, f"line {number}: {error.path}") from error.__cause__
        if piece.find(b"\n", begin) != len(piece) - 1:
            raise JSONEncodeError("a Raw with a line break in it is no part of a line", f"line {number}: $")
        if len(piece) >= _PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def _lines(data: Document | Iterable[bytes], line_bytes_max: int) -> Iterator[bytes]:
    """Lines with their ends; one that is too long is handed over as soon as that is known."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")  # which the reader refuses, with its place
    if isinstance(data, bytes | bytearray | memoryview):
        data = (bytes(data),)
    rest = bytearray()
    for piece in data:
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(f"JSON Lines come in pieces of bytes, not {type(piece).__name__}")
        begin = 0
        whole = bytes(piece)
        while end := whole.find(b"\n", begin) + 1:
            rest += whole[begin:end]
            yield bytes(rest)
            rest.clear()
            begin = end
        rest += whole[begin:]
        if len(rest) > line_bytes_max + 1:
            break
    if rest:
        yield bytes(rest)
