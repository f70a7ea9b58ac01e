"""lanner.json.loads: what JSON text becomes, and what is refused, where."""

import contextlib
import gc
import itertools
import json as standard
import math
import os
import pickle
import random
import struct
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


def refused(document: bytes | str, **options: str) -> json.JSONDecodeError:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(document, **options)
    return caught.value


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-0", 0),
        ("-17", -17),
        ("1.5", 1.5),
        ("1E+2", 100.0),
        ('""', ""),
        ('"a"', "a"),
        ('"\\u00e9\\ud83d\\ude00\\n"', "\xe9\U0001f600\n"),
        ('"\xe9\u4e2d\U0001f600"', "\xe9\u4e2d\U0001f600"),
        ("[]", []),
        ("{}", {}),
        (" [ 1 , [ ] , { } ] ", [1, [], {}]),
        ('{"a":{"b":[null,{"c":"d"}]}}', {"a": {"b": [None, {"c": "d"}]}}),
        ('{"\\u0070ort":1,"p":2,"po":3}', {"port": 1, "p": 2, "po": 3}),
        ('{"":0}', {"": 0}),
        ('{"a":1,"a":2}', {"a": 2}),
    ],
)
def test_a_document_becomes_its_value(document, value):
    for data in (document, document.encode(), bytearray(document.encode()), memoryview(document.encode())):
        found = json.loads(data)
        assert found == value
        assert type(found) is type(value)


def test_integers_of_any_size_are_exact():
    for exponent in (62, 63, 64, 65, 200, 4000):
        for number in (2**exponent - 1, 2**exponent, -(2**exponent), -(2**exponent) - 1):
            assert json.loads(str(number)) == number
    for text in ("19933688932870350000", "19446744073709551616", "19999999999999999999"):
        assert json.loads(text) == int(text)


def test_an_integer_has_4300_digits_at_most():
    assert json.loads("7" * 4300) == int("7" * 4300)
    assert "4300 digits" in str(refused("[" + "7" * 4301 + "]"))
    assert refused("[" + "7" * 1_000_000 + "]").offset == 1
    assert json.loads("0." + "3" * 1_000_000) == 1 / 3


