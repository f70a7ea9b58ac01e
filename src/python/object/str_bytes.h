// python/object/str_bytes.h: the UTF-8 of a str, without a copy.

#pragma once

#include <cstddef>

#include "python/object/layout.h"

namespace lanner::python {

struct StrBytes {
  const char* data;
  std::size_t size;
};

// Of an ASCII str its text (PEP 393), of any other the UTF-8 that PyUnicode_AsUTF8() left in it.
// False: there is neither. The bytes live as long as the str. REQUIRES: an exact str.
[[gnu::always_inline]] inline bool utf8_inside(PyObject* text, StrBytes* bytes) noexcept {
  if (PyUnicode_IS_COMPACT_ASCII(text)) [[likely]] {
#if LANNER_LAYOUTS
    // SAFETY: a compact ASCII str has its bytes behind the head (PEP 393).
    bytes->data = reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(text) + 1);
#else
    // SAFETY: bytes as char, both one byte wide.
    bytes->data = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text));
#endif
    bytes->size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
    return true;
  }
#if !LANNER_LAYOUTS
  return false;
#else
  // SAFETY: every str that is not compact ASCII has these members.
  const auto* compact = reinterpret_cast<const PyCompactUnicodeObject*>(text);
  bytes->data = compact->utf8;
  bytes->size = static_cast<std::size_t>(compact->utf8_length);
  return bytes->data != nullptr && PyUnicode_IS_COMPACT(text);
#endif
}

}  // namespace lanner::python
