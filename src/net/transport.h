// net/transport.h: a stream of bytes to one peer: TCP, unix, later TLS; a fake one in tests.
//
// A transport may need a handshake first, and may encrypt. Then the direction that it waits for is
// not always that of the call: a read may first have to write, and a write to read. Every call says
// so in its result; the caller waits until the descriptor is ready for that, and calls again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lanner::net {

struct IoResult {
  enum class Kind : std::uint8_t {
    done,           // `bytes` were transferred (> 0); of a handshake: it is over
    wait_readable,  // nothing now: call again when the descriptor is readable
    wait_writable,  // ... when it is writable
    end,            // the peer has finished sending; not of a write
    error,          // `error` holds errno; the stream is dead
  };
  Kind kind = Kind::error;
  int error = 0;
  std::size_t bytes = 0;

  bool waits() const noexcept { return kind == Kind::wait_readable || kind == Kind::wait_writable; }
};

// No call ever waits. EINTR is handled inside.
class Transport {
 public:
  virtual ~Transport() = default;

  // Before the first read or write, again and again until it is done; `end` and `error`: there is
  // no stream. What the peer is to know of a failure was sent then, as far as there was room.
  virtual IoResult handshake() noexcept { return {IoResult::Kind::done, 0, 0}; }
  // Nobody on the way can read or change what is sent. Holds once the handshake is done.
  virtual bool secured() const noexcept { return false; }

  // REQUIRES: room > 0
  virtual IoResult read(char* to, std::size_t room) noexcept = 0;
  // There is input that the descriptor does not tell of any more: taken from it, and not yet read.
  // The next read() gives some of it, or finds that it is not whole and waits. Changed by
  // handshake(), by read(), and by a write that waited for readable.
  virtual bool holds_input() const noexcept { return false; }
  // 1 to 64 pieces, none empty; may write only a part. What it did not take when it had to wait is
  // offered again before all else: the same bytes, but maybe at another place, out of a file, cut
  // otherwise, more or fewer of them.
  virtual IoResult write(std::span<const std::string_view> pieces) noexcept = 0;
  // The same from a regular file, up to `count` (> 0) bytes at `offset`. If nothing is there, error
  // EIO: the file was truncated.
  virtual IoResult send_file(int file, std::uint64_t offset, std::size_t count) noexcept = 0;
  // Bytes written that the peer has not acknowledged yet.
  virtual std::size_t unacknowledged() const noexcept { return 0; }
  // At most so many bytes that are not on their way yet are taken from now on, where the kernel can
  // tell.
  virtual void limit_unsent(unsigned) noexcept {}
  // No more writes: the peer sees the end, behind all that was written. What an encrypted stream
  // says at its end is said here, if there is room.
  virtual void shutdown_write() noexcept = 0;
  // Closes with a reset, so that an incomplete answer does not look complete.
  virtual void reset() noexcept = 0;
  virtual void close() noexcept = 0;
  // For the poller; -1 when closed or fake.
  virtual int descriptor() const noexcept = 0;
};

}  // namespace lanner::net
