"""lanner.json.Raw as a type: JSON that is stored unparsed."""

from __future__ import annotations

from typing import Any

from lanner.json import JSONEncodeError, Raw, dumpb


class Refused(Exception):
    """A value that does not fit. errors: as ValidationError has them, with places from here."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__(errors)
        self.errors = errors


def value_error(reason: str, value: object) -> dict[str, Any]:
    message = f"Value error, {reason}"
    return {"type": "value_error", "loc": (), "msg": message, "input": value, "ctx": {"error": reason}}


class RawCodec:
    """Reads, writes and describes; called as pydantic's validators and serializers are."""

    def validate_json(self, text: bytes) -> Raw:
        return Raw(text, trusted=True)  # it was checked when it was passed over

    def validate_python(self, value: object) -> Raw:
        try:
            return value if isinstance(value, Raw) else Raw(dumpb(value), trusted=True)
        except JSONEncodeError as error:
            raise Refused([value_error(str(error), value)]) from None

    def to_json(self, value: Raw) -> bytes:
        return value.data

    def json_schema(self, **options: Any) -> dict[str, Any]:
        return {}