def test_doubles_are_the_nearest():
    for text in ("0.1", "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "9007199254740993.0", "1e23"):
        assert json.loads(text) == float(text)
    assert str(json.loads("-0.0")) == "-0.0"
    assert json.loads("1e-400") == 0.0


def test_numbers_of_every_shape_are_what_python_reads():
    chosen = random.Random(6)
    texts = []
    for integer, fraction in itertools.product(range(1, 26), range(26)):
        for exponent in ("", "e0", "E+9", "e-17", "e22", "e-300"):
            text = str(chosen.randrange(10**integer)) if chosen.random() < 0.9 else "0"
            if fraction:
                text += "." + f"{chosen.randrange(10 ** chosen.randint(1, fraction)):0{fraction}}"
            texts.append(chosen.choice(["", "-"]) + text + exponent)
    read = json.loads("[" + ",".join(texts) + "]")
    for text, number in zip(texts, read, strict=True):
        expected = int(text) if text.lstrip("-").isdigit() else float(text)
        assert repr(number) == repr(expected), text
        assert repr(json.loads(text)) == repr(expected), text  # at the end of a document


def test_random_doubles_come_back_to_the_bit():
    """100,000 of them; LANNER_DOUBLES=10000000 is the long run (make nightly)."""
    chosen = random.Random(7)
    left = int(os.environ.get("LANNER_DOUBLES", "100000"))
    while left > 0:
        drawn = struct.unpack("<5000d", chosen.randbytes(40_000))
        numbers = [number for number in drawn if math.isfinite(number)]
        left -= len(numbers)
        bits = struct.pack(f"<{len(numbers)}d", *numbers)
        for text in (json.dumpb(numbers), standard.dumps(numbers)):
            assert struct.pack(f"<{len(numbers)}d", *json.loads(text)) == bits


@pytest.mark.parametrize(
    ("document", "offset", "word"),
    [
        (b"", 0, "ends too early"),
        (b"[1,2", 4, "ends too early"),
        (b'{"a":', 5, "ends too early"),
        (b'"abc', 4, "ends too early"),
        (b"[1,]", 3, "value"),
        (b'{"a":1,}', 7, "key"),
        (b"{1:2}", 1, "key"),
        (b'{"a" 1}', 5, "colon"),
        (b"[1 2]", 3, "comma or ]"),
        (b'{"a":1 "b":2}', 7, "comma or }"),
        (b"1 2", 2, "nothing may follow"),
        (b"NaN", 0, "value"),
        (b"Infinity", 0, "value"),
        (b"-Infinity", 1, "number"),
        (b"01", 1, "number"),
        (b"[1.]", 3, "number"),
        (b"+1", 0, "value"),
        (b"[.5]", 1, "value"),
        (b"[1e400]", 1, "too large"),
        (b"\xef\xbb\xbf[]", 0, "value"),
        (b"[1]//", 3, "nothing may follow"),
        (b'"\x01"', 1, "control character"),
        (b'"a\nb"', 2, "control character"),
        (b'"\\x41"', 2, "escape"),
        (b'"\\u12g4"', 5, "escape"),
        (b'"\\ud800"', 1, "surrogate"),
        (b'"\\udc00"', 1, "surrogate"),
        (b'["\\ud800\\u0041"]', 2, "surrogate"),
        (b'"\xff"', 1, "UTF-8"),
        (b'["ok","\xed\xa0\x80"]', 7, "UTF-8"),
        (b'{"a\xc3":1}', 3, "UTF-8"),
        (b"[tru]", 4, "value"),
    ],
)
def test_what_is_no_json_is_refused_at_its_byte(document, offset, word):
    error = refused(document)
    assert (error.offset, error.pos, error.doc) == (offset, offset, "")
    assert word in str(error)


def test_line_and_column_are_those_of_an_editor():
    error = refused('{\n "\xe9\u4e2d": x\n}')
    assert (error.lineno, error.colno, error.offset) == (2, 8, 12)
    assert "line 2 column 8 (byte 12)" in str(error)


def test_an_error_is_a_json_error_and_can_be_pickled():
    error = refused("[1,]")
    assert isinstance(error, standard.JSONDecodeError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.offset, again.colno) == (str(error), error.offset, error.colno)


def test_duplicate_keys_are_refused_by_option():
    assert json.loads('{"a":1,"b":{"a":2}}', duplicate_keys="reject") == {"a": 1, "b": {"a": 2}}
    assert refused('{"a":1, "b":[{}], "a":2}', duplicate_keys="reject").offset == 18
    assert refused('[{"x":{"a":1,"\\u0061":[2,{"q":3}]}}]', duplicate_keys="reject").offset == 13
    with pytest.raises(ValueError, match='"last" or "reject"'):
        json.loads("{}", duplicate_keys="first")


def test_nesting_has_a_limit_and_no_recursion():
    assert json.loads("[" * 128 + "]" * 128)
    for opening, size in itertools.product(("[", '{"a":', '[{"":'), (129, 100_000)):
        assert "128 deep" in str(refused(opening * size))


def test_a_lone_surrogate_in_a_str_is_refused():
    assert "UTF-8" in str(refused('["\ud800"]'))


@pytest.mark.parametrize("data", [None, 3, ["[]"], object()])
def test_other_types_are_refused(data):
    with pytest.raises(TypeError, match="bytes, bytearray, memoryview or str"):
        json.loads(data)


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="one document"):
        json.loads()
    with pytest.raises(TypeError, match="no such argument: 'strict'"):
        json.loads("1", strict=False)


def test_a_memoryview_with_gaps_is_read_as_its_bytes():
    assert json.loads(memoryview(b"[_1_,_2_]_")[::2]) == [1, 2]


