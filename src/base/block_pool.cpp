#include "base/block_pool.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace lanner {

BlockPool::~BlockPool() {
  while (free_) {
    unpoison(free_, Block::kBytes);
    Block* next = free_->next;
    free(free_);
    free_ = next;
  }
}

Block* BlockPool::allocate() noexcept {
  // With blocks on the free list take() does not come here, and then fewer than the most are in
  // use.
  const bool may = in_use_ < in_use_max_ && budget_.fits(Block::kBytes);
  void* memory = may ? std::malloc(Block::kBytes) : nullptr;
  if (!memory) return nullptr;
  budget_.charge(Block::kBytes);
  ++in_use_;
  return ::new (memory) Block{nullptr, 0, 0};
}

void BlockPool::free(Block* block) noexcept {
  std::free(block);
  budget_.release(Block::kBytes);
}

void BlockPool::set_limit(std::uint64_t bytes) noexcept {
  budget_.set_limit(bytes);
  keep_max_ = std::min<std::uint64_t>(keep_max_, bytes / kKeptPart / Block::kBytes);
}

}  // namespace lanner
