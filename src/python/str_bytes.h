// python/str_bytes.h: the UTF-8 of a str where it lies in the object.

#pragma once

#include <Python.h>

#include <cstddef>

namespace lanner::python {

struct StrBytes {
  const char* data;
  std::size_t size;
};

// Of an ASCII str its text (PEP 393), of any other the UTF-8 that PyUnicode_AsUTF8() left in it.
// False: there is neither. The bytes live as long as the str. REQUIRES: an exact str.
[[gnu::always_inline]] inline bool utf8_inside(PyObject* text, StrBytes* bytes) noexcept {
  if (PyUnicode_IS_COMPACT_ASCII(text)) [[likely]] {
    // SAFETY: a compact ASCII str has its bytes behind the head.
    bytes->data = reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(text) + 1);
    bytes->size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
    return true;
  }
#ifdef Py_GIL_DISABLED
  return false;  // another thread may be about to leave it there
#else
  // SAFETY: every str that is not compact ASCII has these members.
  const auto* compact = reinterpret_cast<const PyCompactUnicodeObject*>(text);
  bytes->data = compact->utf8;
  bytes->size = static_cast<std::size_t>(compact->utf8_length);
  return bytes->data != nullptr && PyUnicode_IS_COMPACT(text);
#endif
}

}  // namespace lanner::python