def test_keys_that_are_alike_are_not_mixed_up():
    keys = ["k" * size for size in range(80)] + [f"a{i}b" for i in range(3000)] + ["\xe9", "e\u0301", "\u4e2d" * 30]
    value = {key: i for i, key in enumerate(keys)}
    for _ in range(2):
        assert json.loads(standard.dumps(value)) == value
        assert json.loads(standard.dumps(value, ensure_ascii=False)) == value


def test_keys_are_told_apart_whatever_came_before():
    chosen = random.Random(8)
    names = [
        "",
        "a",
        "ab",
        "abc",
        "abcd" * 15 + "efg",
        "abcd" * 16,
        "abcd" * 16 + "e",
        'a"b',
        "a\\",
        "\n",
        "\xe9",
        "\u4e2d",
    ]
    for length in (1, 3, 200):
        for _ in range(200):
            records = [{chosen.choice(names): chosen.choice(names)} for _ in range(length)]
            padding = " " * chosen.choice([0, 100])
            assert json.loads(standard.dumps(records) + padding) == records
            assert json.loads(standard.dumps(records, ensure_ascii=False) + padding) == records


@pytest.mark.parametrize("padding", ["", " " * 100])
def test_a_key_is_not_taken_for_one_that_was_written_otherwise(padding):
    for _ in range(3):
        assert json.loads('{"a\\"b":1}' + padding) == {'a"b': 1}
        assert refused('{"a"b":1}' + padding).offset == 4
        assert json.loads('{"a\\\\":1}' + padding) == {"a\\": 1}
        assert refused('{"a\\":1}' + padding).offset == 8 + len(padding)
        assert json.loads('{"a\\n":1}' + padding) == {"a\n": 1}
        assert refused('{"a\n":1}' + padding).offset == 3


@pytest.mark.parametrize("padding", ["", " " * 100])
def test_strings_of_every_length_are_read(padding):
    for size in range(200):
        text = "".join(chr(0x20 + (index * 7 + size) % 0x5F) for index in range(size))
        for whole in (text, text + "\xe9", "\u4e2d" + text, text + "\U0001f985" + text):
            for ensure_ascii in (False, True):
                document = standard.dumps([whole, {whole: whole}], ensure_ascii=ensure_ascii)
                assert json.loads(document + padding) == [whole, {whole: whole}]


