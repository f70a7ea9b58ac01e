// python/json/output.h: JSON text that becomes a bytes object, or the end of a bytearray: written
// in place, short ones first on the C stack.

#pragma once

#include "json/output.h"
#include "python/object/ref.h"

namespace lanner::python {

class BytesSpace final : public json::OutputSpace {
 public:
  // `expected`: the size of the last text, a hint that avoids growing.
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

// Appends to a bytearray. While its memory is in use, it cannot be resized by other code
// (BufferError). Without finish(), as on an error, it is cut back to its original length.
class ByteArraySpace final : public json::OutputSpace {
 public:
  // `array` is borrowed: it outlives this. `expected`: as above.
  ByteArraySpace(PyObject* array, std::size_t expected) noexcept
      : array_(array),
        before_(static_cast<std::size_t>(PyByteArray_GET_SIZE(array))),
        expected_(expected) {}
  ByteArraySpace(const ByteArraySpace&) = delete;
  ByteArraySpace& operator=(const ByteArraySpace&) = delete;
  ~ByteArraySpace();

  // Null with an exception set.
  char* grow(char* begin, std::size_t used, std::size_t more,
             std::size_t* capacity) noexcept override;
  // Keeps the first `size` bytes. False with an exception set.
  bool finish(std::size_t size) noexcept;

 private:
  void give_back() noexcept;

  PyObject* array_;
  std::size_t before_;
  std::size_t expected_;
  bool lent_ = false;
  bool finished_ = false;
  Py_buffer view_;
};

}  // namespace lanner::python
