"""The annotations of a class, resolved, each with the type variables that its own class binds."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import sys
import typing
from typing import Any

Bindings = dict[Any, Any]  # type variable -> type


def annotations_of(namespace: typing.Mapping[str, Any]) -> dict[str, Any]:
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


def names_around(cls: type) -> dict[str, Any]:
    """Of a class that a function made: its own name, and those in the frames that still run."""
    names: dict[str, Any] = {cls.__name__: cls}
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith("lanner.schema"):
            names = {**frame.f_locals, **names}
        if frame.f_back is None:
            break
        frame = frame.f_back
    return names


def resolved(cls: type) -> dict[str, Any]:
    """The annotations of a class and its bases as types, with Annotated kept."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:
        pass
    names = names_around(cls)
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        # Alone, as each base has type parameters of its own (`class Box[T]`), which may be called the same.
        parameters = {str(parameter): parameter for parameter in getattr(base, "__type_params__", ())}
        try:
            body = {"__annotations__": inspect.get_annotations(base), "__module__": base.__module__}
            alone = type(base.__name__, (), body)
            hints |= typing.get_type_hints(alone, localns={**names, **parameters}, include_extras=True)
        except NameError as error:
            raise TypeError(
                f"{cls.__qualname__}: {error}; a name in an annotation must be known in the module of the class"
            ) from error
    return hints


def hints_of(cls: type, arguments: tuple[Any, ...] = ()) -> dict[str, Any]:
    """The types of the annotated names of cls[arguments]; no type variable is left in them."""
    hints = resolved(cls)
    bindings = bindings_of(cls, arguments)
    if not any(bindings.values()):
        return hints
    owners = owners_of(cls)
    return {name: substitute(hint, bindings.get(owners.get(name, cls), {})) for name, hint in hints.items()}


def owners_of(cls: type) -> dict[str, type]:
    """The class whose annotation counts, for each name. A TypedDict repeats the annotations of its bases."""
    owners: dict[str, type] = {}
    for base in reversed(cls.__mro__):
        owners.update(dict.fromkeys(annotations_of(vars(base)), base))
    if issubclass(cls, dict):
        own = annotations_of(vars(cls))
        for base in cls.__dict__.get("__orig_bases__", ()):
            origin = typing.get_origin(base) or base
            if not hasattr(origin, "__required_keys__"):
                continue
            theirs = annotations_of(vars(origin))
            for name, owner in owners_of(origin).items():
                if own.get(name) == theirs.get(name):
                    owners[name] = owner
    return owners


def bindings_of(cls: type, arguments: tuple[Any, ...] = ()) -> dict[type, Bindings]:
    """What each class among the bases of cls[arguments], and the class itself, binds its type variables to.

    Each class has its own: in `class Pages(Page[list[T]], Generic[T])` the T of Page is a list of that of Pages.
    """
    variables = getattr(cls, "__parameters__", ())
    if not all(isinstance(variable, typing.TypeVar) for variable in variables):
        raise TypeError(f"{cls.__qualname__}: a TypeVarTuple or ParamSpec means nothing to a schema")
    own = dict(zip(variables, arguments or map(unbound, variables), strict=False))
    found: dict[type, Bindings] = {cls: own}
    bases = cls.__dict__.get("__orig_bases__", cls.__bases__)
    for base in sorted(bases, key=lambda base: not typing.get_args(base)):  # one that names its arguments tells more
        origin = typing.get_origin(base) or base
        if not isinstance(origin, type) or origin is typing.Generic:
            continue
        given = tuple(closed(argument, own) for argument in typing.get_args(base))
        for known, bindings in bindings_of(origin, given).items():
            found.setdefault(known, bindings)
    return found


def free(tp: Any) -> tuple[Any, ...]:
    """The type variables that stand in a type. A generic class without arguments has none."""
    if isinstance(tp, typing.TypeVar):
        return (tp,)
    variables = getattr(tp, "__parameters__", ()) if typing.get_args(tp) else ()
    return variables if isinstance(variables, tuple) else ()


def substitute(tp: Any, bound: Bindings) -> Any:
    """The type with the type variables that are bound put in, at any depth."""
    if isinstance(tp, typing.TypeVar):
        return bound.get(tp, tp)
    if isinstance(tp, dataclasses.InitVar):
        return dataclasses.InitVar(substitute(tp.type, bound))
    variables = free(tp)
    if not any(variable in bound for variable in variables):
        return tp
    return tp[tuple(bound.get(variable, variable) for variable in variables)]


def closed(tp: Any, bound: Bindings | None = None) -> Any:
    """The type without any type variable: what is bound put in, what is not as unbound() has it."""
    tp = substitute(tp, bound or {})
    return substitute(tp, {variable: unbound(variable) for variable in free(tp)})


def unbound(variable: Any) -> Any:
    """What a type variable stands for that nobody bound: its default, its bound, one of its constraints, anything."""
    if getattr(variable, "has_default", lambda: False)():
        return closed(named(variable, variable.__default__))
    if getattr(variable, "__bound__", None) is not None:
        return named(variable, variable.__bound__)
    constraints = [named(variable, one) for one in getattr(variable, "__constraints__", ())]
    return functools.reduce(operator.or_, constraints) if constraints else Any


def named(variable: Any, tp: Any) -> Any:
    """The type that a type variable names as text, in the module of the variable."""
    if not isinstance(tp, str | typing.ForwardRef):
        return tp
    text = tp if isinstance(tp, str) else tp.__forward_arg__
    body = {"__annotations__": {"bound": text}, "__module__": variable.__module__}
    return resolved(type(str(variable), (), body))["bound"]
