"""The whole configuration of one `lanner run`, made from flags, environment and defaults, and checked."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from lanner import _core
from lanner.cli import flags, foreign
from lanner.cli.flags import Flag
from lanner.errors import ConfigError, ListenError
from lanner.spelling import hint, nearest

App = Callable[..., object]
OURS = "LANNER_"
ADDRESSES = ("bind", "uds", "fd")
FLAG = re.compile(r"--([a-z-]*[a-z])")
MARKS = ("out_low_bytes", "out_high_bytes")
LOOPBACK = ("127.0.0.1", "::1")  # trusted proxies where none are named, as with gunicorn


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every option with its value. Example: `Config.build("shop:app", {"port": 80}, os.environ).port` is 80."""

    app: "str | App"
    host: str
    port: int
    bind: tuple[str, ...]
    uds: str
    uds_permissions: int
    fd: int | None
    backlog: int
    app_dir: str
    chdir: str
    factory: bool
    interface: str
    loop: str
    lifespan: str
    root_path: str
    proxy_headers: bool
    forwarded_allow_ips: tuple[str, ...] | None  # None = not given
    forwarded_headers: tuple[str, ...] | None  # None = all five
    workers: int
    threads: int
    log_level: str
    access_log: bool
    access_logfile: str
    access_log_format: str
    server_header: bool
    date_header: bool
    limits: dict[str, int]  # fields of _core.limits(), in the engine's units
    warnings: tuple[str, ...] = field(default=())
    variables: Mapping[str, str] = field(default_factory=dict)  # of flags that came from the environment: its variable

    @classmethod
    def build(
        cls,
        app: "str | App",
        given: Mapping[str, object],
        environ: Mapping[str, str],
        prefix: str = "",
        one_process: bool = False,
    ) -> "Config":
        """Flags win over environment, environment over defaults.

        given: values by their Python names; text, or already of their type. prefix: "--" where they came from
        the command line, so that errors say --port. one_process: more than one worker is an error.
        """
        known, notes = sort_given(given, prefix)
        settings: dict[str, object] = {}
        limits: dict[str, int] = {}
        variables: dict[str, str] = {}
        hidden = hidden_addresses(known, prefix)
        for flag in flags.table():
            source: Mapping[str, str] = {} if flag.setting in hidden else environ
            value, where = pick(flag, known, source, prefix)
            if where in flag.variables:
                variables[flag.name] = where
            if flag.limit:
                assert isinstance(value, int)
                limits[flag.limit] = value
                check_limit(flag, value, where)
            else:
                settings[flag.setting] = value
        notes += misspelt_variables(environ)
        own = {"limits": limits, "warnings": tuple(notes), "variables": variables}
        config = cls(app=app, **own, **refined(settings))  # type: ignore[arg-type]
        with config.naming_variables():
            config.check(one_process)
        return config

    @contextmanager
    def naming_variables(self) -> Iterator[None]:
        """Within it, errors name the variable instead of the flag if the value came from a variable."""
        try:
            yield
        except (ConfigError, ListenError) as error:
            text = FLAG.sub(lambda found: self.variables.get(found[1], found[0]), str(error))
            raise type(error)(text) from None

    def check(self, one_process: bool) -> None:
        """Checks that involve two options, or the caller."""
        if self.workers > 1 and one_process:
            raise ConfigError(
                f"workers={self.workers}: lanner.serve serves in this process; use lanner.run for more workers than one"
            )
        if self.workers > 1 and not isinstance(self.app, str):
            raise ConfigError(
                f"workers={self.workers} needs the application as text, for example 'shop:app': each worker imports it"
            )
        if not self.limits["out_high_bytes"]:
            raise ConfigError("--write-high-mark: 0 is too small; 1 is the least")
        if self.limits["out_low_bytes"] > self.limits["out_high_bytes"]:
            raise ConfigError("--write-low-mark is above --write-high-mark; lower it, or raise the other")
        if self.root_path and not self.root_path.startswith("/"):
            raise ConfigError(f"--root-path: {self.root_path!r} must begin with /")

    def addresses(self) -> tuple[str, ...]:
        """Where to listen, as --bind writes it."""
        places = [*self.bind]
        if self.uds:
            places.append("unix:" + self.uds)
        if self.fd is not None:
            places.append(f"fd://{self.fd}")
        host = f"[{self.host}]" if ":" in self.host and not self.host.startswith("[") else self.host
        return tuple(places) or (f"{host}:{self.port}",)

    def engine_options(self) -> dict[str, object]:
        """The options of `_core.Server` that do not differ between workers."""
        options: dict[str, object] = dict(self.limits)
        for name in ("threads", "root_path", "server_header", "date_header", "log_level"):
            options[name] = getattr(self, name)
        if self.access_log_format:
            options["access_log_format"] = self.access_log_format
        named = self.forwarded_allow_ips is not None or self.forwarded_headers is not None
        if self.proxy_headers or named:
            trusted = LOOPBACK if self.forwarded_allow_ips is None else self.forwarded_allow_ips
            options["forwarded_allow_ips"] = ",".join(trusted)
            if self.forwarded_headers is not None:
                options["forwarded_headers"] = ",".join(self.forwarded_headers)
            # Whoever names the proxies, or their fields, means that no other peer is one.
            options["drop_untrusted"] = named
            options["apply_forwarded"] = self.proxy_headers
        return options


