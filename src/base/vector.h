// base/vector.h: a growing array that returns false instead of throwing when memory is out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace lanner {

template <class T>
class Vector final {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);
  // What realloc() may move.
  static constexpr bool kPlain =
      std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t);

 public:
  Vector() noexcept = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  Vector(Vector&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Vector& operator=(Vector&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Vector() {
    if (!data_) return;  // mostly there is none
    shrink(0);
    std::free(data_);
  }

  void swap(Vector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  // REQUIRES: !empty()
  T& back() noexcept { return data_[size_ - 1]; }
  const T& back() const noexcept { return data_[size_ - 1]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

  // False when memory is out; then nothing was added, and `value` is gone.
  [[nodiscard]] bool push(T value) noexcept {
    if (size_ == capacity_ && !grow(size_ + 1)) return false;
    ::new (static_cast<void*>(data_ + size_++)) T(std::move(value));
    return true;
  }
  // Room for `size` elements in all. False when memory is out.
  [[nodiscard]] bool reserve(std::size_t size) noexcept { return size <= capacity_ || grow(size); }
  // New elements at the end, as T{} makes them, or fewer. False when memory is out; then nothing
  // was added.
  [[nodiscard]] bool resize(std::size_t size) noexcept {
    if (size < size_) shrink(size);
    if (!reserve(size)) return false;
    while (size_ < size) ::new (static_cast<void*>(data_ + size_++)) T{};
    return true;
  }
  // The elements of `other` behind those that are here. False when memory is out; then nothing was
  // added.
  [[nodiscard]] bool append(const Vector& other) noexcept {
    if (!reserve(size_ + other.size_)) return false;
    for (const T& value : other) ::new (static_cast<void*>(data_ + size_++)) T(value);
    return true;
  }
  // REQUIRES: size <= size(). Keeps the memory.
  void shrink(std::size_t size) noexcept {
    if constexpr (std::is_trivially_destructible_v<T>) {
      size_ = size;
    } else {
      while (size_ > size) data_[--size_].~T();
    }
  }

 private:
  bool grow(std::size_t least) noexcept {
    if (least > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T) / 2) return false;
    std::size_t capacity = capacity_ ? capacity_ * 2 : 4;
    if (capacity < least) capacity = least;
    T* const grown = move_to(capacity);
    if (!grown) return false;
    data_ = grown;
    capacity_ = capacity;
    return true;
  }

  T* move_to(std::size_t capacity) noexcept {
    if constexpr (kPlain) {
      return static_cast<T*>(std::realloc(data_, capacity * sizeof(T)));
    } else {
      constexpr std::size_t kAlign =
          alignof(T) > alignof(std::max_align_t) ? alignof(T) : alignof(std::max_align_t);
      const std::size_t bytes = (capacity * sizeof(T) + kAlign - 1) / kAlign * kAlign;
      T* const grown = static_cast<T*>(std::aligned_alloc(kAlign, bytes));
      if (!grown) return nullptr;
      for (std::size_t i = 0; i < size_; ++i) {
        ::new (static_cast<void*>(grown + i)) T(std::move(data_[i]));
        data_[i].~T();
      }
      std::free(data_);
      return grown;
    }
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace lanner
