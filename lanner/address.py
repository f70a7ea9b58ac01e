"""An address to listen on, as --bind writes it: `HOST:PORT`, `[IPV6]:PORT`, `:PORT`, `HOST`, `unix:PATH`, `fd://N`."""

from dataclasses import dataclass

from lanner import values
from lanner.errors import ConfigError

PORT = 8000
ALL = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Address:
    """One address; exactly one of host, path and fd is set. Example: `parse("[::1]:80")` has the host `::1`."""

    host: str = ""
    port: int = 0
    path: str = ""
    fd: int | None = None

    def __str__(self) -> str:
        """The address as a URL or path. Example: `str(Address("::1", 80))` is `"http://[::1]:80"`."""
        if self.path:
            return "unix:" + self.path
        if self.fd is not None:
            return f"fd://{self.fd}"
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def parse(text: str) -> Address:
    """Reads one address; ConfigError says what is wrong. Example: `parse("unix:/run/shop.sock").path`."""
    if text.startswith("unix:"):
        path = text.removeprefix("unix:").removeprefix("//")
        if not path:
            raise ConfigError("--bind unix: needs a path, for example unix:/run/shop.sock")
        return Address(path=path)
    if text.startswith("fd://"):
        try:
            return Address(fd=values.descriptor(text.removeprefix("fd://")))
        except ValueError as error:
            raise ConfigError(f"--bind {text}: {error}") from None
    return parse_tcp(text.removeprefix("tcp://"), text)


def parse_tcp(rest: str, text: str) -> Address:
    if rest.startswith("["):
        host, bracket, tail = rest[1:].partition("]")
        if not bracket or (tail and not tail.startswith(":")):
            raise ConfigError(f"--bind {text}: write an IPv6 address as [::1]:8000")
    elif rest.count(":") > 1:
        host, tail = rest, ""
    else:
        host, colon, port = rest.partition(":")
        tail = colon + port
    try:
        return Address(host=host or ALL[0], port=values.port(tail[1:]) if tail else PORT)
    except ValueError as error:
        raise ConfigError(f"--bind {text}: {error}") from None
