"""lanner.json.Raw as a type: JSON that is stored unparsed."""

from __future__ import annotations

from typing import Any

from lanner.json import JSONEncodeError, Raw, dumpb


class Refused(Exception):
    """A value that has no form in JSON. errors: as ValidationError has them."""

    def __init__(self, reason: str, value: object) -> None:
        super().__init__(reason)
        error = {"type": "value_error", "loc": (), "msg": f"Value error, {reason}", "input": value}
        self.errors = [{**error, "ctx": {"error": reason}}]


class RawCodec:
    """Reads, writes and describes; called as pydantic's validators and serializers are."""

    def validate_json(self, text: bytes) -> Raw:
        return Raw(text, trusted=True)  # it was checked when it was passed over

    def validate_python(self, value: object) -> Raw:
        try:
            return value if isinstance(value, Raw) else Raw(dumpb(value), trusted=True)
        except JSONEncodeError as error:
            raise Refused(str(error), value) from None

    def to_json(self, value: Raw) -> bytes:
        return value.data

    def json_schema(self, **options: Any) -> dict[str, Any]:
        return {}
