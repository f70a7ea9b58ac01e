// base/arena.h: the memory of one exchange: bump allocation from pooled blocks, released all at
// once.
//
// An arena without allocations holds no block: an idle connection costs only this object. Near the
// budget each allocation is one of its own, so that a small head does not hold a whole block.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/block_pool.h"

namespace lanner {

class Arena final {
 public:
  explicit Arena(BlockPool& pool) noexcept : pool_(&pool) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { reset(); }

  // Aligned for any scalar; nullptr when memory is out. Valid until reset(). A request larger than
  // a block gets its own allocation.
  [[nodiscard]] void* allocate(std::size_t bytes) noexcept;
  // A copy of `text` that lives until reset(); its data() is nullptr when memory is out (never for
  // empty text).
  [[nodiscard]] std::string_view copy(std::string_view text) noexcept;
  // Gives every block back.
  void reset() noexcept;
  // Memory that reset() would give back.
  std::size_t bytes_held() const noexcept;

 private:
  struct Large;
  void* allocate_slow(std::size_t bytes) noexcept;
  char* allocate_large(std::size_t bytes) noexcept;

  BlockPool* pool_;
  Block* blocks_ = nullptr;
  Large* large_ = nullptr;
  char* next_ = nullptr;  // free part of the newest block
  char* end_ = nullptr;
};

}  // namespace lanner
