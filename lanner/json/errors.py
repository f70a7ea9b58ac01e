"""The errors of JSON text: a document that is none, and a value that has no form in it."""

import json


class JSONDecodeError(json.JSONDecodeError):
    """A document is not JSON. Also a json.JSONDecodeError and so a ValueError.

    msg: what is wrong. offset (and pos): in bytes, of the UTF-8 form if the document was a str. lineno, colno: from 1,
    the column in code points. doc is empty: an error does not keep the document.

    Example: `loads(b'[1,]')` raises "a value is expected: line 1 column 4 (byte 3)".
    """

    __module__ = "lanner.json"  # where its users find it

    def __init__(self, msg: str, offset: int, lineno: int, colno: int) -> None:
        ValueError.__init__(self, f"{msg}: line {lineno} column {colno} (byte {offset})")
        self.msg = msg
        self.doc = ""
        self.offset = self.pos = offset
        self.lineno = lineno
        self.colno = colno

    def __reduce__(self) -> tuple[type["JSONDecodeError"], tuple[str, int, int, int]]:
        return type(self), (self.msg, self.offset, self.lineno, self.colno)


class JSONEncodeError(TypeError, ValueError):
    """A value has no form in JSON: its type, a NaN, a lone surrogate, a circle.

    msg: what is wrong and what would help. path: where, e.g. "$.items[3].price"; "$" is the value itself.

    Example: `dumps({"x": [float("nan")]})` raises "$.x[0]: NaN and Infinity are no JSON numbers ...".
    """

    __module__ = "lanner.json"

    def __init__(self, msg: str, path: str = "$") -> None:
        super().__init__(f"{path}: {msg}")
        self.msg = msg
        self.path = path

    def __reduce__(self) -> tuple[type["JSONEncodeError"], tuple[str, str]]:
        return type(self), (self.msg, self.path)
