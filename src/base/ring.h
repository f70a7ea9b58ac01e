// base/ring.h: a queue of pointers in one growing block: O(1) at both ends, no allocation while it
// fits.

#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace lanner {

// Does not own what is pointed to.
template <class T>
class Ring final {
 public:
  Ring() noexcept = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { std::free(slots_); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // REQUIRES: index < size(). 0 is the front.
  T* operator[](std::size_t index) const noexcept { return slots_[(first_ + index) & mask()]; }

  // False when memory is out; then nothing was added.
  [[nodiscard]] bool push_back(T* item) noexcept {
    if (size_ == capacity_ && !grow()) return false;
    slots_[(first_ + size_++) & mask()] = item;
    return true;
  }
  [[nodiscard]] bool push_front(T* item) noexcept {
    if (size_ == capacity_ && !grow()) return false;
    first_ = (first_ - 1) & mask();
    slots_[first_] = item;
    ++size_;
    return true;
  }
  // REQUIRES: !empty()
  T* pop_front() noexcept {
    T* item = slots_[first_];
    first_ = (first_ + 1) & mask();
    --size_;
    return item;
  }
  // REQUIRES: !empty()
  T* pop_back() noexcept { return slots_[(first_ + --size_) & mask()]; }

 private:
  static constexpr std::size_t kFirstCapacity = 64;

  std::size_t mask() const noexcept { return capacity_ - 1; }  // a power of two

  bool grow() noexcept {
    const std::size_t wanted = capacity_ ? capacity_ * 2 : kFirstCapacity;
    T** larger = static_cast<T**>(std::malloc(wanted * sizeof(T*)));
    if (!larger) return false;
    const std::size_t to_end = capacity_ - first_;
    if (capacity_) {
      std::memcpy(larger, slots_ + first_, to_end * sizeof(T*));
      std::memcpy(larger + to_end, slots_, first_ * sizeof(T*));
    }
    std::free(slots_);
    slots_ = larger;
    capacity_ = wanted;
    first_ = 0;
    return true;
  }

  T** slots_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace lanner
