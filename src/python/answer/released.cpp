// python/answer/released.cpp: Python objects that C++ no longer needs, kept until the GIL is held again.

#include "python/answer/released.h"

#include <cstring>
#include <utility>

namespace lanner::python {

void Released::add(PyObject* object) noexcept {
  std::lock_guard lock(mutex_);
  char* to = objects_.reserve(sizeof object);
  if (!to) return;
  std::memcpy(to, &object, sizeof object);
  objects_.commit(sizeof object);
}

bool Released::empty() const noexcept {
  std::lock_guard lock(mutex_);
  return objects_.empty();
}

void Released::drop_all() noexcept {
  Buffer taken;
  {
    std::lock_guard lock(mutex_);
    if (objects_.empty()) return;
    taken = std::move(objects_);
  }
  // Outside the lock: a destructor may run any Python code.
  for (std::size_t at = 0; at < taken.size(); at += sizeof(PyObject*)) {
    PyObject* object = nullptr;
    std::memcpy(&object, taken.data() + at, sizeof object);
    drop(object);
  }
}

}  // namespace lanner::python
