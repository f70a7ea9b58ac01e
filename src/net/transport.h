// net/transport.h: a stream of bytes to one peer: TCP, unix, later TLS; a fake one in tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lanner::net {

struct IoResult {
  enum class Kind : std::uint8_t {
    bytes,        // `bytes` were transferred (> 0)
    would_block,  // nothing now: wait for readiness
    end,          // read only: the peer has finished sending
    error,        // `error` holds errno; the stream is dead
  };
  Kind kind = Kind::error;
  int error = 0;
  std::size_t bytes = 0;
};

// Neither read nor write ever waits. EINTR is handled inside.
class Transport {
 public:
  virtual ~Transport() = default;
  // REQUIRES: room > 0
  virtual IoResult read(char* to, std::size_t room) noexcept = 0;
  // 1 to 64 pieces, none empty; may write only a part.
  virtual IoResult write(std::span<const std::string_view> pieces) noexcept = 0;
  // From a regular file, up to `count` (> 0) bytes at `offset`. If nothing is there, error EIO: the
  // file was truncated.
  virtual IoResult send_file(int file, std::uint64_t offset, std::size_t count) noexcept = 0;
  // Bytes written that the peer has not acknowledged yet.
  virtual std::size_t unacknowledged() const noexcept { return 0; }
  // At most so many bytes that are not on their way yet are taken from now on, where the kernel can
  // tell.
  virtual void limit_unsent(unsigned) noexcept {}
  // No more writes: the peer sees the end.
  virtual void shutdown_write() noexcept = 0;
  // Closes with a reset, so that an incomplete answer does not look complete.
  virtual void reset() noexcept = 0;
  virtual void close() noexcept = 0;
  // For the poller; -1 when closed or fake.
  virtual int descriptor() const noexcept = 0;
};

}  // namespace lanner::net
