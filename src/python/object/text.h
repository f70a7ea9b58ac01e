// python/object/text.h: latin-1 text between Python's str and the wire (PEP 3333, "Unicode Issues"; RFC
// 9110, section 5.5).

#pragma once

#include <string_view>

#include "python/object/ref.h"

namespace lanner::python {

// The bytes of a str whose code points are all <= 0xFF; a view into the str. False without an
// exception: not such a str.
inline bool latin1_view(PyObject* object, std::string_view* view) noexcept {
  if (!PyUnicode_Check(object)) return false;
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(object) < 0) {
    PyErr_Clear();
    return false;
  }
#endif
  if (PyUnicode_KIND(object) != PyUnicode_1BYTE_KIND) return false;
  // SAFETY: a compact 1-byte str holds length bytes there.
  *view = {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(object)),
           static_cast<std::size_t>(PyUnicode_GET_LENGTH(object))};
  return true;
}

// A new str, one code point a byte; null with an exception.
inline PyObject* latin1_str(std::string_view text) noexcept {
  return PyUnicode_DecodeLatin1(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
}

}  // namespace lanner::python
