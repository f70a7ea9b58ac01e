"""Lanner: an application server for Python with its core in C++20.

import lanner

lanner.run("shop.wsgi:application", port=8000)
"""

TYPE_CHECKING = False  # typing.TYPE_CHECKING without importing typing (1.8 MB) into every worker
if TYPE_CHECKING:
    from lanner.cli.launch import run
    from lanner.cli.launch import serve_async as serve
    from lanner.schema import Model
del TYPE_CHECKING

__version__: str
__all__ = ["Model", "__version__", "run", "serve"]


def __getattr__(name: str) -> object:
    """Imports a public name on first use: a worker needs neither the flags nor the supervisor."""
    if name == "run":
        from lanner.cli.launch import run

        return run
    if name == "serve":
        from lanner.cli.launch import serve_async

        return serve_async
    if name == "Model":
        from lanner.schema import Model

        return Model
    if name == "__version__":
        from lanner import _core

        return _core.version()
    raise AttributeError(f"module 'lanner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
