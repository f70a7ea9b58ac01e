// python/schema/hashes.h: values of a document whose hashes were chosen so that a set or dict of
// them takes quadratic time: ints that are multiples of 2 ** 61 - 1, say.

#pragma once

#include <Python.h>

#include <cstddef>

namespace lanner::python {

inline constexpr std::size_t kCollisionsFrom = 1024;  // fewer items do no harm
inline constexpr std::size_t kSameHashMax = 64;       // different values of one hash

// Whether more than kSameHashMax different values of values[0], values[step], ... have the same
// hash. In n log n. No exception is set.
bool too_many_collide(PyObject* const* values, std::size_t count, std::size_t step) noexcept;

}  // namespace lanner::python
