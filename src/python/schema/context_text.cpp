#include "python/schema/context_text.h"

#include <cmath>

#include "json/decimal.h"
#include "python/schema/builder.h"
#include "schema/error_text.h"

namespace lanner::python {

namespace {

enum class Done : std::uint8_t { yes, other, no_memory };

Done append_number(PyObject* value, Buffer* to) noexcept {
  int overflow = 0;
  const bool integer = PyLong_CheckExact(value);
  const std::int64_t number = integer ? PyLong_AsLongLongAndOverflow(value, &overflow) : 0;
  if (overflow || (!integer && !std::isfinite(PyFloat_AS_DOUBLE(value)))) return Done::other;
  char* const begin = to->reserve(json::kDoubleRoom);
  if (!begin) return Done::no_memory;
  const char* const end = integer ? json::write_int64(begin, number)
                                  : json::write_double(begin, PyFloat_AS_DOUBLE(value));
  to->commit(static_cast<std::size_t>(end - begin));
  return Done::yes;
}

Done append_text(PyObject* value, Buffer* to) noexcept {
  std::string_view text;
  if (!utf8_view(value, &text)) {
    const bool no_memory = PyErr_Occurred() != nullptr;
    PyErr_Clear();
    return no_memory ? Done::no_memory : Done::other;
  }
  return schema::append_json_string(text, to) ? Done::yes : Done::no_memory;
}

Done append_value(PyObject* value, Buffer* to) noexcept {
  if (PyUnicode_CheckExact(value)) return append_text(value, to);
  return PyLong_CheckExact(value) || PyFloat_CheckExact(value) ? append_number(value, to)
                                                               : Done::other;
}

Done append_pairs(PyObject* context, Buffer* to) noexcept {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(context, &at, &key, &value);) {
    if (!to->append(to->empty() ? "{" : ",")) return Done::no_memory;
    Done done = PyUnicode_CheckExact(key) ? append_text(key, to) : Done::other;
    if (done == Done::yes && !to->append(":")) done = Done::no_memory;
    if (done == Done::yes) done = append_value(value, to);
    if (done != Done::yes) return done;
  }
  if (to->empty()) return Done::other;
  return to->append("}") ? Done::yes : Done::no_memory;
}

}  // namespace

bool write_context(PyObject* context, Buffer* to) noexcept {
  to->clear();
  if (!context || !PyDict_CheckExact(context)) return true;
  const Done done = append_pairs(context, to);
  if (done != Done::yes) to->clear();
  return done != Done::no_memory;
}

}  // namespace lanner::python
