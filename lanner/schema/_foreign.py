"""Types that pydantic validates: the calls of pydantic, and its errors as dicts."""

from __future__ import annotations

import functools
import re
import sys
import typing
from collections.abc import Iterable
from typing import Annotated, Any

from lanner.json import loads
from lanner.schema._codecs import Codec
from lanner.schema._definitions import Definitions, without_nulls
from lanner.schema._raw import Refused

KNOWN = {"AfterValidator", "Discriminator", "FieldInfo"}  # read by _rules, with the functions and fields they hold
ROWS = (list, set, frozenset, tuple)
Errors = list[dict[str, Any]]


class Foreign(Codec):
    """Reads and writes by pydantic. cls: the model, if it is one."""

    def __init__(self, validator: Any, serializer: Any, cls: type | None = None) -> None:
        self.validator = validator
        self.cls = cls
        self.validate_json = validator.validate_json
        self._validate = validator.validate_python
        self._validate_attributes = functools.partial(validator.validate_python, from_attributes=True)
        self.to_json = functools.partial(serializer.to_json, by_alias=True)

    @property
    def validate_python(self) -> Any:
        return self._validate_attributes if self.from_attributes else self._validate

    def to_json_without(self, value: object, none: bool, unset: bool, defaults: bool) -> bytes:
        """The JSON of a value without some of its fields."""
        text: bytes = self.to_json(value, exclude_none=none, exclude_unset=unset, exclude_defaults=defaults)
        return text

    def errors_again(self, text: bytes) -> Errors | None:
        """What pydantic says of a JSON text's value: "a valid list", not "a valid array", as all others here say."""
        try:
            self._validate_attributes(loads(text))
        except Exception as error:
            return pydantic_errors(error)
        return None

    def validate_pairs(self, values: dict[str, list[str]]) -> Any:
        """A model of all pairs of a query or head: a list takes all values of its name, another field the last.

        What is no field's is passed as it is, for the model to ignore, take or refuse.
        """
        given: dict[str, Any] = {name: found[0] if len(found) == 1 else found for name, found in values.items()}
        for name, is_row in rows_of(self.cls):
            if name in values:
                given[name] = values[name] if is_row else values[name][-1]
        return self._validate(given)


@functools.cache
def rows_of(cls: type | None) -> list[tuple[str, bool]]:
    """The names by which a model's fields are read, and which of them are lists."""
    fields: dict[str, Any] = getattr(cls, "__pydantic_fields__", None) or {}
    return [(alias, is_row(field.annotation)) for name, field in fields.items() for alias in aliases_of(name, field)]


def aliases_of(name: str, field: Any) -> list[str]:
    alias = field.validation_alias or field.alias or name
    choices = getattr(alias, "choices", [alias])
    return [choice for choice in choices if isinstance(choice, str)]


def is_row(annotation: Any) -> bool:
    """Whether a type is a list of some kind, or may be one."""
    origin = typing.get_origin(annotation) or annotation
    if isinstance(origin, type) and issubclass(origin, ROWS):
        return True
    return not isinstance(origin, type) and any(map(is_row, typing.get_args(annotation)))


def errors_of(error: BaseException | None, reader: object, text: bytes | None) -> Errors | None:
    """The errors of a pydantic ValidationError, or of a Raw that was refused; None: it is another exception.

    reader: what refused the value, which was text or none.
    """
    if isinstance(error, Refused):
        return error.errors
    errors = pydantic_errors(error)
    if errors is None or text is None or not isinstance(reader, Foreign):
        return errors
    return reader.errors_again(text) or errors


def pydantic_errors(error: BaseException | None) -> Errors | None:
    core = sys.modules.get("pydantic_core")
    if core is None or not isinstance(error, core.ValidationError):
        return None
    errors: Errors = error.errors(include_url=False)
    for each in errors:
        if isinstance(reason := each.get("ctx", {}).get("error"), Exception):
            each["ctx"]["error"] = str(reason)
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
