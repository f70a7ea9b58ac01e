"""Sets, Decimals and zones of pytz, which lanner.json writes though they are no JSON; keys, which are text."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import pytz

from lanner import json


class Money(Decimal):
    pass


def test_a_set_is_an_array() -> None:
    assert json.dumps({1}) == "[1]"
    assert json.dumps([set(), frozenset()]) == "[[],[]]"
    assert sorted(json.loads(json.dumpb({3, 1, 2}))) == [1, 2, 3]
    assert json.loads(json.dumpb({"a": {frozenset({"x"})}}, indent=1)) == {"a": [["x"]]}
    assert json.dumps({"a": {2}}, sort_keys=True, default=repr) == '{"a":[2]}'
    assert json.dumps([{1}], passthrough_set=True, default=sorted) == "[[1]]"
    with pytest.raises(json.JSONEncodeError, match=r"^\$\.a: set has no form"):
        json.dumps({"a": {1}}, passthrough_set=True)
    with pytest.raises(json.JSONEncodeError, match=r"^\$\[0\]\[0\]: object"):
        json.dumps([{object()}])
    with pytest.raises(json.JSONEncodeError, match="no form"):
        json.dumps({frozenset(): 1}, non_str_keys=True)


@pytest.mark.parametrize("text", ["0", "1.10", "-0.00", "1E+5", "1E-400", "9" * 5000, "0.1", "123456789.123456789"])
def test_a_decimal_is_its_digits_as_text(text: str) -> None:
    for make in (Decimal, Money):
        assert json.dumps(make(text)) == f'"{text}"'
        assert json.dumpb({"a": [make(text), 1]}) == f'{{"a":["{text}",1]}}'.encode()
        assert json.dumps({make(text): 1}, non_str_keys=True) == f'{{"{text}":1}}'
    assert json.dumps([Decimal("1.5")], passthrough_decimal=True, default=float) == "[1.5]"
    with pytest.raises(json.JSONEncodeError, match="Decimal has no form"):
        json.dumps([Decimal(1)], passthrough_decimal=True)


@pytest.mark.parametrize("text", ["NaN", "-NaN", "sNaN", "Infinity", "-Infinity"])
def test_a_decimal_that_is_no_number_is_refused_as_a_float_is(text: str) -> None:
    with pytest.raises(json.JSONEncodeError, match=r"^\$\[0\]: NaN and Infinity"):
        json.dumps([Decimal(text)])
    assert json.dumps([Decimal(text)], nan_as_null=True) == "[null]"


def test_a_decimal_has_no_context_of_its_own() -> None:
    with decimal.localcontext() as context:
        context.prec = 2
        context.capitals = 0
        assert json.dumps(Decimal("1.23456789E+30")) == '"1.23456789e+30"'


def test_decimals_cost_nothing_where_nobody_has_them() -> None:
    script = "import sys; from lanner import json; json.dumps([object()], default=lambda _: 1); print('decimal' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


class DstTzInfo(datetime.tzinfo):
    """As pytz has it: a class for each zone; one that localize() did not choose says the local mean time."""

    offset = datetime.timedelta(hours=8, minutes=6)

    def utcoffset(self, moment: datetime.datetime | None) -> datetime.timedelta:
        return self.offset

    def normalize(self, moment: datetime.datetime) -> Any:
        return moment.astimezone(datetime.timezone(datetime.timedelta(hours=8)))


Shanghai = type("Asia/Shanghai", (DstTzInfo,), {})


def test_a_zone_of_pytz_has_the_offset_that_was_meant() -> None:
    moment = datetime.datetime(2018, 1, 1, 2, 3, 4, tzinfo=Shanghai())
    assert json.dumps([moment]) == '["2018-01-01T02:03:04+08:00"]'
    assert json.dumps({moment: 1}, non_str_keys=True) == '{"2018-01-01T02:03:04+08:00":1}'
    for returned in (None, 5, "x", datetime.date(2018, 1, 1)):

        def normalize(self: Any, moment: Any, returned: Any = returned) -> Any:
            return returned

        odd = type("Odd", (DstTzInfo,), {"normalize": normalize})()
        with pytest.raises((AttributeError, TypeError)):
            json.dumps([datetime.datetime(2018, 1, 1, tzinfo=odd)])


def test_real_pytz_agrees() -> None:
    zone = pytz.timezone("Europe/Berlin")
    naive = datetime.datetime(2024, 7, 1, 12)
    assert (
        json.dumps([naive.replace(tzinfo=zone)])
        == json.dumps([zone.localize(naive)])
        == '["2024-07-01T12:00:00+02:00"]'
    )


def test_keys_are_text_whatever_is_passed_through_or_refused() -> None:
    options = {"strict_integer": True, "passthrough_datetime": True, "passthrough_subclass": True, "indent": 1}
    moment = datetime.datetime(2024, 1, 1)
    value = {2**60: 1, moment: 2, Money("1.5"): 3, True: 4}
    keys = list(json.loads(json.dumpb(value, non_str_keys=True, passthrough_decimal=True, **options)))
    assert keys == ["1152921504606846976", "2024-01-01T00:00:00", "1.5", "true"]


def test_nothing_is_left_behind(blocks_left_by: Callable[[Callable[[], object], int], int]) -> None:
    def run() -> None:
        json.dumps([{1, 2}, Decimal("1.5"), frozenset("ab")])
        with pytest.raises(json.JSONEncodeError):
            json.dumps([{Decimal("nan")}])
        json.dumps({Decimal(1): datetime.datetime(2018, 1, 1, tzinfo=Shanghai())}, non_str_keys=True)

    assert blocks_left_by(run, 300) < 150
