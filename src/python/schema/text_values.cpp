#include "python/schema/text_values.h"

#include <algorithm>

namespace lanner::python {

// Null: an exception is set.
bool TextValues::hold(Ref object) noexcept {
  if (!object) return false;
  if (held_.push(std::move(object))) return true;
  PyErr_NoMemory();
  return false;
}

bool TextValues::view(PyObject* text, std::string_view* out) noexcept {
  Ref bytes;
  if (PyUnicode_Check(text)) {
    Py_ssize_t size = 0;
    if (const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size)) {
      *out = {utf8, static_cast<std::size_t>(size)};
      return hold(Ref::borrow(text));
    }
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return false;
    PyErr_Clear();  // a lone surrogate: no UTF-8, which is an error of the value
    bytes = Ref::steal(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"));
  } else if (PyBytes_Check(text)) {
    bytes = Ref::borrow(text);
  } else if (PyObject_CheckBuffer(text)) {
    bytes = Ref::steal(PyBytes_FromObject(text));  // a copy: it may change
  } else {
    PyErr_Format(PyExc_TypeError, "a text value is bytes, bytearray, memoryview or str, not %.100s",
                 Py_TYPE(text)->tp_name);
    return false;
  }
  if (bytes) {
    *out = {PyBytes_AS_STRING(bytes.get()),
            static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
  }
  return hold(std::move(bytes));
}

bool TextValues::room_for(Py_ssize_t count) noexcept {
  if (static_cast<std::size_t>(count) > kCountMax) {
    PyErr_Format(PyExc_ValueError, "%zd text values; at most %zu are read at once", count,
                 kCountMax);
    return false;
  }
  if (held_.reserve(2 * static_cast<std::size_t>(count)) &&
      values_.resize(static_cast<std::size_t>(count))) {
    return true;
  }
  PyErr_NoMemory();
  return false;
}

bool TextValues::add_values(PyObject* data) noexcept {
  if (!PyList_Check(data) && !PyTuple_Check(data)) {
    return room_for(1) && view(data, &values_[0].value);
  }
  // A tuple of its own: what is copied may run other code.
  Ref items = Ref::steal(PySequence_Tuple(data));
  if (!items || !room_for(PyTuple_GET_SIZE(items.get()))) return false;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!view(PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)), &values_[i].value))
      return false;
  }
  return true;
}

bool TextValues::add_pairs(PyObject* pairs) noexcept {
  if (!PyList_Check(pairs) && !PyTuple_Check(pairs)) {
    PyErr_Format(PyExc_TypeError, "pairs are a list or tuple of (name, value), not %.100s",
                 Py_TYPE(pairs)->tp_name);
    return false;
  }
  Ref items = Ref::steal(PySequence_Tuple(pairs));
  if (!items || !room_for(PyTuple_GET_SIZE(items.get()))) return false;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    PyObject* pair = PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i));
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
      PyErr_Format(PyExc_TypeError, "pairs are tuples (name, value); number %zu is none", i);
      return false;
    }
    if (!view(PyTuple_GET_ITEM(pair, 0), &values_[i].name) ||
        !view(PyTuple_GET_ITEM(pair, 1), &values_[i].value)) {
      return false;
    }
  }
  std::stable_sort(values_.begin(), values_.end(),
                   [](const schema::TextValue& left, const schema::TextValue& right) {
                     return left.name < right.name;
                   });
  return true;
}

}  // namespace lanner::python
