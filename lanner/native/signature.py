"""The parameters of a handler, by FastAPI's rules: what is in the path is a part of it, a scalar or a list of scalars
is of the query, a structured type is the body; `Annotated` or a default says otherwise.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args, get_origin

from lanner.native.background import BackgroundTasks
from lanner.native.params import MISSING, Body, Param, Path, Query, Rules
from lanner.native.requests import Request
from lanner.native.responses import Response
from lanner.native.schemas import is_model, kinds, schema_of
from lanner.schema import Schema, ValidationError

GIVEN = {"request": Request, "response": Response, "tasks": BackgroundTasks}  # what a handler asks for by type
IN_TEXT = ("path", "query", "header", "cookie")


class RouteError(TypeError):
    """A handler or route that can not be registered; the message says what to write instead."""


@dataclasses.dataclass
class Parameter:
    """One parameter of a handler."""

    name: str  # in the function
    source: str  # path, query, header, cookie, body; request, response, tasks
    type: Any = None  # without constraints
    annotated: Any = None  # with them
    info: Param = dataclasses.field(default_factory=Param)
    wire_name: str = ""
    schema: Schema[Any] | None = None
    many: bool = False  # all values of the name, not the last
    whole: bool = False  # a model of all pairs of that source
    default: Any = MISSING
    factory: Callable[[], Any] | None = None
    keyword_only: bool = False
    guessed: bool = False  # nobody said where it comes from

    @property
    def required(self) -> bool:
        return self.default is MISSING and self.factory is None


@dataclasses.dataclass
class Signature:
    """All of a handler's, and what it returns (MISSING: it does not say)."""

    parameters: list[Parameter]
    returns: Any

    def of(self, *sources: str) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.source in sources]


@dataclasses.dataclass(frozen=True)
class Coercion:
    """How values are read: of `App(coerce=, errors=, duplicate_keys=)`."""

    compat: bool = False
    errors: str = "all"
    duplicate_keys: str = "last"
    lists_in_body: bool = False  # a list of scalars that does not say where it comes from; otherwise in the query
    converts_answers: bool = False  # what is not of the response model is converted, as a body would be

    def schema(self, type: Any, text: bool) -> Schema[Any]:
        profile = "compat" if self.compat else "text" if text else "json"
        return schema_of(type, profile=profile, errors=self.errors, duplicate_keys=self.duplicate_keys)


def read(function: Callable[..., Any], path: str, path_names: Sequence[str], coercion: Coercion) -> Signature:
    """The signature of a handler of `path`. Raises RouteError for what no request could fill."""
    where = f"{described(function)} for {path}"
    hints = hints_of(function, where)
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise RouteError(f"{where}: *{parameter.name} can not be filled from a request; name each parameter")
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name in path_names:
            raise RouteError(f"{where}: {parameter.name} is positional only; take the '/' out of the signature")
        hint = hints.get(parameter.name, str if parameter.name in path_names else Any)
        made = read_one(parameter, hint, path_names, coercion, where)
        made.keyword_only = parameter.kind is parameter.KEYWORD_ONLY
        parameters.append(made)
    check_names(parameters, path_names, where)
    return Signature(parameters, hints.get("return", MISSING))


def read_one(
    parameter: inspect.Parameter, hint: Any, path_names: Sequence[str], coercion: Coercion, where: str
) -> Parameter:
    name = parameter.name
    here = f"{where}: {name}"
    bare, metadata = split(hint)
    for source, given in GIVEN.items():
        if isinstance(bare, type) and issubclass(bare, given):
            return Parameter(name, source, bare)
    infos = [item for item in metadata if isinstance(item, Param)]
    default = MISSING if parameter.default is parameter.empty else parameter.default
    if isinstance(default, Param):
        infos.append(default)
        default = default.default
    if len(infos) > 1:
        raise RouteError(f"{here} is said to come from {infos[0]!r} and from {infos[1]!r}; keep one")
    rules = [item for item in metadata if not isinstance(item, Param)]
    info = infos[0] if infos else guessed(name, bare, rules, path_names, coercion, here)
    if default is MISSING and info.default is not MISSING:
        default = info.default
    if info.rules:
        rules.append(Rules(**info.rules))
    annotated = Annotated[(bare, *rules)] if rules else bare
    made = Parameter(name, info.source, bare, annotated, info, info.wire_name(name), default=default)
    made.factory = info.default_factory if default is MISSING else None
    made.guessed = not infos
    if made.source == "path" and name not in path_names and made.wire_name not in path_names:
        raise RouteError(f"{here} comes from the path, which has no {{{name}}}; write it there, or use Query()")
    if made.source == "path" and not made.required:
        raise RouteError(f"{here} is in the path, so it always has a value; take the default away")
    add_schema(made, coercion, here)
    return made


