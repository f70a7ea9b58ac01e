"""The C++ engine, as Python sees it. A few modules of the package wrap it; nothing else imports it."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from typing import Any, Self

TextValue = bytes | bytearray | memoryview | str

class Limit:
    """One row of http/limits.def."""

    field: str  # "head_bytes"
    default: int
    unit: str  # "bytes" | "count" | "ms" | "bytes_per_s"
    flag: str  # "limit-request-head"
    help: str

def limits() -> list[tuple[str, int, str, str, str]]:
    """Rows (field, default, unit, flag, help). Limits of unit "ms" are seconds on the command line."""

BOARD_SLOT_BYTES: int  # of a worker, in the memory that the workers share
WORKERS_MAX: int  # each may have two slots: one that drains keeps its own
THREADS_MAX: int

def version() -> str: ...
def relies_on_layouts() -> bool:
    """False: built with LANNER_PORTABLE, or for a Python whose objects are laid out in a way that was not tested."""

def check_options(options: Mapping[str, object]) -> None:
    """Raises the TypeError or ValueError that Server would raise for these options."""

def refuse_connections(fd: int) -> None:
    """A TCP listener drops new connection requests (SYN) from now on, for all processes that share it."""

class Raw:
    """lanner.json.Raw: JSON text that is written as it is, wherever a value may stand: cached answers, columns of a database.

    data: bytes, bytearray, memoryview or str; one JSON value. It is checked once (grammar, UTF-8, depth), unless
    trusted=True: then what is no JSON breaks the text that it is written into. As a type of a Schema it keeps a value
    unread. Values are equal when their bytes are. Raises lanner.json.JSONDecodeError.

    Example: `dumpb({"card": Raw(b'{"name":"Opt"}')})` is `b'{"card":{"name":"Opt"}}'`.
    """

    def __new__(cls, data: bytes | bytearray | memoryview | str, *, trusted: bool = False) -> Self: ...
    @property
    def data(self) -> bytes: ...
    def __bytes__(self) -> bytes: ...

def json_dumps(
    value: object,
    *,
    default: Callable[[Any], object] | None = None,
    sort_keys: bool = False,
    indent: int | None = None,
    naive_utc: bool = False,
    utc_z: bool = False,
    omit_microseconds: bool = False,
    non_str_keys: bool = False,
    nan_as_null: bool = False,
    append_newline: bool = False,
    strict_integer: bool = False,
    passthrough_subclass: bool = False,
    passthrough_datetime: bool = False,
    passthrough_dataclass: bool = False,
    passthrough_set: bool = False,
    passthrough_decimal: bool = False,
) -> str:
    """lanner.json.dumps: `value` as JSON text. Raises lanner.json.JSONEncodeError with the path, and what default raises.

    default: called with what has no form in JSON; what it returns is written in its place.
    sort_keys: by code point. indent: spaces a level, 0 to 16; None and 0: one line.
    naive_utc: a datetime without zone is UTC. utc_z: Z in the place of +00:00. omit_microseconds: of datetime and time.
    non_str_keys: numbers, dates, UUIDs, enums, None and bool may be keys.
    nan_as_null: NaN and Infinity become null; otherwise they are errors (RFC 8259, section 6).
    append_newline: ends in a newline. strict_integer: integers of more than 53 bits are errors (RFC 8259, section 6).
    passthrough_subclass, _datetime, _dataclass, _set, _decimal: default gets subclasses of str, int, float, dict, list
    and tuple; datetime, date and time; dataclasses; set and frozenset; Decimal.

    Example: `dumps({"b": 1, "a": 2}, sort_keys=True)` is `'{"a":2,"b":1}'`.
    """

def json_dumpb(
    value: object,
    *,
    default: Callable[[Any], object] | None = None,
    sort_keys: bool = False,
    indent: int | None = None,
    naive_utc: bool = False,
    utc_z: bool = False,
    omit_microseconds: bool = False,
    non_str_keys: bool = False,
    nan_as_null: bool = False,
    append_newline: bool = False,
    strict_integer: bool = False,
    passthrough_subclass: bool = False,
    passthrough_datetime: bool = False,
    passthrough_dataclass: bool = False,
    passthrough_set: bool = False,
    passthrough_decimal: bool = False,
) -> bytes:
    """lanner.json.dumpb: the same as UTF-8 bytes, without the way over a str.

    Example: `dumpb([1, None])` is `b'[1,null]'`.
    """

def json_dump_into(
    value: object,
    buffer: bytearray,
    *,
    default: Callable[[Any], object] | None = None,
    sort_keys: bool = False,
    indent: int | None = None,
    naive_utc: bool = False,
    utc_z: bool = False,
    omit_microseconds: bool = False,
    non_str_keys: bool = False,
    nan_as_null: bool = False,
    append_newline: bool = False,
    strict_integer: bool = False,
    passthrough_subclass: bool = False,
    passthrough_datetime: bool = False,
    passthrough_dataclass: bool = False,
    passthrough_set: bool = False,
    passthrough_decimal: bool = False,
) -> int:
    """lanner.json.dump_into: the same bytes behind what `buffer` holds; returns how many. An error leaves it as it was.

    Raises also BufferError while a memoryview of the buffer is open. What `default` calls cannot resize the buffer.

    Example: `dump_into([1], buffer := bytearray(b"data: "))` is 3, and the buffer `b"data: [1]"`.
    """

def json_loads(data: bytes | bytearray | memoryview | str, *, duplicate_keys: str = "last") -> Any:
    """lanner.json.loads: the value of a document (RFC 8259). Raises lanner.json.JSONDecodeError with byte, line, column.

    duplicate_keys: "last" (the last one wins) or "reject".

    Example: `loads('{"a": [1, 2.5, null]}')` is `{"a": [1, 2.5, None]}`.
    """

def pattern_problem(source: str) -> str | None:
    """Why RE2 cannot match this pattern; None: it can."""

class ValidationError(ValueError):
    """What is wrong with a value: all errors, up to the schema's bound. Made by Schema only.

    Example: `except ValidationError as error: return error.errors()`
    """

    def errors(self) -> list[dict[str, Any]]:
        """Each error as {type, loc, msg, input} and, where there is more to say, ctx: pydantic's names and words."""

    def pointers(self) -> list[str]:
        """Where each error is, as JSON pointers (RFC 6901): "/items/0/price"."""

    def json(self) -> str:
        """errors() as JSON text; an input that JSON has no form for as its repr()."""

    def error_count(self) -> int: ...

