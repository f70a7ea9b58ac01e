// net/fake_transport.h: a Transport in memory, for tests: what the peer sends, what it got, and
// what goes wrong.

#pragma once

#include <cstddef>
#include <string>

#include "net/transport.h"

namespace lanner::net {

// All behaviour is set by the test through the public members.
class FakeTransport final : public Transport {
 public:
  static constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1);

  std::string incoming;                  // bytes still to be read
  std::string sent;                      // bytes written so far
  std::size_t read_max = kUnlimited;     // most bytes a read gives
  std::size_t write_max = kUnlimited;    // most bytes a write takes
  std::size_t write_room = kUnlimited;   // bytes until it has to wait
  std::size_t break_after = kUnlimited;  // bytes written until the peer is gone (EPIPE)
  int block_every = 0;                   // every n-th write has to wait; 0 = none
  int read_error = 0;                    // errno for the next reads
  int write_error = 0;
  unsigned unsent_max = 0;  // as limit_unsent() said; 0 = it was not called
  int writes = 0;           // calls of write and send_file
  bool peer_ended = false;  // after `incoming`: end instead of waiting
  bool write_shut = false;
  bool was_reset = false;
  bool closed = false;

  IoResult read(char* to, std::size_t room) noexcept override;
  IoResult write(std::span<const std::string_view> pieces) noexcept override;
  IoResult send_file(int file, std::uint64_t offset, std::size_t count) noexcept override;
  void limit_unsent(unsigned bytes) noexcept override { unsent_max = bytes; }
  void shutdown_write() noexcept override { write_shut = true; }
  void reset() noexcept override { was_reset = closed = true; }
  void close() noexcept override { closed = true; }
  int descriptor() const noexcept override { return -1; }

 private:
  int why_not_write() const noexcept;
  std::size_t budget() const noexcept;
  IoResult took(std::size_t bytes) noexcept;
};

}  // namespace lanner::net
