"""The names of a field in JSON: one, several of which the first that is there counts, or a path into the document."""

from __future__ import annotations

import typing
from typing import Any

from lanner.schema import _rules

Path = tuple[str | int, ...]  # the key of the object, then keys and positions below it


class AliasPath:
    """Says in Annotated that a field is read from within its document: keys of objects and positions in arrays.

    Example: `city: Annotated[str, AliasPath("addresses", 0, "city")]`
    """

    def __init__(self, first: str, *rest: str | int) -> None:
        self.path = [first, *rest]

    @property
    def validation_alias(self) -> AliasPath:
        return self

    def __repr__(self) -> str:
        return f"AliasPath({', '.join(map(repr, self.path))})"


class AliasChoices:
    """Says in Annotated that a field is read from the first of several places that the document has.

    Example: `name: Annotated[str, AliasChoices("name", "title", AliasPath("names", 0))]`
    """

    def __init__(self, first: str | AliasPath, *rest: str | AliasPath) -> None:
        self.choices = [first, *rest]

    @property
    def validation_alias(self) -> AliasChoices:
        return self

    def __repr__(self) -> str:
        return f"AliasChoices({', '.join(map(repr, self.choices))})"


def paths_of(alias: Any, shown: str) -> list[Path]:
    """The places that an alias names: a str, an AliasPath or an AliasChoices, ours or pydantic's.

    shown: the field, for the TypeError of what is none of them.
    """
    if isinstance(alias, str):
        return [(alias,)]
    if isinstance(choices := getattr(alias, "choices", None), list | tuple) and choices:
        return [path for choice in choices for path in paths_of(choice, shown)]
    path = getattr(alias, "path", None)
    steps = list(path) if isinstance(path, list | tuple) else []
    if steps and isinstance(steps[0], str) and all(type(step) in (str, int) for step in steps):
        return [tuple(steps)]
    raise TypeError(f"{shown}: the alias {alias!r} is neither a str nor an AliasPath or AliasChoices")


def names_of(hint: Any, name: str, shown: str) -> tuple[list[Path], str]:
    """(where a field is read from, the name written), by an alias in Annotated; `name` where none is given."""
    if typing.get_origin(hint) is not typing.Annotated:
        return [(name,)], name
    names = _rules.gather(hint.__metadata__)
    if any(getattr(item, "exclude", None) is True for item in hint.__metadata__):
        raise TypeError(f"{shown}: exclude=True is for pydantic models; answer by a type without the field")
    read = names.get("validation_alias") or names.get("alias") or name
    written = names.get("serialization_alias") or names.get("alias") or name
    if not isinstance(written, str):
        raise TypeError(f"{shown}: the alias {written!r} is no str")
    return paths_of(read, shown), written


def starts(text: bytes, mark: bytes) -> bool:
    return text.lstrip(b" \t\r\n").startswith(mark)