def restore_validation_error(title: str, errors: list[dict[str, Any]], missed: int = 0) -> ValidationError:
    """What pickle calls: an error with these errors(), without its schema."""

class Schema:
    """A compiled type: the base of lanner.schema.Schema, which makes the arguments."""

    def __new__(
        cls,
        nodes: list[dict[str, Any]],
        root: int,
        title: str,
        classes: tuple[Any, ...],
        profile: int = 0,
        errors_max: int = 64,
        reject_duplicates: bool = False,
        from_attributes: bool = False,
    ) -> Self:
        """nodes: as lanner/schema/_compile.py makes them; kept and borrowed from. Raises TypeError."""

    def validate(self, value: object) -> Any:
        """The value as the schema's type, made of dicts, lists and scalars, or of objects that are it already.

        Raises ValidationError.
        """

    def decode(self, data: bytes | bytearray | memoryview | str) -> Any:
        """The JSON document (RFC 8259) as the schema's type, in one pass over the bytes.

        Raises JSONDecodeError when it is no JSON, ValidationError when it does not fit.
        """

    def validate_as(self, node: int, value: object, /) -> Any:
        """validate() by one of the nodes. Raises TypeError for a number that none has."""

    def decode_as(self, node: int, data: bytes, /) -> Any:
        """decode() by one of the nodes."""

    def encode_as(self, node: int, value: object, /) -> bytes:
        """encode() by one of the nodes."""

    def decode_text(
        self,
        values: TextValue | list[TextValue] | tuple[TextValue, ...],
        /,
        *,
        empty_as_none: bool = False,
    ) -> Any:
        """A value out of UTF-8 text: of a path, query, header, cookie or form, decoded but for UTF-8.

        values: one text, or all values of one name: a scalar is read from the last, an array from all. Text is never
        split: "1,2" is one value. empty_as_none: "" is None where None is allowed.
        Raises ValidationError, also for what is no UTF-8 (string_unicode); TypeError for what is no text.

        Example: `Schema(list[int], profile="text").decode_text([b"1", b"2"])` is `[1, 2]`
        """

    def decode_pairs(
        self,
        pairs: Sequence[tuple[TextValue, TextValue]],
        /,
        *,
        empty_as_none: bool = False,
    ) -> Any:
        """A record or dict out of pairs (name, value) of text: a whole query string or form, each name as in decode_text().

        pairs: a list or tuple of at most 100,000 tuples. Raises ValidationError, TypeError, ValueError.

        Example: `Schema(dict[str, int], profile="text").decode_pairs([(b"n", b"1")])` is `{"n": 1}`
        """

    def encode(
        self,
        value: object,
        /,
        *,
        exclude_none: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
    ) -> bytes:
        """The value as JSON; what the type does not have is left out.

        exclude_none, exclude_unset, exclude_defaults: fields that are None, have no value, equal their default.
        Raises lanner.json.JSONEncodeError when the value is not of the type.
        """

    def encode_into(
        self,
        value: object,
        buffer: bytearray,
        /,
        *,
        exclude_none: bool = False,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
    ) -> int:
        """encode() behind what `buffer` holds; returns how many bytes. An error leaves it as it was.

        Raises also BufferError while a memoryview of the buffer is open.

        Example: `Schema(int).encode_into(5, buffer := bytearray(b"data: "))` is 1, and the buffer `b"data: 5"`.
        """

