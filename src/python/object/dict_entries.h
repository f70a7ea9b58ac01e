// python/object/dict_entries.h: direct access to the entries of a dict: PyDict_Next() without a call per
// entry.
//
// The layout is CPython's own (3.11 to 3.13, the same in all three) and not documented. So it is
// compared with PyDict_Next() when the module is made; where it differs, or is not known
// (python/object/layout.h), all code uses the documented functions.

#pragma once

#include <cstdint>

#include "python/object/layout.h"
#include "python/object/ref.h"

namespace lanner::python {

struct DictEntries {
  PyObject** first = nullptr;  // its key, then its value; null: see PyDict_Next()
  Py_ssize_t stride = 0;       // from one to the next, in pointers
  Py_ssize_t count = 0;        // deleted ones included; indices are those of PyDict_Next()
  bool only_str = false;       // all keys are exact str

  PyObject* key(Py_ssize_t i) const noexcept { return first[i * stride]; }
  PyObject*& value(Py_ssize_t i) const noexcept { return first[i * stride + 1]; }  // null: deleted
};

// Valid until the dict is changed, so until any Python code may run. REQUIRES: a dict, and
// dict_entries_known().
inline DictEntries dict_entries(PyObject* dict) noexcept {
#if !LANNER_LAYOUTS
  static_cast<void>(dict);
  return {};
#else
  struct Keys {  // struct _dictkeysobject
    Py_ssize_t refcount;
    std::uint8_t log2_size;
    std::uint8_t log2_index_bytes;
    std::uint8_t kind;
    std::uint32_t version;
    Py_ssize_t usable;
    Py_ssize_t count;
  };
  constexpr std::uint8_t kAnyKeys = 0;
  constexpr std::uint8_t kOnlyStrKeys = 1;
  // SAFETY: a dict is a PyDictObject, whose members are public; what ma_keys points to was compared
  // with PyDict_Next() by dict_entries_known().
  const auto* object = reinterpret_cast<PyDictObject*>(dict);
  auto* keys = reinterpret_cast<Keys*>(object->ma_keys);
  if (object->ma_values != nullptr || keys->kind > kOnlyStrKeys) return {};
  // SAFETY: the same. The entries follow the index of 2^log2_index_bytes bytes: hash, key, value,
  // or without the hash where all keys are str.
  auto* bytes = reinterpret_cast<char*>(keys + 1) + (std::size_t{1} << keys->log2_index_bytes);
  auto* entries = reinterpret_cast<PyObject**>(bytes);
  if (keys->kind == kAnyKeys) return {entries + 1, 3, keys->count, false};
  return {entries, 2, keys->count, true};
#endif
}

// Once per module: whether dict_entries() agrees with PyDict_Next(). False also when memory was
// out.
bool dict_entries_known() noexcept;

}  // namespace lanner::python
