"""Definitions: the named types of one document (an OpenAPI document, say), in which each name is given once.

Each type is described once for reading and once for writing. Names are given at the end, as pydantic gives them: the
first of these that means one description only:

    Card, Card-Input, shop__models__Card, shop__models__Card-Input, shop__models__Card__1, ...

So a type whose descriptions are equal both ways has one definition, as have equal types of one name.
"""

from __future__ import annotations

import re
import types
import typing
from typing import Any

from lanner import json

Described = dict[str, Any]
DATA = frozenset({"default", "example", "examples", "const", "enum"})  # keywords whose values are no schemas


class Definitions:
    """The definitions of one document.

    ref: how a definition is referred to, with {} for its name.

    Example: `Schema(Card).describe(definitions)` is `{"$ref": ...}`, with a name of its own until finish().
    """

    def __init__(self, ref: str = "#/components/schemas/{}") -> None:
        self.ref = ref
        self.described: dict[str, Described] = {}  # by the names they have until finish()
        self.choices: dict[str, list[str]] = {}  # the names that each may get, the best first
        self.places: dict[Any, str] = {}
        self.counts: dict[str, dict[Any, int]] = {}
        self.foreign: dict[tuple[int, str], Described] = {}  # what pydantic said, by the id() of what it was asked of

    def place(self, what: Any, short: str, qualified: str, output: bool) -> tuple[str, bool]:
        """(the name until finish(), whether it was asked for the first time): the caller then adds to `described`.

        what: tells types apart. short, qualified: its name without and with its module.
        """
        key = (what, output)
        if key in self.places:
            return self.places[key], False
        short, qualified, way = normal(short), normal(qualified), "-Output" if output else "-Input"
        numbers = self.counts.setdefault(qualified, {})
        number = numbers.setdefault(what, len(numbers) + 1)
        name = self.places[key] = f"definition-{len(self.places)}"
        ends = ("", way, f"__{number}", f"{way}__{number}")
        self.choices[name] = [short, short + way, *(qualified + end for end in ends)]
        return name, True

    def place_type(self, what: tuple[Any, ...], output: bool) -> tuple[str, bool]:
        """place() for (class, its arguments, ...)."""
        return self.place(what, shown(what[0], what[1], False), shown(what[0], what[1], True), output)

    def add(self, name: str, described: Described, output: bool) -> Described:
        """A definition that is no type; returns the reference to it."""
        place, new = self.place(("", name), name, name, output)
        if new:
            self.described[place] = described
        return self.reference(place)

    def reference(self, name: str) -> Described:
        return {"$ref": self.ref.format(name)}

    def of(self, described: Described) -> Described | None:
        """The definition that a description refers to; None: it says all itself."""
        place = described.get("$ref")
        return next((self.described[name] for name in self.described if self.ref.format(name) == place), None)

    def finish(self, document: Any) -> tuple[Any, dict[str, Described]]:
        """(the document, the definitions that it needs), with their names; sorted by name."""
        needed = self.reachable(document)
        names = self.names(needed)
        refs = self.refs(names)
        final = {names[place]: referring(self.described[place], refs) for place in needed}
        return referring(document, refs), dict(sorted(final.items()))

    def reachable(self, document: Any) -> list[str]:
        places = {self.ref.format(name): name for name in self.described}
        found: dict[str, None] = {}
        waiting = [document]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                waiting += value.values()
                place = places.get(value["$ref"]) if isinstance(value.get("$ref"), str) else None
                if place is not None and place not in found:
                    found[place] = None
                    waiting.append(self.described[place])
            elif isinstance(value, list):
                waiting += value
        return [name for name in self.described if name in found]

    def names(self, places: list[str]) -> dict[str, str]:
        """A name for each. All start with the best one, and whatever then means two things goes on to the next."""
        levels = dict.fromkeys(places, 0)
        while True:
            names = {place: self.choices[place][level] for place, level in levels.items()}
            refs = self.refs(names)
            meanings: dict[str, set[str]] = {}
            for place in places:
                text = json.dumps(referring(self.described[place], refs), sort_keys=True)
                for choice in self.choices[place]:
                    meanings.setdefault(choice, set()).add(text)
            after = {place: self.first_clear(place, level, meanings) for place, level in levels.items()}
            if after == levels:
                return names
            levels = after

    def first_clear(self, place: str, level: int, meanings: dict[str, set[str]]) -> int:
        choices = self.choices[place]
        return next(at for at in range(level, len(choices)) if len(meanings[choices[at]]) == 1)

    def refs(self, names: dict[str, str]) -> dict[str, str]:
        return {self.ref.format(place): self.ref.format(name) for place, name in names.items()}


def referring(described: Any, refs: dict[str, str]) -> Any:
    """With every $ref, also those of a discriminator's mapping, as `refs` says."""
    if isinstance(described, dict):
        return {key: referring(value, refs) for key, value in described.items()}
    if isinstance(described, list):
        return [referring(value, refs) for value in described]
    return refs.get(described, described) if isinstance(described, str) else described


def without_nulls(described: Any) -> Any:
    """Without `"default": null`, which says nothing that the type does not say; FastAPI leaves it out, too."""
    if isinstance(described, dict):
        return {
            key: value if key in DATA and not isinstance(value, dict) else without_nulls(value)
            for key, value in described.items()
            if key != "default" or value is not None
        }
    return [without_nulls(value) for value in described] if isinstance(described, list) else described


def normal(name: str) -> str:
    """As the name of a component (OpenAPI 3.1, section 4.8.7), by pydantic's rule."""
    return re.sub(r"[^a-zA-Z0-9.\-_]", "_", name).replace(".", "__")


def shown(tp: Any, arguments: tuple[Any, ...], qualified: bool) -> str:
    """`Box[list[Leaf]]` as pydantic writes it; qualified: with the module of each class."""
    name = getattr(tp, "__qualname__" if qualified else "__name__", None) or str(tp)
    if qualified and getattr(tp, "__module__", "builtins") != "builtins":
        name = f"{tp.__module__}.{name}"
    if not arguments:
        return str(name)
    return f"{name}[{','.join(shown_argument(argument, qualified) for argument in arguments)}]"


def shown_argument(tp: Any, qualified: bool) -> str:
    origin, arguments = typing.get_origin(tp), typing.get_args(tp)
    if origin is typing.Annotated:
        return shown_argument(arguments[0], qualified)
    if origin in (typing.Union, types.UnionType):
        return f"Union[{', '.join(shown_argument(argument, qualified) for argument in arguments)}]"
    if isinstance(origin, type):
        return shown(origin, arguments, qualified).replace(",", ", ")
    if isinstance(tp, type):
        return shown(tp, (), qualified)
    return "..." if tp is ... else str(tp).replace("typing.", "")
