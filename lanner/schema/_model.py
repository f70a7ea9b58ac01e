"""Model: a fast base class: slots, keyword construction, and all that is expected of a value."""

from __future__ import annotations

import copyreg
import dataclasses
import typing
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from lanner import _core
from lanner.schema._hints import annotations_of, hints_of
from lanner.schema._records import NOTHING, is_argument, model_record
from lanner.schema._rules import is_undefined


@dataclasses.dataclass(frozen=True)
class ModelField:
    """A field of a Model. wire_name: its key in JSON."""

    name: str
    wire_name: str
    default: Any = NOTHING
    factory: Callable[[], Any] | None = None
    argument: Any = None  # Query(...), pydantic's Field(...): what it says of the field besides its default

    @property
    def required(self) -> bool:
        return self.default is NOTHING and self.factory is None

    @property
    def shown(self) -> Any:
        """The default as a signature shows it."""
        return self.default if self.factory is None else ...


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


RENAMES: dict[str, Callable[[str], str]] = {
    "camel": camel,
    "pascal": lambda name: "".join(word.capitalize() for word in name.split("_")),
    "kebab": lambda name: name.replace("_", "-"),
    "upper": str.upper,
}


def is_class_variable(hint: Any) -> bool:
    if isinstance(hint, str):
        return hint.startswith(("ClassVar", "typing.ClassVar"))
    return hint is ClassVar or typing.get_origin(hint) is ClassVar


def field_of(name: str, wire_name: str, default: Any) -> ModelField:
    if isinstance(default, dataclasses.Field):
        factory = default.default_factory if default.default_factory is not dataclasses.MISSING else None
        value = default.default if default.default is not dataclasses.MISSING else NOTHING
        return ModelField(name, wire_name, value, factory)
    if is_argument(default):
        value = NOTHING if default.default is ... or is_undefined(default.default) else default.default
        factory = default.default_factory if callable(default.default_factory) else None
        return dataclasses.replace(field_of(name, wire_name, value), factory=factory, argument=default)
    if isinstance(default, list | dict | set | bytearray):
        return ModelField(name, wire_name, factory=default.copy)  # each value gets its own
    return ModelField(name, wire_name, default)


Row = tuple[str, str, bool, Any, Any]  # name, name in JSON, has a default, default, factory


def prepare(
    name: str,
    bases: tuple[type, ...],
    namespace: dict[str, Any],
    *,
    frozen: bool | None = None,
    forbid_extra: bool | None = None,
    rename: str | Callable[[str], str] | None = None,
) -> tuple[tuple[str, tuple[type, ...], dict[str, Any]], tuple[Row, ...], bool]:
    """What ModelMeta (src/python/schema/model_class.cpp) makes a class of: annotations become slots.

    Returns (what type() takes, a row for each field, frozen). Raises TypeError for
    what stands in the class statement, ValueError for an unknown rename=.
    """
    to_wire = RENAMES.get(rename) if isinstance(rename, str) else rename
    if isinstance(rename, str) and to_wire is None:
        raise ValueError(f"rename={rename!r}: there are {', '.join(RENAMES)}, or a function")
    fields: dict[str, ModelField] = {}
    for base in reversed(bases):
        fields.update({field.name: field for field in getattr(base, "__model_fields__", ())})
    inherited = set(fields)
    for attribute, hint in annotations_of(namespace).items():
        if not is_class_variable(hint):
            default = namespace.pop(attribute, NOTHING)
            fields[attribute] = field_of(attribute, to_wire(attribute) if to_wire else attribute, default)
    was_frozen = any(getattr(base, "__model_frozen__", False) for base in bases)
    if frozen is None:
        frozen = was_frozen
    if frozen != was_frozen:
        # Not in C++: object.__setattr__(), which __post_init__() of a frozen class uses, would refuse to go past it.
        namespace.setdefault("__setattr__", refuse_change if frozen else object.__setattr__)
        namespace.setdefault("__delattr__", refuse_deletion if frozen else object.__delattr__)
    namespace["__slots__"] = (*(field for field in fields if field not in inherited), *own_slots(namespace, fields))
    namespace["__match_args__"] = tuple(fields)
    namespace["__model_fields__"] = tuple(fields.values())
    namespace["__model_frozen__"] = frozen
    if forbid_extra is not None:
        namespace["__model_forbid_extra__"] = forbid_extra
    rows = tuple(
        (field.name, field.wire_name, field.default is not NOTHING, field.default, field.factory)
        for field in fields.values()
    )
    return (name, bases, namespace), rows, frozen


