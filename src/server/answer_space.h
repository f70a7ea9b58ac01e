// server/answer_space.h: a loop's own memory in which bodies of answers are written whose size is known
// only afterwards; small ones are copied from it, large ones take it along (docs/design/0007).

#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>

#include "base/budget.h"
#include "http/exchange.h"

namespace lanner::server {

// One for all exchanges of a loop: a body is written and taken before the handler returns to it.
class AnswerSpace final {
 public:
  explicit AnswerSpace(Budget& budget) noexcept : charge_(budget) {}
  AnswerSpace(const AnswerSpace&) = delete;
  AnswerSpace& operator=(const AnswerSpace&) = delete;
  ~AnswerSpace() { std::free(memory_); }

  // All of it, which may have moved: the first `used` bytes are kept, and `more` follow at least.
  // Empty when memory is out; then what there was is still there.
  std::span<char> reserve(std::size_t used, std::size_t more) noexcept;
  // The first `bytes` as a payload that need not be copied, or must be before the next reserve().
  http::Payload take(std::size_t bytes) noexcept;
  // After it was copied: not more is kept than is worth it.
  void trim() noexcept;
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  static constexpr std::size_t kLeastBytes = 16384;
  static constexpr std::size_t kKeptBytesMax = 262144;

  void resize(std::size_t bytes) noexcept;

  Charge charge_;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t expected_ = 0;  // by the last large one
};

}  // namespace lanner::server
