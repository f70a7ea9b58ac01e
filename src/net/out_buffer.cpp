#include "net/out_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "sys/sockets.h"

namespace lanner::net {
namespace {

constexpr std::size_t kPiecesMax = sys::kPiecesMax;
// One step of a file: enough for the kernel to be efficient, little enough for others to get a
// turn.
constexpr std::uint64_t kFileStepBytes = 1 << 20;

constexpr std::uint32_t to_kib(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::min<std::size_t>((bytes + 1023) / 1024, UINT32_MAX));
}

}  // namespace

// Never empty: made with its first byte, gone with its last.
struct OutBuffer::Segment {
  enum class Kind : std::uint8_t { bytes, reference, file };
  struct Owned {
    void* owner;
    Release release;
  };
  struct File {
    std::uint64_t offset;  // first unsent byte
    int descriptor;
  };

  Segment* next;
  const char* data;    // first unsent byte; nullptr for a file
  std::uint64_t size;  // unsent bytes
  union {
    Owned owned;
    File file;
  };
  Kind kind;
  std::uint32_t charged_kib;  // of a reference

  // Where the header goes in a block of which `end` bytes are used.
  static constexpr std::size_t place(std::size_t end) noexcept {
    return (end + alignof(Segment) - 1) & ~(alignof(Segment) - 1);
  }
};

bool OutBuffer::last_can_grow() const noexcept {
  return last_ && last_->kind == Segment::Kind::bytes &&
         last_->data + last_->size == last_block_->data() + last_block_->end;
}

char* OutBuffer::reserve(std::size_t bytes) noexcept {
  static_assert(sizeof(Segment) <= Block::kRoom - Block::capacity());
  if (bytes > Block::capacity()) return nullptr;
  if (last_block_) {
    if (last_can_grow() && bytes <= Block::kRoom - last_block_->end) {
      return reserved_ = last_block_->data() + last_block_->end;
    }
    const std::size_t at = Segment::place(last_block_->end) + sizeof(Segment);
    if (at + bytes <= Block::kRoom) return reserved_ = last_block_->data() + at;
  }
  Block* block = add_block();
  if (!block) return nullptr;
  return reserved_ = block->data() + sizeof(Segment);
}

void OutBuffer::commit(std::size_t bytes) noexcept {
  if (bytes == 0) {
    if (size_ == 0) give_back_blocks();
    return;
  }
  Block& block = *last_block_;
  if (reserved_ == block.data() + block.end) {
    last_->size += bytes;
  } else {
    // SAFETY: reserve() left room for an aligned header right before what it gave.
    Segment* segment = ::new (static_cast<void*>(reserved_ - sizeof(Segment))) Segment;
    segment->data = reserved_;
    segment->size = bytes;
    segment->kind = Segment::Kind::bytes;
    link(segment);
  }
  block.end =
      static_cast<std::uint32_t>(reserved_ - block.data()) + static_cast<std::uint32_t>(bytes);
  size_ += bytes;
}

bool OutBuffer::append(std::string_view bytes) noexcept {
  if (bytes.empty()) return true;
  if (bytes.size() > (last_block_ ? room_at_end() : Block::capacity())) return append_blocks(bytes);
  char* to = reserve(bytes.size());
  if (!to) return false;
  std::memcpy(to, bytes.data(), bytes.size());
  commit(bytes.size());
  return true;
}

// What reserve() can give without a new block. REQUIRES: last_block_
std::size_t OutBuffer::room_at_end() const noexcept {
  const std::size_t end = last_block_->end;
  if (last_can_grow()) return std::min(Block::kRoom - end, Block::capacity());
  const std::size_t at = Segment::place(end) + sizeof(Segment);
  return at < Block::kRoom ? std::min(Block::kRoom - at, Block::capacity()) : 0;
}

// All blocks are taken before anything is copied, so that a failure leaves the buffer as it was.
bool OutBuffer::append_blocks(std::string_view bytes) noexcept {
  std::size_t part = last_block_ ? room_at_end() : 0;
  const std::size_t blocks_needed =
      (bytes.size() - part + Block::capacity() - 1) / Block::capacity();
  Block* fresh = nullptr;
  for (std::size_t i = 0; i < blocks_needed; ++i) {
    Block* block = pool_->take();
    if (block) {
      block->next = fresh;
      fresh = block;
      continue;
    }
    while (fresh) {
      Block* next = fresh->next;
      pool_->give_back(fresh);
      fresh = next;
    }
    return false;
  }
  for (;;) {
    if (part > 0) {
      std::memcpy(reserve(part), bytes.data(), part);
      commit(part);
      bytes.remove_prefix(part);
    }
    if (bytes.empty()) return true;
    Block* next = fresh->next;
    link_block(fresh);
    fresh = next;
    part = std::min(bytes.size(), Block::capacity());
  }
}

bool OutBuffer::append_reference(std::string_view bytes, void* owner, Release release) noexcept {
  Segment* segment = bytes.empty() ? nullptr : add_segment();
  if (!segment) {
    release(owner);
    return bytes.empty();
  }
  segment->data = bytes.data();
  segment->size = bytes.size();
  segment->owned = {owner, release};
  segment->kind = Segment::Kind::reference;
  segment->charged_kib = to_kib(bytes.size());
  pool_->budget().charge(std::uint64_t{segment->charged_kib} * 1024);
  size_ += bytes.size();
  return true;
}