def sort_given(given: Mapping[str, object], prefix: str) -> tuple[dict[str, object], list[str]]:
    """Lanner's flags by setting, and a note for each flag of another server; unknown names raise an error."""
    table = flags.by_setting()
    foreign_flags = {flags.python_name(name): row for name, row in foreign.by_name().items()}
    known: dict[str, object] = {}
    notes: list[str] = []
    for name, value in given.items():
        written = flags.dashes(name.replace("_", "-")) if prefix else name
        if name in table:
            if value is not None:
                known[table[name].setting] = value
        elif name not in foreign_flags:
            raise ConfigError(f"unknown flag {written}{hint(name, table)}")
        elif value is not None and value is not False:
            if foreign_flags[name].refused:
                raise ConfigError(f"{written}: {foreign_flags[name].answer}")
            notes.append(f"{written}: {foreign_flags[name].answer}")
    return known, notes


def hidden_addresses(known: Mapping[str, object], prefix: str) -> tuple[str, ...]:
    """The settings whose variables are ignored because flags already define where to listen."""
    places = [name for name in ADDRESSES if name in known]
    plain = [name for name in ("host", "port") if name in known]
    if places and plain:
        raise ConfigError(f"give {prefix}{places[0]} or {prefix}{plain[0]}, not both; {prefix}bind may be repeated")
    return ADDRESSES if plain else ADDRESSES if places else ()


def pick(flag: Flag, known: Mapping[str, object], environ: Mapping[str, str], prefix: str) -> tuple[object, str]:
    """The value of one flag, from the first place that has it, and the name of that place; "" for the default."""
    if flag.setting in known:
        where = (prefix + flag.name) if prefix else flag.setting
        return converted(flag, known[flag.setting], where), where
    for variable in flag.variables:
        if environ.get(variable):
            return converted(flag, environ[variable], variable), variable
    return flag.default, ""


def check_limit(flag: Flag, value: int, where: str) -> None:
    """Checks the engine's range of a limit; the two marks depend on each other and are checked in `check`."""
    if not where or flag.limit in MARKS:
        return
    try:
        _core.check_options({flag.limit: value})
    except ValueError as error:
        why = str(error).removeprefix(f"option '{flag.limit}' ").removeprefix(flag.limit + " ")
        raise ConfigError(f"{where}: {why}") from None


def converted(flag: Flag, value: object, source: str) -> object:
    """Converts text to the flag's type. Values given from Python are converted too, so that the same checks apply."""
    if flag.setting == "uds_permissions" and isinstance(value, int):
        value = f"{value:o}"
    try:
        if flag.many and isinstance(value, list | tuple):
            return tuple(word for item in value for word in flag.parse(str(item)))  # type: ignore[attr-defined]
        return flag.parse(str(value))
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from None


def refined(settings: dict[str, object]) -> dict[str, object]:
    """Settings that follow from others."""
    if settings["access_log"] is None:
        settings["access_log"] = bool(settings["access_logfile"])
    settings["root_path"] = decoded_path(str(settings["root_path"])).rstrip("/")
    return settings


def decoded_path(path: str) -> str:
    """--root-path as paths are compared: percent-decoded. Example: decoded_path("/a%20b") == decoded_path("/a b")."""
    try:
        decoded = path
        if "%" in path:
            from urllib.parse import unquote  # seldom needed, and it takes its time to import

            decoded = unquote(path, errors="strict")
        decoded.encode()
    except UnicodeError:
        raise ConfigError(f"--root-path: {path!r} is not UTF-8 once it is percent-decoded") from None
    if "\0" in decoded:
        raise ConfigError(f"--root-path: {path!r} has a NUL in it")
    return decoded


def misspelt_variables(environ: Mapping[str, str]) -> list[str]:
    """A note for each LANNER_ variable that is nearly one of ours; others may belong to another program."""
    known = {flag.setting.upper() for flag in flags.table()}
    given = {name.removeprefix(OURS) for name in environ if name.startswith(OURS)} - known
    found = [(name, nearest(name, known)) for name in sorted(given)]
    return [f"{OURS}{name} is not read; did you mean {OURS}{near}?" for name, near in found if near]
