"""Schema: a type, compiled once."""

from __future__ import annotations

import decimal
import uuid
from typing import Any, Generic, Literal, TypeVar

from lanner import _core
from lanner.schema import _compile, _json_schema, _types
from lanner.schema._foreign import errors_of

T = TypeVar("T")
Mode = Literal["validation", "serialization"]
PROFILES = {"json": 0, "text": 1, "compat": 2}
ERRORS_MAX = 64
MADE_OF = (uuid.UUID, decimal.Decimal, errors_of)  # what the engine makes values of


class Schema(_core.Schema, Generic[T]):
    """Reads, checks and writes values of one type.

    type: any type of docs/schema.md: dataclasses, TypedDicts, NamedTuples, containers, unions, scalars, ...
    profile: "json" (strict, but int is read as float, and what JSON can only say as text is read from text), "text"
        (all is text: query strings, forms) or "compat" (pydantic's lax mode).
    errors: "all" (up to 64) or "first".
    duplicate_keys: "last" (the last one wins) or "reject".

    Raises TypeError when the type, or a constraint on it, means nothing to a schema.

    Example: `Schema(list[Card]).decode(b'[{"name": "Opt"}]')`
    """

    def __new__(
        cls,
        type: Any,
        *,
        profile: Literal["json", "text", "compat"] = "json",
        errors: Literal["all", "first"] = "all",
        duplicate_keys: Literal["last", "reject"] = "last",
    ) -> Schema[T]:
        if profile not in PROFILES:
            raise ValueError(f"no such profile: {profile!r}; there are {', '.join(PROFILES)}")
        if errors not in ("all", "first") or duplicate_keys not in ("last", "reject"):
            raise ValueError('errors is "all" or "first"; duplicate_keys is "last" or "reject"')
        compiler = _compile.Compiler()
        try:
            root = compiler.compile(type)
        except RecursionError:
            raise TypeError(f"{_types.type_name(type)} is nested too deep, or names ever larger types") from None
        nodes = compiler.nodes
        self: Schema[T] = super().__new__(
            cls,
            nodes,
            root,
            _types.type_name(type),
            MADE_OF,
            profile=PROFILES[profile],
            errors_max=ERRORS_MAX if errors == "all" else 1,
            reject_duplicates=duplicate_keys == "reject",
        )
        self.type = type
        self._nodes, self._root = nodes, root
        return self

    type: Any
    _nodes: list[dict[str, Any]]
    _root: int

    def json_schema(self, *, ref: str = "#/$defs/{}", mode: Mode = "validation") -> dict[str, Any]:
        """The type as JSON Schema (draft 2020-12, which OpenAPI 3.1 takes); named types are under "$defs".

        ref: how a definition is referred to, with {} for its name.
        mode: "validation" (what decode() reads) or "serialization" (what encode() writes).

        Example: `Schema(int).json_schema()` is `{"type": "integer"}`
        """
        described, definitions = self.definitions(ref, mode=mode)
        return {**described, "$defs": definitions} if definitions else described

    def definitions(self, ref: str, *, mode: Mode = "validation") -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """(schema, definitions) apart: for a document that keeps the definitions of many types in one place."""
        return _json_schema.describe(self._nodes, self._root, ref, mode, self.encode_as)

    def __repr__(self) -> str:
        return f"Schema({_types.type_name(self.type)})"
