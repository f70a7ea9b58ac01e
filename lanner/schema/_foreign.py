"""Types that pydantic validates: the calls of pydantic, and its errors as dicts."""

from __future__ import annotations

import functools
import re
import sys
import typing
from collections.abc import Iterable
from typing import Annotated, Any

from lanner.schema._definitions import Definitions, without_nulls
from lanner.schema._raw import Refused

KNOWN = {"AfterValidator", "Discriminator", "FieldInfo"}  # read by _rules, with the functions and fields they hold


def errors_of(error: BaseException | None) -> list[dict[str, Any]] | None:
    """The errors of a pydantic ValidationError, or of a Raw that was refused; None: it is another exception."""
    if isinstance(error, Refused):
        return error.errors
    core = sys.modules.get("pydantic_core")
    if core is None or not isinstance(error, core.ValidationError):
        return None
    errors: list[dict[str, Any]] = error.errors(include_url=False)
    return errors


def is_pydantics(tp: Any, metadata: Iterable[object]) -> bool:
    """Whether only pydantic supports the type or its metadata: EmailStr, Json, BeforeValidator, ..."""
    hook = "__get_pydantic_core_schema__"
    if isinstance(tp, type) and hasattr(tp, hook) and not hasattr(tp, "__pydantic_validator__"):
        return True
    return any(
        hasattr(item, hook)
        and not (type(item).__name__ in KNOWN and not callable(getattr(item, "discriminator", None)))
        for item in metadata
    )


def holds_model(tp: Any) -> bool:
    """Whether a type is a pydantic model, or a union of such."""
    return hasattr(tp, "__pydantic_validator__") or any(map(holds_model, typing.get_args(tp)))


def with_discriminator(metadata: tuple[Any, ...], discriminator: Any) -> tuple[Any, ...]:
    """The metadata of a union of models, with a discriminator that pydantic reads: Query() and Body() have one, too."""
    if any(type(item).__name__ in ("FieldInfo", "Discriminator") for item in metadata):
        return metadata
    return (*metadata, sys.modules["pydantic"].Field(discriminator=discriminator))


def adapter_of(tp: Any, metadata: tuple[Any, ...]) -> Any:
    """pydantic's TypeAdapter for the type with its metadata; TypeError without pydantic."""
    pydantic = sys.modules.get("pydantic")
    if pydantic is None:
        raise TypeError(f"{tp!r} is pydantic's own; import pydantic, or register_type() the type")
    try:
        return pydantic.TypeAdapter(Annotated[(tp, *metadata)] if metadata else tp)
    except pydantic.errors.PydanticUserError as error:
        raise TypeError(f"{tp!r}: pydantic says: {error.message}") from error


def describe(tp: Any, mode: Any, definitions: Definitions) -> dict[str, Any]:
    """What pydantic says of a type, or of a TypeAdapter, with its definitions among the others."""
    if not hasattr(tp, "__pydantic_validator__") and not hasattr(tp, "core_schema"):  # a codec of ours
        said: dict[str, Any] = tp.json_schema()
        return said
    if (id(tp), mode) in definitions.foreign:
        return definitions.foreign[id(tp), mode]
    from pydantic import TypeAdapter

    adapter = tp if isinstance(tp, TypeAdapter) else TypeAdapter(tp)
    generator = generator_class()(ref_template=definitions.ref.format("{model}"))
    generator.names = definitions
    found, described = generator.generate_definitions([(0, mode, adapter.core_schema)])
    for name, definition in described.items():
        kept = without_nulls(definition)
        if "description" in kept:
            kept["description"] = kept["description"].split("\f")[0].rstrip()
        definitions.described[name] = kept
    definitions.foreign[id(tp), mode] = without_nulls(found[0, mode])
    return definitions.foreign[id(tp), mode]


@functools.cache
def generator_class() -> Any:
    """pydantic's generator, whose definitions have the names that a Definitions gives."""
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        names: Definitions

        def get_defs_ref(self, core_mode_ref: Any) -> Any:
            reference, mode = core_mode_ref  # `shop.models.Box:94[shop.models.Card:95]`, with the id() of each class
            parts = [part.rsplit(":", 1)[0] for part in re.split(r"([\][,])", reference)]
            short = "".join(re.sub(r"(?:[^.[\]]+\.)+([^.[\]]+)", r"\1", part) for part in parts)
            name, _ = self.names.place(reference, short, "".join(parts), mode == "serialization")
            named: Any = (name, mode)  # a name that is there once is kept
            return super().get_defs_ref(named)

    return Generator
