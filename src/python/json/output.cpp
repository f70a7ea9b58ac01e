// python/json/output.cpp: JSON text that becomes a bytes object.

#include "python/json/output.h"

#include <algorithm>
#include <utility>

#include "python/object/exception.h"

namespace lanner::python {

char* BytesSpace::grow(char* begin, std::size_t used, std::size_t more,
                       std::size_t* capacity) noexcept {
  if (!begin && more <= kInlineBytes && expected_ < kInlineBytes) {
    *capacity = kInlineBytes;
    return inline_;
  }
  std::size_t wanted = std::max(used + more, bytes_ ? 2 * *capacity : 4 * kInlineBytes);
  wanted = std::max(wanted, expected_);
  const auto size = static_cast<Py_ssize_t>(wanted);
  if (bytes_) {
    if (_PyBytes_Resize(&bytes_, size) < 0) return nullptr;
  } else {
    bytes_ = PyBytes_FromStringAndSize(nullptr, size);
    if (!bytes_) return nullptr;
    if (used != 0) std::memcpy(PyBytes_AS_STRING(bytes_), begin, used);
  }
  *capacity = wanted;
  return PyBytes_AS_STRING(bytes_);
}

PyObject* BytesSpace::finish(std::size_t size) noexcept {
  if (!bytes_) return PyBytes_FromStringAndSize(inline_, static_cast<Py_ssize_t>(size));
  if (_PyBytes_Resize(&bytes_, static_cast<Py_ssize_t>(size)) < 0) return nullptr;
  return std::exchange(bytes_, nullptr);
}

ByteArraySpace::~ByteArraySpace() {
  give_back();
  if (finished_) return;
  Raised raised;  // why there is no text
  if (PyByteArray_Resize(array_, static_cast<Py_ssize_t>(before_)) < 0) PyErr_Clear();
  raised.restore();
}

void ByteArraySpace::give_back() noexcept {
  if (std::exchange(lent_, false)) PyBuffer_Release(&view_);
}

char* ByteArraySpace::grow(char*, std::size_t used, std::size_t more,
                           std::size_t* capacity) noexcept {
  const std::size_t wanted = std::max({used + more, 2 * *capacity, expected_});
  give_back();
  if (PyByteArray_Resize(array_, static_cast<Py_ssize_t>(before_ + wanted)) < 0) return nullptr;
  if (PyObject_GetBuffer(array_, &view_, PyBUF_WRITABLE) < 0) return nullptr;
  lent_ = true;
  *capacity = wanted;
  return static_cast<char*>(view_.buf) + before_;
}

bool ByteArraySpace::finish(std::size_t size) noexcept {
  give_back();
  finished_ = PyByteArray_Resize(array_, static_cast<Py_ssize_t>(before_ + size)) == 0;
  return finished_;
}

}  // namespace lanner::python
