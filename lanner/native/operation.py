"""A handler as the engine runs it: what each argument is read by, how the answer is written. Made at registration."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, NotRequired, TypedDict, Union, get_args, get_origin

from lanner.json import JSONEncodeError
from lanner.native.params import MISSING, Body
from lanner.native.responses import (
    HTMLResponse,
    JSONResponse,
    ORJSONResponse,
    PlainTextResponse,
    Response,
    content_type,
)
from lanner.native.signature import Coercion, Parameter, RouteError, Signature, show
from lanner.schema import Schema, ValidationError

NO_BODY = frozenset({204, 205, 304})
TEXTS = (PlainTextResponse, HTMLResponse)
BODILESS = frozenset({"GET", "HEAD", "TRACE"})  # a body there has no defined meaning (RFC 9110, section 9.3.1)


class BodyPlan:
    """How the JSON body is read. whole: it is one parameter's value; otherwise an object with a member for each."""

    def __init__(self, schema: Schema[Any], whole: bool, required: bool, members: list[Parameter]) -> None:
        self.schema = schema
        self.whole = whole
        self.required = required
        self.members = members


class AnswerPlan:
    """How what a handler returns becomes an answer.

    schema: of the return type; None: any value, as lanner.json writes it.
    kind: "json"; "text" (str or bytes as they are); "class" (a Response class makes it); "call" (bytes of a value).
    """

    def __init__(
        self, kind: str, schema: Schema[Any] | None, media_type: str | None, maker: Any, exclude: dict[str, Any]
    ) -> None:
        self.kind = kind
        self.schema = schema
        self.media_type = media_type
        self.maker = maker
        self.exclude = exclude
        self.convert: Callable[[Any, Exception | None], Any] | None = None


def body_plan(signature: Signature, coercion: Coercion, where: str) -> BodyPlan | None:
    """How the body is read; None if no parameter is in it."""
    bodies = signature.of("body")
    if not bodies:
        return None
    required = any(parameter.required for parameter in bodies)
    one = bodies[0]
    embedded = isinstance(one.info, Body) and one.info.embed
    if len(bodies) == 1 and not embedded:
        assert one.schema is not None
        return BodyPlan(one.schema, True, required, bodies)
    fields = {
        parameter.wire_name: parameter.annotated if parameter.required else NotRequired[parameter.annotated]
        for parameter in bodies
    }
    try:
        schema = coercion.schema(TypedDict("Body", fields), False)  # type: ignore[operator]
    except TypeError as error:
        raise RouteError(f"{where}: {error}") from error
    return BodyPlan(schema, False, required, bodies)


def answer_plan(
    signature: Signature, response_model: Any, response_class: Any, exclude: dict[str, Any], status: int, where: str
) -> AnswerPlan:
    """response_model: MISSING takes the return type; None writes what comes."""
    returned = signature.returns if response_model is MISSING else response_model
    if answers_itself(returned):
        returned = MISSING if response_model is MISSING else None
    nothing = returned is MISSING or (response_model is not MISSING and returned is None)
    schema = None if nothing else answer_schema(returned, exclude, where)
    if status in NO_BODY or status < 200:
        return AnswerPlan("empty", None, None, None, {})
    if isinstance(response_class, type) and issubclass(response_class, Response):
        media_type = response_class.media_type
        if media_type is not None:
            media_type = content_type(media_type, response_class.charset)
        if response_class in (JSONResponse, ORJSONResponse):
            return AnswerPlan("json", schema, media_type, None, exclude)
        if response_class in TEXTS:
            return AnswerPlan("text", None, media_type, response_class, {})
        return AnswerPlan("class", schema, media_type, response_class, exclude)
    if callable(response_class):
        return AnswerPlan(
            "call", schema, getattr(response_class, "media_type", "application/json"), response_class, exclude
        )
    raise RouteError(
        f"{where}: response_class={response_class!r} is neither a Response class nor a function of the value"
    )


def converter(type: Any) -> Callable[[Any, Exception | None], Any]:
    """What makes the value of a response model out of another: a dict, an object with attributes, text for a number.

    It raises the error that there was, or one of its own, if there is no way.
    """
    from lanner.native.schemas import schema_of

    schema = schema_of(type, profile="compat", from_attributes=True)

    def convert(value: Any, error: Exception | None) -> Any:
        if error is not None and not isinstance(error, JSONEncodeError):
            raise error
        try:
            return schema.validate(value)
        except ValidationError as why:
            raise error or JSONEncodeError(f"the answer is not of its type: {why}") from why

    return convert


def answers_itself(returned: Any) -> bool:
    """Whether a type says that a handler makes its answer itself: a Response, or one among others."""
    members = get_args(returned) if get_origin(returned) in (Union, types.UnionType) else [returned]
    return any(isinstance(member, type) and issubclass(member, Response) for member in members)


def answer_schema(returned: Any, exclude: dict[str, Any], where: str) -> Schema[Any]:
    from lanner.native.schemas import schema_of

    try:
        return schema_of(returned)
    except TypeError as error:
        raise RouteError(
            f"{where} returns {show(returned)}: {error}; give response_model=None to write what comes"
        ) from error


def check_body(methods: frozenset[str], signature: Signature, where: str) -> None:
    """A body on GET that nobody said in so many words is a mistake."""
    for parameter in signature.of("body"):
        if parameter.guessed and methods <= BODILESS:
            raise RouteError(
                f"{where}: {parameter.name} would be read from the body, and {'/'.join(sorted(methods))} has none; "
                f"write Annotated[{show(parameter.type)}, Query()], or Body() if the body is meant"
            )


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    target = (
        function
        if isinstance(function, (types.FunctionType, types.MethodType))
        else getattr(function, "func", function)
    )
    call = getattr(target, "__call__", None)  # noqa: B004 - an object with an async __call__
    return inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(call)
