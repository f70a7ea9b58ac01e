#include "base/arena.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace lanner {
namespace {

constexpr std::size_t kAlign = alignof(std::max_align_t);

}  // namespace

// Stands before its bytes in the same allocation.
struct alignas(kAlign) Arena::Large {
  Large* next;
  std::size_t bytes;
  // SAFETY: `bytes` bytes behind the header belong to the same allocation.
  char* data() noexcept { return reinterpret_cast<char*>(this + 1); }
};

void* Arena::allocate(std::size_t bytes) noexcept {
  if (bytes == 0) bytes = 1;
  const auto room = static_cast<std::size_t>(end_ - next_);
  // Blocks start and end aligned, so what is missing to the next aligned byte follows from the
  // room.
  const std::size_t gap = room % kAlign;
  if (room < gap + bytes || bytes > Block::kRoom) return allocate_slow(bytes);
  char* at = next_ + gap;
  next_ = at + bytes;
  return at;
}

std::string_view Arena::copy(std::string_view text) noexcept {
  if (text.empty()) return std::string_view("", 0);
  char* at;
  if (static_cast<std::size_t>(end_ - next_) >= text.size()) {
    at = next_;
    next_ += text.size();
  } else {
    at = static_cast<char*>(allocate_slow(text.size()));
    if (!at) return {};
  }
  std::memcpy(at, text.data(), text.size());
  return {at, text.size()};
}

void* Arena::allocate_slow(std::size_t bytes) noexcept {
  if (bytes > Block::kRoom || pool_->budget().near()) return allocate_large(bytes);
  Block* block = pool_->take();
  if (!block) return nullptr;
  block->next = blocks_;
  blocks_ = block;
  next_ = block->data() + bytes;
  end_ = block->data() + Block::kRoom;
  return block->data();
}

char* Arena::allocate_large(std::size_t bytes) noexcept {
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - sizeof(Large)) return nullptr;
  void* memory = std::malloc(sizeof(Large) + bytes);
  if (!memory) return nullptr;
  pool_->budget().charge(sizeof(Large) + bytes);
  large_ = ::new (memory) Large{large_, bytes};
  return large_->data();
}

void Arena::reset() noexcept {
  while (blocks_) {
    Block* next = blocks_->next;
    pool_->give_back(blocks_);
    blocks_ = next;
  }
  while (large_) {
    Large* next = large_->next;
    pool_->budget().release(sizeof(Large) + large_->bytes);
    std::free(large_);
    large_ = next;
  }
  next_ = end_ = nullptr;
}

std::size_t Arena::bytes_held() const noexcept {
  std::size_t bytes = 0;
  for (const Block* block = blocks_; block; block = block->next) bytes += Block::kBytes;
  for (const Large* large = large_; large; large = large->next) {
    bytes += sizeof(Large) + large->bytes;
  }
  return bytes;
}

}  // namespace lanner