def guessed(name: str, bare: Any, rules: list[Any], path_names: Sequence[str], coercion: Coercion, here: str) -> Param:
    """Where a parameter comes from that does not say so."""
    if name in path_names:
        return Path()
    schema = schema_for(coercion, Annotated[(bare, *rules)] if rules else bare, True, here)
    in_body = is_structured(schema, bare) or (coercion.lists_in_body and "row" in kinds(schema))
    return Body() if in_body else Query()


def is_structured(schema: Schema[Any], bare: Any) -> bool:
    found = kinds(schema)
    if "foreign" in found:  # pydantic's: a model, or a scalar such as HttpUrl
        members = [bare, *get_args(bare)]
        return any(is_model(member) or is_model(inner) for member in members for inner in get_args(member) or [member])
    return "record" in found


def add_schema(made: Parameter, coercion: Coercion, here: str) -> None:
    text = made.source in IN_TEXT
    made.schema = schema_for(coercion, made.annotated, text, here)
    if text:
        found = kinds(made.schema)
        made.whole = is_structured(made.schema, made.type)
        made.many = not made.whole and "row" in found
        if made.source == "path" and (made.whole or made.many):
            raise RouteError(f"{here} is a part of the path, so it is one scalar, not {show(made.type)}")
    if made.default is not MISSING and not coercion.compat:
        check_default(made, here)


def check_default(made: Parameter, here: str) -> None:
    assert made.schema is not None
    try:
        schema_of(made.type, profile="json").validate(made.default)
    except ValidationError:
        hint = f"{show(made.type)} | None" if made.default is None else f"a default that is {show(made.type)}"
        raise RouteError(f"{here}: the default {made.default!r} is no {show(made.type)}; write {hint}") from None


def schema_for(coercion: Coercion, type: Any, text: bool, here: str) -> Schema[Any]:
    try:
        return coercion.schema(type, text)
    except TypeError as error:
        raise RouteError(f"{here}: {error}") from error


def check_names(parameters: list[Parameter], path_names: Sequence[str], where: str) -> None:
    filled = {
        name for parameter in parameters if parameter.source == "path" for name in (parameter.name, parameter.wire_name)
    }
    takes_request = any(parameter.source == "request" for parameter in parameters)
    for name in path_names:
        if name not in filled and not takes_request:
            raise RouteError(
                f"{where}: the path has {{{name}}}, the function no parameter of that name; add `{name}: str`"
            )
    seen: dict[tuple[str, str], str] = {}
    for parameter in parameters:
        if parameter.source not in (*IN_TEXT, "body") or parameter.whole:
            continue
        key = (parameter.source, parameter.wire_name.lower() if parameter.source == "header" else parameter.wire_name)
        if key in seen:
            raise RouteError(
                f"{where}: {seen[key]} and {parameter.name} are both {parameter.source} "
                f"{parameter.wire_name!r}; give one an alias"
            )
        seen[key] = parameter.name


def hints_of(function: Callable[..., Any], where: str) -> dict[str, Any]:
    """The annotations as types, with Annotated kept."""
    target = function
    if not isinstance(function, (types.FunctionType, types.MethodType)):  # partial, an object with __call__
        target = getattr(function, "func", None) or type(function).__call__
    target = inspect.unwrap(target)
    names: dict[str, Any] = {}
    frame = inspect.currentframe()
    while frame is not None:  # types that a function around the handler defines
        if not frame.f_globals.get("__name__", "").startswith("lanner."):
            names = {**frame.f_locals, **names}
        frame = frame.f_back
    try:
        return typing.get_type_hints(target, localns=names, include_extras=True)
    except NameError as error:
        raise RouteError(f"{where}: the annotation names {error.name!r}, which is not defined here") from None


def split(hint: Any) -> tuple[Any, list[Any]]:
    """A type and what Annotated says of it."""
    if get_origin(hint) is Annotated:
        bare, *metadata = get_args(hint)
        inner, more = split(bare)
        return inner, [*more, *metadata]
    return hint, []


def described(function: Callable[..., Any]) -> str:
    """How a message names a handler. Example: `shop.main.card()`."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    module = getattr(function, "__module__", None)
    return f"{module}.{name}()" if module else f"{name}()"


def show(type: Any) -> str:
    from lanner.schema._types import type_name

    return type_name(type)
