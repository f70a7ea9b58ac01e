"""The answers of an operation in an OpenAPI document."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from http import HTTPStatus
from typing import Any

from lanner.native.openapi_parameters import titled
from lanner.native.openapi_values import Object, jsonable, merge
from lanner.native.params import MISSING
from lanner.native.responses import JSONResponse, Response
from lanner.native.routing import Route
from lanner.native.schemas import schema_of
from lanner.native.signature import IN_TEXT
from lanner.schema import Definitions

RANGES = {
    "1XX": "Information",
    "2XX": "Success",
    "3XX": "Redirection",
    "4XX": "Client Error",
    "5XX": "Server Error",
    "DEFAULT": "Default Response",
}
VALIDATION_ERROR: Object = {
    "title": "ValidationError",
    "type": "object",
    "properties": {
        "loc": {"title": "Location", "type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
        "msg": {"title": "Message", "type": "string"},
        "type": {"title": "Error Type", "type": "string"},
        "input": {"title": "Input"},
        "ctx": {"title": "Context", "type": "object"},
    },
    "required": ["loc", "msg", "type"],
}


@dataclasses.dataclass(frozen=True)
class ErrorForms:
    """How an app answers errors. malformed_is_400: a body that is no JSON; else it is the 422 that is there anyway."""

    malformed_is_400: bool = False
    problem_details: bool = False


def responses(definitions: Definitions, route: Route, name: str, forms: ErrorForms) -> Object:
    """Response Objects by status (OpenAPI 3.1, section 4.8.16)."""
    cls = answering_class(route)
    answer: Object = {"description": route.response_description}
    media_type = getattr(cls, "media_type", "application/json")
    if media_type and not (route.answer and route.answer.kind == "empty"):
        answer["content"] = {media_type: {"schema": answer_schema(definitions, route, cls, name)}}
    found: Object = {status_of(route, cls): answer}
    for status, said in route.responses.items():
        add(found, definitions, status, said, media_type or "application/json", name)
    if forms.malformed_is_400 and route.body is not None and not found.keys() & {"400", "4XX", "default"}:
        found["400"] = (
            problem_response(definitions, "Malformed JSON")
            if forms.problem_details
            else malformed_response(definitions)
        )
    if takes_input(route) and not found.keys() & {"422", "4XX", "default"}:
        found["422"] = (
            problem_response(definitions, "Validation Error")
            if forms.problem_details
            else validation_response(definitions)
        )
    return found


def answering_class(route: Route) -> Any:
    """What makes the answer: the return type where that is a Response class, since the handler then makes it."""
    assert route.signature is not None
    returned = route.signature.returns
    unsaid = route.response_class is JSONResponse and route.response_model is MISSING
    if unsaid and isinstance(returned, type) and issubclass(returned, Response) and returned is not Response:
        return returned
    return route.response_class


def status_of(route: Route, cls: Any) -> str:
    """The status that the route says, or else the one of its response class: 307 of a RedirectResponse."""
    if route.status_code is not None or not isinstance(cls, type):
        return str(route.status)
    return str(default_status(cls) or route.status)


@functools.cache
def default_status(cls: type) -> int | None:
    parameter = inspect.signature(cls).parameters.get("status_code")
    return parameter.default if parameter is not None and isinstance(parameter.default, int) else None


def answer_schema(definitions: Definitions, route: Route, cls: Any, name: str) -> Object:
    if isinstance(cls, type) and not issubclass(cls, JSONResponse):
        return {"type": "string"}
    if route.answer is None or route.answer.schema is None:
        return {}
    return titled(route.answer.schema.describe(definitions, mode="serialization"), f"Response_{name}")


def add(
    found: Object, definitions: Definitions, status: int | str, said: dict[str, Any], media_type: str, name: str
) -> None:
    """One of the answers in `responses=`, merged into what is known of that status."""
    key = "default" if str(status).upper() == "DEFAULT" else str(status).upper()
    here = found.setdefault(key, {})
    more = copy.deepcopy({part: value for part, value in said.items() if part != "model"})
    if said.get("model") is not None:
        schema = schema_of(said["model"]).describe(definitions, mode="serialization")
        content = more.setdefault("content", {}).setdefault(media_type, {})
        merge(content.setdefault("schema", {}), titled(schema, f"Response_{status}_{name}"))
    description = more.get("description") or here.get("description") or phrase(key)
    merge(here, jsonable(more))
    here["description"] = description


def phrase(status: str) -> str:
    """What a status is called. Example: `phrase("404")` is "Not Found"."""
    if status.upper() in RANGES:
        return RANGES[status.upper()]
    try:
        return HTTPStatus(int(status)).phrase
    except ValueError:
        return "Additional Response"


def takes_input(route: Route) -> bool:
    assert route.signature is not None
    return bool(route.signature.of(*IN_TEXT, "body"))


def malformed_response(definitions: Definitions) -> Object:
    """The 400 of a body that is no JSON."""
    detail = {"title": "Detail", "type": "string"}
    component = {"title": "HTTPError", "type": "object", "properties": {"detail": detail}, "required": ["detail"]}
    reference = definitions.add("HTTPError", component, True)
    return {"description": "Malformed JSON", "content": {"application/json": {"schema": reference}}}


def validation_response(definitions: Definitions) -> Object:
    """The 422 of what does not fit, by FastAPI's names."""
    detail = {"title": "Detail", "type": "array", "items": definitions.add("ValidationError", VALIDATION_ERROR, True)}
    component = {"title": "HTTPValidationError", "type": "object", "properties": {"detail": detail}}
    reference = definitions.add("HTTPValidationError", component, True)
    return {"description": "Validation Error", "content": {"application/json": {"schema": reference}}}


def problem_response(definitions: Definitions, description: str) -> Object:
    """An error as RFC 9457 has it."""
    errors = {"title": "Errors", "type": "array", "items": definitions.add("ValidationError", VALIDATION_ERROR, True)}
    component = {
        "title": "Problem",
        "type": "object",
        "properties": {
            "title": {"title": "Title", "type": "string"},
            "status": {"title": "Status", "type": "integer"},
            "detail": {"title": "Detail"},
            "errors": errors,
        },
        "required": ["title", "status"],
    }
    reference = definitions.add("Problem", component, True)
    return {"description": description, "content": {"application/problem+json": {"schema": reference}}}
