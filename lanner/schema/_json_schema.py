"""Types as JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it: one definition for each named type."""

from __future__ import annotations

from typing import Any

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
    "decimal": {"anyOf": [{"type": "number"}, {"type": "string"}]},
}
BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
SIZES = {"string": "Length", "dict": "Properties"}
NOTES = ("title", "description", "examples", "deprecated", "format")


class Describer:
    """Describes the nodes of one schema; `definitions` are the named types met on the way."""

    def __init__(self, nodes: list[Node], ref: str) -> None:
        self.nodes = nodes
        self.ref = ref
        self.definitions: dict[str, Described] = {}
        self.names: dict[int, str] = {}

    def describe(self, index: int) -> Described:
        node = self.nodes[index]
        if "same_as" in node:
            inner = self.describe(node["same_as"])
            return {"anyOf": [inner, {"type": "null"}]} if node.get("nullable") else inner
        kind = node["kind"]
        if kind in SCALARS:
            described = dict(SCALARS[kind])
        elif kind == "record":
            return self.named(index, node)
        elif kind == "choice":
            described = self.choice(index, node)
        else:
            described = self.composed(kind, node)
        self.add_rules(described, node)
        return described

    def composed(self, kind: str, node: Node) -> Described:
        children = node.get("children", [])
        if kind in ("list", "tuple"):
            return {"type": "array", "items": self.describe(children[0])}
        if kind in ("set", "frozenset"):
            return {"type": "array", "items": self.describe(children[0]), "uniqueItems": True}
        if kind == "fixed":
            size = len(children)
            items = {"prefixItems": [self.describe(child) for child in children]} if children else {}
            return {"type": "array", **items, "minItems": size, "maxItems": size}
        if kind == "dict":
            return {"type": "object", "additionalProperties": self.describe(children[1]) or True}
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

    def tagged(self, node: Node) -> Described:
        members = [self.describe(child) for child in node["children"]]
        mapping = {
            text: members[member]["$ref"] for text, _, member in node["tags"]["tags"] if "$ref" in members[member]
        }
        return {"oneOf": members, "discriminator": {"propertyName": node["tags"]["key"], "mapping": mapping}}

    def choice(self, index: int, node: Node) -> Described:
        cls = node["choices"]["type"]
        values = [value for value, _ in node["choices"]["values"] if not hasattr(value, "value")]
        described: Described = {"const": values[0]} if len(values) == 1 else {"enum": values}
        kinds = {type(value) for value in values}
        names = {str: "string", int: "integer", bool: "boolean", float: "number"}
        if len(kinds) == 1 and (kind := names.get(kinds.pop())) is not None:
            described["type"] = kind
        if cls is None:
            return described
        name = self.name(index, cls.__name__)
        self.definitions[name] = {"title": cls.__name__, **described}
        return {"$ref": self.ref.format(name)}

    def name(self, index: int, wanted: str) -> str:
        """A name for a definition; two types with the same name get different ones."""
        if index not in self.names:
            wanted = "".join(c if c.isalnum() or c in "._-" else "_" for c in wanted).strip("_")
            taken = set(self.names.values()) | set(self.definitions)
            name, number = wanted, 2
            while name in taken:
                name, number = f"{wanted}_{number}", number + 1
            self.names[index] = name
        return self.names[index]

    def named(self, index: int, node: Node) -> Described:
        known = index in self.names
        name = self.name(index, node["name"])
        if known:
            return {"$ref": self.ref.format(name)}
        record, spec = node["record"], node["spec"]
        properties: dict[str, Described] = {}
        required: list[str] = []
        self.definitions[name] = {}  # taken, before the fields ask for names
        if spec.tag is not None:
            properties[spec.tag[0]] = {"const": spec.tag[1]}
            required.append(spec.tag[0])
        for field in record["fields"]:
            if not field["takes_input"]:
                continue
            described = self.describe(field["node"])
            if field["has_default"] and isinstance(field["default"], str | int | float | bool | None):
                described = {**described, "default": field["default"]}
            if "$ref" not in described:
                described = {"title": field["name"].replace("_", " ").title(), **described}
            properties[field["name"]] = described
            if field["required"]:
                required.append(field["name"])
        described = {"title": node["name"], "type": "object", "properties": properties}
        if required:
            described["required"] = required
        if record["forbid_extra"]:
            described["additionalProperties"] = False
        if doc := own_doc(node["cls"]):
            described["description"] = doc
        self.definitions[name] = described
        return {"$ref": self.ref.format(name)}

    def foreign(self, node: Node) -> Described:
        """A pydantic model: its own schema, with its definitions beside ours."""
        cls = node["cls"]
        if not hasattr(cls, "model_json_schema"):
            return {"type": "object", "title": cls.__name__}
        described: Described = cls.model_json_schema(ref_template=self.ref.replace("{}", "{model}"))
        self.definitions.update(described.pop("$defs", {}))
        if "$ref" not in described:
            self.definitions[cls.__name__] = described
            described = {"$ref": self.ref.format(cls.__name__)}
        return described

    def add_rules(self, described: Described, node: Node) -> None:
        said = node.get("said", {})
        for note in NOTES:
            if note in said:
                described[note] = said[note]
        for rule in node.get("rules", ()):
            demand, bound = rule["demand"], rule["object"]
            if demand in BOUNDS and isinstance(bound, int | float):
                described[BOUNDS[demand]] = bound
            elif demand in ("min_length", "max_length"):
                described[demand[:3] + SIZES.get(node["kind"], "Items")] = bound
            elif demand == "pattern" and rule["slug"] == "string_pattern_mismatch":
                described["pattern"] = rule["context"]["pattern"]
            elif demand == "unique":
                described["uniqueItems"] = True


def own_doc(cls: type) -> str | None:
    """The class's own docstring; not the signature that dataclass() puts there."""
    doc = cls.__dict__.get("__doc__")
    if not isinstance(doc, str) or HOLE in doc or doc.startswith(f"{cls.__name__}("):
        return None
    return doc.strip()


def describe(nodes: list[Node], root: int, ref: str) -> tuple[Described, dict[str, Described]]:
    """(the schema, its definitions); ref: how a definition is named, with {} for its name."""
    describer = Describer(nodes, ref)
    described = describer.describe(root)
    return described, describer.definitions
