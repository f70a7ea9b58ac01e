"""The fields of classes: dataclass, TypedDict, NamedTuple, attrs, msgspec.Struct, lanner.Model."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any

from lanner import _core
from lanner.schema import _rules
from lanner.schema._aliases import Path, names_of
from lanner.schema._hints import hints_of

NOTHING: Any = object()
Hints = dict[str, Any]
QUALIFIERS = {"Required", "NotRequired", "ReadOnly"}  # by name: typing has them, typing_extensions, too


@dataclasses.dataclass
class FieldSpec:
    """One field, before its type is compiled."""

    name: str  # on the wire
    attribute: str  # in the object
    type: Any
    required: bool = True
    default: Any = NOTHING
    factory: Callable[[], Any] | None = None
    takes_input: bool = True
    input_only: bool = False  # InitVar: the object does not keep it
    member: Any = None  # the descriptor of its slot
    write_name: str = ""  # on the wire when it is written; "" = name
    paths: list[Path] = dataclasses.field(default_factory=list)  # where it is read from, if that is not just `name`
    argument: str = ""  # in the call that makes the object; "" = attribute

    @property
    def shown(self) -> str:
        """The field as its class names it."""
        return self.argument if self.input_only else self.attribute


@dataclasses.dataclass
class RecordSpec:
    cls: type
    make: str  # Make of schema/plan.h
    fields: list[FieldSpec]
    wrong: _rules.Rule | None  # what is said of a value of another kind; None: it is no dictionary
    forbid_extra: bool = False
    from_array: bool = False
    post_init: bool = False
    omit_defaults: bool = False
    tag: tuple[str, str | int] | None = None  # msgspec: (field, value), written first


def slot_of(cls: type, name: str) -> Any:
    member = inspect.getattr_static(cls, name, None)
    return member if isinstance(member, types.MemberDescriptorType) else None


def called_plainly(cls: type) -> bool:
    """No metaclass of the user's has a say in what a call of the class makes."""
    return next(meta for meta in inspect.getmro(type(cls)) if "__call__" in vars(meta)) in (type, _core.ModelMeta)


def sets_plainly(cls: type) -> bool:
    """Setting an attribute runs nothing of the user's (the __init__() of a frozen dataclass never calls it)."""
    set_attribute: object = cls.__setattr__
    frozen: bool = cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return frozen or set_attribute is object.__setattr__


def plain_object(cls: type) -> bool:
    """Made by object.__new__, laid out by Python alone."""
    new: object = cls.__new__
    return (
        not inspect.isabstract(cls)
        and new is object.__new__
        and called_plainly(cls)
        and all(base.__module__ != "builtins" or base is object for base in cls.__mro__)
    )


def set_names(spec: FieldSpec, name: str) -> FieldSpec:
    """Gives a field the names that its type says, or this one."""
    paths, written = names_of(spec.type, name, spec.shown)
    single = [path[0] for path in paths if len(path) == 1]
    spec.name = str(single[0]) if single else spec.shown
    spec.paths = paths if len(paths) > 1 or not single else []
    spec.write_name = written
    return spec


def places(spec: RecordSpec) -> dict[str, list[Path]]:
    """Where the fields are read from, by the names that AliasCodec has for them."""
    return {f"\0{i}": field.paths or [(field.name,)] for i, field in enumerate(spec.fields) if field.takes_input}


def is_argument(default: object) -> bool:
    """A default that says more than a value: Query(...), pydantic's Field(...)."""
    return (
        hasattr(default, "default")
        and hasattr(default, "default_factory")
        and not isinstance(default, type | dataclasses.Field)
    )


def warn_of_argument(cls: type, spec: FieldSpec) -> None:
    """An object that Python makes keeps Field(...) itself as the value: only a schema knows what it stands for."""
    kind = type(spec.default).__name__
    word = "= dataclasses.field(default_factory=...)" if callable(spec.default.default_factory) else "= <default>"
    required = spec.default.default is ... or _rules.is_undefined(spec.default.default)
    end = "" if required and not callable(spec.default.default_factory) else f" {word}"
    warnings.warn(
        f"{cls.__qualname__}.{spec.shown}: {cls.__name__}() made by hand has the {kind} itself as its value; write "
        f"`{spec.shown}: Annotated[<type>, <{kind}>]{end}`, or derive from lanner.Model",
        stacklevel=2,
    )