def own_slots(namespace: dict[str, Any], fields: Iterable[str]) -> list[str]:
    """What __slots__ in the body names besides fields: __weakref__, __dict__, places for values that no field has."""
    given = namespace.get("__slots__", ())
    return [slot for slot in ([given] if isinstance(given, str) else given) if slot not in fields]


def written_names(cls: type[Model]) -> tuple[str, ...]:
    """The names of the fields as a schema writes them. An annotation that names what is not there has no alias."""
    try:
        return tuple(spec.write_name for spec in model_record(cls, hints_of(cls)).fields)
    except Exception:  # an annotation may be anything
        return tuple(field.wire_name for field in cls.__model_fields__)


def held_by(value: Model) -> tuple[tuple[str, Any], ...]:
    """What an object holds: fields, slots that are none (of a mixin, of __slots__ in the body), what is in its dict."""
    names = [name for name in slot_names(type(value)) if hasattr(value, name)]
    return (*((name, getattr(value, name)) for name in names), *getattr(value, "__dict__", {}).items())


def slot_names(cls: type) -> list[str]:
    """All slots with a value of their own, as copyreg finds them for pickle."""
    slots: list[str] = copyreg._slotnames(cls)  # type: ignore[attr-defined]
    return slots


def copied(value: Model) -> Model:
    return restore(type(value), held_by(value))


def refuse_change(self: Model, name: str, value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")


def refuse_deletion(self: Model, name: str) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")


def restore(cls: type[Model], values: tuple[tuple[str, Any], ...]) -> Model:
    """What pickle calls: the values as they were, nothing checked, no __post_init__()."""
    self = cls.__new__(cls)
    for name, value in values:
        object.__setattr__(self, name, value)
    return self


class Signature:
    """inspect.signature() of a Model: made when somebody asks."""

    def __get__(self, instance: object, owner: type[Model]) -> Any:
        import inspect

        kind = inspect.Parameter.KEYWORD_ONLY
        hints = typing.get_type_hints(owner, include_extras=True)
        return inspect.Signature(
            [
                inspect.Parameter(
                    field.name,
                    kind,
                    default=inspect.Parameter.empty if field.required else field.shown,
                    annotation=hints[field.name],
                )
                for field in owner.__model_fields__
            ]
        )


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
class Model(_core.ModelBase, metaclass=_core.ModelMeta):
    """A record with slots, made by keywords; decoded, validated and written by Schema like a dataclass with slots.

    Class arguments: frozen=True (immutable, hashable), forbid_extra=True (unknown keys are errors), rename= ("camel",
    "pascal", "kebab", "upper" or a function: the names in JSON). Defaults as in dataclasses; a list, dict or set is
    copied for each value. Construction checks the names, not the types: Schema does. Raises TypeError.

    Equality, repr, pickling, copying, copy.replace() and pattern matching go by the fields; __post_init__() is called
    when all have their value.

    Example:
        class Card(Model, frozen=True):
            name: str
            cost: int = 0
    """

    __model_fields__: ClassVar[tuple[ModelField, ...]]
    __model_frozen__: ClassVar[bool]
    __model_forbid_extra__: ClassVar[bool] = False
    __signature__: ClassVar[Any] = Signature()
