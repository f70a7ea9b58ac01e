// net/out_buffer.h: bytes that wait to be sent to one peer: copied small pieces, referenced large
// ones, parts of files.
//
// Backpressure is based on size() alone. An empty buffer holds no memory. One flush is one write
// (or one sendfile). Blocks and referenced bytes are charged to the pool's budget, the latter in
// full until their last byte is sent.
//
// Segments, in order: bytes (copied), reference (bytes owned by someone else, released when sent or
// dropped), file (descriptor, offset, count; the descriptor is closed when done). They are stored
// one after another in pooled blocks, each segment's header before its copied bytes, so that a
// small answer, or a head with a large body, needs only one block:
//
//   first block                                                      last block
//   [header| bytes....][header: reference][header: file][header| by] -> [header| bytes....   free ]
//   Block::begin = segments in it, Block::end = bytes used

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/block_pool.h"
#include "net/transport.h"

namespace lanner::net {

class OutBuffer final {
 public:
  using Release = void (*)(void* owner) noexcept;

  explicit OutBuffer(BlockPool& pool) noexcept : pool_(&pool) {}
  OutBuffer(const OutBuffer&) = delete;
  OutBuffer& operator=(const OutBuffer&) = delete;
  ~OutBuffer() { clear(); }

  // Unsent bytes, file parts included.
  std::uint64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  // Contiguous space for `bytes` (<= Block::capacity()) at the end; nullptr when memory is out or
  // `bytes` is larger. Then commit() at most that many, before anything else is called.
  [[nodiscard]] char* reserve(std::size_t bytes) noexcept;
  void commit(std::size_t bytes) noexcept;
  // Copies, over several blocks if need be. False when memory is out: then nothing was added.
  [[nodiscard]] bool append(std::string_view bytes) noexcept;
  // Keeps a reference: release(owner) is called exactly once, by flush(), clear() or this call if
  // it fails or there are no bytes. `release` must not touch this buffer.
  [[nodiscard]] bool append_reference(std::string_view bytes, void* owner,
                                      Release release) noexcept;
  // Takes ownership of `file`, also on failure.
  [[nodiscard]] bool append_file(int file, std::uint64_t offset, std::uint64_t count) noexcept;

  // Writes once. `bytes` = progress, possibly not everything: call again when writable (or at once,
  // after a file part). Empty: 0 bytes.
  IoResult flush(Transport& transport) noexcept;
  // Drops and releases everything.
  void clear() noexcept;

  // For who takes what is unsent elsewhere, from the front. The first pieces in order, as many as
  // `to` has room for, none behind a part of a file; then drop() at most their bytes.
  std::size_t pieces(std::span<std::string_view> to) const noexcept;
  void drop(std::uint64_t bytes) noexcept;
  // The part of a file that is at the front, if one is; its descriptor is the caller's then.
  struct FilePart {
    int descriptor = -1;
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
  };
  FilePart take_file() noexcept;
  // Bytes handed to the transport since construction: for the write rate and the access log.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

 private:
  struct Segment;

  Block* add_block() noexcept;
  void link_block(Block* block) noexcept;
  std::size_t room_at_end() const noexcept;
  bool last_can_grow() const noexcept;
  bool append_blocks(std::string_view bytes) noexcept;
  void link(Segment* segment) noexcept;
  Segment* add_segment() noexcept;
  IoResult write_many(Transport& transport) noexcept;
  void pop_first() noexcept;
  void give_back_blocks() noexcept;

  BlockPool* pool_;
  Block* first_block_ = nullptr;
  Block* last_block_ = nullptr;
  Segment* first_ = nullptr;  // in first_block_
  Segment* last_ = nullptr;
  char* reserved_ = nullptr;  // what reserve() gave, until commit()
  std::uint64_t size_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace lanner::net