def with_arguments(cls: type, spec: FieldSpec) -> FieldSpec:
    """With what an argument object says, as default or in Annotated: constraints, names, the default itself."""
    if is_argument(spec.default):
        warn_of_argument(cls, spec)
        spec.type = typing.Annotated[spec.type, spec.default]
        spec.default, spec.required = NOTHING, True
    metadata = spec.type.__metadata__ if typing.get_origin(spec.type) is typing.Annotated else ()
    for item in reversed(metadata):
        if not spec.required or not is_argument(item):
            continue
        if callable(item.default_factory):
            spec.factory, spec.required = item.default_factory, False
        elif item.default is not ... and not _rules.is_undefined(item.default):
            spec.default, spec.required = item.default, False
    return set_names(spec, spec.name)


def class_rule(slug: str, message: str, cls: type) -> _rules.Rule:
    return _rules.rule(None, slug, message.format(cls.__name__), {"class_name": cls.__name__})


def place(cls: type, fields: list[FieldSpec]) -> str:
    """Finds the fields' slots; "slots" when all have one."""
    for field in fields:
        field.member = slot_of(cls, field.attribute)
    if fields and all(field.member is not None for field in fields):
        return "slots"
    for field in fields:
        field.member = None
    return "attributes"


def dataclass_record(cls: type, hints: Hints) -> RecordSpec:
    specs: list[FieldSpec] = []
    init_only = False
    for field in cls.__dataclass_fields__.values():  # type: ignore[attr-defined]
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        hint = hints.get(field.name, field.type)
        if kind == "_FIELD_INITVAR":
            init_only = True
            hint = hint.type if isinstance(hint, dataclasses.InitVar) else hint
        spec = FieldSpec(field.name, field.name, hint, takes_input=field.init)
        if kind == "_FIELD_INITVAR":  # no object has an attribute of this name
            spec.attribute, spec.argument, spec.input_only = f"<{field.name}>", field.name, True
        if field.default is not dataclasses.MISSING:
            spec.default, spec.required = field.default, False
        elif field.default_factory is not dataclasses.MISSING:
            spec.factory, spec.required = field.default_factory, False
        elif not field.init:
            spec.required = False
        specs.append(with_arguments(cls, spec))
    wrong = class_rule("dataclass_type", "Input should be a dictionary or an instance of {}", cls)
    forbid_extra = forbids_extra(cls)
    generated = getattr(getattr(getattr(cls, "__init__", None), "__code__", None), "co_filename", "") == "<string>"
    if init_only or not generated or not plain_object(cls) or not sets_plainly(cls):
        for spec in specs:
            given = cls.__dataclass_fields__[spec.argument or spec.attribute]  # type: ignore[attr-defined]
            if not spec.takes_input or not (generated or is_argument(given.default)):
                spec.default, spec.factory = NOTHING, None  # the class knows its defaults
        return RecordSpec(cls, "call", specs, wrong, forbid_extra=forbid_extra)
    make = place(cls, specs)
    return RecordSpec(cls, make, specs, wrong, forbid_extra=forbid_extra, post_init=hasattr(cls, "__post_init__"))


def qualified(hint: Any, required: bool) -> tuple[bool, Any]:
    """(whether the key must be there, the type), out of Required, NotRequired and ReadOnly, also within Annotated."""
    metadata: tuple[Any, ...] = ()
    while True:
        if typing.get_origin(hint) is typing.Annotated:
            metadata, hint = (*hint.__metadata__, *metadata), hint.__origin__
        elif (word := getattr(typing.get_origin(hint), "_name", None)) in QUALIFIERS:
            required = required if word == "ReadOnly" else word == "Required"
            hint = typing.get_args(hint)[0]
        else:
            return required, typing.Annotated[(hint, *metadata)] if metadata else hint


