// base/buffer.h: a growing byte buffer that returns false instead of throwing when memory is out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace lanner {

class Buffer final {
 public:
  Buffer() noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() {
    if (data_) std::free(data_);  // often there is none
  }

  char* data() noexcept { return data_; }
  const char* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  std::string_view view() const noexcept { return {data_, size_}; }

  // Keeps the memory.
  void clear() noexcept { size_ = 0; }
  // Drops bytes from the end, down to `size`; keeps the memory. REQUIRES: size <= size().
  void truncate(std::size_t size) noexcept { size_ = size; }
  // Gives the memory back.
  void release() noexcept {
    std::free(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  // Room for `bytes` (> 0) more after the end; nullptr when memory is out. Then commit() what was
  // written.
  [[nodiscard]] char* reserve(std::size_t bytes) noexcept {
    if (capacity_ - size_ < bytes && !grow(bytes)) return nullptr;
    return data_ + size_;
  }
  void commit(std::size_t bytes) noexcept { size_ += bytes; }
  // False when memory is out; then nothing was added.
  [[nodiscard]] bool append(std::string_view bytes) noexcept {
    if (bytes.empty()) return true;
    char* to = reserve(bytes.size());
    if (!to) return false;
    std::memcpy(to, bytes.data(), bytes.size());
    size_ += bytes.size();
    return true;
  }
  // Drops bytes from the front; moves the rest down.
  void consume(std::size_t bytes) noexcept {
    size_ -= bytes;
    if (size_) std::memmove(data_, data_ + bytes, size_);
  }

 private:
  bool grow(std::size_t more) noexcept {
    if (more > static_cast<std::size_t>(PTRDIFF_MAX) - size_) return false;
    std::size_t capacity = capacity_ ? capacity_ * 2 : 256;
    if (capacity < size_ + more) capacity = size_ + more;
    void* grown = std::realloc(data_, capacity);
    if (!grown) return false;
    data_ = static_cast<char*>(grown);
    capacity_ = capacity;
    return true;
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace lanner
