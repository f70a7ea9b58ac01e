// python/json_output.cpp: JSON text that becomes a bytes object.

#include "python/json_output.h"

#include <algorithm>
#include <utility>

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

}  // namespace lanner::python
