"""One operation of an OpenAPI document: what a route says of one of its methods."""

from __future__ import annotations

import re
from typing import Any

from lanner.native.openapi_body import request_body
from lanner.native.openapi_parameters import parameters
from lanner.native.openapi_responses import ErrorForms, responses
from lanner.native.openapi_values import Object, jsonable, merge
from lanner.native.routing import PARAMETER, Route
from lanner.schema import Definitions

# The methods that OpenAPI 3.1 has, in its order; another one (PURGE, QUERY) can not be described.
OPERATIONS = ("GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE")


class OperationWriter:
    """Writes one operation; the types that it names go to `definitions`."""

    def __init__(self, definitions: Definitions, route: Route, method: str, forms: ErrorForms) -> None:
        self.definitions = definitions
        self.route = route
        self.method = method
        self.forms = forms
        self.name = operation_id(route, method)

    def write(self, callbacks: Object) -> Object:
        """An Operation Object (OpenAPI 3.1, section 4.8.10)."""
        route = self.route
        said: Object = {
            "tags": [jsonable(tag) for tag in route.tags],
            "summary": route.summary or route.name.replace("_", " ").title(),
            "description": route.description,
            "operationId": self.name,
            "parameters": parameters(self.definitions, route),
            "requestBody": request_body(self.definitions, route, self.method, self.name),
            "responses": responses(self.definitions, route, self.name, self.forms),
            "callbacks": callbacks,
            "deprecated": route.deprecated,
            "servers": servers(route),
        }
        operation = {name: value for name, value in said.items() if value}
        merge(operation, jsonable(route.openapi_extra or {}))
        return operation


def operation_id(route: Route, method: str) -> str:
    """As FastAPI makes it. Example: `card` on `/cards/{card_id}` is `card_cards__card_id__get`."""
    if route.operation_id:
        return route.operation_id
    return re.sub(r"\W", "_", f"{route.name}{path_template(route.path)}") + f"_{method.lower()}"


def path_template(path: str) -> str:
    """The path as OpenAPI writes it. Example: `/files/{rest:path}` is `/files/{rest}`."""
    return PARAMETER.sub(r"{\1}", path)


def servers(route: Route) -> list[Any]:
    """Of a route on a host of its own: parts in braces are variables, which must have a default."""
    if route.host is None:
        return []
    names = [match[1] for match in PARAMETER.finditer(route.host)]
    server: Object = {"url": f"//{path_template(route.host)}"}
    if names:
        server["variables"] = {name: {"default": name} for name in names}
    return [server]
