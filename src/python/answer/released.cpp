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
  some_.store(true, std::memory_order_relaxed);
}

void Released::drop_all() noexcept {
  if (empty()) return;
  Buffer taken;
  {
    std::lock_guard lock(mutex_);
    taken = std::move(objects_);
    some_.store(false, std::memory_order_relaxed);
  }
  // Outside the lock: a destructor may run any Python code.
  for (std::size_t at = 0; at < taken.size(); at += sizeof(PyObject*)) {
    PyObject* object = nullptr;
    std::memcpy(&object, taken.data() + at, sizeof object);
    drop(object);
  }
}

}  // namespace lanner::python
