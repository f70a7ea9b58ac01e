"""What response_model_include and response_model_exclude leave of an answer, as pydantic takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ALL: Final = True  # the whole value
NOTHING: Final = object()
EACH = "__all__"  # of a list


def selected(value: Any, include: Any, exclude: Any) -> Any:
    """Names, or a dict of names and what is taken of each; in a list by its positions, or EACH for all of them.

    Names alone apply to each item of a list. Example: `selected({"a": 1, "b": 2}, {"a"}, None)` is `{"a": 1}`
    """
    if isinstance(value, list):
        size = len(value)
        items = [
            selected_part(item, of_item(include, at, size), of_item(exclude, at, size)) for at, item in enumerate(value)
        ]
        return [item for item in items if item is not NOTHING]
    if isinstance(value, dict):
        parts = [
            (name, selected_part(part, of_key(include, name), of_key(exclude, name))) for name, part in value.items()
        ]
        return {name: part for name, part in parts if part is not NOTHING}
    return value


def selected_part(value: Any, take: Any, leave: Any) -> Any:
    """take, leave: what is said of this value; None: nothing; NOTHING: it was not named."""
    if take is NOTHING or leave is ALL:
        return NOTHING
    take = None if take is ALL else take
    leave = None if leave is NOTHING else leave
    return value if take is None and leave is None else selected(value, take, leave)


def of_key(rule: Any, key: Any) -> Any:
    if rule is None:
        return None
    if key not in rule:
        return NOTHING
    part = rule[key] if isinstance(rule, Mapping) else ALL
    return ALL if part is ... else part


def of_item(rule: Any, at: int, size: int) -> Any:
    if rule is None or not any(key == EACH or isinstance(key, int) for key in rule):
        return rule
    found = [part for key in (EACH, at, at - size) if (part := of_key(rule, key)) is not NOTHING]
    if not found or ALL in found:
        return ALL if found else NOTHING
    return {name: of_key(part, name) for part in found for name in part}
