// base/block_pool.h: recycled 16 KiB blocks for out buffers and arenas of one loop.
//
// Not thread-safe: one loop, one pool, and one budget, to which all blocks are charged, those kept
// for later as well. A free block is poisoned under ASan.

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/budget.h"
#include "base/poison.h"

namespace lanner {

struct Block {
  static constexpr std::size_t kBytes = 16384;       // the whole allocation, header included
  static constexpr std::size_t kRoom = kBytes - 16;  // all bytes from data() on
  Block* next;                                       // free list, or the owner's chain
  std::uint32_t begin;                               // for owners: first byte in use, or a count
  std::uint32_t end;                                 // for owners: past the last byte in use
  // SAFETY: the kRoom bytes behind the header belong to the same allocation.
  char* data() noexcept { return reinterpret_cast<char*>(this + 1); }
  // The largest contiguous piece that an owner can offer if it also keeps its own header in the
  // block.
  static constexpr std::size_t capacity() noexcept { return kRoom - 48; }
};
static_assert(sizeof(Block) == 16);

class BlockPool final {
 public:
  // Keeps at most `keep_max` free blocks and frees the others. With `in_use_max` blocks in use, or
  // without room in the budget, take() behaves as if memory were out.
  explicit BlockPool(std::size_t keep_max = 256, std::size_t in_use_max = SIZE_MAX) noexcept
      : keep_max_(keep_max), in_use_max_(in_use_max) {}
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();  // REQUIRES: every block was given back

  // begin = end = 0, next = nullptr, data() aligned for any scalar; nullptr when memory is out.
  [[nodiscard]] Block* take() noexcept;
  void give_back(Block* block) noexcept;
  std::size_t in_use() const noexcept { return in_use_; }
  std::size_t kept() const noexcept { return kept_; }
  Budget& budget() noexcept { return budget_; }
  const Budget& budget() const noexcept { return budget_; }
  // The budget's limit; free blocks take a small part of it at most.
  void set_limit(std::uint64_t bytes) noexcept;

 private:
  Block* allocate() noexcept;
  void free(Block* block) noexcept;

  static constexpr std::uint64_t kKeptPart = 32;  // of the limit

  Budget budget_;
  Block* free_ = nullptr;
  std::size_t kept_ = 0;
  std::size_t in_use_ = 0;
  std::size_t keep_max_;
  std::size_t in_use_max_;
};

inline Block* BlockPool::take() noexcept {
  Block* block = free_;
  if (!block) return allocate();
  unpoison(block, Block::kBytes);
  free_ = block->next;
  --kept_;
  ++in_use_;
  block->next = nullptr;
  block->begin = block->end = 0;
  return block;
}

inline void BlockPool::give_back(Block* block) noexcept {
  --in_use_;
  if (kept_ >= keep_max_) return free(block);
  block->next = free_;
  free_ = block;
  ++kept_;
  poison(block, Block::kBytes);
}

}  // namespace lanner
