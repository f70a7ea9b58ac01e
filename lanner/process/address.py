"""An address to listen on: of TCP, of a unix socket, or an inherited descriptor."""

from dataclasses import dataclass

ALL = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Address:
    """One address; exactly one of host, path and fd is set. Example: `Address("::1", 80).port` is 80."""

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
