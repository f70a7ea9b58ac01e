"""httpx, or its successor httpx2: whichever is installed. Neither comes with Lanner."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx
else:
    try:
        import httpx
    except ImportError:
        try:
            import httpx2 as httpx
        except ImportError:
            raise ImportError("lanner.testing needs httpx, which is not installed: pip install httpx") from None

__all__ = ["httpx"]
