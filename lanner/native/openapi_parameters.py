"""The parameters of an operation in an OpenAPI document: of path, query, header and cookie."""

from __future__ import annotations

from typing import Any, get_args

from lanner.native.openapi_values import Object, jsonable
from lanner.native.params import MISSING, Header, Param
from lanner.native.routing import PARAMETER, Route
from lanner.native.signature import IN_TEXT, Parameter
from lanner.schema import Definitions


def parameters(definitions: Definitions, route: Route) -> list[Object]:
    """Parameter Objects (OpenAPI 3.1, section 4.8.12), those of the path first. One that is there twice is required if
    one of both is.
    """
    assert route.signature is not None
    of_host = {match[1] for match in PARAMETER.finditer(route.host or "")} - route_names(route)
    found: dict[tuple[str, str], Object] = {}
    for source in IN_TEXT:
        for parameter in route.signature.of(source):
            if not parameter.info.include_in_schema or parameter.wire_name in of_host:
                continue
            spread = spread_model if parameter.whole else one
            for written in spread(definitions, parameter):
                key = (written["in"], written["name"])
                if key not in found or written["required"]:
                    found[key] = written
    return list(found.values())


def route_names(route: Route) -> set[str]:
    return {match[1] for match in PARAMETER.finditer(route.path)}


def one(definitions: Definitions, parameter: Parameter) -> list[Object]:
    """A parameter of its own."""
    info = parameter.info
    name = parameter.name if parameter.source == "path" and not info.alias else parameter.wire_name
    schema = described(definitions, parameter, name)
    written = {"name": name, "in": parameter.source, "required": parameter.required, "schema": schema}
    return [{**written, **notes(schema), **examples(info)}]


def notes(schema: Object) -> Object:
    """What a parameter repeats of its schema."""
    found: Object = {}
    if schema.get("description"):
        found["description"] = schema["description"]
    if schema.get("deprecated"):
        found["deprecated"] = True
    return found


def examples(info: Param) -> Object:
    """Of a parameter or a body: `openapi_examples` have a name each."""
    if info.openapi_examples:
        return {"examples": jsonable(info.openapi_examples)}
    return {} if info.example is MISSING else {"example": jsonable(info.example)}


def described(definitions: Definitions, parameter: Parameter, title: str) -> Object:
    """The schema of a parameter or body, with what its Query() or Body() says."""
    assert parameter.schema is not None
    schema = titled(parameter.schema.describe(definitions), title)
    info = parameter.info
    said = {
        "title": info.title,
        "description": info.description,
        "deprecated": bool(info.deprecated) or None,
        "examples": jsonable(info.examples) or None,
    }
    schema |= {name: value for name, value in said.items() if value is not None}
    if parameter.default is not MISSING and parameter.default is not None:
        schema["default"] = default_of(parameter)
    extra = info.json_schema_extra
    if callable(extra):
        extra(schema)
    elif extra:
        schema |= jsonable(extra)
    return schema


def titled(schema: Object, name: str) -> Object:
    """With a title, unless it is only a reference to what has one."""
    return schema if "$ref" in schema or "title" in schema else {**schema, "title": name.title().replace("_", " ")}


def default_of(parameter: Parameter) -> Any:
    from lanner import json

    assert parameter.schema is not None
    try:
        return json.loads(parameter.schema.encode(parameter.default))
    except json.JSONEncodeError:  # what coerce="compat" would read, perhaps
        return jsonable(parameter.default)


def spread_model(definitions: Definitions, parameter: Parameter) -> list[Object]:
    """A model of all parameters of a source: one for each of its fields."""
    assert parameter.schema is not None
    schema = parameter.schema.describe(definitions)
    model = definitions.of(schema)
    for member in schema.get("anyOf", ()):
        model = model or definitions.of(member)
    if model is None:  # dict[str, str]: any name
        return []
    written = []
    dashed = spelled_with_dashes(parameter)
    for field, schema in model.get("properties", {}).items():
        name = field.replace("_", "-") if field in dashed else field
        required = parameter.required and field in model.get("required", ())
        told = titled(schema, field)
        written.append({"name": name, "in": parameter.source, "required": required, "schema": told, **notes(schema)})
    return written


def spelled_with_dashes(parameter: Parameter) -> set[str]:
    """The fields of a model of headers that are read as `x-token` where the model says x_token: those without alias."""
    if not isinstance(parameter.info, Header) or not parameter.info.convert_underscores:
        return set()
    assert parameter.schema is not None
    names: set[str] = set()
    for member in [parameter.type, *get_args(parameter.type)]:
        for name, field in getattr(member, "model_fields", {}).items():
            if field.alias is None and field.validation_alias is None:
                names.add(name)
    for node in parameter.schema._nodes:
        if "spec" in node:
            names |= {field.attribute for field in node["spec"].fields if field.attribute == field.name}
    return names
