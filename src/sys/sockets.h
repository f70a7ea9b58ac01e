// sys/sockets.h: sockets as descriptors: listen, accept, read, write, options.
//
// All non-blocking, close-on-exec. errno values come as os_error.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace lanner::sys {

// A peer's or a listener's address as text, without allocation.
struct SocketAddress {
  // Numeric IPv4 or IPv6 (v4-mapped shown as IPv4, no zone), or a unix path ("" = unnamed,
  // "@x" = abstract; a path's bytes are whatever its owner chose).
  std::array<char, 110> text{};
  std::uint8_t text_bytes = 0;
  std::uint16_t port = 0;
  bool unix_socket = false;
  std::string_view view() const noexcept { return {text.data(), text_bytes}; }
};

// At most this many pieces in one write().
inline constexpr std::size_t kPiecesMax = 64;

// `peer` may be nullptr. Sets TCP_NODELAY on TCP. Retries EINTR.
Result<int> accept(int listener, SocketAddress* peer) noexcept;
Result<SocketAddress> local_address(int fd) noexcept;
Result<void> set_nonblocking(int fd) noexcept;
Result<void> set_no_delay(int fd) noexcept;
// TCP: limits the unsent bytes that the kernel buffers (TCP_NOTSENT_LOWAT); accepted sockets
// inherit the limit of their listener. No effect on other sockets.
void limit_unsent(int fd, unsigned bytes) noexcept;
bool is_listening_socket(int fd) noexcept;
// TCP: drops connection requests (SYN) from now on, for all processes that share the listener, so
// that its backlog can be emptied and closed without losing a client; clients retry and are then
// refused. No effect on other sockets.
void refuse_connections(int listener) noexcept;
// Takes that back, for whoever goes on listening on a copy.
void allow_connections(int listener) noexcept;

// 0 = end. REQUIRES: room > 0. Retries EINTR.
Result<std::size_t> read(int fd, char* to, std::size_t room) noexcept;
// send(2) for one piece, sendmsg(2) for more, with MSG_NOSIGNAL. Retries EINTR.
// REQUIRES: 1 to kPiecesMax pieces
Result<std::size_t> write(int fd, std::span<const std::string_view> pieces) noexcept;
// 0 = nothing at `offset`: the file was truncated. Retries EINTR.
// REQUIRES: SIGPIPE is ignored in this process: sendfile(2) has no MSG_NOSIGNAL.
Result<std::size_t> send_file(int fd, int file, std::uint64_t offset, std::size_t count) noexcept;
// Bytes in the send queue that the peer has not acknowledged (SIOCOUTQ); 0 when unknown.
std::size_t unacknowledged(int fd) noexcept;
// Bytes that have arrived but have not been read (FIONREAD); 0 when unknown.
std::size_t unread(int fd) noexcept;
void shutdown_write(int fd) noexcept;
void close(int fd) noexcept;
// SO_LINGER 0 and close: the peer sees a reset. A unix peer sees one only if it had sent data that
// was not read.
void close_reset(int fd) noexcept;

Result<int> make_eventfd() noexcept;
void signal_eventfd(int fd) noexcept;  // async-signal-safe; keeps errno
void drain_eventfd(int fd) noexcept;

}  // namespace lanner::sys
