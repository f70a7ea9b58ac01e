// python/answer/released.h: Python objects that C++ no longer needs, kept until the GIL is held again.
//
// The loop thread releases answer bytes while it writes, without the GIL. Bounded by the contents
// of the out buffers.

#pragma once

#include <atomic>
#include <mutex>

#include "base/buffer.h"
#include "python/object/ref.h"

namespace lanner::python {

class Released final {
 public:
  Released() noexcept = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

  // Any thread, GIL or not. When memory is out the object is leaked rather than touched.
  void add(PyObject* object) noexcept;
  // One that another thread adds now may be missed.
  bool empty() const noexcept { return !some_.load(std::memory_order_relaxed); }
  // With the GIL: drops all.
  void drop_all() noexcept;

 private:
  std::mutex mutex_;
  Buffer objects_;  // PyObject*[]
  std::atomic<bool> some_{false};
};

}  // namespace lanner::python
