// python/json/time.cpp: dates and times as RFC 3339 text in quotes.

#include "python/json/time.h"

#include <cstring>

#include "python/object/call_method.h"

namespace lanner::python {

const char* const kTimeRaised = "";

namespace {

constexpr int kMinute = 60;
constexpr int kHour = 60 * kMinute;
constexpr int kDay = 24 * kHour;

char* put_digits(char* to, int value, int digits) noexcept {
  for (int i = digits - 1; i >= 0; --i, value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + digits;
}

char* put_day(char* to, int year, int month, int day) noexcept {
  to = put_digits(to, year, 4);
  *to++ = '-';
  to = put_digits(to, month, 2);
  *to++ = '-';
  return put_digits(to, day, 2);
}

char* put_clock(char* to, int hour, int minute, int second, int microsecond) noexcept {
  to = put_digits(to, hour, 2);
  *to++ = ':';
  to = put_digits(to, minute, 2);
  *to++ = ':';
  to = put_digits(to, second, 2);
  if (microsecond == 0) return to;
  *to++ = '.';
  return put_digits(to, microsecond, 6);
}

char* put_datetime(char* to, PyObject* value, const JsonOptions& options) noexcept {
  to = put_day(to, PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value),
               PyDateTime_GET_DAY(value));
  *to++ = 'T';
  return put_clock(to, PyDateTime_DATE_GET_HOUR(value), PyDateTime_DATE_GET_MINUTE(value),
                   PyDateTime_DATE_GET_SECOND(value),
                   options.omit_microseconds ? 0 : PyDateTime_DATE_GET_MICROSECOND(value));
}

char* put_offset(char* to, int seconds, const JsonOptions& options) noexcept {
  if (seconds == 0 && options.utc_z) {
    *to = 'Z';
    return to + 1;
  }
  *to++ = seconds < 0 ? '-' : '+';
  if (seconds < 0) seconds = -seconds;
  to = put_digits(to, seconds / kHour, 2);
  *to++ = ':';
  return put_digits(to, seconds / kMinute % 60, 2);
}

// A zone of pytz that has more than one offset. Made part of a datetime without its localize(), as
// many do, it says the local mean time of a hundred years ago; its normalize() says what was meant.
bool is_pytz(PyObject* zone) noexcept {
  const PyTypeObject* base = Py_TYPE(zone)->tp_base;  // each zone is a class of its own
  return base && std::strcmp(base->tp_name, "DstTzInfo") == 0;
}

// The zone's offset in whole seconds, and whether it has a part of a minute.
// False with an exception set. *none: the zone knows no offset.
bool offset_of(PyObject* value, const PyDateTime_CAPI& api, int* seconds, bool* odd,
               bool* none) noexcept {
  Ref moment = Ref::borrow(value);
  if (PyObject_TypeCheck(value, api.DateTimeType) && is_pytz(PyDateTime_DATE_GET_TZINFO(value))) {
    moment = Ref::steal(call_method(PyDateTime_DATE_GET_TZINFO(value), "normalize", value));
  }
  Ref delta = Ref::steal(moment ? call_method(moment.get(), "utcoffset") : nullptr);
  if (!delta) return false;
  *none = delta.get() == Py_None;
  if (*none) return true;
  if (!PyObject_TypeCheck(delta.get(), api.DeltaType)) {
    PyErr_Format(PyExc_TypeError, "utcoffset() is to return None or a timedelta, not %.100s",
                 Py_TYPE(delta.get())->tp_name);
    return false;
  }
  const int days = PyDateTime_DELTA_GET_DAYS(delta.get());
  *seconds = PyDateTime_DELTA_GET_SECONDS(delta.get());
  const bool part = PyDateTime_DELTA_GET_MICROSECONDS(delta.get()) != 0;
  if (days < -1 || days > 0 || (days == -1 && *seconds == 0 && !part)) {
    PyErr_SetString(PyExc_ValueError, "utcoffset() is to return less than 24 hours");
    return false;
  }
  *seconds += days * kDay;
  *odd = part || *seconds % kMinute != 0;
  return true;
}

// The same moment in UTC, where the offset has seconds: RFC 3339 has whole minutes.
Ref in_utc(PyObject* value, const PyDateTime_CAPI& api) noexcept {
  Ref moment = Ref::steal(call_method(value, "astimezone", api.TimeZone_UTC));
  if (!moment || PyObject_TypeCheck(moment.get(), api.DateTimeType)) return moment;
  PyErr_Format(PyExc_TypeError, "astimezone() is to return a datetime, not %.100s",
               Py_TYPE(moment.get())->tp_name);
  return {};
}

}  // namespace

TimeProblem write_datetime(char** to, PyObject* value, const PyDateTime_CAPI& api,
                           const JsonOptions& options) noexcept {
  int seconds = 0;
  bool odd = false;
  bool none = PyDateTime_DATE_GET_TZINFO(value) == Py_None;
  if (!none && PyDateTime_DATE_GET_TZINFO(value) != api.TimeZone_UTC &&
      !offset_of(value, api, &seconds, &odd, &none)) {
    return kTimeRaised;
  }
  Ref exact;
  if (odd) {
    exact = in_utc(value, api);
    if (!exact && PyErr_ExceptionMatches(PyExc_OverflowError)) {
      PyErr_Clear();
      return "the zone's offset has seconds, and the moment in UTC is outside years 1 to 9999";
    }
    if (!exact) return kTimeRaised;
    value = exact.get();
    seconds = 0;
  }
  char* at = *to;
  *at++ = '"';
  at = put_datetime(at, value, options);
  if (!none || options.naive_utc) at = put_offset(at, seconds, options);
  *at++ = '"';
  *to = at;
  return nullptr;
}

void write_date(char** to, PyObject* value) noexcept {
  char* at = *to;
  *at++ = '"';
  at = put_day(at, PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value),
               PyDateTime_GET_DAY(value));
  *at++ = '"';
  *to = at;
}

TimeProblem write_time(char** to, PyObject* value, const PyDateTime_CAPI& api,
                       const JsonOptions& options) noexcept {
  int seconds = 0;
  bool odd = false;
  bool none = false;
  PyObject* const zone = PyDateTime_TIME_GET_TZINFO(value);
  if (zone != Py_None && zone != api.TimeZone_UTC &&
      !offset_of(value, api, &seconds, &odd, &none)) {
    return kTimeRaised;
  }
  if (none || odd) {
    return "a time has a form in RFC 3339 if its zone has one offset, of whole minutes; use a "
           "datetime, or take the zone off";
  }
  char* at = *to;
  *at++ = '"';
  at = put_clock(at, PyDateTime_TIME_GET_HOUR(value), PyDateTime_TIME_GET_MINUTE(value),
                 PyDateTime_TIME_GET_SECOND(value),
                 options.omit_microseconds ? 0 : PyDateTime_TIME_GET_MICROSECOND(value));
  if (zone != Py_None) at = put_offset(at, seconds, options);
  *at++ = '"';
  *to = at;
  return nullptr;
}

}  // namespace lanner::python
