// server/answer_space.cpp: a loop's own memory for bodies whose size is known only afterwards.

#include "server/answer_space.h"

#include <algorithm>
#include <utility>

namespace lanner::server {

namespace {
void release(void* memory) noexcept { std::free(memory); }
}  // namespace

std::span<char> AnswerSpace::reserve(std::size_t used, std::size_t more) noexcept {
  if (more > SIZE_MAX / 2 - used) return {};
  if (used + more > capacity_) {
    resize(std::max({used + more, capacity_ * 2, expected_, kLeastBytes}));
    if (used + more > capacity_) return {};
  }
  return {memory_, capacity_};
}

void AnswerSpace::resize(std::size_t bytes) noexcept {
  void* memory = std::realloc(memory_, bytes);
  if (!memory) return;
  memory_ = static_cast<char*>(memory);
  capacity_ = bytes;
  charge_.set(capacity_);
}

http::Payload AnswerSpace::take(std::size_t bytes) noexcept {
  if (bytes < http::kReferenceBytesMin) return {{memory_, bytes}, nullptr, nullptr};
  if (capacity_ - bytes > bytes / 4) resize(bytes);  // it may stay for long where it goes
  expected_ = std::min(bytes + bytes / 8, kKeptBytesMax);
  capacity_ = 0;
  charge_.set(0);
  char* memory = std::exchange(memory_, nullptr);
  return {{memory, bytes}, memory, release};
}

void AnswerSpace::trim() noexcept {
  if (capacity_ <= kKeptBytesMax && !charge_.budget().near()) return;
  std::free(std::exchange(memory_, nullptr));
  capacity_ = 0;
  charge_.set(0);
}

}  // namespace lanner::server
