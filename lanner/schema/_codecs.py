"""What reads a value in Python for the engine, called as pydantic's validators and serializers are."""

from __future__ import annotations

import base64
import binascii
import enum
from collections.abc import Callable
from typing import Any

from lanner import _core
from lanner.json import JSONEncodeError, Raw, dumpb, loads
from lanner.schema._aliases import Path, starts
from lanner.schema._raw import Refused

Error = dict[str, Any]
NOTHING: Any = object()
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
PIECES, ITEMS = dict[str, Raw], list[Raw]  # an object and an array whose values are left unread


class Codec:
    """Reads by the other nodes of the schema that it is part of; the schema says which it is when it is made."""

    schema: _core.Schema
    schema_of: Callable[[Any], _core.Schema]  # a type's own
    from_attributes = False

    def json_schema(self, **options: Any) -> dict[str, Any]:
        return {}


class EnumCodec(Codec):
    """An Enum with a _missing_() of its own, which is asked for what is no member's value."""

    def __init__(self, cls: type[enum.Enum], choice: int) -> None:
        self.cls = cls
        self.choice = choice

    def validate_json(self, text: bytes) -> Any:
        try:
            return self.schema.decode_as(self.choice, text)
        except _core.ValidationError as error:
            return self.missing(loads(text), error)

    def validate_python(self, value: object) -> Any:
        try:
            return self.schema.validate_as(self.choice, value)
        except _core.ValidationError as error:
            return self.missing(value, error)

    def to_json(self, value: object) -> bytes:
        return self.schema.encode_as(self.choice, value)

    def missing(self, value: object, error: _core.ValidationError) -> Any:
        try:
            found = self.cls._missing_(value)
        except ValueError:
            found = None
        if found is None:
            raise Refused([{**problem, "loc": (), "input": value} for problem in error.errors()]) from None
        if not isinstance(found, self.cls):
            name = self.cls.__name__
            raise TypeError(f"{name}._missing_() returned {found!r}, which is neither None nor a member of {name}")
        return found


class EnumKeyCodec(EnumCodec):
    """The same as a key, where a number is its digits: read as the only key of an object, by the node `keys`."""

    def __init__(self, cls: type[enum.Enum], choice: int, keys: int) -> None:
        super().__init__(cls, choice)
        self.keys = keys

    def validate_json(self, text: bytes) -> Any:
        try:
            return next(iter(self.schema.decode_as(self.keys, b"{" + text + b":0}")))
        except _core.ValidationError as error:
            return self.missing(loads(text), error)

    def validate_python(self, value: object) -> Any:
        try:
            return next(iter(self.schema.validate_as(self.keys, {value: 0})))
        except _core.ValidationError as error:
            return self.missing(value, error)


class Base64Codec:
    """bytes as text in base64 (RFC 4648, section 4 or 5): padded, nothing else between."""

    def __init__(self, urlsafe: bool, lengths: dict[str, int]) -> None:
        self.urlsafe = urlsafe
        self.lengths = lengths  # min_length, max_length: of the bytes

    def validate_json(self, text: bytes) -> bytes:
        return self.read(loads(text))

    def validate_python(self, value: object) -> bytes:
        return bytes(value) if isinstance(value, bytes | bytearray) else self.read(value)

    def read(self, value: object) -> bytes:
        if not isinstance(value, str):
            raise Refused([{"type": "bytes_type", "loc": (), "msg": "Input should be a valid bytes", "input": value}])
        try:
            raw = value.encode("ascii")
            if self.urlsafe:
                if b"+" in raw or b"/" in raw:
                    raise ValueError("a character of the other alphabet")
                raw = raw.replace(b"-", b"+").replace(b"_", b"/")
            return binascii.a2b_base64(raw, strict_mode=True)
        except ValueError as error:
            why = "Only base64 data is allowed" if isinstance(error, UnicodeEncodeError) else str(error)
            message = f"Base64 decoding error: '{why}'"
            problem: Error = {"type": "base64_decode", "loc": (), "msg": message, "input": value, "ctx": {"error": why}}
            raise Refused([problem]) from None

    def to_json(self, value: object) -> bytes:
        if not isinstance(value, bytes | bytearray):
            raise JSONEncodeError(f"bytes expected, not {type(value).__name__}")
        text = base64.urlsafe_b64encode(value) if self.urlsafe else base64.b64encode(value)
        return b'"' + text + b'"'

    def json_schema(self, **options: Any) -> dict[str, Any]:
        described: dict[str, Any] = {"type": "string", "contentEncoding": "base64url" if self.urlsafe else "base64"}
        for name, word in (("min_length", "minLength"), ("max_length", "maxLength")):
            if name in self.lengths:
                described[word] = (self.lengths[name] + 2) // 3 * 4
        return described


