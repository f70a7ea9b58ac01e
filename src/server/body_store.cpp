// server/body_store.cpp: a request's whole body: a view of the receive buffer, then memory, then the
// worker's spool file.

#include "server/body_store.h"

#include <algorithm>
#include <cstring>

namespace lanner::server {

Result<void> BodyStore::append(std::string_view piece, std::uint64_t memory_max) noexcept {
  if (!spooled() && memory_.size() + piece.size() <= memory_max) {
    if (!memory_.append(piece)) return Errc::no_memory;
    charge_.set(memory_.capacity());
    return {};
  }
  Result<void> stored = spool_.append(piece);
  if (stored) spooled_ += piece.size();
  return stored;
}

Result<void> BodyStore::own() noexcept {
  if (borrowed_.empty()) return {};
  if (!memory_.append(borrowed_)) return Errc::no_memory;
  charge_.set(memory_.capacity());
  borrowed_ = {};
  return {};
}

void BodyStore::reset() noexcept {
  borrowed_ = {};
  if (memory_.capacity() > 0) {
    memory_.release();
    charge_.set(0);
  }
  if (!spool_.empty()) spool_.clear();
  spooled_ = read_ = 0;
}

Result<std::size_t> BodyStore::read(char* to, std::size_t room) noexcept {
  const std::string_view in_memory = borrowed_.empty() ? memory_.view() : borrowed_;
  std::size_t count = 0;
  if (read_ < in_memory.size()) {
    count = std::min(room, in_memory.size() - static_cast<std::size_t>(read_));
    std::memcpy(to, in_memory.data() + read_, count);
  } else if (!spool_.empty()) {
    Result<std::size_t> got = spool_.read(to, room);
    if (!got) return got;
    count = *got;
  }
  read_ += count;
  return count;
}

}  // namespace lanner::server
