// server/spool.h: bytes of one answer or body that wait in the worker's spool file, and parts of
// the application's own files among them; a queue.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "net/transport.h"
#include "server/spool_file.h"

namespace lanner::server {

// Order is kept by its user: while it is not empty, all new bytes must go here.
class Spool final {
 public:
  explicit Spool(SpoolFile& file) noexcept : file_(file), charge_(file.budget()) {}
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool() { clear(); }

  bool empty() const noexcept { return size_ == 0; }
  std::uint64_t size() const noexcept { return size_; }
  Result<void> append(std::string_view bytes) noexcept;
  // Takes ownership of `fd`, also on failure.
  Result<void> append_file(int fd, std::uint64_t offset, std::uint64_t count) noexcept;
  // Sends from the front, once. REQUIRES: !empty()
  net::IoResult flush(net::Transport& transport) noexcept;
  // Reads from the front, and forgets what was read. REQUIRES: !empty(), room > 0
  Result<std::size_t> read(char* to, std::size_t room) noexcept;
  void clear() noexcept;
  // Bytes that flush() has sent since construction.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

 private:
  struct Part;
  Part* parts() noexcept;
  std::size_t part_count() const noexcept;
  Result<void> add(const Part& part) noexcept;
  int descriptor(const Part& part) const noexcept;
  void drop(std::uint64_t bytes) noexcept;
  void release(const Part& part) noexcept;

  SpoolFile& file_;
  Charge charge_;
  Buffer parts_;  // Part[]
  std::size_t first_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace lanner::server
