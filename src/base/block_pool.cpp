#include "base/block_pool.h"

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
  void* memory = in_use_ < in_use_max_ ? std::malloc(Block::kBytes) : nullptr;
  if (!memory) return nullptr;
  ++in_use_;
  return ::new (memory) Block{nullptr, 0, 0};
}

void BlockPool::free(Block* block) noexcept { std::free(block); }

}  // namespace lanner