def forbids_extra(cls: type) -> bool:
    """What a dataclass or TypedDict tells pydantic by __pydantic_config__."""
    config = getattr(cls, "__pydantic_config__", None)
    return isinstance(config, dict) and config.get("extra") == "forbid"


def typed_dict_record(cls: type, hints: Hints) -> RecordSpec:
    specs: list[FieldSpec] = []
    for name, hint in hints.items():
        required, hint = qualified(hint, name in cls.__required_keys__)  # type: ignore[attr-defined]
        specs.append(set_names(FieldSpec(name, name, hint, required=required), name))
    closed = forbids_extra(cls) or getattr(cls, "__closed__", None) is True  # PEP 728
    return RecordSpec(cls, "mapping", specs, None, forbid_extra=closed)


def named_tuple_record(cls: type, hints: Hints) -> RecordSpec:
    specs: list[FieldSpec] = []
    for name in cls._fields:  # type: ignore[attr-defined]
        spec = FieldSpec(name, name, hints.get(name, Any))
        if name in cls._field_defaults:  # type: ignore[attr-defined]
            spec.default, spec.required = cls._field_defaults[name], False  # type: ignore[attr-defined]
        specs.append(with_arguments(cls, spec))
    message = "Input should be a tuple, list, dictionary or an instance of {}"
    maker = next(base for base in cls.__mro__ if "__new__" in base.__dict__)
    plain = "_fields" in maker.__dict__ and cls.__init__ is object.__init__ and called_plainly(cls)  # type: ignore[misc]
    wrong = class_rule("named_tuple_type", message, cls)
    return RecordSpec(cls, "tuple" if plain else "call", specs, wrong, forbid_extra=True, from_array=True)


def attrs_makes_plainly(cls: type) -> bool:
    """Whether __init__ of an attrs class only stores what it is given."""
    init = getattr(getattr(cls, "__init__", None), "__code__", None)
    hooks = ("__attrs_pre_init__", "__attrs_post_init__", "_attrs_cached_hash")
    return (
        str(getattr(init, "co_filename", "")).startswith("<attrs generated")
        and plain_object(cls)
        and not any(hasattr(cls, hook) for hook in hooks)
        and not any(
            attribute.converter is not None
            or attribute.validator is not None
            or getattr(attribute.default, "takes_self", False)
            for attribute in cls.__attrs_attrs__  # type: ignore[attr-defined]
        )
    )


def attrs_record(cls: type, hints: Hints) -> RecordSpec:
    plainly = attrs_makes_plainly(cls)
    specs: list[FieldSpec] = []
    for attribute in cls.__attrs_attrs__:  # type: ignore[attr-defined]
        alias = getattr(attribute, "alias", None) or attribute.name.lstrip("_")
        hint = hints.get(attribute.name, Any)
        spec = FieldSpec(alias, attribute.name, hint, argument=alias, takes_input=attribute.init)
        has_default = type(attribute.default).__name__ != "_Nothing"
        spec.required = attribute.init and not has_default
        if plainly and has_default:
            spec.factory = getattr(attribute.default, "factory", None)
            spec.default = attribute.default if spec.factory is None else NOTHING
        specs.append(spec)
    wrong = class_rule("dataclass_type", "Input should be a dictionary or an instance of {}", cls)
    return RecordSpec(cls, place(cls, specs) if plainly else "call", specs, wrong)


