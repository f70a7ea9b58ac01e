"""Nothing is left behind by reading, refusing and writing, of any type; nor when memory runs out in the middle.

LANNER_ROUNDS=200 repeats it as often (200: more than ten thousand documents for each type).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import json
import operator
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lanner import _core
from lanner.json import JSONEncodeError, dumpb, dumps, loads
from lanner.schema import JSONDecodeError, Schema, ValidationError
from lanner.schema._schema import MADE_OF
from tests.support import schema_types
from tests.support.schema_types import DOCUMENTS, REFUSED, TYPES, Plain, Tree, name_of

ROUNDS = int(os.environ.get("LANNER_ROUNDS", "12"))
SMALL = [document for document in DOCUMENTS if len(document) < 200]
BROKEN = [document for document in REFUSED if len(document) < 100]
BYTES_MAX = 64 << 10  # of malloc(), which keeps some
ALLOCATIONS_MAX = 2000  # in one call, by far

try:
    import _testcapi
except ImportError:  # CPython's own tests are not installed
    _testcapi = None


def everything(schema: Schema[Any]) -> Callable[[], None]:
    """Reads, refuses and writes by the schema, by all of its roads."""
    values = []
    for document in SMALL:
        with contextlib.suppress(ValidationError):
            values.append(schema.decode(document))
    objects = [json.loads(document) for document in SMALL]

    def work() -> None:
        for read, given in (
            (schema.decode, [*SMALL, *BROKEN]),
            (schema.validate, objects),
            (schema.encode, [*values, *objects]),
        ):
            for item in given:
                try:
                    read(item)
                except ValidationError as error:
                    error.errors()
                    error.json()
                    error.pointers()
                    str(error)
                except (JSONDecodeError, JSONEncodeError):
                    pass

    return work


class MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks")
    ] + [(name, ctypes.c_size_t) for name in ("uordblks", "fordblks", "keepcost")]


def malloced() -> int:
    """Bytes in use of malloc(): what C++ holds, and Python beyond 512 bytes."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = MallInfo
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


def blocks_left_by(work: Callable[[], None], rounds: int) -> int:
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(rounds):
        work()
    gc.collect()
    return sys.getallocatedblocks() - before


def leaves_nothing(work: Callable[[], None], rounds: int) -> bool:
    """What is lost by one call is lost each time; what caches take comes to an end."""
    return any(blocks_left_by(work, rounds) < rounds for _ in range(10))


@pytest.mark.parametrize("profile", ["json", "compat"])
@pytest.mark.parametrize("tp", TYPES, ids=name_of)
def test_nothing_is_left_of_any_value_or_error(tp: Any, profile: Any) -> None:
    work = everything(Schema(tp, profile=profile))
    for _ in range(2):
        work()
    before = malloced()
    assert leaves_nothing(work, ROUNDS)
    assert malloced() - before < BYTES_MAX


def counted() -> list[Any]:
    """What values share: singletons, small numbers, classes, members, defaults."""
    classes = [
        item
        for item in vars(schema_types).values()
        if isinstance(item, type) and item.__module__ == schema_types.__name__
    ]
    members = [*schema_types.Color, *schema_types.Level]
    return [
        None,
        True,
        False,
        (),
        "",
        "a",
        "x",
        0,
        1,
        *classes,
        *members,
        schema_types.Slotted.__dataclass_fields__["b"].default,
    ]


@pytest.mark.parametrize("tp", TYPES, ids=name_of)
def test_what_values_share_is_counted_right(tp: Any) -> None:
    work = everything(Schema(tp))
    work()
    gc.collect()
    items = counted()
    before = [sys.getrefcount(item) for item in items]
    for _ in range(ROUNDS):
        work()
    gc.collect()
    after = [sys.getrefcount(item) for item in items]
    lost = [(item, b - a) for item, a, b in zip(items, before, after, strict=True) if abs(b - a) >= max(ROUNDS, 8)]
    assert not lost


@contextlib.contextmanager
def no_memory(first: int, count: int) -> Iterator[None]:
    """Python's allocator fails at its allocation number `first`, counted from here, and at those behind it."""
    _testcapi.set_nomemory(first, first + count)
    try:
        yield
    finally:
        _testcapi.remove_mem_hooks()


def survives(work: Callable[[], Any], expected: Any, count: int) -> None:
    """With an allocation failing, each in turn, until none is left to fail: what is right, or MemoryError."""
    for first in range(ALLOCATIONS_MAX):
        failed = False
        result = None
        try:
            with no_memory(first, count):
                result = work()
        except MemoryError:
            failed = True
        if not failed:
            assert result == expected, first
            if first > 3 and not failing(work, first + 1):
                return
    raise AssertionError("there is no end of allocations")