class ModelMeta(type):
    """The class of lanner.Model and of what derives from it: keeps each class's fields for C++."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any: ...

class ModelBase:
    """What lanner.Model is made of: construction by keywords, equality, repr, hash, copy, replace, pickle."""

    def __init__(self, **values: Any) -> None: ...
    def __copy__(self) -> Self: ...
    def __replace__(self, **changes: Any) -> Self: ...

class Server:
    """One worker: the engine with one application on it.

    listeners: descriptors of listening sockets; borrowed, unless the option own_listeners is on.
    options (unknown keys raise TypeError; all optional):
      every field of limits() -> int in the unit given there
      threads: int = 1            1 = inline; N > 1 = run_thread() is called by N Python threads
      root_path: str = ""         SCRIPT_NAME / root_path
      forwarded_allow_ips: str    whose forwarding fields count: addresses, networks, "unix:", "*"; absent = nobody's
      forwarded_headers: str      the fields that they set, others never reach the application; absent = all
      drop_untrusted: bool = False  forwarding fields of others never reach the application
      apply_forwarded: bool = True  client, scheme and host are those that they say; else the fields only pass
      server_header: bool = True
      date_header: bool = True
      access_log_fd: int = -1     -1 = off; written by a thread of its own, lines dropped when it cannot keep up
      access_log_format: str      gunicorn's atoms, or "json"
      log_fd: int = 2             the engine's own log lines; -1 = off
      log_level: str = "info"     "critical" | "error" | "warning" | "info" | "debug"
      own_listeners: bool = False the engine owns the descriptors: it closes them when the drain begins
      multiprocess: bool = False  for wsgi.multiprocess; True also shares the listeners (EPOLLEXCLUSIVE)
      board_fd: int = -1          memfd shared by all workers (process/board.h); -1 = none
      board_slot: int = 0
      board_wake_fd: int = -1     eventfd shared by all workers: who may accept has changed; -1 = none
      spool_directory: str = ""   for request bodies over body_memory_bytes; "" = TMPDIR or /tmp
    """

    def __init__(
        self,
        app: Callable[..., object],
        listeners: Sequence[int],
        options: Mapping[str, object] | None = None,
        poller: Poller | None = None,
        loop: object = None,
    ) -> None:
        """poller and loop (the asyncio loop that drives it) for ASGI; neither for WSGI."""

    def run(self, signals: int = 1, on_ready: Callable[[], object] | None = None) -> bool:
        """Serves until stopped and drained. True: all requests finished; False: some were cut.

        signals: 1: SIGINT and SIGTERM drain, a second one ends the process at once (exit 130 or 143); 2: more of them
        change nothing, now and afterwards; 0: not caught; 4 more: SIGHUP drains, too. But for 2 the previous handlers
        come back afterwards. Only in the main thread.
        on_ready: called once, when the listeners are being watched.
        """

    def run_thread(self) -> None:
        """The body of one Python thread of --threads N: handles requests until the server ends."""

    def stop(self) -> None:
        """Any thread, also signal handlers: begins the drain; a second call cuts what is left."""

    def start(
        self,
        on_end: Callable[[bool], object],
        signals: int = 1,
        flush_callback: Callable[[], object] | None = None,
    ) -> None:
        """ASGI: begins to serve inside the poller's turns. on_end(drained) is called once, when all is over.

        flush_callback: for another loop than EngineLoop: called when a turn (select(0)) must come soon.
        """

    def set_state(self, state: dict[str, object]) -> None:
        """ASGI: the lifespan's state; each request gets a shallow copy."""

