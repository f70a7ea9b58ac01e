"""Run under failing_malloc.c, whose path is the argument: reads, writes and refuses by schemas, and as plain JSON.

Each C allocation of the extension fails in turn. What is wrong then is said, one line each; the process may also end.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pydantic

from lanner.json import JSONDecodeError, JSONEncodeError, dumpb, loads
from lanner.schema import Schema, ValidationError
from tests.support.schema_types import DOCUMENTS, REFUSED, TYPES, Plain, Tree, name_of

ALLOCATIONS_MAX = 500  # in one call, by far
FAILED_MIN = 1000  # in all
EXECUTABLE_PARTS = 2  # whose allocations fail: of the extension, and of the C++ library
HARDENED = [tp for tp in TYPES if not hasattr(tp, "model_validate")]  # pydantic panics without memory
SHORT = [document for document in (*DOCUMENTS, *REFUSED) if len(document) < 200]
LONG = [
    b"[" + b",".join(b"%d" % i for i in range(500)) + b"]",
    b'["' + b"x" * 3000 + b'\\n"]',
    b'{"a":' + b"[" * 50 + b'"\\u00e9"' + b"]" * 50 + b"}",
    b'{"%s\\u00e9":"x"}' % (b"k" * 3000),
    b"[" + b'"x",' * 70 + b"1]",
    b'{"kids":[' + b'{"a":"x","kids":[]},' * 10 + b"5]}",
]
NUMBERS = [b'"1_000"', b'" -123_456_789_012_345_678_901_234_567_890.0 "', b'"1_0.5_0e1_0"', b'"1__0"', b"1" * 4000]
UUIDS = [b'"1234"', b'"12345678-1234-1234-1234-123456789 12"', b'"1234567-81234-1234-1234-123456789012"']

Text = Annotated[str, pydantic.StringConstraints(pattern="^(a|b)*c[d-f]+$")]
TEXTS = [b'"%scd"' % (b"ab" * 500), b'"%s"' % (b"ab" * 500)]


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ValidationError as error:
        return error.errors(), error.pointers(), str(error), repr(error), error.json()
    except (JSONDecodeError, JSONEncodeError) as error:
        return str(error)


def calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is called, by a name that says which it is."""
    compat = {"profile": "compat"}
    schemas: list[tuple[str, Schema[Any], list[bytes]]] = [(name_of(tp), Schema(tp), SHORT) for tp in HARDENED]
    schemas += [(name_of(tp), Schema(tp), LONG) for tp in (Tree, Plain, list[int], list[str], dict[str, int], Any)]
    lax = {name_of(tp): Schema(tp, **compat) for tp in HARDENED}  # type: ignore[arg-type]
    schemas += [(f"{name} (compat)", schema, [*NUMBERS, *UUIDS, *SHORT]) for name, schema in lax.items()]
    for name, schema, documents in schemas:
        for document in documents:
            yield f"{name}: decode {document[:60]!r}", lambda d=document, s=schema: s.decode(d)
            with contextlib.suppress(ValueError):
                given = loads(document)
                yield f"{name}: validate {given!r:.60}", lambda g=given, s=schema: s.validate(g)
                value = schema.validate(given)
                yield f"{name}: encode {given!r:.60}", lambda v=value, s=schema: s.encode(v)
    for tp in HARDENED:  # but for patterns: RE2 cannot be made by halves
        if "pattern" not in repr(tp):
            yield f"{name_of(tp)}: Schema", lambda t=tp: Schema(t) is not None
    text = Schema(Text)
    yield from ((f"match {document[:60]!r}", lambda d=document: text.decode(d)) for document in TEXTS)
    form = Schema(dict[str, list[int]])
    pairs = [("a", b"1"), ("b", "x"), ("a", bytearray(b"3")), ("b", b"1_0"), ("c", "\udc80")] * 20
    yield "decode_pairs", lambda: form.decode_pairs(pairs)
    yield "decode_text", lambda: Schema(list[int]).decode_text(["1", "x"] * 50)
    for document in [*SHORT, *LONG]:
        yield f"loads {document[:60]!r}", lambda d=document: loads(d)
        with contextlib.suppress(ValueError):
            given = loads(document)
            yield f"dumpb {document[:60]!r}", lambda g=given: dumpb(g, sort_keys=True)


def survives(name: str, call: Callable[[], Any], shim: ctypes.CDLL) -> int:
    """How many allocations failed."""
    expected = outcome(call)
    count = 0
    for stays in (0, 1):
        for number in range(ALLOCATIONS_MAX):
            shim.failing_malloc_begin(number, stays)
            try:
                result = outcome(call)
            except MemoryError:
                result = MemoryError
            failed = shim.failing_malloc_end()
            same = result == expected or repr(result) == repr(expected)  # NaN is not itself
            if not same and not (result is MemoryError and failed):
                print(f"{name}: allocation {number}: {result!r:.200}")
            if not failed:
                break
            count += failed
        else:
            print(f"{name}: there is no end of allocations")
    return count


def main() -> None:
    faulthandler.enable()
    shim = ctypes.CDLL(sys.argv[1])
    parts = shim.failing_malloc_watch()
    if parts != EXECUTABLE_PARTS:
        raise SystemExit(f"{parts} parts of the process are watched, not {EXECUTABLE_PARTS}")
    count = 0
    for name, call in calls():
        sys.stderr.write(f"{name}\n")  # the last line, where the process ends
        count += survives(name, call, shim)
    sys.stderr.write(f"{count} allocations failed\n")
    if count < FAILED_MIN:
        print(f"only {count} allocations failed")


if __name__ == "__main__":
    main()
