"""A type as the list of nodes that the engine compiles (src/python/schema/compile.cpp reads them).

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
from lanner.schema import _codecs, _containers, _foreign, _hints, _records, _rules, _types, _unions
from lanner.schema._base64 import Base64, is_base64
from lanner.schema._raw import RawCodec
from lanner.schema._registry import OwnType, Resolver, registry
from lanner.schema._types import type_name

Node = dict[str, Any]

TYPES_MAX = 10_000  # nodes of one schema


def listed(values: list[str]) -> str:
    """'a', 'b' or 'c'"""
    return " or ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)


class Compiler:
    """Compiles one type; `nodes` is the result."""

    def __init__(self, resolver: Resolver | None = None) -> None:
        self.resolver = resolver
        self.within: list[Any] = []  # the own types whose sources are being compiled
        self.codecs: list[_codecs.Codec] = []  # what is given the schema when there is one
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
        own = self.own_of(tp)
        if own is not None:
            return self.own_type(tp, own, metadata)
        if tp is bytes and any(is_base64(item) for item in metadata):
            return self.base64(metadata)
        if tp is Raw:
            codec = RawCodec()
            raw = self.node("delegate", "missing", "Raw", object=codec, encode=codec, own_class=Raw, cls=codec)
            return self.constrain(raw, metadata)
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
        self.nodes[index] = {**known, "same_as": inner, "alias": type_name(tp), "named": (alias, arguments)}
        return index

    def leaf(self, leaf: tuple[str, str, str], metadata: tuple[Any, ...]) -> int:
        kind, wrong, label = leaf
        if not metadata:
            return self.node(kind, wrong, label)
        constraints = _rules.gather(metadata)
        rules = _rules.rules_of(kind, constraints)
        if rules:
            label = f"constrained-{label}"
        inner = self.node(kind, wrong, label, rules=rules, constraints=constraints)
        self.nodes[inner]["allow_inf_nan"] = bool(constraints.get("allow_inf_nan"))
        return self.functions(inner, constraints)

    def constrain(self, inner: int, metadata: tuple[Any, ...]) -> int:
        """Wraps a node that has no rules of its own in nodes for its metadata: notes, predicates and functions."""
        if not metadata:
            return inner
        constraints = _rules.gather(metadata)
        node = self.nodes[inner]
        rules = _rules.rules_of(node["kind"], constraints)
        if rules:
            inner = self.node("custom", "missing", node["label"], children=[inner], object=unchanged, rules=rules)
        if any(note in constraints for note in _rules.NOTES):
            inner = self.node(node["kind"], "missing", node["label"], same_as=inner, constraints=constraints)
        return self.functions(inner, constraints)

    def functions(self, inner: int, constraints: dict[str, Any]) -> int:
        """pydantic's AfterValidator, around the node, which is new."""
        self.nodes[inner]["strict"] = bool(constraints.get("strict"))
        for what, function in constraints["functions"]:
            if what == "after":
                label = f"function-after[{getattr(function, '__name__', 'f')}(), {self.nodes[inner]['label']}]"
                inner = self.node("custom", "missing", label, children=[inner], object=function)
        return inner

    def own_of(self, tp: Any) -> OwnType | None:
        """How a type of the user's is read and written: what the schema's resolver says, else what is registered."""
        if tp in self.within:
            return None
        own = self.resolver(tp) if self.resolver is not None else None
        if own is not None and not isinstance(own, OwnType):
            raise TypeError(f"the resolver returned {own!r} for {type_name(tp)}: an OwnType or None is expected")
        return registry.get(tp) if own is None else own

    def own_type(self, tp: Any, own: Any, metadata: tuple[Any, ...]) -> int:
        index = self.node("custom", "missing", type_name(tp), object=own.decode, encode=own.encode, own=own)
        self.within.append(tp)  # what it is read from may be the type as it is without
        self.nodes[index]["children"] = [self.compile(own.source)]
        self.within.pop()
        self.nodes[index]["own_class"] = tp if isinstance(tp, type) else None
        self.nodes[index]["lax_source"] = own.lax
        return self.constrain(index, metadata)

    def base64(self, metadata: tuple[Any, ...]) -> int:
        """bytes as text in base64; lengths are those of the bytes."""
        mark = next(item for item in reversed(metadata) if is_base64(item))
        constraints = _rules.gather(item for item in metadata if not is_base64(item))
        lengths = {name: constraints[name] for name in _rules.LENGTHS & constraints.keys()}
        codec = _codecs.Base64Codec(isinstance(mark, Base64) and mark.urlsafe, lengths)
        inner = self.node("delegate", "missing", "base64", object=codec, encode=codec, cls=codec, own_class=bytes)
        rules = _rules.rules_of("bytes", constraints)
        made = self.node(
            "custom", "missing", "bytes", children=[inner], object=unchanged, rules=rules, constraints=constraints
        )
        return self.functions(made, constraints)

    def adapted(self, tp: Any, metadata: tuple[Any, ...]) -> int:
        """A type that only pydantic supports: its own validator and serializer."""
        annotations = tuple(item for item in metadata if not isinstance(item, _rules.ForOneMember))
        adapter = _foreign.adapter_of(tp, annotations)
        foreign = self.foreign(adapter.validator, adapter.serializer)
        return self.node("delegate", "missing", type_name(tp), object=foreign, encode=foreign, cls=adapter)

    def foreign(self, validator: Any, serializer: Any, cls: type | None = None) -> _foreign.Foreign:
        made = _foreign.Foreign(validator, serializer, cls)
        self.codecs.append(made)
        return made

    def structured(self, tp: Any, origin: Any, metadata: tuple[Any, ...]) -> int:
        cls = origin or tp
        arguments = typing.get_args(tp)
        if not isinstance(cls, type):
            raise TypeError(f"{tp!r} is no type that a schema knows")
        made = _containers.container(self, tp, cls, arguments, metadata)
        if made is not None:
            return made
        known = self.enum_of(cls) if issubclass(cls, enum.Enum) else self.record(tp, cls, arguments)
        return self.constrain(known, metadata)

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
        values = _types.first_of_each(values)
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
        return self.constrain(index, metadata)

    def enum_of(self, cls: type[enum.Enum]) -> int:
        if issubclass(cls, enum.Flag):
            raise TypeError(f"{cls.__qualname__}: a Flag is a set of bits; use its integer")
        # Aliases are left out by iteration; by value they name the same member.
        choice = self.choices([(member.value, member) for member in cls], "enum", cls, "enum")
        missing: Any = cls._missing_
        if missing.__func__ is enum.Enum._missing_.__func__:  # type: ignore[attr-defined]
            return choice
        codec = _codecs.EnumCodec(cls, choice)
        index = self.read_by(codec, choice, "enum", cls)
        keys = self.node("dict", "dict_type", "keys", children=[choice, self.compile(Any)])
        key_codec = _codecs.EnumKeyCodec(cls, choice, keys)
        self.codecs.append(key_codec)
        key = self.node("delegate", "missing", "enum", object=key_codec, encode=key_codec, cls=key_codec, own_class=cls)
        self.nodes[index]["key"] = key
        return index

    def read_by(self, codec: _codecs.Codec, written: int, label: str, cls: type | None) -> int:
        """What a codec reads and one of the nodes writes and describes."""
        self.codecs.append(codec)
        reading = self.node("delegate", "missing", label, object=codec, encode=codec, cls=codec, own_class=cls)
        return self.node("custom", "missing", label, object=unchanged, children=[written, reading])

    def record(self, tp: Any, cls: type, arguments: tuple[Any, ...]) -> int:
        bound = tuple(map(_hints.closed, arguments))
        name = f"{cls.__name__}[{','.join(map(type_name, bound))}]" if bound else cls.__name__
        bound = bound or tuple(map(_hints.unbound, getattr(cls, "__parameters__", ())))
        key = (cls, bound, *map(type_name, self.within))
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
        index = self.node("record", "dict_type", name, wrong=spec.wrong, cls=cls, name=name, spec=spec, named=key)
        self.records[key] = index
        if any(field.paths for field in spec.fields):
            instances = None if spec.make == "mapping" else cls
            codec = _codecs.AliasCodec(instances, _records.places(spec), spec.forbid_extra)
            self.records[key] = self.read_by(codec, index, name, cls)
            self.nodes[self.records[key]]["spec"] = spec
        outer, self.self = self.self, cls[bound] if arguments else cls  # type: ignore[index]
        self.nodes[index]["record"] = self.record_parts(cls, spec)
        self.self = outer
        if self.records[key] != index:
            codec.inner = self.node(**{**self.nodes[index], "record": renamed(self.nodes[index]["record"])})
        return self.records[key]

    def record_parts(self, cls: type, spec: _records.RecordSpec) -> dict[str, Any]:
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
        return record

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
            "paths": field.paths,
            "input_only": field.input_only,
            "unset": _types.unset_of(field.type),
            "written": json.dumps(field.write_name or field.name, ensure_ascii=False) + ":",
            "node": node,
            "required": field.required,
            "takes_input": field.takes_input and not (field.paths and all(len(path) > 1 for path in field.paths)),
            "has_default": default is not _records.NOTHING,
            "default": None if default is _records.NOTHING else default,
            "factory": factory,
            "member": field.member,
        }

    def delegate(self, tp: Any, cls: type) -> int:
        """A pydantic model or dataclass: its own validator and serializer."""
        foreign = self.foreign(cls.__pydantic_validator__, cls.__pydantic_serializer__, cls)  # type: ignore[attr-defined]
        return self.node("delegate", "model_type", cls.__name__, object=foreign, encode=foreign, cls=cls, own_class=cls)

    def union(self, members: list[Any], metadata: tuple[Any, ...]) -> int:
        nullable = any(member in (None, types.NoneType) for member in members)
        members = [member for member in members if member not in (None, types.NoneType) and not _types.is_unset(member)]
        if not members:
            return self.leaf(_types.LEAVES[None], metadata)
        if len(members) != 1 or _rules.gather(metadata).get("discriminator") is not None:
            made = self.members(members, metadata)
            return self.optional(made) if nullable else made
        made = self.compile(members[0], _rules.constraints_of(metadata))
        return self.constrain(self.optional(made) if nullable else made, _rules.union_metadata_of(metadata))

    def members(self, members: list[Any], metadata: tuple[Any, ...]) -> int:
        """A union of several: constraints apply to the members that support them, other metadata to the union."""
        constraints = _rules.gather(metadata)
        discriminator = constraints.get("discriminator")
        if discriminator is not None and any(map(_foreign.holds_model, members)):
            annotations = _foreign.with_discriminator(metadata, discriminator)
            return self.adapted(functools.reduce(operator.or_, members), annotations)
        one = _rules.ForOneMember()
        inner = (*_rules.constraints_of(metadata), one)
        children = [self.compile(member, inner if len(inner) > 1 else ()) for member in members]
        for name in _rules.CONSTRAINTS & constraints.keys() - one.used:
            if constraints[name] is not False:
                raise TypeError(
                    f"{name}={constraints[name]!r} means nothing for {' or '.join(map(type_name, members))}"
                )
        labels = [self.nodes[child]["label"] for child in children]
        label = f"union[{','.join(labels)}]"
        tags = _unions.tags(self, children, discriminator)
        if tags is not None:
            names = [next(t for t, _, member in tags["tags"] if member == i) for i in range(len(children))]
            made = self.node("tagged", "missing", label, children=children, labels=names, tags=tags)
            if any(self.member(child)["nullable"] for child in children):
                made = self.optional(made)
        else:
            kinds = _unions.looks([self.member(child) for child in children])
            made = self.node("union", "missing", label, children=children, labels=labels, kinds=kinds)
        return self.constrain(made, _rules.union_metadata_of(metadata))

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

    def seen_through(self, index: int) -> Node:
        """What a node stands for, also behind functions that are called after it."""
        node = self.member(index)
        while node["kind"] == "custom" and node.get("own") is None:
            node = self.member(node["children"][0])
        return node


def renamed(record: dict[str, Any]) -> dict[str, Any]:
    """The record as AliasCodec reads it: its fields are called "\\0" and their number."""
    fields = [
        {
            **field,
            "name": f"\0{i}",
            "quoted": json.dumps(f"\0{i}"),
            "takes_input": field["takes_input"] or bool(field["paths"]),
        }
        for i, field in enumerate(record["fields"])
    ]
    return {**record, "fields": fields}


def unchanged(value: Any) -> Any:
    return value
