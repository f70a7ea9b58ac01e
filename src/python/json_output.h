// python/json_output.h: JSON text that becomes a bytes object: written in place, short ones first
// on the C stack.

#pragma once

#include "json/output.h"
#include "python/ref.h"

namespace lanner::python {

class BytesSpace final : public json::OutputSpace {
 public:
  // `expected`: what the last text took, a hint that saves growing.
  explicit BytesSpace(std::size_t expected) noexcept : expected_(expected) {}
  BytesSpace(const BytesSpace&) = delete;
  BytesSpace& operator=(const BytesSpace&) = delete;
  ~BytesSpace() { drop(bytes_); }

  // Null with an exception set; then the Output on it must not be used any more.
  char* grow(char* begin, std::size_t used, std::size_t more,
             std::size_t* capacity) noexcept override;
  // The bytes object with the first `size` bytes; null with an exception set. Once.
  PyObject* finish(std::size_t size) noexcept;

 private:
  static constexpr std::size_t kInlineBytes = 2048;

  std::size_t expected_;
  PyObject* bytes_ = nullptr;
  char inline_[kInlineBytes];
};

}  // namespace lanner::python
