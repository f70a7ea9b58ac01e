"""Code of users that runs while a value is read or written: it may switch threads, change what is read, and raise anything."""

from __future__ import annotations

import dataclasses
import gc
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import annotated_types as at
import pytest

from lanner.json import JSONEncodeError
from lanner.schema import Schema, ValidationError, register_type

THREADS = 4
ROUNDS = 30


def yield_gil() -> None:
    """Long enough that the interpreter switches threads, with an interval of a microsecond."""
    for _ in range(200):
        pass


@dataclasses.dataclass(slots=True)
class Counted:
    a: int
    tags: list[str] = dataclasses.field(default_factory=lambda: yield_gil() or ["made"])

    def __post_init__(self) -> None:
        yield_gil()
        if self.a < 0:
            raise ValueError(f"{self.a} is below zero")


class Celsius:
    def __init__(self, degrees: float) -> None:
        yield_gil()
        self.degrees = degrees


def slow_positive(value: int) -> bool:
    yield_gil()
    return value > 0


register_type(Celsius, decode=Celsius, encode=lambda value: yield_gil() or value.degrees, source=float)


@dataclasses.dataclass
class Mixed:
    one: Counted
    many: list[Counted]
    limit: Annotated[int, at.Predicate(slow_positive)]
    warm: Celsius | None
    by_name: dict[str, Counted | int]


def document(number: int) -> bytes:
    name = f"name-{number}"
    many = ",".join(f'{{"a":{number + i},"tags":["{name}"]}}' for i in range(3))
    return (
        f'{{"one":{{"a":{number}}},"many":[{many}],"limit":{number + 1},"warm":{number}.5,'
        f'"by_name":{{"{name}":{{"\\u0061":{number}}},"other":{number}}}}}'
    ).encode()


def wrong_document(number: int) -> bytes:
    return document(number).replace(b'"limit":', b'"limit":-').replace(b'"one":{"a":', b'"one":{"a":-1')


def check_right(schema: Schema[Any], number: int) -> None:
    read = schema.decode(document(number))
    assert read.one.a == read.by_name["other"] == number
    assert read.one.tags == ["made"]
    assert [item.a for item in read.many] == [number, number + 1, number + 2]
    assert all(item.tags == [f"name-{number}"] for item in read.many)
    assert list(read.by_name) == [f"name-{number}", "other"]
    assert read.warm.degrees == number + 0.5
    assert schema.decode(schema.encode(read)).many == read.many
    with pytest.raises(ValidationError) as raised:
        schema.decode(wrong_document(number))
    assert [(error["type"], error["loc"]) for error in raised.value.errors()] == [
        ("value_error", ("one",)),
        ("predicate_failed", ("limit",)),
    ]
    assert raised.value.errors()[0]["input"] == {"a": int(f"-1{number}")}


def test_threads_that_read_by_one_schema_do_not_disturb_each_other() -> None:
    schema = Schema(Mixed)
    failures: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for i in range(ROUNDS):
                check_right(schema, first + i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(1000 * i,)) for i in range(THREADS)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures


class Rude:
    """Runs `act` whenever it is looked at."""

    act: Callable[[], Any] = staticmethod(lambda: None)

    def __eq__(self, other: object) -> bool:
        type(self).act()
        return NotImplemented

    def __hash__(self) -> int:
        type(self).act()
        return hash("a")

    def __str__(self) -> str:
        type(self).act()
        return "rude"

    __repr__ = __str__


class RudeText(str):
    """A key that acts when it is compared."""

    __slots__ = ()
    act: Callable[[], Any] = staticmethod(lambda: None)

    def __eq__(self, other: object) -> bool:
        type(self).act()
        return str.__eq__(self, other)  # type: ignore[arg-type]

    __hash__ = str.__hash__


class RudeNumber(int):
    act: Callable[[], Any] = staticmethod(lambda: None)

    def __mod__(self, other: int) -> int:  # type: ignore[override]
        type(self).act()
        return 0

    def __ge__(self, other: object) -> bool:
        type(self).act()
        return True

    def __index__(self) -> int:
        type(self).act()
        return 3

    def __add__(self, other: int) -> Any:  # type: ignore[override]
        type(self).act()
        return "no number"

    def __str__(self) -> str:
        type(self).act()
        return "no number"


class RudeFloat(float):
    act: Callable[[], Any] = staticmethod(lambda: None)

    def __str__(self) -> str:
        type(self).act()
        return "no number"

    __repr__ = __str__

    def __float__(self) -> float:
        type(self).act()
        return 1.0


RUDE: tuple[Any, ...] = (Rude, RudeText, RudeNumber, RudeFloat)


class Typed(TypedDict):
    a: int
    b: int


class Named(NamedTuple):
    a: int
    b: str = "b"


TARGETS: list[Any] = [
    *(
        list[int],
        list[float],
        list[str],
        list[Any],
        list[Literal["a", 1]],
        list[Literal["a"] | int],
        set[Any],
        dict[str, Any],
    ),
    *(dict[Any, int], dict[Literal["a"], int], Typed, Named, list[Typed | Named], list[dict[str, int] | list[int]]),
    *(list[Annotated[int, at.Ge(0)]], list[Annotated[int, at.MultipleOf(2)]], list[Annotated[float, at.Lt(5)]]),
    *(Counted, Annotated[list[Any], at.MinLen(1)], tuple[Any, int], list[Counted]),
]


