"""The OpenAPI document of an app (OpenAPI 3.1.0), by what its routes say and what their types are."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from collections.abc import Iterable
from typing import Any

from lanner.native.openapi_operation import OPERATIONS, OperationWriter, path_template
from lanner.native.openapi_responses import ErrorForms
from lanner.native.openapi_values import Object, jsonable
from lanner.native.routing import Route, Router
from lanner.native.signature import Coercion, described
from lanner.schema import Definitions

VERSION = "3.1.0"


def document(app: Any) -> Object:
    """The document of an app, made anew; App.openapi() keeps it.

    Example: `document(app)["paths"]["/cards/{card_id}"]["get"]["operationId"]`
    """
    writer = DocumentWriter(app)
    paths = writer.paths(app.routes, True)
    webhooks = writer.paths(app.webhooks.routes, False)
    body: Object = {"paths": paths, **({"webhooks": webhooks} if webhooks else {})}
    body, schemas = writer.definitions.finish(body)
    return {
        "openapi": VERSION,
        "info": info(app),
        **({"servers": jsonable(app.servers)} if app.servers else {}),
        **body,
        **({"components": {"schemas": schemas}} if schemas else {}),
        **({"tags": jsonable(app.openapi_tags)} if app.openapi_tags else {}),
    }


def behind(described: Object, root_path: str) -> Object:
    """The document of an app that is served below a path, which becomes the first of its servers.

    Example: `behind({"openapi": "3.1.0"}, "/v1")["servers"]` is `[{"url": "/v1"}]`
    """
    servers = described.get("servers", [])
    if not root_path or any(server.get("url") == root_path for server in servers):
        return described
    return {**described, "servers": [{"url": root_path}, *servers]}


def info(app: Any) -> Object:
    """What the app says of itself."""
    said = {
        "title": app.title,
        "summary": app.summary,
        "description": inspect.cleandoc(app.description) if app.description else None,
        "termsOfService": app.terms_of_service,
        "contact": app.contact,
        "license": app.license_info,
        "version": app.version,
    }
    return {name: jsonable(value) for name, value in said.items() if value}


class DocumentWriter:
    """Writes the paths of one document; `definitions` takes the types that they name."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.definitions = Definitions("#/components/schemas/{}")
        self.forms = ErrorForms(app.malformed_status == 400, app.problem_details)
        self.seen: dict[str, tuple[Route, str]] = {}  # by operationId: who has it

    def paths(self, routes: Iterable[Route], served: bool) -> Object:
        found: Object = {}
        for route in routes:
            if route.include_in_schema:
                self.add_operations(found.setdefault(path_template(route.path), {}), route, served)
        return {path: item for path, item in found.items() if item}

    def add_operations(self, item: Object, route: Route, served: bool) -> None:
        """Adds a route's operations to those of its path; the first of a method stays, as where only hosts differ.

        served: by this app, not by those whom it calls.
        """
        route = compiled(route, self.app.coercion)
        for method in OPERATIONS:
            if served and self.app.route_like(method, route) is not route:
                continue  # another has its requests
            if method in route.methods and method.lower() not in item:
                writer = OperationWriter(self.definitions, route, method, self.forms if served else ErrorForms())
                self.check_unique(writer.name, route, method)
                item[method.lower()] = writer.write(self.callbacks(route))

    def callbacks(self, route: Route) -> Object:
        """What the app asks of the client's own server, by name and address."""
        found: Object = {}
        for callback in route.callbacks:
            for one in callback.routes if isinstance(callback, Router) else [callback]:
                self.add_operations(found.setdefault(one.name, {}).setdefault(one.path, {}), one, False)
        return found

    def check_unique(self, name: str, route: Route, method: str) -> None:
        before, its_method = self.seen.setdefault(name, (route, method))
        if before.endpoint is not route.endpoint or its_method != method:
            warnings.warn(
                f"Duplicate Operation ID {name}: {described(before.endpoint)} and {described(route.endpoint)}; "
                "give each one of its own with operation_id=",
                stacklevel=2,
            )


def compiled(route: Route, coercion: Coercion) -> Route:
    """The route with its signature read. That of a callback or webhook is never served, so no app has compiled it."""
    if route.signature is not None:
        return route
    made = dataclasses.replace(route)
    made.compile(coercion, None, served=False)
    return made
