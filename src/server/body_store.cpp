// server/body_store.cpp: a request's whole body: a view of the receive buffer, then memory, then the
// worker's spool file.

#include "server/body_store.h"

#include <algorithm>
#include <cstring>

namespace lanner::server {

Result<void> BodyStore::append(std::string_view piece, std::uint64_t memory_max) noexcept {
  Result<void> owned = own();
  if (!owned) return owned;
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
  if (!memory_.append(view())) return Errc::no_memory;
  charge_.set(memory_.capacity());
  borrowed_ = {};
  read_ = 0;
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

std::string_view BodyStore::view() noexcept {
  const std::string_view all = in_memory();
  return all.substr(std::min<std::uint64_t>(read_, all.size()));
}

Result<std::size_t> BodyStore::read(char* to, std::size_t room) noexcept {
  const std::string_view next = view();
  std::size_t count = 0;
  if (!next.empty()) {
    count = std::min(room, next.size());
    std::memcpy(to, next.data(), count);
  } else if (!spool_.empty()) {
    Result<std::size_t> got = spool_.read(to, room);
    if (!got) return got;
    count = *got;
  }
  skip(count);
  return count;
}

void BodyStore::skip(std::size_t bytes) noexcept {
  read_ += bytes;
  if (read_ == size()) reset();
}

}  // namespace lanner::server
