#include "net/tcp_transport.h"

#include <cerrno>

#include "sys/sockets.h"

namespace lanner::net {
namespace {

// `on_zero` is what a result of 0 bytes means, `wait` what the kernel's "not now" does.
IoResult to_io(const Result<std::size_t>& moved, const IoResult& on_zero,
               IoResult::Kind wait) noexcept {
  if (moved) return *moved > 0 ? IoResult{IoResult::Kind::done, 0, *moved} : on_zero;
  const int number = static_cast<int>(moved.error().detail);
  if (number == EAGAIN) return {wait, 0, 0};
  return {IoResult::Kind::error, number, 0};
}

}  // namespace

IoResult TcpTransport::read(char* to, std::size_t room) noexcept {
  return to_io(sys::read(fd_, to, room), {IoResult::Kind::end, 0, 0},
               IoResult::Kind::wait_readable);
}

IoResult TcpTransport::write(std::span<const std::string_view> pieces) noexcept {
  constexpr IoResult::Kind kWait = IoResult::Kind::wait_writable;
  return to_io(sys::write(fd_, pieces), {kWait, 0, 0}, kWait);
}

IoResult TcpTransport::send_file(int file, std::uint64_t offset, std::size_t count) noexcept {
  return to_io(sys::send_file(fd_, file, offset, count), {IoResult::Kind::error, EIO, 0},
               IoResult::Kind::wait_writable);
}

void TcpTransport::shutdown_write() noexcept { sys::shutdown_write(fd_); }

void TcpTransport::reset() noexcept {
  if (fd_ >= 0) sys::close_reset(fd_);
  fd_ = -1;
}

void TcpTransport::close() noexcept {
  if (fd_ >= 0) sys::close(fd_);
  fd_ = -1;
}

}  // namespace lanner::net
