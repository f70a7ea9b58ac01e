"""A type as the list of nodes that the engine compiles (src/python/schema_compile.cpp reads them).

Each node is a dict; nodes name each other by number, so that types may be recursive. Node 0 is the root.
"""

from __future__ import annotations

import enum
import functools
import json
import operator
import sys
import types
import typing
from typing import Any

from lanner.json import Raw
from lanner.schema import _foreign, _hints, _records, _rules, _types, _unions
from lanner.schema._raw import RawCodec
from lanner.schema._registry import registry
from lanner.schema._types import type_name

Node = dict[str, Any]

TYPES_MAX = 10_000  # nodes of one schema


def listed(values: list[str]) -> str:
    """'a', 'b' or 'c'"""
    return " or ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)


class Compiler:
    """Compiles one type; `nodes` is the result."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.records: dict[Any, int] = {}
        self.self: Any = None  # what Self means here

    def node(self, kind: str, wrong_type: str, label: str, **parts: Any) -> int:
        if len(self.nodes) >= TYPES_MAX:
            raise TypeError(f"a schema may have {TYPES_MAX} nodes; this type has more")
        self.nodes.append({"kind": kind, "wrong_type": wrong_type, "label": label, **parts})
        return len(self.nodes) - 1

    def compile(self, tp: Any, metadata: tuple[Any, ...] = ()) -> int:
        origin = typing.get_origin(tp)
        if origin is typing.Annotated:
            return self.compile(tp.__origin__, (*tp.__metadata__, *metadata))
        if isinstance(tp, typing.NewType):
            return self.compile(tp.__supertype__, metadata)
        if isinstance(tp, typing.TypeVar):
            return self.compile(_hints.unbound(tp), metadata)
        if type(tp).__name__ == "TypeAliasType" or type(origin).__name__ == "TypeAliasType":
            return self.alias(tp, origin, metadata)
        if origin is typing.Final or getattr(origin, "_name", None) in _records.QUALIFIERS:
            return self.compile(typing.get_args(tp)[0], metadata)
        if getattr(tp, "_name", None) == "Self" and self.self is not None:
            return self.compile(self.self, metadata)
        if isinstance(tp, str | typing.ForwardRef):
            raise TypeError(f"{tp!r} is only a name here; give the type itself")
        own = registry.get(tp)
        if own is not None:
            return self.own_type(tp, own, metadata)
        if tp is Raw:
            codec = RawCodec()
            raw = self.node("delegate", "missing", "Raw", object=codec, encode=codec, own_class=Raw, cls=codec)
            return self.about(raw, metadata)
        if _foreign.is_pydantics(tp, metadata):
            return self.adapted(tp, metadata)
        if origin in (typing.Union, types.UnionType):
            return self.union(list(typing.get_args(tp)), metadata)
        if origin is typing.Literal:
            return self.literal(list(typing.get_args(tp)), metadata)
        try:
            leaf = _types.LEAVES.get(tp)
        except TypeError:
            leaf = None
        if leaf is not None:
            return self.leaf(leaf, metadata)
        return self.structured(tp, origin, metadata)

    def alias(self, tp: Any, origin: Any, metadata: tuple[Any, ...]) -> int:
        """`type X = ...` of Python 3.12, which may name itself."""
        alias = origin if type(origin).__name__ == "TypeAliasType" else tp
        parameters = alias.__type_params__
        arguments = typing.get_args(tp) or tuple(map(_hints.unbound, parameters))
        tp = _hints.closed(tp)
        if tp in self.records and not metadata:
            return self.records[tp]
        # A node that stands for another: the alias may be met again before it is known.
        index = self.node("any", "missing", type_name(tp))
        if not metadata:
            self.records[tp] = index
        value = _hints.substitute(alias.__value__, dict(zip(parameters, arguments, strict=True)))
        inner = self.compile(value, metadata)
        known = {name: self.nodes[inner][name] for name in ("kind", "wrong_type", "label")}
        self.nodes[index] = {**known, "same_as": inner, "alias": type_name(tp)}
        return index

    def leaf(self, leaf: tuple[str, str, str], metadata: tuple[Any, ...]) -> int:
        kind, wrong, label = leaf
        if not metadata:
            return self.node(kind, wrong, label)
        said = _rules.gather(metadata)
        rules = _rules.rules_of(kind, said)
        if rules:
            label = f"constrained-{label}"
        inner = self.node(kind, wrong, label, rules=rules, said=said)
        self.nodes[inner]["allow_inf_nan"] = bool(said.get("allow_inf_nan"))
        return self.functions(inner, said)

    def about(self, inner: int, metadata: tuple[Any, ...]) -> int:
        """Wraps a node that has no rules of its own in nodes for its metadata: notes, predicates and functions."""
        if not metadata:
            return inner
        said = _rules.gather(metadata)
        node = self.nodes[inner]
        rules = _rules.rules_of(node["kind"], said)
        if rules:
            inner = self.node("custom", "missing", node["label"], children=[inner], object=unchanged, rules=rules)
        if any(note in said for note in _rules.NOTES):
            inner = self.node(node["kind"], "missing", node["label"], same_as=inner, said=said)
        return self.functions(inner, said)

    def functions(self, inner: int, said: dict[str, Any]) -> int:
        """pydantic's AfterValidator, around the node, which is new."""
        self.nodes[inner]["strict"] = bool(said.get("strict"))
        for what, function in said["functions"]:
            if what == "after":
                label = f"function-after[{getattr(function, '__name__', 'f')}(), {self.nodes[inner]['label']}]"
                inner = self.node("custom", "missing", label, children=[inner], object=function)
        return inner

    def own_type(self, tp: Any, own: Any, metadata: tuple[Any, ...]) -> int:
        index = self.node("custom", "missing", type_name(tp), object=own.decode, encode=own.encode, own=own)
        self.nodes[index]["children"] = [self.compile(own.source)]
        self.nodes[index]["own_class"] = tp if isinstance(tp, type) else None
        self.nodes[index]["lax_source"] = own.lax
        return self.about(index, metadata)

    def adapted(self, tp: Any, metadata: tuple[Any, ...]) -> int:
        """A type that only pydantic supports: its own validator and serializer."""
        told = tuple(item for item in metadata if not isinstance(item, _rules.ForOneMember))
        adapter = _foreign.adapter_of(tp, told)
        index = self.node("delegate", "missing", type_name(tp), object=adapter.validator, cls=adapter)
        self.nodes[index]["encode"] = adapter.serializer
        return index

    def structured(self, tp: Any, origin: Any, metadata: tuple[Any, ...]) -> int:
        cls = origin or tp
        arguments = typing.get_args(tp)
        cls = _types.ABSTRACT.get(cls, cls)
        if not isinstance(cls, type):
            raise TypeError(f"{tp!r} is no type that a schema knows")
        said = _rules.gather(metadata)
        if cls in _types.CONTAINERS:
            kind, wrong = _types.CONTAINERS[cls]
            item = self.compile(arguments[0] if arguments else Any)
            label = f"{kind}[{self.nodes[item]['label']}]"
            made = self.node(kind, wrong, label, children=[item], rules=_rules.rules_of(kind, said), said=said)
            return self.functions(made, said)
        if cls is tuple and _types.is_uniform(tp, arguments):
            return self.functions(self.tuple_of(arguments, said), said)
        if cls is tuple:
            return self.about(self.fixed_of(arguments), metadata)
        if cls is dict:
            return self.functions(self.dict_of(arguments, said), said)
        return self.about(
            self.enum_of(cls) if issubclass(cls, enum.Enum) else self.record(tp, cls, arguments), metadata
        )

    def tuple_of(self, arguments: tuple[Any, ...], said: dict[str, Any]) -> int:
        item = self.compile(arguments[0] if arguments else Any)
        label = f"tuple[{self.nodes[item]['label']}, ...]"
        rules = _rules.rules_of("tuple", said)
        return self.node("tuple", "tuple_type", label, children=[item], rules=rules, said=said)

    def fixed_of(self, arguments: tuple[Any, ...]) -> int:
        """A tuple with a type for each of its items."""
        if any(
            type(argument).__name__ == "_UnpackGenericAlias" or _types.is_starred(argument) for argument in arguments
        ):
            raise TypeError("a tuple has items of one type, tuple[X, ...], or a fixed number of them, tuple[X, Y]")
        items = [] if arguments == ((),) else [self.compile(argument) for argument in arguments]
        label = f"tuple[{', '.join(self.nodes[item]['label'] for item in items)}]"
        return self.node("fixed", "tuple_type", label, children=items, too_long=_rules.too_long("Tuple", len(items)))

    def dict_of(self, arguments: tuple[Any, ...], said: dict[str, Any]) -> int:
        key = self.compile(arguments[0] if arguments else Any)
        if self.nodes[key]["kind"] not in _unions.KEYS:
            raise TypeError(
                f"{arguments[0]!r} cannot be a key in JSON; use str, a number, a date, a UUID, an Enum or a Literal"
            )
        value = self.compile(arguments[1] if arguments else Any)
        label = f"dict[{self.nodes[key]['label']},{self.nodes[value]['label']}]"
        rules = _rules.rules_of("dict", said)
        return self.node("dict", "dict_type", label, children=[key, value], rules=rules, said=said)

    def choices(self, values: list[tuple[Any, Any]], slug: str, cls: type | None, label: str) -> int:
        """values: (what is read, what it becomes)."""
        expected = listed([repr(value.value if isinstance(value, enum.Enum) else value) for value, _ in values])
        rule = _rules.rule(None, slug, f"Input should be {expected}", {"expected": expected})
        table: dict[Any, list[tuple[Any, Any]]] = {}
        for pair in values:
            try:
                table.setdefault(pair[0], []).append(pair)
            except TypeError:
                raise TypeError(f"{pair[0]!r} is not hashable: it cannot be a choice") from None
        values = first_of_each(values)
        choices = {"values": values, "map": table, "rule": rule, "type": cls}
        return self.node("choice", slug, label, choices=choices, wrong=rule)

    def literal(self, values: list[Any], metadata: tuple[Any, ...]) -> int:
        flat = list({(type(value), value): value for value in values}.values())
        pairs: list[tuple[Any, Any]] = []
        for value in flat:
            pairs.append((value, value))
            if isinstance(value, enum.Enum):
                pairs.append((value.value, value))
        label = f"literal[{','.join(repr(value) for value in flat)}]"
        index = self.choices(pairs, "literal_error", None, label)
        expected = listed([repr(value) for value in flat])
        rule = self.nodes[index]["wrong"]
        rule["message"], rule["context"] = f"Input should be {expected}", {"expected": expected}
        return self.about(index, metadata)

    def enum_of(self, cls: type[enum.Enum]) -> int:
        if issubclass(cls, enum.Flag):
            raise TypeError(f"{cls.__qualname__}: a Flag is a set of bits; use its integer")
        # Aliases are left out by iteration; by value they name the same member.
        return self.choices([(member.value, member) for member in cls], "enum", cls, "enum")

    def record(self, tp: Any, cls: type, arguments: tuple[Any, ...]) -> int:
        bound = tuple(map(_hints.closed, arguments))
        name = f"{cls.__name__}[{','.join(map(type_name, bound))}]" if bound else cls.__name__
        bound = bound or tuple(map(_hints.unbound, getattr(cls, "__parameters__", ())))
        key = (cls, bound)
        if key in self.records:
            return self.records[key]
        if hasattr(cls, "__pydantic_validator__"):
            return self.delegate(tp, cls)
        spec = _records.record_of(cls, bound)
        if spec is None:
            raise TypeError(
                f"{type_name(tp)} is no type that a schema knows; "
                f"register_type({cls.__name__}, decode=..., encode=...) teaches it"
            )
        index = self.node("record", "dict_type", name, wrong=spec.wrong, cls=cls, name=name, spec=spec)
        self.records[key] = index
        outer, self.self = self.self, cls[bound] if arguments else cls  # type: ignore[index]
        record = {
            "make": spec.make,
            "type": dict if spec.make == "mapping" else cls,
            "forbid_extra": spec.forbid_extra,
            "from_array": spec.from_array,
            "post_init": spec.post_init,
            "omit_defaults": spec.omit_defaults,
            "fields": [self.field(cls, field) for field in spec.fields],
        }
        if spec.tag is not None:
            record["tag"] = f"{json.dumps(spec.tag[0])}:{json.dumps(spec.tag[1])},"
        if spec.from_array:
            record["too_long"] = _rules.too_long("NamedTuple", len(spec.fields))
        self.self = outer
        self.nodes[index]["record"] = record
        return index

    def field(self, cls: type, field: _records.FieldSpec) -> dict[str, Any]:
        try:
            node = self.compile(field.type)
        except TypeError as error:
            raise TypeError(f"{cls.__qualname__}.{field.attribute}: {error}") from error
        default: Any = field.default
        factory = field.factory
        if isinstance(default, list | dict | set | bytearray):  # msgspec's: each value gets a copy
            default, factory = _records.NOTHING, default.copy
        return {
            "name": sys.intern(field.name),
            "quoted": json.dumps(field.name, ensure_ascii=False),
            "attribute": sys.intern(field.attribute),
            "argument": sys.intern(field.argument or field.attribute),
            "input_only": field.input_only,
            "unset": _types.unset_of(field.type),
            "written": json.dumps(field.write_name or field.name, ensure_ascii=False) + ":",
            "node": node,
            "required": field.required,
            "takes_input": field.takes_input,
            "has_default": default is not _records.NOTHING,
            "default": None if default is _records.NOTHING else default,
            "factory": factory,
            "member": field.member,
        }

    def delegate(self, tp: Any, cls: type) -> int:
        """A pydantic model or dataclass: its own validator and serializer."""
        index = self.node("delegate", "model_type", cls.__name__, object=cls.__pydantic_validator__, cls=cls)  # type: ignore[attr-defined]
        self.nodes[index]["encode"] = cls.__pydantic_serializer__  # type: ignore[attr-defined]
        self.nodes[index]["own_class"] = cls
        return index

    def union(self, members: list[Any], metadata: tuple[Any, ...]) -> int:
        nullable = any(member in (None, types.NoneType) for member in members)
        members = [member for member in members if member not in (None, types.NoneType) and not _types.is_unset(member)]
        if not members:
            return self.leaf(_types.LEAVES[None], metadata)
        if len(members) != 1 or _rules.gather(metadata).get("discriminator") is not None:
            made = self.members(members, metadata)
            return self.optional(made) if nullable else made
        made = self.compile(members[0], self.constraints(metadata))
        return self.about(self.optional(made) if nullable else made, self.others(metadata))

    def members(self, members: list[Any], metadata: tuple[Any, ...]) -> int:
        """A union of several: constraints apply to the members that support them, other metadata to the union."""
        said = _rules.gather(metadata)
        discriminator = said.get("discriminator")
        if discriminator is not None and any(hasattr(member, "__pydantic_validator__") for member in members):
            return self.adapted(functools.reduce(operator.or_, members), metadata)
        one = _rules.ForOneMember()
        inner = (*self.constraints(metadata), one)
        children = [self.compile(member, inner if len(inner) > 1 else ()) for member in members]
        for name in _rules.CONSTRAINTS & said.keys() - one.used:
            if said[name] is not False:
                raise TypeError(f"{name}={said[name]!r} means nothing for {' or '.join(map(type_name, members))}")
        labels = [self.nodes[child]["label"] for child in children]
        label = f"union[{','.join(labels)}]"
        tags = _unions.tags([self.inner(child) for child in children], discriminator)
        if tags is not None:
            names = [next(t for t, _, member in tags["tags"] if member == i) for i in range(len(children))]
            made = self.node("tagged", "missing", label, children=children, labels=names, tags=tags)
        else:
            kinds = _unions.looks([self.member(child) for child in children])
            made = self.node("union", "missing", label, children=children, labels=labels, kinds=kinds)
        return self.about(made, self.others(metadata))

    def constraints(self, metadata: tuple[Any, ...]) -> tuple[Any, ...]:
        """The constraints in the metadata, which are passed to each member of a union."""
        said = _rules.gather(metadata)
        kept = {name: said[name] for name in (*_rules.CONSTRAINTS, "format", "strict") if name in said}
        return (types.SimpleNamespace(**kept),) if kept else ()

    def others(self, metadata: tuple[Any, ...]) -> tuple[Any, ...]:
        """The metadata of the union as a whole: notes and functions."""
        said = _rules.gather(metadata)
        notes = {name: said[name] for name in _rules.NOTES if name in said and name != "format"}
        functions = [_rules.Function(what, function) for what, function in said["functions"]]
        return (*([types.SimpleNamespace(**notes)] if notes else []), *functions)

    def optional(self, inner: int) -> int:
        if self.nodes[inner]["kind"] == "none":
            return inner
        label = f"nullable[{self.nodes[inner]['label']}]"
        return self.node(self.nodes[inner]["kind"], "missing", label, same_as=inner, nullable=True)

    def member(self, index: int) -> Node:
        """The node behind optional wrappers, and whether null is allowed."""
        nullable = False
        while "same_as" in self.nodes[index]:
            nullable = nullable or self.nodes[index].get("nullable", False)
            index = self.nodes[index]["same_as"]
        return {**self.nodes[index], "nullable": nullable}

    def inner(self, index: int) -> Node:
        while "same_as" in self.nodes[index]:
            index = self.nodes[index]["same_as"]
        return self.nodes[index]


def first_of_each(values: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Without texts that stand for two choices, as in Literal["a", Color.A]: the first counts."""
    kept: list[tuple[Any, Any]] = []
    seen: set[str] = set()
    for value, choice in values:
        if type(value) is not str or value not in seen:
            kept.append((value, choice))
        if type(value) is str:
            seen.add(value)
    return kept


def unchanged(value: Any) -> Any:
    return value
