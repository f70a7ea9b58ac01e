"""Reads --bind: `HOST:PORT`, `[IPV6]:PORT`, `:PORT`, `HOST`, `unix:PATH`, `fd://N`."""

from lanner.cli import values
from lanner.errors import ConfigError
from lanner.process.address import ALL, Address

PORT = 8000


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
