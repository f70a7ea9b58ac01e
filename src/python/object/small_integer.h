// python/object/small_integer.h: ints of one digit of CPython's, without a call.

#pragma once

#include <cstdint>

#include "python/object/layout.h"

namespace lanner::python {

// False: the int may not fit: it has several digits of CPython's (of at least 30 bits each).
// REQUIRES: an int.
[[gnu::always_inline]] inline bool small_integer(PyObject* value, std::int64_t* number) noexcept {
#if !LANNER_LAYOUTS
  int overflow = 0;
  *number = PyLong_AsLongLongAndOverflow(value, &overflow);
  constexpr std::int64_t kDigitMax = (std::int64_t{1} << 30) - 1;
  return overflow == 0 && *number >= -kDigitMax && *number <= kDigitMax;
#else
  // SAFETY: an int is one.
  const auto* integer = reinterpret_cast<const PyLongObject*>(value);
#if PY_VERSION_HEX >= 0x030C0000
  if (!PyUnstable_Long_IsCompact(integer)) return false;
  *number = PyUnstable_Long_CompactValue(integer);
#else
  const Py_ssize_t size = Py_SIZE(value);
  if (size < -1 || size > 1) return false;
  *number = size == 0 ? 0 : size * static_cast<std::int64_t>(integer->ob_digit[0]);
#endif
  return true;
#endif
}

}  // namespace lanner::python
