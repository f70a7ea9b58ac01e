// server/out_spool.h: answer bytes beyond the high mark, in an unlinked file, for a source that
// cannot be paused.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "net/out_buffer.h"

namespace lanner::server {

// The user must keep the order: while the spool is not empty, all new bytes must be added to it.
class OutSpool final {
 public:
  OutSpool() noexcept = default;
  OutSpool(const OutSpool&) = delete;
  OutSpool& operator=(const OutSpool&) = delete;
  ~OutSpool() { clear(); }

  bool empty() const noexcept { return size_ == 0; }
  std::uint64_t size() const noexcept { return size_; }
  Result<void> append(std::string_view bytes, const char* directory) noexcept;
  // Moves everything to `out` as one part of a file, together with the file. False when memory is
  // out.
  [[nodiscard]] bool move_to(net::OutBuffer& out) noexcept;
  void clear() noexcept;

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace lanner::server
