"""Containers: list, set, tuple and dict, their abstract forms, and those of collections that are made of them."""

from __future__ import annotations

import collections
import functools
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lanner.schema import _rules, _types, _unions

if TYPE_CHECKING:
    from lanner.schema._compile import Compiler

Arguments = tuple[Any, ...]


def container(compiler: Compiler, tp: Any, cls: type, arguments: Arguments, metadata: tuple[Any, ...]) -> int | None:
    """The node of a container; None: the class is none."""
    plain = _types.ABSTRACT.get(cls, cls)
    accepted = cls if plain is not cls else None
    constraints = _rules.gather(metadata)
    if plain in _types.MADE_OF:
        return made_of(compiler, plain, arguments, constraints, metadata)
    if plain in _types.CONTAINERS:
        return compiler.functions(items_of(compiler, plain, arguments, constraints, accepted), constraints)
    if plain is tuple and _types.is_uniform(tp, arguments):
        return compiler.functions(tuple_of(compiler, arguments, constraints), constraints)
    if plain is tuple:
        return compiler.constrain(fixed_of(compiler, arguments), metadata)
    if plain is dict:
        return compiler.functions(dict_of(compiler, arguments, constraints, accepted), constraints)
    return None


def made_of(compiler: Compiler, cls: type, arguments: Arguments, constraints: dict[str, Any], metadata: Any) -> int:
    """deque, OrderedDict, defaultdict, Counter: read as list or dict, then made of it."""
    constraints = {**constraints, "functions": []}  # they are for what is made
    make: Callable[[Any], Any] = cls
    if cls is collections.deque:
        inner = items_of(compiler, list, arguments, constraints, cls)
    elif cls is collections.Counter:
        inner = dict_of(compiler, (arguments[0] if arguments else Any, int), constraints, None)
    else:
        inner = dict_of(compiler, arguments, constraints, None)
        if cls is collections.defaultdict:
            make = functools.partial(collections.defaultdict, factory_of(arguments))
    label = f"{cls.__name__}[{compiler.nodes[inner]['label']}]"
    index = compiler.node("custom", "missing", label, object=make, children=[inner])
    return compiler.constrain(index, _rules.union_metadata_of(metadata))


def factory_of(arguments: Arguments) -> Callable[[], Any] | None:
    """What a defaultdict makes missing values with: the type of its values, where that can be called."""
    tp: Any = arguments[1] if len(arguments) > 1 else Any
    while typing.get_origin(tp) is typing.Annotated:
        tp = tp.__origin__
    cls = typing.get_origin(tp) or tp
    cls = _types.ABSTRACT.get(cls, cls)
    return cls if isinstance(cls, type) else None


def items_of(
    compiler: Compiler, cls: type, arguments: Arguments, constraints: dict[str, Any], accepted: type | None = None
) -> int:
    """A list or set; `accepted`: a class whose instances are taken besides."""
    kind, wrong = _types.CONTAINERS[cls]
    item = compiler.compile(arguments[0] if arguments else Any)
    label = f"{kind}[{compiler.nodes[item]['label']}]"
    rules = _rules.rules_of(kind, constraints)
    return compiler.node(kind, wrong, label, children=[item], rules=rules, constraints=constraints, object=accepted)


def tuple_of(compiler: Compiler, arguments: Arguments, constraints: dict[str, Any]) -> int:
    item = compiler.compile(arguments[0] if arguments else Any)
    label = f"tuple[{compiler.nodes[item]['label']}, ...]"
    rules = _rules.rules_of("tuple", constraints)
    return compiler.node("tuple", "tuple_type", label, children=[item], rules=rules, constraints=constraints)


def fixed_of(compiler: Compiler, arguments: Arguments) -> int:
    """A tuple with a type for each of its items."""
    if any(type(argument).__name__ == "_UnpackGenericAlias" or _types.is_starred(argument) for argument in arguments):
        raise TypeError("a tuple has items of one type, tuple[X, ...], or a fixed number of them, tuple[X, Y]")
    items = [] if arguments == ((),) else [compiler.compile(argument) for argument in arguments]
    label = f"tuple[{', '.join(compiler.nodes[item]['label'] for item in items)}]"
    return compiler.node("fixed", "tuple_type", label, children=items, too_long=_rules.too_long("Tuple", len(items)))


def dict_of(compiler: Compiler, arguments: Arguments, constraints: dict[str, Any], accepted: type | None = None) -> int:
    key = compiler.compile(arguments[0] if arguments else Any)
    asked = compiler.nodes[key].get("key")
    key = key if asked is None else asked
    if asked is None and compiler.nodes[key]["kind"] not in _unions.KEYS:
        raise TypeError(
            f"{arguments[0]!r} cannot be a key in JSON; use str, a number, a date, a UUID, an Enum or a Literal"
        )
    value = compiler.compile(arguments[1] if len(arguments) > 1 else Any)
    label = f"dict[{compiler.nodes[key]['label']},{compiler.nodes[value]['label']}]"
    rules = _rules.rules_of("dict", constraints)
    return compiler.node(
        "dict", "dict_type", label, children=[key, value], rules=rules, constraints=constraints, object=accepted
    )
