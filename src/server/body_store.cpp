// server/body_store.cpp: a request's whole body: a view of the receive buffer, then memory, then an
// unlinked file.

#include "server/body_store.h"

#include <algorithm>
#include <cstring>

#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {

Result<void> BodyStore::append(std::string_view piece, std::uint64_t memory_max,
                               const char* directory) noexcept {
  if (spool_fd_ < 0 && memory_.size() + piece.size() <= memory_max) {
    if (!memory_.append(piece)) return Errc::no_memory;
    return {};
  }
  if (spool_fd_ < 0) {
    Result<int> file = sys::make_spool_file(directory);
    if (!file) return Error{Errc::spool_failed, file.error().detail};
    spool_fd_ = *file;
  }
  Result<void> written = sys::write_all_at(spool_fd_, piece, spooled_);
  if (!written) return Error{Errc::spool_failed, written.error().detail};
  spooled_ += piece.size();
  return {};
}

Result<void> BodyStore::own() noexcept {
  if (borrowed_.empty()) return {};
  if (!memory_.append(borrowed_)) return Errc::no_memory;
  borrowed_ = {};
  return {};
}

void BodyStore::reset() noexcept {
  borrowed_ = {};
  if (memory_.capacity() > 0) memory_.release();
  if (spool_fd_ >= 0) sys::close(spool_fd_);
  spool_fd_ = -1;
  spooled_ = read_ = 0;
}

Result<std::size_t> BodyStore::read(char* to, std::size_t room) noexcept {
  const std::string_view in_memory = borrowed_.empty() ? memory_.view() : borrowed_;
  if (read_ < in_memory.size()) {
    const std::size_t count = std::min(room, in_memory.size() - static_cast<std::size_t>(read_));
    std::memcpy(to, in_memory.data() + read_, count);
    read_ += count;
    return count;
  }
  if (read_ >= size()) return std::size_t{0};
  const std::uint64_t offset = read_ - in_memory.size();
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(room, spooled_ - offset));
  Result<std::size_t> got = sys::read_at(spool_fd_, to, wanted, offset);
  if (!got || *got == 0) return Error{Errc::spool_failed, got ? 0 : got.error().detail};
  read_ += *got;
  return *got;
}

}  // namespace lanner::server