def struct_record(cls: type, hints: Hints) -> RecordSpec:
    """msgspec.Struct, by its public attributes."""
    config = cls.__struct_config__  # type: ignore[attr-defined]
    if config.array_like:
        raise TypeError(f"{cls.__qualname__}: array_like Structs are msgspec's own; use a NamedTuple")
    names: tuple[str, ...] = cls.__struct_fields__  # type: ignore[attr-defined]
    wire: tuple[str, ...] = cls.__struct_encode_fields__  # type: ignore[attr-defined]
    defaults = cls.__struct_defaults__  # type: ignore[attr-defined]
    specs: list[FieldSpec] = []
    for i, (attribute, name) in enumerate(zip(names, wire, strict=True)):
        spec = FieldSpec(name, attribute, hints.get(attribute, Any))
        k = i - (len(names) - len(defaults))
        value = defaults[k] if k >= 0 else NOTHING
        kind = type(value).__name__
        if kind == "Factory":
            spec.factory, spec.required = value.factory, False
        elif value is not NOTHING and kind != "NoDefaultType" and repr(value) != "NODEFAULT":
            spec.default, spec.required = value, False
        specs.append(spec)
    make = place(cls, specs) if specs else "call"
    wrong = class_rule("model_type", "Input should be a valid dictionary or instance of {}", cls)
    tag = (config.tag_field, config.tag) if config.tag is not None else None
    return RecordSpec(
        cls,
        make if make == "slots" else "call",
        specs,
        wrong,
        forbid_extra=config.forbid_unknown_fields,
        omit_defaults=config.omit_defaults,
        post_init=hasattr(cls, "__post_init__"),
        tag=tag,
    )


def model_record(cls: type, hints: Hints) -> RecordSpec:
    specs: list[FieldSpec] = []
    for field in cls.__model_fields__:  # type: ignore[attr-defined]
        hint = hints[field.name]
        if field.argument is not None:
            hint = typing.Annotated[hint, field.argument]
        spec = set_names(FieldSpec(field.name, field.name, hint, required=field.required), field.wire_name)
        spec.default, spec.factory = field.default, field.factory
        specs.append(spec)
    wrong = class_rule("model_type", "Input should be a valid dictionary or instance of {}", cls)
    make = place(cls, specs) if specs and made_by_fields(cls) else "call"
    if make != "slots":
        make = "call"
        if not made_by_fields(cls):
            for spec in specs:
                spec.default, spec.factory = NOTHING, None  # the class knows its defaults
    forbid_extra: bool = cls.__model_forbid_extra__  # type: ignore[attr-defined]
    post_init = make == "slots" and hasattr(cls, "__post_init__")
    return RecordSpec(cls, make, specs, wrong, forbid_extra=forbid_extra, post_init=post_init)


def made_by_fields(cls: type) -> bool:
    """A Model without an __init__() or __new__() of the user's."""
    maker: object = cls.__new__
    init: object = cls.__init__  # type: ignore[misc]
    return maker is _core.ModelBase.__new__ and init is _core.ModelBase.__init__ and called_plainly(cls)


def record_of(cls: type, arguments: tuple[Any, ...]) -> RecordSpec | None:
    """The record for cls[arguments]; None: it is not a record. Raises TypeError for two fields of one name in JSON."""
    if typing.is_typeddict(cls) or type(cls).__name__ == "_TypedDictMeta":
        make = typed_dict_record
    elif hasattr(cls, "__model_forbid_extra__"):
        make = model_record
    elif dataclasses.is_dataclass(cls):
        make = dataclass_record
    elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
        make = named_tuple_record
    elif hasattr(cls, "__struct_fields__"):
        make = struct_record
    elif hasattr(cls, "__attrs_attrs__"):
        make = attrs_record
    else:
        return None
    spec = make(cls, hints_of(cls, arguments))
    check_names(spec)
    return spec


def check_names(spec: RecordSpec) -> None:
    """No name in JSON stands for two fields."""
    read = [
        (str(path[0]), field)
        for field in spec.fields
        if field.takes_input
        for path in field.paths or [(field.name,)]
        if len(path) == 1
    ]
    written = [(field.write_name or field.name, field) for field in spec.fields if not field.input_only]
    for way, names in (("read from", read), ("written as", written)):
        taken: dict[str, FieldSpec] = {}
        for name, field in names:
            other = taken.setdefault(name, field)
            if other is not field:
                raise TypeError(
                    f"{spec.cls.__qualname__}: {other.shown} and {field.shown} are both {way} {name!r}; "
                    "give one of them another alias"
                )
        if spec.tag is not None and spec.tag[0] in taken:
            field = taken[spec.tag[0]]
            raise TypeError(f"{spec.cls.__qualname__}: {field.shown} is {way} {spec.tag[0]!r}, as the tag is")
