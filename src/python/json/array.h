// python/json/array.h: numpy's arrays and scalars as JSON, read through the buffer protocol (PEP
// 3118): numpy itself is neither needed nor imported.

#pragma once

#include "python/json/encoder.h"

namespace lanner::python {

enum class ArrayText : std::uint8_t {
  written,     // without a comma behind it
  python,      // elements that are no plain numbers: tolist() gives them
  not_finite,  // a NaN or an infinity, and they are no nulls
  failed,      // an exception is set
};

bool is_numpy(PyObject* value) noexcept;
// REQUIRES: is_numpy(array)
ArrayText write_array(json::Output& out, PyObject* array, const JsonOptions& options) noexcept;
// The result of tolist(); dates of any precision become datetimes. Null with an exception set, or
// with *problem, the reason why the values cannot be represented.
PyObject* array_to_python(PyObject* array, const char** problem) noexcept;

}  // namespace lanner::python
