// python/asgi/fields.cpp: status and fields from ASGI's integers and byte strings to a
// ResponseHead.

#include "python/asgi/fields.h"

#include <string_view>

#include "base/buffer.h"

namespace lanner::python {

namespace {

bool view_of(PyObject* object, std::string_view* view) noexcept {
  if (!PyBytes_Check(object)) return false;
  *view = {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
  return true;
}

bool has_upper(std::string_view text) noexcept {
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') return true;
  }
  return false;
}

bool refuse(PyObject* name, Errc code) noexcept {
  const std::string_view why = error_text(code);
  PyErr_Format(code == Errc::no_memory ? PyExc_MemoryError : PyExc_ValueError,
               "http.response.start: %s: header %R", why.data(), name);
  return false;
}

bool add_one(std::string_view name, std::string_view value, PyObject* shown,
             std::uint64_t bytes_max, http::ResponseHead* head) noexcept {
  Buffer lower;
  if (has_upper(name)) {
    if (!lower.append(name)) return refuse(shown, Errc::no_memory);
    for (std::size_t i = 0; i < name.size(); ++i) {
      char& c = lower.data()[i];
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    name = lower.view();
  }
  Result<void> added = head->add(name, value, bytes_max);
  if (added || added.code() == Errc::response_field_hop_by_hop) return true;
  return refuse(shown, added.code());
}

bool add_items(PyObject* const* items, Py_ssize_t count, PyObject* pair, std::uint64_t bytes_max,
               http::ResponseHead* head) noexcept {
  std::string_view name;
  std::string_view value;
  if (count == 2 && view_of(items[0], &name) && view_of(items[1], &value)) {
    return add_one(name, value, items[0], bytes_max, head);
  }
  PyErr_Format(PyExc_TypeError, "http.response.start: header %R is not a pair of byte strings",
               pair);
  return false;
}

bool add_pair(PyObject* pair, std::uint64_t bytes_max, http::ResponseHead* head) noexcept {
  if (PyTuple_CheckExact(pair)) {  // what nearly everybody gives
    PyObject* const* items = PySequence_Fast_ITEMS(pair);
    return add_items(items, PyTuple_GET_SIZE(pair), pair, bytes_max, head);
  }
  Ref items = Ref::steal(
      PySequence_Fast(pair, "http.response.start: a header must be a pair of byte strings"));
  return items && add_items(PySequence_Fast_ITEMS(items.get()),
                            PySequence_Fast_GET_SIZE(items.get()), pair, bytes_max, head);
}

}  // namespace

bool set_asgi_status(PyObject* value, http::ResponseHead* head) noexcept {
  long status = 0;
  if (value && PyLong_Check(value) && !PyBool_Check(value)) {
    status = PyLong_AsLong(value);
    if (status == -1) PyErr_Clear();
  }
  if (status < 200 || status > 999) {
    if (!value || !PyLong_Check(value)) {
      PyErr_Format(PyExc_TypeError, "http.response.start: status must be an int, not %R",
                   value ? value : Py_None);
    } else {
      PyErr_Format(PyExc_ValueError, "http.response.start: status must be from 200 to 999, not %R",
                   value);
    }
    return false;
  }
  return head->set_status(static_cast<int>(status), {}) ? true : refuse(value, Errc::no_memory);
}

bool add_asgi_fields(PyObject* value, std::uint64_t bytes_max, http::ResponseHead* head) noexcept {
  if (!value) return true;
  Ref pairs = Ref::steal(
      PySequence_Fast(value, "http.response.start: headers must be an iterable of pairs"));
  if (!pairs) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(pairs.get()); ++i) {
    if (!add_pair(PySequence_Fast_GET_ITEM(pairs.get(), i), bytes_max, head)) return false;
  }
  return true;
}

bool add_links(PyObject* value, std::uint64_t bytes_max, http::ResponseHead* head) noexcept {
  if (!value) return true;
  Ref links = Ref::steal(PySequence_Fast(
      value, "http.response.early_hint: links must be an iterable of byte strings"));
  if (!links) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(links.get()); ++i) {
    PyObject* link = PySequence_Fast_GET_ITEM(links.get(), i);
    std::string_view text;
    if (!view_of(link, &text)) {
      PyErr_Format(PyExc_TypeError, "http.response.early_hint: link %R is not bytes", link);
      return false;
    }
    if (!add_one("link", text, link, bytes_max, head)) return false;
  }
  return true;
}

}  // namespace lanner::python
