"""The body of an operation in an OpenAPI document."""

from __future__ import annotations

from lanner.native.openapi_parameters import described, examples
from lanner.native.openapi_values import Object
from lanner.native.params import Body
from lanner.native.routing import Route
from lanner.schema import Definitions

BODILESS = frozenset({"OPTIONS", "TRACE"})  # FastAPI describes a body of GET and HEAD where there is one


def request_body(definitions: Definitions, route: Route, method: str, name: str) -> Object | None:
    """A Request Body Object (OpenAPI 3.1, section 4.8.13); None: the handler reads none.

    Several bodies, and one with embed=True, are the properties of one component, Body_<operation id>.
    """
    plan = route.body
    if plan is None or method in BODILESS:
        return None
    first = plan.members[0]
    said: Object
    if plan.whole:
        said = {"schema": described(definitions, first, first.wire_name), **examples(first.info)}
    else:
        fields = {one.wire_name: described(definitions, one, one.wire_name) for one in plan.members}
        component: Object = {"title": f"Body_{name}", "type": "object", "properties": fields}
        if required := [one.wire_name for one in plan.members if one.required]:
            component["required"] = required
        said = {"schema": definitions.add(f"Body_{name}", component, False)}
    media_type = first.info.media_type if isinstance(first.info, Body) else "application/json"
    body: Object = {"content": {media_type: said}}
    return {**body, "required": True} if plan.required else body
