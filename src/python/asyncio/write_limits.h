// python/asyncio/write_limits.h: the water marks of a transport: above the high one its protocol is paused,
// at the low one it is resumed.

#pragma once

#include <Python.h>

#include <cstdint>

#include "python/object/ref.h"

namespace lanner::python {

class WriteLimits final {
 public:
  // asyncio's own, in bytes.
  static constexpr long kHighDefault = 64 * 1024;
  static constexpr long kLowDefault = kHighDefault / 4;

  // As made by set() without arguments. Borrowed.
  void set_default(PyObject* high, PyObject* low) noexcept;
  // As asyncio: None for high is 4 * low, None for low is high // 4, None for both the default.
  // False with an exception set: ValueError unless high >= low >= 0.
  bool set(PyObject* high, PyObject* low) noexcept;

  std::uint64_t high_bytes() const noexcept { return high_bytes_; }
  std::uint64_t low_bytes() const noexcept { return low_bytes_; }
  // What was set, borrowed: numbers of any kind.
  PyObject* high() const noexcept { return high_.get(); }
  PyObject* low() const noexcept { return low_.get(); }

 private:
  Ref high_;
  Ref low_;
  std::uint64_t high_bytes_ = kHighDefault;
  std::uint64_t low_bytes_ = kLowDefault;
};

}  // namespace lanner::python
