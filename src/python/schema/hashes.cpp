#include "python/schema/hashes.h"

#include <algorithm>
#include <memory>
#include <new>

#include "python/object/ref.h"

namespace lanner::python {

namespace {

struct Hashed {
  Py_hash_t hash;
  PyObject* value;
};

// REQUIRES: all have the same hash.
bool too_many_differ(const Hashed* begin, const Hashed* end) noexcept {
  const Ref list = Ref::steal(PyList_New(end - begin));
  for (const Hashed* one = begin; list && one != end; ++one)
    PyList_SET_ITEM(list.get(), one - begin, share(one->value));
  if (!list || PyList_Sort(list.get()) < 0) {
    PyErr_Clear();  // no order: taken to be different
    return true;
  }
  std::size_t differ = 1;
  for (Py_ssize_t i = 1; i < PyList_GET_SIZE(list.get()) && differ <= kSameHashMax; ++i) {
    const int same = PyObject_RichCompareBool(PyList_GET_ITEM(list.get(), i - 1),
                                              PyList_GET_ITEM(list.get(), i), Py_EQ);
    if (same < 0) PyErr_Clear();
    differ += same <= 0;
  }
  return differ > kSameHashMax;
}

}  // namespace

bool too_many_collide(PyObject* const* values, std::size_t count, std::size_t step) noexcept {
  const std::size_t size = count / step;
  if (size < kCollisionsFrom) return false;
  const std::unique_ptr<Hashed[]> all(new (std::nothrow) Hashed[size]);
  if (!all) return false;
  std::size_t found = 0;
  for (std::size_t i = 0; i < size; ++i) {
    PyObject* const value = values[i * step];
    if (PyUnicode_CheckExact(value)) continue;  // a secret is in their hash
    const Py_hash_t hash = PyObject_Hash(value);
    if (hash == -1) {
      PyErr_Clear();  // whoever puts it into a set says so
      return false;
    }
    all[found++] = {hash, value};
  }
  std::sort(all.get(), all.get() + found,
            [](const Hashed& one, const Hashed& other) { return one.hash < other.hash; });
  for (std::size_t begin = 0, end = 0; begin < found; begin = end) {
    while (end < found && all[end].hash == all[begin].hash) ++end;
    if (end - begin > kSameHashMax && too_many_differ(&all[begin], all.get() + end)) return true;
  }
  return false;
}

}  // namespace lanner::python