def first_broken(text: bytes) -> int | None:
    """Where Python's decoder stops."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def test_bytes_that_are_no_utf8_are_refused_wherever_they_are():
    document = '[{"id":1,"\u4e2d key":"\xe9\\n' + "x" * 70 + '\\u00e9\U0001f985"},"' + "y" * 40 + '\xe9",2.5,"z"]'
    raw = document.encode()
    for padding in (b"", b" " * 100):
        assert json.loads(raw + padding) == standard.loads(document)
        for at in range(len(raw)):
            for broken in (0x80, 0xC3, 0xE4, 0xED, 0xF0, 0xFF):
                changed = raw[:at] + bytes([broken]) + raw[at + 1 :] + padding
                broken_at = first_broken(changed)
                if broken_at is not None:
                    assert refused(changed).offset <= broken_at


def test_lists_of_numbers_and_what_is_between_them():
    chosen = random.Random(9)
    values = [
        0,
        -1,
        7,
        255,
        256,
        2**31,
        -(2**62),
        10**18,
        2**64,
        10**30,
        0.5,
        -1e-7,
        1e300,
        None,
        "x",
        [],
        [1],
        {"a": 1},
    ]
    for length in (0, 1, 2, 5, 300, 3000):
        for _ in range(20):
            numbers = chosen.choices(values, k=length)
            for separators in ((",", ":"), (" , ", ": "), (",\n", ":")):
                assert json.loads(standard.dumps(numbers, separators=separators)) == numbers
    for text, offset in (
        ("[.5]", 1),
        ("[1,2,]", 5),
        ("[1,-]", 4),
        ("[1,.5]", 3),
        ("[1,/]", 3),
        ("[1,2:3]", 4),
        ("[1,02]", 4),
    ):
        for padding in ("", " " * 100):
            assert refused(text + padding).offset == offset
    assert refused('{"a":1,2}' + " " * 100).offset == 7


def test_records_of_one_shape_are_independent_dicts():
    for size in (1, 2, 5, 6, 9, 64, 65, 200):
        keys = [f"field {i}" for i in range(size)]
        records = [{key: [n, i] if i == n % size else f"{n} {i}" for i, key in enumerate(keys)} for n in range(20)]
        found = json.loads(standard.dumps(records))
        assert found == records
        assert [list(record) for record in found] == [keys] * 20
        assert all(gc.is_tracked(record) for record in found)
        found[0]["more"] = 1
        del found[1][keys[0]]
        found[2][keys[-1]] = "other"
        assert found[3:] == records[3:]
        assert json.loads(standard.dumps(records)) == records


def test_records_of_changing_shapes():
    chosen = random.Random(5)
    names = ["a", "b", "c", "id", "name", "\xe9", "k" * 70]
    records = [
        {name: chosen.random() for name in chosen.sample(names, chosen.randint(0, len(names)))} for _ in range(2000)
    ]
    found = json.loads(standard.dumps(records))
    assert [list(record.items()) for record in found] == [list(record.items()) for record in records]
    assert json.loads('[{"a":1,"b":2,"a":3}' + ',{"a":1,"b":2,"a":3}' * 9 + "]") == [{"a": 3, "b": 2}] * 10


def test_many_values_on_one_level():
    value = list(range(5000)) + [[i] for i in range(1000)] + [{"i": i} for i in range(1000)]
    assert json.loads(standard.dumps(value)) == value


@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
@settings(max_examples=400, deadline=None)
def test_all_that_json_writes_is_read_as_json_reads_it(value, ensure_ascii, indent):
    document = standard.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    if not ensure_ascii and any("\ud800" <= char <= "\udfff" for char in document):
        refused(document)
        return
    if ensure_ascii and any(f"\\ud{digit}" in document.lower() for digit in "89abcdef"):
        try:
            expected = standard.loads(document)
            expected_text = standard.dumps(expected, ensure_ascii=False)
            expected_text.encode()
        except UnicodeEncodeError:
            refused(document)
            return
    found = json.loads(document)
    assert standard.dumps(found, sort_keys=True) == standard.dumps(standard.loads(document), sort_keys=True)


@given(st.text(alphabet='[]{}",:0123456789.eE+-\\utrfalsn \n\xe9\u4e2d', max_size=40))
@settings(max_examples=1500, deadline=None)
def test_what_json_refuses_is_refused_and_the_rest_is_equal(document):
    try:
        expected = standard.loads(document)
        standard.dumps(expected, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        refused(document)
    else:
        assert json.loads(document) == expected


@given(st.binary(max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_value_or_an_error_inside_them(data):
    offset = 0
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        offset = error.offset
    assert 0 <= offset <= len(data)


def test_nothing_is_left_behind(blocks_left_by: Callable[[Callable[[], object], int], int]):
    good = standard.dumps(
        [{"name": f"n{i}", "tags": ["a", i, 1.5, None, {"\xe9": "\u4e2d"}]} for i in range(50)]
    ).encode()
    documents = [good, good[:-1], good[:500], b'{"a":1,"a":2}', b'["\xff"]', b"[" * 200, b"[1e999]"]

    def run() -> None:
        for document in documents:
            for policy in ("last", "reject"):
                with contextlib.suppress(json.JSONDecodeError):
                    json.loads(document, duplicate_keys=policy)

    for _ in range(3):
        run()
    assert blocks_left_by(run, 300) < 150  # one object a run would be 300
