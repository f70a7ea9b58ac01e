// python/object/state.cpp: makes the interned names and the empty values.

#include "python/object/state.h"

#include <cstddef>
#include <string_view>

#include "http/method.h"

namespace lanner::python {

namespace {

bool intern(PyObject** slot, const char* text) noexcept {
  *slot = PyUnicode_InternFromString(text);
  return *slot != nullptr;
}

}  // namespace

int ObjectState::init() noexcept {
#define LANNER_NAME(name, text) \
  if (!intern(&name, text)) return -1;
#include "python/object/names.def"
#undef LANNER_NAME
  empty_bytes = PyBytes_FromStringAndSize(nullptr, 0);
  empty_tuple = PyTuple_New(0);
  if (!empty_bytes || !empty_tuple) return -1;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(http::Method::patch); ++i) {
    const std::string_view text = http::method_text(static_cast<http::Method>(i));
    methods[i] = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    if (!methods[i]) return -1;
    PyUnicode_InternInPlace(&methods[i]);
  }
  return 0;
}

}  // namespace lanner::python
