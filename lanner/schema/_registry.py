"""Custom types: how they are read, written and described."""

from __future__ import annotations

import ipaddress
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class OwnType:
    """How a type is read and written; what the resolver of a Schema returns.

    decode: makes the value of what is read; a ValueError or AssertionError becomes a validation error.
    encode: gives back what is written, of type `source`.
    source: the type that is read first, then given to decode.
    schema: its JSON Schema; that of `source` when None.
    """

    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any] = str
    source: Any = str
    schema: dict[str, Any] | None = None
    lax: tuple[type, ...] | None = None  # what validate() gives to decode as well, in the compat profile


Resolver = Callable[[Any], OwnType | None]


class Registry:
    """The types registered with register_type(), for all schemas of this process."""

    def __init__(self) -> None:
        self._types: dict[Any, OwnType] = {}

    def add(self, cls: Any, own: OwnType) -> None:
        self._types[cls] = own

    def get(self, cls: Any) -> OwnType | None:
        try:
            return self._types.get(cls)
        except TypeError:  # not hashable
            return None


registry = Registry()
for address in (
    *(ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv4Interface),
    *(ipaddress.IPv6Address, ipaddress.IPv6Network, ipaddress.IPv6Interface),
):
    name = {"Address": "", "Network": "network", "Interface": "interface"}[address.__name__[4:]]
    described = {"type": "string", "format": f"{address.__name__[:4].lower()}{name}"}
    lax: tuple[type, ...] = (int, bytes)
    if name:
        lax += (ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network)
    registry.add(address, OwnType(decode=address, schema=described, lax=lax))
for path in (pathlib.Path, pathlib.PurePath, pathlib.PurePosixPath, pathlib.PosixPath):
    registry.add(path, OwnType(decode=path, schema={"type": "string", "format": "path"}, lax=(os.PathLike,)))


def register_type(
    cls: Any,
    *,
    decode: Callable[[Any], Any],
    encode: Callable[[Any], Any] = str,
    source: Any = str,
    schema: dict[str, Any] | None = None,
) -> None:
    """Teaches schemas made from now on a type of your own.

    source: what the JSON holds, `str` unless said otherwise; it is read and checked first.
    decode: makes the value out of it; a ValueError or AssertionError becomes a validation error.
    encode: gives back what is written, of type `source`.
    schema: its JSON Schema; that of `source` when None.

    Example: `register_type(Color, decode=Color.parse, encode=Color.to_hex)`
    """
    registry.add(cls, OwnType(decode=decode, encode=encode, source=source, schema=schema))
