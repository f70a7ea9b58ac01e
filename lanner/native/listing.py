"""The routes of an app as a list: for a table that people read, and for programs."""

from __future__ import annotations

from typing import Any

from lanner.native.routing import Route
from lanner.native.signature import described

COLUMNS = ("methods", "host", "path", "name", "handler", "tags")


def rows(app: Any) -> list[dict[str, Any]]:
    """One for each route, in the order in which they were registered. Those of the documentation are not among them."""
    return [row(route) for route in app.routes]


def row(route: Route) -> dict[str, Any]:
    """Example: `{"methods": ["GET"], "path": "/cards/{card_id}", "name": "card", "handler": "shop.card", ...}`"""
    return {
        "methods": sorted(route.methods),
        "path": route.path,
        "host": route.host,
        "name": route.name,
        "handler": described(route.endpoint).removesuffix("()"),
        "tags": [tag if isinstance(tag, str) else tag.value for tag in route.tags],
        "status": route.status,
        "deprecated": bool(route.deprecated),
        "in_schema": route.include_in_schema,
    }


def table(found: list[dict[str, Any]]) -> str:
    """The rows in columns; one that is empty in all of them is left out."""
    lines = [{name: cell(one[name]) for name in COLUMNS} for one in found]
    names = [name for name in COLUMNS if any(line[name] for line in lines)]
    lines.insert(0, {name: name.upper() for name in COLUMNS})
    widths = {name: max(len(line[name]) for line in lines) for name in names}
    return "\n".join("  ".join(line[name].ljust(widths[name]) for name in names).rstrip() for line in lines)


def cell(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value or "")
