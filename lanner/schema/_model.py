"""Model: a fast base class: slots, keyword construction, and all that is expected of a value."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from typing import Any, ClassVar

from lanner.schema._records import NOTHING


@dataclasses.dataclass(frozen=True)
class ModelField:
    """A field of a Model. wire_name: its key in JSON."""

    name: str
    wire_name: str
    default: Any = NOTHING
    factory: Callable[[], Any] | None = None

    @property
    def required(self) -> bool:
        return self.default is NOTHING and self.factory is None

    def value(self) -> Any:
        return self.factory() if self.factory is not None else self.default


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


RENAMES: dict[str, Callable[[str], str]] = {
    "camel": camel,
    "pascal": lambda name: "".join(word.capitalize() for word in name.split("_")),
    "kebab": lambda name: name.replace("_", "-"),
    "upper": str.upper,
}


def annotations_of(namespace: dict[str, Any]) -> dict[str, Any]:
    """The annotations of a class body, also where they are made when asked for (Python 3.14)."""
    if "__annotations__" in namespace:
        found: dict[str, Any] = namespace["__annotations__"]
        return found
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    if annotate is None:
        return {}
    import importlib

    library = importlib.import_module("annotationlib")
    made: dict[str, Any] = library.call_annotate_function(annotate, library.Format.FORWARDREF)
    return made


def is_class_variable(hint: Any) -> bool:
    if isinstance(hint, str):
        return hint.startswith(("ClassVar", "typing.ClassVar"))
    return hint is ClassVar or typing.get_origin(hint) is ClassVar


def field_of(name: str, wire_name: str, default: Any) -> ModelField:
    if isinstance(default, dataclasses.Field):
        factory = default.default_factory if default.default_factory is not dataclasses.MISSING else None
        value = default.default if default.default is not dataclasses.MISSING else NOTHING
        return ModelField(name, wire_name, value, factory)
    if isinstance(default, list | dict | set | bytearray):
        return ModelField(name, wire_name, factory=default.copy)  # each value gets its own
    return ModelField(name, wire_name, default)


class ModelMeta(type):
    """Turns the annotations of a class body into slots."""

    __model_fields__: tuple[ModelField, ...]

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        frozen: bool | None = None,
        forbid_extra: bool | None = None,
        rename: str | Callable[[str], str] | None = None,
    ) -> ModelMeta:
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
        namespace["__slots__"] = tuple(field for field in fields if field not in inherited)
        namespace["__match_args__"] = tuple(fields)
        namespace["__model_fields__"] = tuple(fields.values())
        if frozen is not None:
            namespace["__model_frozen__"] = frozen
        if forbid_extra is not None:
            namespace["__model_forbid_extra__"] = forbid_extra
        return super().__new__(mcls, name, bases, namespace)


def restore(cls: type[Model], values: tuple[tuple[str, Any], ...]) -> Model:
    """What pickle calls: the values as they were, nothing checked."""
    self = cls.__new__(cls)
    for name, value in values:
        object.__setattr__(self, name, value)
    return self


class Model(metaclass=ModelMeta):
    """A record with slots, made by keywords; decoded, validated and written by Schema like a dataclass with slots.

    Class arguments: frozen=True (immutable, hashable), forbid_extra=True (unknown keys are errors), rename= ("camel",
    "pascal", "kebab", "upper" or a function: the names in JSON). Defaults as in dataclasses; a list, dict or set is
    copied for each value. Construction checks the names, not the types: Schema does. Raises TypeError.

    Example:
        class Card(Model, frozen=True):
            name: str
            cost: int = 0
    """

    __model_fields__: ClassVar[tuple[ModelField, ...]]
    __model_frozen__: ClassVar[bool] = False
    __model_forbid_extra__: ClassVar[bool] = False

    def __init__(self, **values: Any) -> None:
        put = object.__setattr__
        for field in self.__model_fields__:
            if field.name in values:
                put(self, field.name, values.pop(field.name))
            elif field.required:
                raise TypeError(f"{type(self).__name__}() needs {field.name}=")
            else:
                put(self, field.name, field.value())
        if values:
            raise TypeError(f"{type(self).__name__}() has no field {', '.join(map(repr, values))}")
        post_init = getattr(self, "__post_init__", None)
        if post_init is not None:
            post_init()

    def _values(self) -> tuple[tuple[str, Any], ...]:
        """(name, value) of the fields that are set."""
        names = (field.name for field in self.__model_fields__)
        return tuple((name, getattr(self, name)) for name in names if hasattr(self, name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values())})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        if not self.__model_frozen__:
            raise TypeError(
                f"{type(self).__name__} can change, so it has no hash; class {type(self).__name__}(Model, frozen=True)"
            )
        return hash((type(self), self._values()))

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__model_frozen__:
            raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name}: a field cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (type(self), self._values())

    def __copy__(self) -> Model:
        return restore(type(self), self._values())

    def __replace__(self, **changes: Any) -> Model:
        """A copy with other values: copy.replace() of Python 3.13."""
        return type(self)(**{**dict(self._values()), **changes})
