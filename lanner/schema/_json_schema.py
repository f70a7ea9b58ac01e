"""Types as JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it: one definition for each named type."""

from __future__ import annotations

import contextlib
import decimal
import enum
import inspect
import math
import numbers
from collections.abc import Callable
from typing import Any

from lanner import json
from lanner.schema import _foreign
from lanner.schema._definitions import Definitions, referring, without_nulls
from lanner.schema._rules import HOLE

Node = dict[str, Any]
Described = dict[str, Any]

SCALARS: dict[str, Described] = {
    "any": {},
    "none": {"type": "null"},
    "boolean": {"type": "boolean"},
    "integer": {"type": "integer"},
    "floating": {"type": "number"},
    "string": {"type": "string"},
    "bytes": {"type": "string", "format": "binary"},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "uuid": {"type": "string", "format": "uuid"},
}
BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
SIZES = {"string": "Length", "bytes": "Length", "dict": "Properties"}
NOTES = ("title", "description", "examples", "deprecated", "format")
MODES = ("validation", "serialization")


class OwnDefinitions:
    """The named types of one schema, named as they are met: Card, Card_2."""

    def __init__(self, ref: str) -> None:
        self.ref = ref
        self.described: dict[str, Described] = {}
        self.names: dict[Any, str] = {}
        self.taken_names: dict[str, int] = {}  # of `names`; how many types wanted it

    def place(self, what: Any, wanted: str) -> tuple[str, bool]:
        """(a name for a definition, whether it is new); two types with the same name get different ones."""
        new = what not in self.names
        if new:
            wanted = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in wanted).strip("_")
            name = wanted = wanted or "Type"
            while name in self.described or name in self.taken_names:
                number = self.taken_names.get(wanted, 1) + 1
                self.taken_names[wanted], name = number, f"{wanted}_{number}"
            self.names[what] = name
            self.taken_names.setdefault(name, 1)
        return self.names[what], new

    def taken(self, name: str, definition: Described) -> str:
        """The name for a definition of pydantic's: its title tells whether it is the one we know."""
        known = next((what for what, taken in self.names.items() if taken == name), None)
        same = known is None or (isinstance(known, tuple) and known[1] == definition)
        return self.place((name, str(definition)) if not same else name, name)[0]