def failing(work: Callable[[], Any], first: int) -> bool:
    """Whether an allocation that late fails the call."""
    try:
        with no_memory(first, 10_000):
            work()
    except MemoryError:
        return True
    return False


def outcome(read: Callable[[Any], Any], given: Any, prepare: Callable[[Any], Any] | None = None) -> Callable[[], Any]:
    """read(given), or read(prepare(given)), or what it refuses, as a value to compare.

    No other Python function is called: CPython 3.11 has no exception where it has no memory for a frame.
    """

    def work() -> Any:
        try:
            return read(given) if prepare is None else read(prepare(given))
        except ValidationError as error:
            return error.errors()
        except ValueError as error:
            return type(error)

    return work


needs_testcapi = pytest.mark.skipif(
    _testcapi is None or not hasattr(_testcapi, "set_nomemory"), reason="no set_nomemory"
)
WITHOUT = [
    *(
        b'{"a":1}',
        b'{"a":[{"a":-1}]}',
        b'{"a":"x","kind":"puppy"}',
        b"[1]",
        b'[{"a":1}]',
        b'"2024-02-29"',
        b"1" * 30,
        b"tru",
    ),
    *(b'"\xe2\x82\xac"', b'{"\xe2\x82\xac":"\xc3\xa9","kind":"\xe2\x82\xac"}', b'["\xe2\x82\xac"]', b"1.5"),
]
# pydantic panics when there is no memory (pyo3: "PyObject pointer is null").
HARDENED = [tp for tp in TYPES if tp is not schema_types.User]


@needs_testcapi
@pytest.mark.parametrize("count", [1, 30])
@pytest.mark.parametrize("tp", HARDENED, ids=name_of)
def test_a_lack_of_memory_is_a_memory_error(tp: Any, count: int) -> None:
    schema = Schema(tp)
    for document in WITHOUT:
        decode = outcome(schema.decode, document)
        survives(decode, decode(), count)
        with contextlib.suppress(ValueError):
            validate = outcome(schema.validate, document, loads)  # anew each time: a str keeps its UTF-8
            survives(validate, validate(), count)
            encode = outcome(schema.encode, schema.validate(loads(document)))
            survives(encode, encode(), count)


@needs_testcapi
@pytest.mark.parametrize("count", [1, 30])
def test_json_is_written_and_read_without_memory(count: int) -> None:
    value = {"name": "x" * 100, "many": [1.5, 2**70, None, "\u20ac", {"a": ["b"]}], "at": {"k": [True] * 20}}
    for work in (
        lambda: dumpb(value),
        lambda: dumps(value, indent=2, sort_keys=True),
        lambda: loads(dumpb(value)),
        outcome(loads, '["\u20ac", 1e5, {"a": [}'),
        outcome(dumpb, [float("nan")]),
        outcome(dumpb, {"a": {1, 2}}),
    ):
        survives(work, work(), count)


@needs_testcapi
def test_nothing_is_left_when_memory_ran_out() -> None:
    schemas = [Schema(Plain), Schema(list[Tree]), Schema(schema_types.Tagged), Schema(schema_types.Checked | None)]
    documents = [
        b'{"a":{"a":1},"tags":["x"]}',
        b'[{"kids":[{"a":1}]}]',
        b'{"kind":"puppy","a":"x"}',
        b'{"a":1}',
        b'{"a":"?"}',
    ]
    calls = [outcome(schema.decode, document) for schema in schemas for document in documents]
    calls += [outcome(schema.validate, json.loads(document)) for schema in schemas for document in documents]

    def work() -> None:
        for call in calls:
            for first in range(25):
                with contextlib.suppress(MemoryError), no_memory(first, 1):
                    call()

    work()
    assert leaves_nothing(work, 3)


@needs_testcapi
@pytest.mark.parametrize("count", [1, 30])
def test_a_lack_of_memory_for_text_values_is_a_memory_error(count: int) -> None:
    form = Schema(dict[str, list[int]])
    pairs = [("a", b"1"), ("b", "x"), ("a", bytearray(b"3")), ("c", "\udc80")]
    for work in (outcome(form.decode_pairs, pairs), outcome(Schema(list[int]).decode_text, ["1", "x", b"\xff"])):
        survives(work, work(), count)


@needs_testcapi
@pytest.mark.parametrize("tp", [Plain | None, list[Tree], schema_types.Color, schema_types.Tagged, dict[str, float]])
def test_a_description_read_without_memory_is_a_memory_error(tp: Any) -> None:
    """Not a schema that lacks what was not read."""
    schema = Schema(tp)
    document = b'{"a":{"a":1,"b":"x"}}'
    make = functools.partial(_core.Schema, root=schema._root, title="T", classes=MADE_OF)
    decode = operator.methodcaller("decode", document)
    survives(outcome(decode, schema._nodes, make), outcome(schema.decode, document)(), 1)
