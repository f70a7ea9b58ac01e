// python/object/new_ascii.h: new str objects of ASCII text, written in place by the caller.

#pragma once

#include <cstddef>
#include <new>

#include "python/object/layout.h"

namespace lanner::python {

// A new str of `size` bytes, which the caller writes at *to, all of them ASCII; null with an
// exception set. REQUIRES: size >= 2 (CPython shares shorter ones).
[[gnu::always_inline]] inline PyObject* new_ascii(std::size_t size, char** to) noexcept {
#if LANNER_LAYOUTS
  // The same as PyUnicode_New(size, 0x7F), whose layout PEP 393 defines, without its checks.
  void* memory = PyObject_Malloc(sizeof(PyASCIIObject) + size + 1);
  if (!memory) return PyErr_NoMemory();
  auto* made = new (memory) PyASCIIObject{};
  made->ob_base.ob_refcnt = 1;
  made->ob_base.ob_type = &PyUnicode_Type;
  made->length = static_cast<Py_ssize_t>(size);
  made->hash = -1;
  made->state.kind = PyUnicode_1BYTE_KIND;
  made->state.compact = 1;
  made->state.ascii = 1;
#if PY_VERSION_HEX < 0x030C0000
  made->state.ready = 1;
#endif
  // SAFETY: the text of a compact ASCII str follows its head (PEP 393).
  char* text = reinterpret_cast<char*>(made + 1);
  text[size] = '\0';
  *to = text;
  return reinterpret_cast<PyObject*>(made);  // SAFETY: it begins with PyObject
#else
  PyObject* made = PyUnicode_New(static_cast<Py_ssize_t>(size), 0x7F);
  // SAFETY: bytes as char, both one byte wide.
  if (made) *to = reinterpret_cast<char*>(PyUnicode_1BYTE_DATA(made));
  return made;
#endif
}

}  // namespace lanner::python