class Describer:
    """Describes the nodes of one schema; `definitions` takes the named types met on the way.

    output: what encode() writes, not what decode() reads: written names, all fields that are kept, Decimals as text.
    encode: (node, value) -> the value as JSON text; raises JSONEncodeError. For defaults.
    """

    def __init__(
        self,
        nodes: list[Node],
        definitions: OwnDefinitions | Definitions,
        output: bool,
        encode: Callable[[int, Any], bytes],
    ) -> None:
        self.nodes = nodes
        self.definitions = definitions
        self.output = output
        self.encode = encode
        self.open: set[int] = set()  # aliases that are being described
        self.recursive: set[int] = set()  # those that were met while they were

    def place(self, what: Any, wanted: str) -> tuple[str, bool]:
        if isinstance(self.definitions, Definitions):
            return self.definitions.place_type(what, self.output)
        return self.definitions.place(what, wanted)

    def reference(self, name: str) -> Described:
        return {"$ref": self.definitions.ref.format(name)}

    def describe(self, index: int) -> Described:
        node = self.nodes[index]
        if "alias" in node:
            return self.alias(index, node)
        if "same_as" in node:
            described = self.describe(node["same_as"])
            if node.get("nullable"):
                members = described["anyOf"] if described.keys() == {"anyOf"} else [described]
                described = {"anyOf": [*members, {"type": "null"}]}
            return self.noted(described, node)
        kind = node["kind"]
        if kind == "record":
            return self.named(node)
        if kind in SCALARS:
            described = dict(SCALARS[kind])
        elif kind == "decimal":
            number = {"type": "number"}
            described = {"type": "string"} if self.output else {"anyOf": [number, {"type": "string"}]}
            self.add_rules(number, node)
            return self.noted(described, node)
        elif kind == "choice":
            described = self.choice(index, node)
        else:
            described = self.composed(index, kind, node)
        self.add_rules(described, node)
        return self.noted(described, node)

    def alias(self, index: int, node: Node) -> Described:
        """`type X = ...`: what it stands for; a definition when it names itself."""
        if index in self.open or index in self.recursive:
            self.recursive.add(index)
            return self.reference(self.place(node["named"], node["alias"])[0])
        self.open.add(index)
        described = self.describe(node["same_as"])
        self.open.remove(index)
        if index not in self.recursive:
            return described
        name, _ = self.place(node["named"], node["alias"])
        self.definitions.described[name] = described
        return self.reference(name)

    def composed(self, index: int, kind: str, node: Node) -> Described:
        children = node.get("children", [])
        if kind in ("list", "tuple"):
            return {"type": "array", "items": self.describe(children[0])}
        if kind in ("set", "frozenset"):
            return {"type": "array", "items": self.describe(children[0]), "uniqueItems": True}
        if kind == "fixed":
            return row([self.describe(child) for child in children], len(children))
        if kind == "dict":
            return self.mapping(children)
        if kind == "union":
            return {"anyOf": [self.describe(child) for child in children]}
        if kind == "tagged":
            return self.tagged(node)
        if kind == "custom":
            own = node.get("own")
            return dict(own.schema) if own is not None and own.schema is not None else self.describe(children[0])
        if kind == "delegate":
            return self.foreign(node)
        return {}

    def mapping(self, children: list[int]) -> Described:
        """A dict; what its keys must look like, where that is more than text."""
        described: Described = {"type": "object", "additionalProperties": self.describe(children[1]) or True}
        node = self.inner(children[0])
        if node["kind"] == "choice" and not self.nodes[children[0]].get("nullable"):
            if all(type(value) is str for value in choice_values(node)):
                return {**described, "propertyNames": self.describe(children[0])}
            if self.output:  # read are many spellings: 1 and +01, true and on
                described["propertyNames"] = {"enum": [key_text(value) for value in choice_values(node)]}
            return described
        key = self.describe(children[0])
        names = {name: key[name] for name in ("pattern", "minLength", "maxLength", "format") if name in key}
        if names and key.get("type") == "string":
            described["propertyNames"] = names
        return described

    def inner(self, index: int) -> Node:
        while "same_as" in self.nodes[index]:
            index = self.nodes[index]["same_as"]
        return self.nodes[index]

    def tagged(self, node: Node) -> Described:
        members = [self.describe(child) for child in node["children"]]
        mapping = {
            text: members[member]["$ref"] for text, _, member in node["tags"]["tags"] if "$ref" in members[member]
        }
        return {"oneOf": members, "discriminator": {"propertyName": node["tags"]["key"], "mapping": mapping}}

    def choice(self, index: int, node: Node) -> Described:
        cls = node["choices"]["type"]
        values = choice_values(node)
        literal = cls is None and len(values) == 1
        described: Described = {"const": values[0]} if literal else {"enum": values}
        kinds = {type(value) for value in values}
        names = {str: "string", int: "integer", bool: "boolean", float: "number", type(None): "null"}
        if len(kinds) == 1 and (kind := names.get(kinds.pop())) is not None:
            described["type"] = kind
        if cls is None:
            return described
        name, _ = self.place((cls, ()), cls.__name__)
        described = {"title": cls.__name__, **described}
        if (doc := own_doc(cls)) is not None:
            described["description"] = doc
        self.definitions.described[name] = described
        return self.reference(name)

    def named(self, node: Node) -> Described:
        name, new = self.place(node["named"], node["name"])
        if new:
            described = self.definitions.described
            described[name] = {}  # taken, before the fields ask for names
            described[name] = self.row_of(node) if node["record"]["from_array"] else self.record(node)
        return self.reference(name)

    def record(self, node: Node) -> Described:
        record, spec = node["record"], node["spec"]
        properties: dict[str, Described] = {}
        required: list[str] = []
        if spec.tag is not None:
            properties[spec.tag[0]] = {"const": spec.tag[1]}
            required.append(spec.tag[0])
        for field, declared in zip(record["fields"], spec.fields, strict=True):
            if declared.input_only if self.output else not declared.takes_input:
                continue
            name = declared.write_name or field["name"] if self.output else field["name"]
            names = [name] if self.output or not field["paths"] else sorted({str(path[0]) for path in field["paths"]})
            for place in names:
                properties[place] = self.field(field, place) if (place,) in (field["paths"] or [(place,)]) else {}
            if self.is_required(record, field, declared) and len(names) == 1:
                required.append(name)
        described = {"title": node["name"], "type": "object", "properties": properties}
        if required:
            described["required"] = required
        if record["forbid_extra"]:
            described["additionalProperties"] = False
        if (doc := own_doc(node["cls"])) is not None:
            described["description"] = doc
        return described

    def is_required(self, record: dict[str, Any], field: dict[str, Any], spec: Any) -> bool:
        """In a document of many types a field with a default is not required of what is written either, as FastAPI has
        it: then most types need one definition.
        """
        if not self.output or record["make"] == "mapping":
            return bool(field["required"])
        return isinstance(self.definitions, OwnDefinitions) or field["required"] or not spec.takes_input

    def row_of(self, node: Node) -> Described:
        """A NamedTuple."""
        fields = node["record"]["fields"]
        items = [self.field(field, field["name"]) for field in fields]
        least = len(fields) if self.output else sum(field["required"] for field in fields)
        described = {"title": node["name"], **row(items, least)}
        if (doc := own_doc(node["cls"])) is not None:
            described["description"] = doc
        return described

    def field(self, field: dict[str, Any], name: str) -> Described:
        described = self.describe(field["node"])
        if field["has_default"] and (field["default"] is not None or isinstance(self.definitions, OwnDefinitions)):
            with contextlib.suppress(
                Exception
            ):  # a default need not be of the field's type, which a user's encode= finds
                described = {**described, "default": json.loads(self.encode(field["node"], field["default"]))}
        if "$ref" not in described:
            described = {"title": name.replace("_", " ").title(), **described}
        return described

    def foreign(self, node: Node) -> Described:
        """What pydantic validates: its own schema, with its definitions beside ours."""
        cls = node["cls"]
        mode: Any = "serialization" if self.output else "validation"
        if isinstance(self.definitions, Definitions):
            return _foreign.describe(cls, mode, self.definitions)
        template = "#/$defs/{model}"
        if hasattr(cls, "model_json_schema"):
            described: Described = cls.model_json_schema(ref_template=template, mode=mode)
        elif hasattr(cls, "json_schema"):
            described = cls.json_schema(ref_template=template, mode=mode)
        else:  # a pydantic dataclass
            from pydantic import TypeAdapter

            described = TypeAdapter(cls).json_schema(ref_template=template, mode=mode)
        theirs = described.pop("$defs", {})
        names = {name: self.definitions.taken(name, definition) for name, definition in theirs.items()}
        refs = {template.format(model=name): self.definitions.ref.format(ours) for name, ours in names.items()}
        for name, definition in theirs.items():
            self.definitions.described[names[name]] = referring(definition, refs)
        described = referring(described, refs)
        if "$ref" not in described and isinstance(cls, type):
            name, _ = self.place(cls, cls.__name__)
            self.definitions.described[name] = described
            described = self.reference(name)
        return described

    def noted(self, described: Described, node: Node) -> Described:
        constraints = node.get("constraints", {})
        described = {**described, **{note: constraints[note] for note in NOTES if note in constraints}}
        if "deprecated" in constraints:  # pydantic: or the text of a warning
            described["deprecated"] = bool(constraints["deprecated"])
        extra = constraints.get("extra_json_schema")
        if callable(extra):
            extra(described)
            return described
        return {**described, **extra} if isinstance(extra, dict) else described

    def add_rules(self, described: Described, node: Node) -> None:
        for rule in node.get("rules", ()):
            demand, bound = rule["demand"], rule["object"]
            if demand in BOUNDS:
                if (number := json_number(bound)) is not None:
                    described[BOUNDS[demand]] = number
            elif demand in ("min_length", "max_length") and node["kind"] != "custom":
                described[demand[:3] + SIZES.get(node["kind"], "Items")] = bound
            elif demand in ("pattern", "predicate") and rule["slug"] == "string_pattern_mismatch":
                described["pattern"] = rule["context"]["pattern"]
            elif demand == "unique":
                described["uniqueItems"] = True


