// net/tcp_transport.h: a Transport over a connected stream socket (TCP or unix).

#pragma once

#include <utility>

#include "net/transport.h"
#include "sys/sockets.h"

namespace lanner::net {

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
