// python/answer/response_fields.cpp: a status line and a list of fields, from an application's str objects
// to a ResponseHead.

#include "python/answer/response_fields.h"

#include <string_view>

#include "python/object/text.h"

namespace lanner::python {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool refuse_field(PyObject* name, Errc code) noexcept {
  const std::string_view text = error_text(code);
  PyErr_Format(code == Errc::no_memory ? PyExc_MemoryError : PyExc_ValueError, "%s: %R%s",
               text.data(), name,
               code == Errc::response_field_hop_by_hop
                   ? " (framing and connection fields are the server's, PEP 3333)"
                   : "");
  return false;
}

bool add_pair(PyObject* pair, Py_ssize_t index, std::uint64_t bytes_max,
              http::ResponseHead* head) noexcept {
  if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
    PyErr_Format(PyExc_TypeError, "response header %zd is %R, not a (name, value) tuple", index,
                 pair);
    return false;
  }
  PyObject* name = PyTuple_GET_ITEM(pair, 0);
  PyObject* value = PyTuple_GET_ITEM(pair, 1);
  std::string_view name_view;
  std::string_view value_view;
  if (!latin1_view(name, &name_view) || !latin1_view(value, &value_view)) {
    PyErr_Format(
        PyUnicode_Check(name) && PyUnicode_Check(value) ? PyExc_ValueError : PyExc_TypeError,
        "response header %R: %R: both must be str of code points up to U+00FF (PEP 3333, "
        "\"Unicode Issues\")",
        name, value);
    return false;
  }
  Result<void> added = head->add(name_view, value_view, bytes_max);
  return added ? true : refuse_field(name, added.code());
}

}  // namespace

bool set_status_line(PyObject* status, http::ResponseHead* head) noexcept {
  std::string_view text;
  if (!latin1_view(status, &text)) {
    PyErr_Format(PyExc_TypeError, "status must be a str such as '200 OK', not %R", status);
    return false;
  }
  const bool formed = text.size() >= 3 && is_digit(text[0]) && is_digit(text[1]) &&
                      is_digit(text[2]) && (text.size() == 3 || text[3] == ' ');
  const int code = formed ? (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0') : 0;
  if (code < 200) {
    PyErr_Format(PyExc_ValueError,
                 "status must be three digits from 200 to 999, a space and a reason, not %R",
                 status);
    return false;
  }
  Result<void> set = head->set_status(code, text.size() > 4 ? text.substr(4) : std::string_view());
  if (set) return true;
  const std::string_view why = error_text(set.code());
  PyErr_Format(set.code() == Errc::no_memory ? PyExc_MemoryError : PyExc_ValueError, "%s: %R",
               why.data(), status);
  return false;
}

bool add_fields(PyObject* fields, std::uint64_t bytes_max, http::ResponseHead* head) noexcept {
  if (!PyList_Check(fields)) {
    PyErr_Format(PyExc_TypeError,
                 "response headers must be a list of (name, value) tuples, not %.100s",
                 Py_TYPE(fields)->tp_name);
    return false;
  }
  const Py_ssize_t count = PyList_GET_SIZE(fields);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!add_pair(PyList_GET_ITEM(fields, i), i, bytes_max, head)) return false;
  }
  return true;
}

int optional_attribute(PyObject* object, PyObject* name, PyObject** value) noexcept {
  *value = PyObject_GetAttr(object, name);
  if (*value) return 1;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

}  // namespace lanner::python