bool OutBuffer::append_file(int file, std::uint64_t offset, std::uint64_t count) noexcept {
  Segment* segment = count == 0 ? nullptr : add_segment();
  if (!segment) {
    sys::close(file);
    return count == 0;
  }
  segment->data = nullptr;
  segment->size = count;
  segment->file = {offset, file};
  segment->kind = Segment::Kind::file;
  size_ += count;
  return true;
}

IoResult OutBuffer::flush(Transport& transport) noexcept {
  if (size_ == 0) {
    give_back_blocks();
    return {IoResult::Kind::done, 0, 0};
  }
  IoResult result;
  if (first_->kind == Segment::Kind::file) {
    const auto count = static_cast<std::size_t>(std::min(first_->size, kFileStepBytes));
    result = transport.send_file(first_->file.descriptor, first_->file.offset, count);
  } else if (!first_->next) {
    const std::string_view piece(first_->data, first_->size);
    result = transport.write({&piece, 1});
  } else {
    result = write_many(transport);
  }
  if (result.kind == IoResult::Kind::done) {
    bytes_sent_ += result.bytes;
    drop(result.bytes);
  }
  return result;
}

void OutBuffer::clear() noexcept {
  size_ = 0;
  while (first_) pop_first();
  give_back_blocks();
}

Block* OutBuffer::add_block() noexcept {
  Block* block = pool_->take();
  if (block) link_block(block);
  return block;
}

void OutBuffer::link_block(Block* block) noexcept {
  block->next = nullptr;
  if (last_block_) {
    last_block_->next = block;
  } else {
    first_block_ = block;
  }
  last_block_ = block;
}

// Room for a header without bytes, linked; the caller fills it. nullptr when memory is out.
OutBuffer::Segment* OutBuffer::add_segment() noexcept {
  std::size_t at = last_block_ ? Segment::place(last_block_->end) : Block::kRoom;
  if (at + sizeof(Segment) > Block::kRoom) {
    if (!add_block()) return nullptr;
    at = 0;
  }
  // SAFETY: place() aligns, and block data is aligned for any scalar.
  Segment* segment = ::new (static_cast<void*>(last_block_->data() + at)) Segment;
  last_block_->end = static_cast<std::uint32_t>(at + sizeof(Segment));
  link(segment);
  return segment;
}

void OutBuffer::link(Segment* segment) noexcept {
  segment->next = nullptr;
  if (last_) {
    last_->next = segment;
  } else {
    first_ = segment;
  }
  last_ = segment;
  ++last_block_->begin;
}

IoResult OutBuffer::write_many(Transport& transport) noexcept {
  std::array<std::string_view, kPiecesMax> some;
  return transport.write({some.data(), pieces(some)});
}

std::size_t OutBuffer::pieces(std::span<std::string_view> to) const noexcept {
  std::size_t count = 0;
  for (const Segment* segment = first_; segment && count < to.size(); segment = segment->next) {
    if (segment->kind == Segment::Kind::file) break;
    to[count++] = {segment->data, segment->size};
  }
  return count;
}

void OutBuffer::drop(std::uint64_t bytes) noexcept {
  size_ -= bytes;
  while (bytes > 0 && bytes >= first_->size) {
    bytes -= first_->size;
    pop_first();
  }
  if (bytes > 0) {
    first_->size -= bytes;
    if (first_->kind == Segment::Kind::file) {
      first_->file.offset += bytes;
    } else {
      first_->data += bytes;
    }
  }
  if (size_ == 0) give_back_blocks();
}

OutBuffer::FilePart OutBuffer::take_file() noexcept {
  if (!first_ || first_->kind != Segment::Kind::file) return {};
  const FilePart part{first_->file.descriptor, first_->file.offset, first_->size};
  first_->file.descriptor = -1;
  drop(part.count);
  return part;
}

void OutBuffer::pop_first() noexcept {
  // Out of the buffer first, then released: it may be the memory that goes back with its block.
  const Segment segment = *first_;
  first_ = segment.next;
  if (!first_) last_ = nullptr;
  Block* block = first_block_;
  if (--block->begin == 0) {
    first_block_ = block->next;
    if (!first_block_) last_block_ = nullptr;
    pool_->give_back(block);
  }
  if (segment.kind == Segment::Kind::reference) {
    pool_->budget().release(std::uint64_t{segment.charged_kib} * 1024);
    segment.owned.release(segment.owned.owner);
  }
  if (segment.kind == Segment::Kind::file && segment.file.descriptor >= 0) {
    sys::close(segment.file.descriptor);
  }
}

// What reserve() took and nobody committed. REQUIRES: no segments
void OutBuffer::give_back_blocks() noexcept {
  while (first_block_) {
    Block* next = first_block_->next;
    pool_->give_back(first_block_);
    first_block_ = next;
  }
  last_block_ = nullptr;
}

}  // namespace lanner::net
