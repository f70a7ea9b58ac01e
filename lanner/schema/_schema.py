"""Schema: a type, compiled once."""

from __future__ import annotations

import builtins
import decimal
import functools
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypedDict, TypeVar, Unpack, overload

from lanner import _core
from lanner.schema import _codecs, _compile, _types
from lanner.schema._definitions import Definitions
from lanner.schema._foreign import errors_of
from lanner.schema._registry import Resolver

if TYPE_CHECKING:
    from lanner._core import TextValue

T = TypeVar("T")
Mode = Literal["validation", "serialization"]


class Options(TypedDict, total=False):
    """The keywords of Schema."""

    profile: Literal["json", "text", "compat"]
    errors: Literal["all", "first"]
    duplicate_keys: Literal["last", "reject"]
    resolver: Resolver | None
    from_attributes: bool


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
    resolver: asked for each type; returns an OwnType that says how this schema reads and writes it, or None. It comes
        before what register_type() said for all.
    from_attributes: validate() reads a record also from an object that has its fields as attributes.

    A schema can be pickled where its type can; a copy is the schema itself. Raises TypeError when the type, or a
    constraint on it, means nothing to a schema.

    Example: `Schema(list[Card]).decode(b'[{"name": "Opt"}]')`
    """

    if TYPE_CHECKING:  # what the engine returns, with the type

        @overload
        def __new__(cls, type: builtins.type[T], **options: Unpack[Options]) -> Schema[T]: ...
        @overload
        def __new__(cls, type: Any, **options: Unpack[Options]) -> Schema[Any]: ...
        def __new__(cls, type: Any, **options: Any) -> Any: ...
        def validate(self, value: object) -> T: ...
        def decode(self, data: bytes | bytearray | memoryview | str) -> T: ...
        def decode_text(
            self,
            values: TextValue | list[TextValue] | tuple[TextValue, ...],
            /,
            *,
            empty_as_none: bool = False,
        ) -> T: ...
        def decode_pairs(
            self, pairs: Sequence[tuple[TextValue, TextValue]], /, *, empty_as_none: bool = False
        ) -> T: ...

    else:

        def __new__(
            cls,
            type,
            *,
            profile="json",
            errors="all",
            duplicate_keys="last",
            resolver=None,
            from_attributes=False,
        ):
            options = {
                "profile": profile,
                "errors": errors,
                "duplicate_keys": duplicate_keys,
                "resolver": resolver,
                "from_attributes": from_attributes,
            }
            return make(super().__new__, cls, type, options)

    type: Any
    _options: Options
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
        from lanner.schema import _json_schema

        return _json_schema.describe(self._nodes, self._root, ref, mode, self.encode_as)

    def describe(self, definitions: Definitions, *, mode: Mode = "validation") -> dict[str, Any]:
        """The type as JSON Schema in a document of many types, whose definitions are in `definitions`."""
        from lanner.schema import _json_schema

        return _json_schema.describe_in(definitions, self._nodes, self._root, mode, self.encode_as)

    def __reduce__(self) -> tuple[Any, ...]:
        return remade, (type(self), self.type, self._options)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return f"Schema({_types.type_name(self.type)})"


def make(new: Callable[..., Schema[Any]], cls: builtins.type[Schema[Any]], type: Any, options: Options) -> Schema[Any]:
    """Compiles the type; new: what the engine makes of its nodes."""
    profile, errors, duplicate_keys = options["profile"], options["errors"], options["duplicate_keys"]
    if profile not in PROFILES:
        raise ValueError(f"no such profile: {profile!r}; there are {', '.join(PROFILES)}")
    if errors not in ("all", "first") or duplicate_keys not in ("last", "reject"):
        raise ValueError('errors is "all" or "first"; duplicate_keys is "last" or "reject"')
    compiler = _compile.Compiler(options["resolver"])
    try:
        root = compiler.compile(type)
    except RecursionError:
        raise TypeError(f"{_types.type_name(type)} is nested too deep, or names ever larger types") from None
    nodes = compiler.nodes
    made = new(
        cls,
        nodes,
        root,
        _types.type_name(type),
        MADE_OF,
        **engine_options(options),
    )
    made.type, made._options, made._nodes, made._root = type, options, nodes, root
    for codec in compiler.codecs:
        codec.schema, codec.schema_of = made, schema_of
        codec.from_attributes = options["from_attributes"]
    outer = compiler.member(root)
    reading = nodes[outer["children"][-1]].get("object") if outer["kind"] == "custom" else None
    if isinstance(reading, _codecs.AliasCodec):
        inner = _core.Schema(nodes, reading.inner, _types.type_name(type), MADE_OF, **engine_options(options))
        vars(made)["decode_pairs"] = reading.pairs_reader(inner)
    return made


@functools.cache
def schema_of(type: Any) -> Schema[Any]:
    """The schema of a type that codecs read pieces of documents by; made once."""
    return Schema(type)


def engine_options(options: Options) -> dict[str, Any]:
    return {
        "profile": PROFILES[options["profile"]],
        "errors_max": ERRORS_MAX if options["errors"] == "all" else 1,
        "reject_duplicates": options["duplicate_keys"] == "reject",
        "from_attributes": options["from_attributes"],
    }


def remade(cls: builtins.type[Schema[Any]], type: Any, options: Options) -> Schema[Any]:
    """What pickle calls."""
    return cls(type, **options)