class Poller:
    """The engine's loop as a selector: select() runs one turn of it."""

    def register(self, fd: int, events: int) -> None: ...
    def modify(self, fd: int, events: int) -> None: ...
    def unregister(self, fd: int) -> None: ...
    def select(self, timeout: float | None) -> list[tuple[int, int]]: ...
    def wake(self) -> None:
        """Any thread: select() returns."""

    def close(self) -> None:
        """Gives the engine's descriptors back; nothing is served any more. RuntimeError inside select()."""

    def fileno(self) -> int:
        """Readable when a turn has something to do: for another event loop."""

class LoopBase:
    """The base in C++ of EngineLoop: what asyncio's BaseEventLoop does in Python for each callback.

    Errors are asyncio's own: RuntimeError "Event loop is closed", TypeError of debug mode's checks.
    """

    def __init__(self, poller: Poller) -> None: ...
    def call_soon(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle: ...
    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle: ...
    def call_later(
        self, delay: float, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.TimerHandle: ...
    def call_at(
        self, when: float, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.TimerHandle: ...
    def time(self) -> float: ...
    def create_future(self) -> asyncio.Future[Any]: ...
    def get_debug(self) -> bool: ...
    def is_closed(self) -> bool: ...
    @property
    def turn_started(self) -> float:
        """Any thread: when the running turn's wait ended, in seconds of time(); 0.0 while the loop waits."""

    def _watches(self) -> dict[int, tuple[object, asyncio.Handle | None, asyncio.Handle | None]]:
        """Descriptor -> what was given to add_reader() or add_writer(), reader, writer."""

    def _begin_run(self) -> None:
        """Before each run: which thread is the loop's?"""

    def _end_run(self) -> None:
        """After each run: any thread may use the loop."""

    def _add_pool(self, pool: ThreadPool) -> None:
        """Results of its jobs are set in the loop's turns."""

class StreamHub:
    """What makes the stream transports of a loop that is a LoopBase, and keeps alive those that have work to do."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None: ...
    def make(
        self,
        sock: socket.socket,
        protocol: asyncio.BaseProtocol,
        waiter: asyncio.Future[None] | None,
        extra: dict[str, object] | None,
        server: asyncio.AbstractServer | None,
    ) -> asyncio.Transport:
        """A transport (StreamTransport) over a connected stream socket, TCP or unix, that does not block.

        As asyncio's constructor of one: queues protocol.connection_made(), then the begin of reading, then the waiter's
        result. Raises what the socket, the protocol's attributes and call_soon() raise.
        """

    def close(self) -> None:
        """The loop is closed: transports that are open leave the engine, as those do that nobody holds."""

class ThreadPool:
    """Python threads that run what a loop hands over; the loop is woken once for any number of results."""

    def __init__(self, poller: Poller, threads_max: int, start: Callable[[], object]) -> None:
        """start: makes one more thread, which calls run_thread(). ValueError: threads_max is not positive."""

    def submit(
        self, future: asyncio.Future[Any], callable: Callable[..., object], *args: object
    ) -> asyncio.Future[Any]:
        """The loop's thread: the future gets what callable(*args) returns or raises in a thread.

        A future that was cancelled before a thread came to it is skipped. RuntimeError after close().
        """

    def run_thread(self) -> None: ...
    def close(self) -> None:
        """The threads end when all that was submitted has run."""

def route_problem(path: str, host: str, /) -> str | None:
    """What is wrong with the pattern of a route's path or host, and what to write instead."""

class NativeApp:
    """An app's routes, frozen. routes and hooks: as lanner/native/engine.py describes them."""

    def __init__(self, routes: list[dict[str, Any]], hooks: dict[str, Any], /) -> None: ...
    def match(self, method: str, path: bytes, host: bytes, query: bytes, root: bytes, /) -> tuple[Any, ...]: ...
    def takes_type(self, route: int, content_type: bytes, /) -> bool: ...
    def arguments(
        self,
        route: int,
        values: tuple[bytes, ...],
        query: bytes,
        fields: list[tuple[bytes, bytes]],
        body: bytes,
        request: object,
        response: object,
        tasks: object,
        /,
    ) -> tuple[Any, ...]: ...
    def answer(
        self, route: int, value: object, response: object, tasks: object, /
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes, Any]: ...
    def url_for(self, name: str, parameters: dict[str, str], /) -> tuple[str, str]: ...
