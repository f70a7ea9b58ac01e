"""The table of flags: one row defines a name for the command line, the environment, `lanner.run(...)` and --help.

    --timeout-keep-alive 5    LANNER_TIMEOUT_KEEP_ALIVE=5    lanner.run(app, timeout_keep_alive=5)

The limits of the protocol are not repeated here: their rows come from `lanner._core.limits()`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from lanner import _core
from lanner.cli import values

LISTEN = "Where it listens"
SERVE = "What it serves"
PROXY = "Behind a proxy (docs/proxy.md)"
WORK = "Workers and threads"
LOGS = "Logs"
ANSWERS = "Answers"
TIMES = "Timeouts, in seconds (2.5, or with a unit: 500ms, 2m)"
LIMITS = "Limits (sizes in bytes, or 64k, 8m, 1g)"
GROUPS = (LISTEN, SERVE, PROXY, WORK, LOGS, ANSWERS, TIMES, LIMITS)

LEVELS = ("critical", "error", "warning", "info", "debug")
INTERFACES = ("auto", "native", "asgi", "wsgi")


@dataclass(frozen=True, slots=True)
class Flag:
    """One row. Example: `Flag("port", values.port, 8000, LISTEN, "Port.", "N").setting` is `"port"`."""

    name: str
    parse: Callable[[str], object]
    default: object
    group: str
    help: str
    metavar: str = ""
    aliases: tuple[str, ...] = ()  # other servers' spellings; one letter is a short flag
    env: tuple[str, ...] = ()  # variables besides LANNER_<NAME>
    many: bool = False  # may be repeated; its values are tuples
    limit: str = ""  # the field of _core.limits() that it sets

    @property
    def setting(self) -> str:
        """Its name in Python."""
        return python_name(self.name)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it, the first one wins."""
        return ("LANNER_" + self.setting.upper(), *self.env)

    @property
    def switch(self) -> bool:
        return self.parse is values.flag


def python_name(name: str) -> str:
    """Example: `python_name("limit-request-field_size")` is `"limit_request_field_size"`."""
    return name.replace("-", "_")


def dashes(name: str) -> str:
    """Example: `dashes("port")` is `"--port"`, `dashes("w")` is `"-w"`."""
    return ("-" if len(name) == 1 else "--") + name


def engine_list(option: str) -> Callable[[str], tuple[str, ...]]:
    """A parser of words between commas or blanks, which the engine checks. Example: see `forwarded-allow-ips`."""

    def parse(text: str) -> tuple[str, ...]:
        _core.check_options({option: text})
        return tuple(text.replace(",", " ").split())

    return parse


def access_log_format(text: str) -> str:
    """A format that the engine compiles. Example: `access_log_format("%(h)s %(s)s")`."""
    if not text:
        raise ValueError("is empty; write gunicorn's atoms, such as %(h)s, or json")
    _core.check_options({"access_log_format": text})
    return values.text(text)


def from_1_to(largest: int) -> Callable[[str], int]:
    """Example: `from_1_to(1024)("4")` is 4."""

    def parse(word: str) -> int:
        value = values.positive(word)
        if value > largest:
            raise ValueError(f"{word} is too large; {largest} is the most")
        return value

    return parse