def rude_values(box: list[Any]) -> list[Any]:
    """Containers that empty themselves when one of theirs is looked at; `box` holds them."""
    made: list[Any] = []
    for kind in (Rude, lambda: RudeText("a"), lambda: RudeNumber(7), lambda: RudeFloat(1.5)):
        item = kind()
        made += [
            [item, 1, kind(), "x"],
            [[item], {"a": item}],
            {"b": item, "a": kind(), "c": 2},
            {item: 1, "a": kind(), "b": 3},
        ]
        made += [[{item: kind(), "b": 1}, item], (item, kind())]
    box += made
    return made


def emptied(value: Any) -> None:
    for part in list(value) if isinstance(value, list) else []:
        emptied(part)
    if isinstance(value, list | dict):
        value.clear()
    gc.collect(0)


@pytest.mark.parametrize("profile", ["json", "compat"])
@pytest.mark.parametrize("tp", TARGETS, ids=str)
def test_what_changes_under_the_reader_breaks_nothing(tp: Any, profile: Any) -> None:
    schema = Schema(tp, profile=profile)
    for i in range(len(rude_values([]))):
        for work in (schema.validate, schema.encode, lambda value: schema.encode(value, exclude_defaults=True)):
            value = rude_values([])[i]
            for kind in RUDE:
                kind.act = staticmethod(lambda value=value: emptied(value))
            try:
                work(value)
            except ValidationError as error:
                json.loads(error.json())
            except (JSONEncodeError, RuntimeError):
                pass  # "dictionary changed size during iteration"
            finally:
                for kind in RUDE:
                    kind.act = staticmethod(lambda: None)


class MineError(Exception):
    pass


def refuse() -> None:
    raise MineError


@pytest.mark.parametrize("tp", TARGETS, ids=str)
def test_what_user_code_raises_is_passed_on_and_nothing_else(tp: Any) -> None:
    schema = Schema(tp)
    for i in range(len(rude_values([]))):
        for work in (schema.validate, schema.encode):
            value = rude_values([])[i]
            for kind in RUDE:
                kind.act = staticmethod(refuse)
            try:
                work(value)
            except (ValidationError, JSONEncodeError, MineError):
                pass
            finally:
                for kind in RUDE:
                    kind.act = staticmethod(lambda: None)


def test_a_value_error_of_a_predicate_is_a_validation_error() -> None:
    def even(value: int) -> bool:
        if value < 0:
            raise ValueError("below zero")
        return value % 2 == 0

    with pytest.raises(ValidationError) as raised:
        Schema(list[Annotated[int, at.Predicate(even)]]).decode(b"[-1,1,2]")
    assert [(error["type"], error["loc"]) for error in raised.value.errors()] == [
        ("value_error", (0,)),
        ("predicate_failed", (1,)),
    ]


def test_a_named_tuple_that_is_too_short_is_not_written() -> None:
    short = tuple.__new__(Named, ())
    with pytest.raises(JSONEncodeError, match="no value"):
        Schema(Named).encode(short)


def test_an_error_is_told_as_json_whatever_was_given() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    Rude.act = staticmethod(refuse)
    try:
        with pytest.raises(ValidationError) as raised:
            Schema(list[int]).validate(
                ["\ud800", cycle, {(1, 2): 3}, Rude(), {"a": ["\udfff"]}, 1.5, "x" * 5000 + "\ud800"]
            )
        told = json.loads(raised.value.json())
    finally:
        Rude.act = staticmethod(lambda: None)
    assert [error["input"] for error in told[:6]] == [
        "'\\ud800'",
        "[[...]]",
        "{(1, 2): 3}",
        "<Rude>",
        "{'a': ['\\udfff']}",
        1.5,
    ]
    assert len(told[6]["input"]) == 1024


IN_EACH = """
import dataclasses, uuid
from lanner.schema import Schema, ValidationError
@dataclasses.dataclass(slots=True)
class Card:
    name: str
    id: uuid.UUID
    cost: int = 0
schema = Schema(list[Card])
text = b'[{"name":"Opt","id":"12345678123456781234567812345678"}]'
cards = schema.decode(text)
assert schema.decode(schema.encode(cards)) == schema.validate(cards) == cards
try:
    schema.decode(text.replace(b'"Opt"', b'5'))
except ValidationError as error:
    assert error.errors()[0]["loc"] == (0, "name")
else:
    raise AssertionError
print("read", flush=True)
"""

INTERPRETERS = """
try:
    import _interpreters as interpreters
    create = lambda: interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    create = lambda: interpreters.create(isolated=False)
exec(code)
for _ in range(2):
    one, two = create(), create()
    for each in (one, two, one):
        assert interpreters.run_string(each, code) is None
    interpreters.destroy(one)
    exec(code)
    interpreters.destroy(two)
"""


def test_each_interpreter_has_schemas_of_its_own() -> None:
    script = f"code = {IN_EACH!r}\n{INTERPRETERS}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout.count("read")) == (0, 9), done.stderr
