// python/object/gil.h: the loop thread's hold on the GIL: taken when an iteration first needs it, released
// before writing and waiting.

#pragma once

#include <Python.h>

namespace lanner::python {

// One per loop thread. REQUIRES: constructed with the GIL held.
class Gil final {
 public:
  Gil() noexcept = default;
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;
  ~Gil() { hold(); }

  void hold() noexcept {
    if (!saved_) return;
    PyEval_RestoreThread(saved_);
    saved_ = nullptr;
  }
  void rest() noexcept {
    if (!saved_) saved_ = PyEval_SaveThread();
  }
  bool held() const noexcept { return saved_ == nullptr; }

 private:
  PyThreadState* saved_ = nullptr;
};

}  // namespace lanner::python
