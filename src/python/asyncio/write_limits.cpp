// python/asyncio/write_limits.cpp: the water marks of a transport.

#include "python/asyncio/write_limits.h"

#include <utility>

namespace lanner::python {

namespace {

// A number that is not negative, in whole bytes; one too large for them is none at all. False with
// an exception set.
bool to_bytes(PyObject* number, std::uint64_t* bytes) noexcept {
  Ref whole = PyFloat_Check(number) ? Ref::steal(PyLong_FromDouble(PyFloat_AS_DOUBLE(number)))
                                    : Ref::steal(PyNumber_Long(number));
  *bytes = whole ? PyLong_AsUnsignedLongLong(whole.get()) : 0;
  if (!PyErr_Occurred()) return true;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
  PyErr_Clear();
  *bytes = UINT64_MAX;
  return true;
}

}  // namespace

void WriteLimits::set_default(PyObject* high, PyObject* low) noexcept {
  high_ = Ref::borrow(high);
  low_ = Ref::borrow(low);
  high_bytes_ = kHighDefault;
  low_bytes_ = kLowDefault;
}

bool WriteLimits::set(PyObject* high, PyObject* low) noexcept {
  Ref four = Ref::steal(PyLong_FromLong(4));
  Ref zero = Ref::steal(PyLong_FromLong(0));
  if (!four || !zero) return false;
  Ref new_high = Ref::borrow(high);
  if (high == Py_None) {
    new_high = Ref::steal(low == Py_None ? PyLong_FromLong(kHighDefault)
                                         : PyNumber_Multiply(four.get(), low));
  }
  if (!new_high) return false;
  Ref new_low = low == Py_None ? Ref::steal(PyNumber_FloorDivide(new_high.get(), four.get()))
                               : Ref::borrow(low);
  if (!new_low) return false;
  int ordered = PyObject_RichCompareBool(new_high.get(), new_low.get(), Py_GE);
  if (ordered == 1) ordered = PyObject_RichCompareBool(new_low.get(), zero.get(), Py_GE);
  if (ordered < 0) return false;
  if (ordered == 0) {
    PyErr_Format(PyExc_ValueError, "high (%R) must be >= low (%R) must be >= 0", new_high.get(),
                 new_low.get());
    return false;
  }
  std::uint64_t high_bytes = 0;
  std::uint64_t low_bytes = 0;
  if (!to_bytes(new_high.get(), &high_bytes) || !to_bytes(new_low.get(), &low_bytes)) return false;
  high_ = std::move(new_high);
  low_ = std::move(new_low);
  high_bytes_ = high_bytes;
  low_bytes_ = low_bytes;
  return true;
}

}  // namespace lanner::python