class AliasCodec(Codec):
    """A record with fields that are read from one of several places; a document of its own is made for the others.

    `inner` is the node of the record whose names are those of the document that is made: "\\0" and a number for each
    field, "\\1" and the name for what no field has.
    """

    def __init__(self, cls: type | None, places: dict[str, list[Path]], forbid_extra: bool) -> None:
        self.cls = cls  # whose instances are values already
        self.places = places
        self.forbid_extra = forbid_extra
        self.known = {path[0] for paths in places.values() for path in paths}
        self.inner = -1

    def validate_json(self, text: bytes) -> Any:
        try:
            pieces = self.schema_of(PIECES).decode(text)
        except _core.ValidationError:  # no object
            return self.read(lambda: self.schema.decode_as(self.inner, text), {}, NOTHING)
        found, loc = self.chosen(lambda path: find(pieces, path, self.step_in_json), pieces)
        document = dumpb(found)
        return self.read(lambda: self.schema.decode_as(self.inner, document), loc, text)

    def validate_python(self, value: object) -> Any:
        found: Any = value
        loc: dict[str, Path] = {}
        if isinstance(value, dict):
            found, loc = self.chosen(lambda path: find(value, path, step_in_object), value)
        elif self.cls is not None and isinstance(value, self.cls):
            return value
        elif self.from_attributes and has_attributes(value):
            found, loc = self.chosen(lambda path: find(value, path, step_by_attribute), {})
        return self.read(lambda: self.schema.validate_as(self.inner, found), loc, value)

    def step_in_json(self, piece: Any, step: str | int) -> Any:
        if isinstance(piece, dict):
            return piece.get(step, NOTHING)
        data = piece.data
        if isinstance(step, str):
            return self.schema_of(PIECES).decode(data).get(step, NOTHING) if starts(data, b"{") else NOTHING
        items = self.schema_of(ITEMS).decode(data) if starts(data, b"[") else []
        return items[step] if -len(items) <= step < len(items) else NOTHING

    def pairs_reader(self, inner: _core.Schema) -> Any:
        """decode_pairs() of a schema whose root this is; inner: one whose root is the inner record."""

        def decode_pairs(pairs: Any, /, *, empty_as_none: bool = False) -> Any:
            renamed, loc = self.pairs(pairs)
            try:
                return inner.decode_pairs(renamed, empty_as_none=empty_as_none)
            except _core.ValidationError as error:
                errors = self.renamed(error.errors(), loc, NOTHING)
                title = str(error).partition(" for ")[2].partition("\n")[0]
                raise _core.restore_validation_error(title, errors) from None

        return decode_pairs

    def pairs(self, pairs: Any) -> tuple[list[tuple[Any, Any]], dict[str, Path]]:
        """The pairs of a query string under the names of the inner record."""
        names = {text_of(name) for name, _ in pairs}
        found, loc = self.chosen(lambda path: path[0] if len(path) == 1 and path[0] in names else NOTHING, {})
        renamed = {given: inner for inner, given in found.items()}
        made = []
        for name, value in pairs:
            text = text_of(name)
            if text in renamed:
                made.append((renamed[text], value))
            elif text not in self.known:
                made.append((f"\1{text}".encode("utf-8", "surrogateescape"), value))
        return made, loc

    def chosen(self, look: Any, pieces: dict[Any, Any]) -> tuple[dict[Any, Any], dict[str, Path]]:
        """(what each field is read from, by the name of the inner record; where that stood)."""
        found: dict[Any, Any] = {}
        loc: dict[str, Path] = {}
        for name, paths in self.places.items():
            loc[name] = paths[0]
            for path in paths:
                value = look(path)
                if value is not NOTHING:
                    found[name], loc[name] = value, path
                    break
        if self.forbid_extra:
            found.update({f"\1{name}": value for name, value in pieces.items() if name not in self.known})
        return found, loc

    def read(self, call: Any, loc: dict[str, Path], given: Any) -> Any:
        try:
            return call()
        except _core.ValidationError as error:
            raise Refused(self.renamed(error.errors(), loc, given)) from None

    def renamed(self, errors: list[Error], loc: dict[str, Path], given: Any) -> list[Error]:
        """The errors with the places of the document that was given."""
        made: list[Error] = []
        for error in errors:
            first: Any
            first, *rest = error["loc"] or (None,)
            place: tuple[Any, ...] = loc.get(first, (first[1:],) if str(first).startswith("\1") else (first,))
            error = {**error, "loc": (*place, *rest) if error["loc"] else ()}
            if given is not NOTHING and (error["type"] == "missing" and not rest):
                error["input"] = loads(given) if isinstance(given, bytes) else given
            made.append(error)
        return made


def text_of(name: Any) -> str:
    return name if isinstance(name, str) else bytes(name).decode("utf-8", "surrogateescape")


def find(value: Any, path: Path, step_into: Callable[[Any, str | int], Any]) -> Any:
    """What stands at the end of the path; what step_into() returns where there is no further way."""
    for step in path:
        value = step_into(value, step)
        if value is NOTHING:
            break
    return value


def step_in_object(value: Any, step: str | int) -> Any:
    if isinstance(step, str):
        return value.get(step, NOTHING) if isinstance(value, dict) else NOTHING
    if not isinstance(value, list | tuple):
        return NOTHING
    return value[step] if -len(value) <= step < len(value) else NOTHING


def has_attributes(value: object) -> bool:
    """As the engine has it: an object of a class that is no builtin."""
    return not isinstance(value, type) and bool(type(value).__flags__ & HEAP_TYPE)


def step_by_attribute(value: Any, step: str | int) -> Any:
    if isinstance(step, str) and not isinstance(value, dict):
        return getattr(value, step, NOTHING)
    return step_in_object(value, step)
