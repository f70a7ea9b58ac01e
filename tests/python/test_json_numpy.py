"""lanner.json and numpy: arrays and scalars are written as tolist() would be, by the buffer protocol."""

import datetime

import numpy
import pytest

from lanner import json

WHOLE = ["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q"]


@pytest.mark.parametrize("code", WHOLE)
def test_whole_numbers_of_every_width(code):
    limits = numpy.iinfo(code)
    array = numpy.array([limits.min, 0, 1, limits.max], dtype=code)
    assert json.loads(json.dumpb(array)) == array.tolist()
    assert json.dumps(array[3]) == str(limits.max)


@pytest.mark.parametrize("code", ["e", "f", "d"])
def test_real_numbers_come_back_in_their_own_width(code):
    array = numpy.array([0.1, -2.5, 1e-3, 65504.0, 0.0, 6e-8], dtype=code)
    again = numpy.array(json.loads(json.dumpb(array)), dtype=code)
    assert (again == array).all()
    assert json.dumps(numpy.float32(0.1)) == "0.1"
    assert json.dumps(numpy.float64(0.1)) == "0.1"


def test_arrays_of_every_shape():
    for shape in [(0,), (3,), (2, 3), (2, 0, 3), (0, 2), (2, 3, 4), (1,) * 20, ()]:
        array = numpy.arange(int(numpy.prod(shape))).reshape(shape)
        assert json.loads(json.dumpb(array)) == array.tolist()
        assert json.loads(json.dumps({"a": [array, 1]}, indent=2)) == {"a": [array.tolist(), 1]}


def test_arrays_that_do_not_lie_in_one_piece():
    array = numpy.arange(24, dtype="i4").reshape(4, 6)
    for view in (array[::2, ::3], array.T, array[::-1], array[:, 1:2], numpy.broadcast_to(array[0], (3, 6))):
        assert json.loads(json.dumpb(view)) == view.tolist()


def test_other_kinds_go_over_python():
    assert json.dumps(numpy.array([True, False])) == "[true,false]"
    assert json.dumps(numpy.array(["a", "\xe9"])) == '["a","\xe9"]'
    assert json.dumps(numpy.array([1, 2], dtype=">i4")) == "[1,2]"
    assert json.dumps(numpy.array([1, "x", None], dtype=object)) == '[1,"x",null]'
    day = numpy.datetime64("2024-05-01T06:30:00")
    assert json.dumps(day) == '"2024-05-01T06:30:00"'
    assert json.dumps(numpy.array([day, "NaT"], dtype="M8[ns]")) == '["2024-05-01T06:30:00",null]'


def test_what_is_no_number_is_refused_with_its_path():
    with pytest.raises(json.JSONEncodeError, match=r"^\$\.a\[0\]: NaN"):
        json.dumpb({"a": [numpy.array([[1.0, numpy.nan]])]})
    assert json.dumps(numpy.array([[1.0, numpy.nan]]), nan_as_null=True) == "[[1.0,null]]"
    with pytest.raises(json.JSONEncodeError, match="complex"):
        json.dumpb(numpy.array([1j]))
    with pytest.raises(json.JSONEncodeError, match="longdouble"):
        json.dumpb(numpy.longdouble(1))
    assert json.dumps(numpy.longdouble(1.5), default=float) == "1.5"


UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "25s", "7ns"]


@pytest.mark.parametrize("unit", UNITS)
def test_dates_of_every_unit_are_those_of_python(unit):
    moments = numpy.array(["1999-01-01", "NaT", "1970-01-01"]).astype(f"M8[{unit}]")
    expected = [moment and moment.isoformat() for moment in moments.astype("M8[us]").tolist()]
    for value in (moments, moments.astype(moments.dtype.newbyteorder(">")), list(moments)):
        assert json.loads(json.dumpb(value)) == expected
    assert json.loads(json.dumpb(numpy.array([[moments[0]], [moments[2]]]))) == [[expected[0]], [expected[2]]]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("steps", [-(2**62), -(2**53), 2**53, 2**62])
def test_a_date_outside_the_years_of_python_is_refused(unit, steps):
    array = numpy.array([0, steps]).view(f"M8[{unit}]")
    if isinstance(array.tolist()[1], datetime.datetime) or unit[-2:] in ("ns", "ps"):  # these never leave them
        assert json.loads(json.dumpb(array[1])) == array.astype("M8[us]").tolist()[1].isoformat()
        return
    for value in (array, array[1], array.reshape(2, 1), [array[1]]):
        with pytest.raises(json.JSONEncodeError, match="outside years 1 to 9999"):
            json.dumpb(value)
        assert "far" in json.dumps(value, default=lambda _: "far")
    with pytest.raises(json.JSONEncodeError, match=r"outside years|no form"):
        json.dumpb({array[1]: 1}, non_str_keys=True)


@pytest.mark.parametrize("date", ["0000-12-31", "10000-01-01", "-0001-01-01"])
def test_the_first_and_the_last_year_have_their_bounds(date):
    with pytest.raises(json.JSONEncodeError, match="outside years 1 to 9999"):
        json.dumpb(numpy.datetime64(date))
    assert json.dumps(numpy.datetime64("0001-01-01")) == '"0001-01-01T00:00:00"'
    assert json.dumps(numpy.datetime64("9999-12-31T23:59:59.999999")) == '"9999-12-31T23:59:59.999999"'


@pytest.mark.parametrize("unit", ["Y", "D", "s", "us", "ns"])
def test_a_span_of_time_is_no_number(unit):
    for value in (numpy.timedelta64(5, unit), numpy.array([[5]], dtype=f"m8[{unit}]")):
        with pytest.raises(json.JSONEncodeError, match="timedelta64"):
            json.dumpb([value])
        assert json.dumps([value], default=lambda _: "span") == '["span"]'
