// server/out_spool.cpp: answer bytes beyond the high mark, in an unlinked file, for a source that
// cannot be paused.

#include "server/out_spool.h"

#include <utility>

#include "sys/files.h"
#include "sys/sockets.h"

namespace lanner::server {

Result<void> OutSpool::append(std::string_view bytes, const char* directory) noexcept {
  if (fd_ < 0) {
    Result<int> file = sys::make_spool_file(directory);
    if (!file) return Error{Errc::spool_failed, file.error().detail};
    fd_ = *file;
  }
  Result<void> written = sys::write_all_at(fd_, bytes, size_);
  if (!written) return Error{Errc::spool_failed, written.error().detail};
  size_ += bytes.size();
  return {};
}

bool OutSpool::move_to(net::OutBuffer& out) noexcept {
  if (empty()) return true;
  return out.append_file(std::exchange(fd_, -1), 0, std::exchange(size_, 0));
}

void OutSpool::clear() noexcept {
  if (fd_ >= 0) sys::close(fd_);
  fd_ = -1;
  size_ = 0;
}

}  // namespace lanner::server
