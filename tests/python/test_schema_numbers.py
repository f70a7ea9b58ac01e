"""Numbers at their limits: exact multiples, signs, digits that Python will not read."""

from __future__ import annotations

import dataclasses
import decimal
import fractions
import random
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import annotated_types as at
import pydantic
import pytest

from lanner.schema import Schema, ValidationError


def slugs(schema: Schema[Any], value: Any) -> list[str]:
    try:
        schema.validate(value)
    except ValidationError as error:
        return [told["type"] for told in error.errors()]
    return []


@pytest.mark.parametrize("tp", [float, int, decimal.Decimal])
@pytest.mark.parametrize("bound", [2, 2.0, 3, 0.5, 7])
def test_a_number_that_is_no_multiple_is_refused_however_large_it_is(tp: Any, bound: Any) -> None:
    schema: Schema[Any] = Schema(Annotated[tp, at.MultipleOf(bound)])
    chance = random.Random(3)
    numbers = [4000000001, 4000000002, 2**53 - 1, 2**53 - 3, *(chance.randrange(2**53) for _ in range(300))]
    if tp is not float:
        numbers += [2**53 + 1, 10**25 + 1, 10**25]
    for number in numbers:
        expected = [] if fractions.Fraction(number) % fractions.Fraction(bound) == 0 else ["multiple_of"]
        assert slugs(schema, tp(number)) == expected, number


@pytest.mark.parametrize("bound", [0.1, 0.01, 0.3, 1e-6, 2.5, decimal.Decimal("0.1")])
def test_a_float_is_a_multiple_when_its_decimal_is_one_or_it_is_off_by_rounding(bound: Any) -> None:
    schema: Schema[Any] = Schema(Annotated[float, at.MultipleOf(bound)])
    exact = decimal.Decimal(str(bound))
    chance = random.Random(4)
    for _ in range(500):
        count = chance.randrange(1, 10 ** chance.randrange(1, 12))
        assert slugs(schema, float(exact * count)) == []
        assert slugs(schema, float(bound) * count) == []
        assert slugs(schema, float(exact * count + exact / 3)) == ["multiple_of"]
    assert slugs(schema, 0.0) == []
    for huge in (1e300, 1e16 + 2, -1e22):  # doubles around are far apart: the decimal number decides
        expected = fractions.Fraction(repr(huge)) % fractions.Fraction(exact)
        assert slugs(schema, huge) == (["multiple_of"] if expected else [])


@pytest.mark.parametrize("tp", [float, decimal.Decimal])
@pytest.mark.parametrize("constraint", [at.Ge, at.Gt, at.Le, at.Lt, at.MultipleOf])
@pytest.mark.parametrize("bound", [0.1, decimal.Decimal("0.1"), 1])
def test_a_bound_of_another_kind_of_number_means_what_it_says(tp: Any, constraint: Any, bound: Any) -> None:
    ours: Schema[Any] = Schema(Annotated[tp, constraint(bound)])
    theirs = pydantic.TypeAdapter(Annotated[tp, constraint(bound)])
    for value in (tp("0.1"), tp("0.2"), tp("0.05"), tp("1"), tp("0")):
        try:
            theirs.validate_python(value)
            expected = []
        except pydantic.ValidationError as error:
            expected = [told["type"] for told in error.errors()]
        assert slugs(ours, value) == expected, value


@pytest.mark.parametrize("profile", ["text", "compat"])
@pytest.mark.parametrize("tp", [int, float, decimal.Decimal, int | float, float | None, Literal[1]])
def test_no_number_has_two_signs(tp: Any, profile: Any) -> None:
    schema: Schema[Any] = Schema(tp, profile=profile)
    by_key: Schema[Any] | None = Schema(dict[tp, int], profile=profile) if isinstance(tp, type) else None
    for sign in ("+-", "-+", "--", "++", "+ -", "- "):
        text = f"{sign}1"
        assert slugs(schema, text) != []
        with pytest.raises(ValidationError):
            schema.decode_text(text.encode())
        if by_key is not None:
            with pytest.raises(ValidationError):
                by_key.decode(b'{"%s":1}' % text.encode())


@pytest.fixture
def few_digits() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(1000)
    yield
    sys.set_int_max_str_digits(before)


@dataclasses.dataclass
class Card:
    cost: int


@pytest.mark.usefixtures("few_digits")
@pytest.mark.parametrize(
    ("tp", "form"),
    [
        *((int, "%s"), (list[int], "[1,%s]"), (dict[str, int], '{"a":%s}'), (dict[int, int], '{"%s":1}')),
        *((Card, '{"cost":%s}'), (int | None, "%s"), (int | str, "%s"), (Any, "%s"), (tuple[int, str], '[%s,"a"]')),
    ],
    ids=str,
)
def test_more_digits_than_python_reads_are_an_error_of_the_value(tp: Any, form: str) -> None:
    for sign in ("", "-"):
        document = (form % (sign + "7" * 1001)).encode()
        for profile in ("json", "compat"):
            with pytest.raises(ValidationError) as raised:
                Schema(tp, profile=profile).decode(document)  # type: ignore[arg-type]
            assert "int_parsing_size" in [told["type"] for told in raised.value.errors()]
            assert raised.value.json()
            assert str(raised.value)
    assert Schema(decimal.Decimal).decode(b"7" * 1001) == decimal.Decimal("7" * 1001)
    assert Schema(float, profile="text").decode_text("7" * 200) == float("7" * 200)


@pytest.mark.usefixtures("few_digits")
def test_more_digits_than_python_reads_are_no_choice() -> None:
    schema: Schema[Any] = Schema(Literal[1])
    with pytest.raises(ValidationError) as raised:
        schema.decode(b"7" * 1001)
    assert raised.value.errors()[0]["type"] == "literal_error"


def test_a_decimal_is_made_of_an_int_of_any_size() -> None:
    assert Schema(decimal.Decimal).validate(10**5000 + 1) == decimal.Decimal(10**5000 + 1)
    assert slugs(Schema(int, profile="compat"), decimal.Decimal("1e999999")) == ["int_parsing_size"]
