// schema/value_stack.h: the values of unfinished containers; the first ones need no allocation.

#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace lanner::schema {

// The values of the open containers, the innermost last.
template <class Value>
class ValueStack final {
 public:
  ValueStack() noexcept = default;
  ValueStack(const ValueStack&) = delete;
  ValueStack& operator=(const ValueStack&) = delete;
  ~ValueStack() {
    if (values_ != inline_) std::free(values_);
  }
  Value& operator[](std::size_t i) noexcept { return values_[i]; }
  Value* at(std::size_t i) noexcept { return values_ + i; }
  std::size_t size() const noexcept { return size_; }
  // REQUIRES: the values up to `size` are there: pushed, or written into room().
  void resize(std::size_t size) noexcept { size_ = size; }
  [[nodiscard]] bool push(Value value) noexcept {
    if (size_ == capacity_ && !grow(1)) return false;
    values_[size_++] = value;
    return true;
  }
  // Space for `count` further values; null: no memory.
  [[nodiscard]] Value* room(std::size_t count) noexcept {
    return capacity_ - size_ < count && !grow(count) ? nullptr : values_ + size_;
  }
  [[nodiscard]] bool push_nulls(std::size_t count) noexcept {
    if (capacity_ - size_ < count && !grow(count)) return false;
    for (std::size_t i = 0; i < count; ++i) values_[size_ + i] = Value{};
    size_ += count;
    return true;
  }

 private:
  static constexpr std::size_t kInline = 64;
  bool grow(std::size_t more) noexcept {
    std::size_t capacity = capacity_ * 2;
    if (capacity < size_ + more) capacity = size_ + more;
    Value* grown = static_cast<Value*>(std::malloc(capacity * sizeof(Value)));
    if (!grown) return false;
    std::memcpy(grown, values_, size_ * sizeof(Value));
    if (values_ != inline_) std::free(values_);
    values_ = grown;
    capacity_ = capacity;
    return true;
  }

  Value inline_[kInline];
  Value* values_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kInline;
};

}  // namespace lanner::schema
