// net/tcp_transport.h: a Transport over a connected stream socket (TCP or unix).

#pragma once

#include <utility>

#include "net/transport.h"
#include "sys/sockets.h"

namespace lanner::net {

// Else the kernel takes up to 4 MB (net.ipv4.tcp_wmem) for each client that does not read, and a
// few hundred of those use up the memory of TCP for all. A fourth of this would cost answers of 1
// MB a third more CPU, in rounds of the loop; this costs them a sixth, and those up to its size
// nothing.
inline constexpr unsigned kUnsentBytesMax = 524'288;
// ... where memory is short: 10,000 clients that do not read are 0.5 GB of the kernel's then, not 5,
// at which TCP drops packets of all.
inline constexpr unsigned kUnsentBytesNear = 32'768;

class TcpTransport final : public Transport {
 public:
  explicit TcpTransport(int fd) noexcept : fd_(fd) {}  // owns fd
  TcpTransport(const TcpTransport&) = delete;
  TcpTransport& operator=(const TcpTransport&) = delete;
  ~TcpTransport() override { close(); }

  IoResult read(char* to, std::size_t room) noexcept override;
  IoResult write(std::span<const std::string_view> pieces) noexcept override;
  IoResult send_file(int file, std::uint64_t offset, std::size_t count) noexcept override;
  std::size_t unacknowledged() const noexcept override { return sys::unacknowledged(fd_); }
  void limit_unsent(unsigned bytes) noexcept override { sys::limit_unsent(fd_, bytes); }
  void shutdown_write() noexcept override;
  void reset() noexcept override;
  void close() noexcept override;
  int descriptor() const noexcept override { return fd_; }
  // The descriptor is closed by its owner.
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace lanner::net
