"""The start-up lines: what is served, at which addresses, by how many workers, and how to stop it."""

from collections.abc import Sequence

from lanner.cli.config import Config


def text(config: Config, version: str, interface: str, label: str, urls: Sequence[str], pid: int) -> str:
    """Two lines.

    lanner 0.1.0 serves shop:app (wsgi) on http://127.0.0.1:8000
    4 workers of 1 thread, pid 4242; Ctrl-C or kill 4242 stops it and lets open requests finish (30 s at most)
    """
    threads = f"{config.threads} thread" + "s" * (config.threads > 1)
    workers = f"{config.workers} worker" + "s" * (config.workers > 1)
    drain = f"{config.limits['drain_ms'] / 1000:g} s at most"
    return (
        f"lanner {version} serves {label} ({interface}) on {', '.join(urls)}\n"
        f"{workers} of {threads}, pid {pid}; Ctrl-C or kill {pid} stops it and lets open requests finish ({drain})"
    )