def row(items: list[Described], least: int) -> Described:
    """An array with a schema for each place."""
    described: Described = {"type": "array", "minItems": least, "maxItems": len(items)}
    return {**described, "prefixItems": items} if items else described


def choice_values(node: Node) -> list[Any]:
    """What JSON has for the choices; a member of an Enum is there by its value."""
    return [plain(value) for value, _ in node["choices"]["values"] if not isinstance(value, enum.Enum)]


def key_text(value: Any) -> str:
    """A value of JSON as the key of an object."""
    return value if isinstance(value, str) else json.dumps(value)


def json_number(bound: Any) -> int | float | None:
    """A bound as JSON has numbers; None: it is no number (a date, a duration), or not finite."""
    if not isinstance(bound, numbers.Real | decimal.Decimal):
        return None
    number: Any = bound
    if not math.isfinite(number):
        return None
    return int(number) if number == int(number) and not isinstance(number, float) else float(number)


def plain(value: Any) -> Any:
    """A value as JSON has it; its text where JSON has nothing for it."""
    return json.loads(json.dumpb(value, default=str))


def own_doc(cls: type) -> str | None:
    """The class's own docstring; not the signature that dataclass() puts there, nor what enum did in Python 3.11."""
    doc = cls.__dict__.get("__doc__")
    if not isinstance(doc, str) or HOLE in doc or doc.startswith(f"{cls.__name__}("):
        return None
    return None if doc in ("An enumeration.", "") else inspect.cleandoc(doc).split("\f")[0].rstrip()


def describe(
    nodes: list[Node], root: int, ref: str, mode: str, encode: Callable[[int, Any], bytes]
) -> tuple[Described, dict[str, Described]]:
    """(the schema, its definitions); ref: how a definition is named, with {} for its name; mode: one of MODES."""
    if mode not in MODES:
        raise ValueError(f"mode is {' or '.join(MODES)}, not {mode!r}")
    definitions = OwnDefinitions(ref)
    described = Describer(nodes, definitions, mode == "serialization", encode).describe(root)
    return described, definitions.described


def describe_in(
    definitions: Definitions, nodes: list[Node], root: int, mode: str, encode: Callable[[int, Any], bytes]
) -> Described:
    """The same for a document of many schemas, with their definitions in `definitions`."""
    described: Described = without_nulls(Describer(nodes, definitions, mode == "serialization", encode).describe(root))
    return described
