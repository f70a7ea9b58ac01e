#include "json/output.h"

#include <cstdint>
#include <cstdlib>

namespace lanner::json {

char* Output::grow(std::size_t bytes) noexcept {
  const std::size_t used = size();
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - used) return nullptr;
  auto capacity = static_cast<std::size_t>(limit_ - begin_);
  char* begin = space_->grow(begin_, used, bytes, &capacity);
  if (begin == nullptr) return nullptr;
  begin_ = begin;
  at_ = begin + used;
  limit_ = begin + capacity;
  return at_;
}

char* HeapSpace::grow(char* begin, std::size_t used, std::size_t more,
                      std::size_t* capacity) noexcept {
  static_cast<void>(begin);
  if (capacity_ - used < more) {
    std::size_t wanted = capacity_ == 0 ? 1024 : capacity_ * 2;
    if (wanted < used + more) wanted = used + more;
    void* grown = std::realloc(memory_, wanted);
    if (grown == nullptr) return nullptr;
    memory_ = static_cast<char*>(grown);
    capacity_ = wanted;
  }
  *capacity = capacity_;
  return memory_;
}

}  // namespace lanner::json