FIXED = (
    Flag(
        "host",
        values.host,
        "127.0.0.1",
        LISTEN,
        "Address or host name; 0.0.0.0 or :: for all.",
        "HOST",
    ),
    Flag(
        "port",
        values.port,
        8000,
        LISTEN,
        "Port; 0 takes a free one and prints it.",
        "PORT",
        env=("PORT",),
    ),
    Flag(
        "bind",
        values.words,
        (),
        LISTEN,
        "HOST:PORT, unix:PATH or fd://N, in place of --host and --port; may be repeated.",
        "ADDRESS",
        aliases=("b",),
        many=True,
    ),
    Flag("uds", values.path, "", LISTEN, "Unix socket to listen on.", "PATH"),
    Flag("uds-permissions", values.mode, 0o666, LISTEN, "Mode of that socket.", "OCTAL"),
    Flag("fd", values.descriptor, None, LISTEN, "Descriptor of an inherited socket.", "N"),
    Flag(
        "backlog",
        from_1_to(values.INT_MAX),
        2048,
        LISTEN,
        "Connections that may wait for being accepted.",
        "N",
    ),
    Flag(
        "app-dir",
        values.path,
        ".",
        SERVE,
        "Directory to import from.",
        "DIR",
        aliases=("pythonpath",),
    ),
    Flag(
        "chdir",
        values.path,
        "",
        SERVE,
        "Directory to change to first.",
        "DIR",
        aliases=("working-dir",),
    ),
    Flag("factory", values.flag, False, SERVE, "TARGET is a function that returns the application."),
    Flag(
        "interface",
        values.one_of(*INTERFACES, asgi3="asgi", asginl="asgi"),
        "auto",
        SERVE,
        "auto (by the application), native (a lanner.App), asgi or wsgi.",
        "KIND",
    ),
    Flag(
        "root-path",
        values.text,
        "",
        SERVE,
        "Prefix under which a proxy serves this (SCRIPT_NAME).",
        "PREFIX",
        aliases=("url-path-prefix",),
    ),
    Flag(
        "proxy-headers",
        values.flag,
        True,
        PROXY,
        "Client, scheme and host are those that a trusted proxy forwards.",
    ),
    Flag(
        "forwarded-allow-ips",
        engine_list("forwarded_allow_ips"),
        None,
        PROXY,
        "Trusted proxies: addresses, networks (10.0.0.0/8), unix: for unix sockets, * for every peer;"
        " 127.0.0.1 and ::1 if none are named.",
        "LIST",
        aliases=("trusted-proxy",),
        env=("FORWARDED_ALLOW_IPS",),
        many=True,
    ),
    Flag(
        "forwarded-headers",
        engine_list("forwarded_headers"),
        None,
        PROXY,
        "The forwarding fields that they set, others are removed: forwarded, x-forwarded-for, -proto, -host, -port;"
        " x-real-ip and its like are passed on. All if none are named.",
        "NAMES",
        aliases=("trusted-proxy-headers",),
        many=True,
    ),
    Flag(
        "workers",
        from_1_to(_core.WORKERS_MAX),
        1,
        WORK,
        "Worker processes.",
        "N",
        aliases=("w",),
        env=("WEB_CONCURRENCY",),
    ),
    Flag(
        "threads",
        from_1_to(_core.THREADS_MAX),
        1,
        WORK,
        "WSGI: Python threads of each worker. ASGI: threads of the default executor.",
        "N",
        aliases=("blocking-threads",),
    ),
    Flag(
        "loop",
        values.one_of("auto", "lanner", "asyncio", "uvloop", none="auto", rloop="auto", winloop="auto"),
        "auto",
        WORK,
        "Event loop of ASGI applications: lanner (auto is the same), asyncio or uvloop.",
        "LOOP",
        aliases=("asgi-loop",),
    ),
    Flag(
        "lifespan",
        values.one_of("auto", "on", "off"),
        "auto",
        SERVE,
        "Lifespan of ASGI applications: auto goes on without if the application has none.",
        "MODE",
        aliases=("asgi-lifespan",),
    ),
    Flag(
        "log-level",
        values.one_of(*LEVELS, trace="debug"),
        "info",
        LOGS,
        ", ".join(LEVELS) + ".",
        "LEVEL",
    ),
    Flag("access-log", values.flag, None, LOGS, "A line for each request, on stdout."),
    Flag("access-logfile", values.path, "", LOGS, "The same to a file; - is stdout.", "FILE"),
    Flag(
        "access-log-format",
        access_log_format,
        "",
        LOGS,
        "gunicorn's atoms, such as %(h)s, or json.",
        "FORMAT",
        aliases=("access-logformat", "access-log-fmt"),
    ),
    Flag("server-header", values.flag, True, ANSWERS, "Send Server: lanner."),
    Flag("date-header", values.flag, True, ANSWERS, "Send Date."),
)

# Other servers' names for the limits of the wire.
LIMIT_ALIASES = {
    "limit-request-field-size": ("limit-request-field_size",),
    "limit-request-head": ("h11-max-incomplete-event-size", "http1-buffer-size"),
    "timeout-keep-alive": ("keep-alive",),
    "timeout-graceful-shutdown": ("graceful-timeout", "workers-kill-timeout"),
    "limit-connections": ("limit-concurrency", "worker-connections", "backpressure"),
}

LIMIT_PARSERS: dict[str, tuple[Callable[[str], object], str]] = {
    "bytes": (values.size, "SIZE"),
    "bytes_per_s": (values.size, "SIZE"),
    "count": (values.number, "N"),
    "ms": (values.milliseconds, "SECONDS"),
}


@cache
def table() -> tuple[Flag, ...]:
    """All flags in the order of --help."""
    return FIXED + tuple(limit_flag(*row) for row in _core.limits())


def limit_flag(field: str, default: int, unit: str, name: str, help: str) -> Flag:
    """A row of `_core.limits()` as a flag."""
    parse, metavar = LIMIT_PARSERS[unit]
    group = TIMES if unit == "ms" else LIMITS
    return Flag(name, parse, default, group, help, metavar, LIMIT_ALIASES.get(name, ()), limit=field)


@cache
def by_setting() -> dict[str, Flag]:
    """Every flag under its name in Python and under its aliases."""
    return {python_name(name): flag for flag in table() for name in (flag.name, *flag.aliases)}


def shown_default(flag: Flag) -> str:
    """The default as --help prints it. Example: for --timeout-keep-alive `65`, for --limit-request-head `64k`."""
    value = flag.default
    if flag.switch:
        return "on" if value else "off"
    if value is None or value == () or value == "":
        return ""
    if flag.parse is values.milliseconds and isinstance(value, int):
        return f"{value / 1000:g}"
    if flag.parse is values.size and isinstance(value, int):
        unit = next((u for u in ("g", "m", "k") if value and value % values.SIZES[u] == 0), "")
        return f"{value // values.SIZES[unit]}{unit}"
    return f"{value:o}" if flag.parse is values.mode and isinstance(value, int) else str(value)
