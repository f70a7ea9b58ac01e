"""Where a parameter comes from, and what else is known of it: Path, Query, Header, Cookie, Body.

Each is used in Annotated (`limit: Annotated[int, Query(ge=1)] = 20`) or as the default
(`limit: int = Query(20, ge=1)`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final


class Missing:
    """The default of a parameter that has none. Example: `Query()` is required."""

    def __repr__(self) -> str:
        return "..."


MISSING: Final = Missing()

# Constraints, by the names that lanner.schema knows.
RULES = (
    "gt",
    "ge",
    "lt",
    "le",
    "min_length",
    "max_length",
    "pattern",
    "strict",
    "multiple_of",
    "allow_inf_nan",
    "max_digits",
    "decimal_places",
    "discriminator",
)


class Rules:
    """The constraints of a parameter, for lanner.schema. Example: `Rules(ge=1).ge` is 1."""

    def __init__(self, **rules: Any) -> None:
        vars(self).update(rules)


class Param:
    """What is said of one parameter beside its type.

    default: of the parameter, where it is written as the function's default; `...` is none.
    alias: its name on the wire. validation_alias is the same; alias wins.
    gt, ge, lt, le, min_length, max_length, pattern, multiple_of, strict, allow_inf_nan, max_digits, decimal_places,
    discriminator: constraints, as in docs/schema.md.
    title, description, examples, openapi_examples, deprecated, include_in_schema, json_schema_extra: documentation.

    Raises TypeError for a keyword that does not exist, with the nearest one.
    """

    source: ClassVar[str] = ""

    def __init__(
        self,
        default: Any = MISSING,
        *,
        default_factory: Callable[[], Any] | None = None,
        alias: str | None = None,
        validation_alias: str | None = None,
        title: str | None = None,
        description: str | None = None,
        gt: float | None = None,
        ge: float | None = None,
        lt: float | None = None,
        le: float | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str | None = None,
        regex: str | None = None,
        strict: bool | None = None,
        multiple_of: float | None = None,
        allow_inf_nan: bool | None = None,
        max_digits: int | None = None,
        decimal_places: int | None = None,
        discriminator: str | None = None,
        examples: Sequence[Any] | None = None,
        example: Any = MISSING,
        openapi_examples: Mapping[str, Mapping[str, Any]] | None = None,
        deprecated: bool | str | None = None,
        include_in_schema: bool = True,
        json_schema_extra: Mapping[str, Any] | Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        if default is not MISSING and default is not ... and default_factory is not None:
            raise TypeError(f"{type(self).__name__}() takes a default or a default_factory, not both")
        self.default = MISSING if default is ... else default
        self.default_factory = default_factory
        self.alias = alias or validation_alias
        self.title = title
        self.description = description
        self.examples = list(examples or ())
        self.example = example
        self.openapi_examples = openapi_examples
        self.deprecated = deprecated
        self.include_in_schema = include_in_schema
        self.json_schema_extra = json_schema_extra
        given = {
            "gt": gt,
            "ge": ge,
            "lt": lt,
            "le": le,
            "min_length": min_length,
            "max_length": max_length,
            "pattern": pattern or regex,
            "strict": strict,
            "multiple_of": multiple_of,
            "allow_inf_nan": allow_inf_nan,
            "max_digits": max_digits,
            "decimal_places": decimal_places,
            "discriminator": discriminator,
        }
        self.rules = {name: value for name, value in given.items() if value is not None}
        vars(self).update(self.rules)  # for a field of a whole model: lanner.schema reads them there

    def wire_name(self, name: str) -> str:
        """The name in a request of a parameter that the function calls `name`."""
        return self.alias or name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.default is MISSING else repr(self.default)})"


class Path(Param):
    """A part of the path. Example: `card_id: Annotated[int, Path(ge=1)]`."""

    source = "path"


class Query(Param):
    """A parameter of the query; of a structured type: all of them.

    Example: `q: Annotated[str, Query(min_length=2)]`
    """

    source = "query"


class Header(Param):
    """A field of the request's head. Example: `user_agent: Annotated[str | None, Header()] = None`.

    convert_underscores: `user_agent` is User-Agent.
    """

    source = "header"

    def __init__(self, default: Any = MISSING, *, convert_underscores: bool = True, **more: Any) -> None:
        super().__init__(default, **more)
        self.convert_underscores = convert_underscores

    def wire_name(self, name: str) -> str:
        return self.alias or (name.replace("_", "-") if self.convert_underscores else name)


class Cookie(Param):
    """A cookie. Example: `session: Annotated[str | None, Cookie()] = None`."""

    source = "cookie"


class Body(Param):
    """The JSON body, or a member of it. Example: `item: Annotated[Item, Body(embed=True)]`.

    embed: the body is an object that holds this under its name. Several bodies are always so.
    media_type: in the documentation.
    """

    source = "body"

    def __init__(
        self, default: Any = MISSING, *, embed: bool = False, media_type: str = "application/json", **more: Any
    ) -> None:
        super().__init__(default, **more)
        self.embed = embed
        self.media_type = media_type
