#include "sys/sockets.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace lanner::sys {
namespace {

// The kernel moves at most this much per call anyway (MAX_RW_COUNT).
constexpr std::size_t kSendFileMax = 0x7ffff000;

char* put_octet(char* to, unsigned octet) noexcept {
  if (octet >= 100) *to++ = static_cast<char>('0' + octet / 100);
  if (octet >= 10) *to++ = static_cast<char>('0' + octet / 10 % 10);
  *to++ = static_cast<char>('0' + octet % 10);
  return to;
}

void put_ipv4(const unsigned char* octets, SocketAddress* out) noexcept {
  char* to = out->text.data();
  for (int i = 0; i < 4; ++i) {
    if (i) *to++ = '.';
    to = put_octet(to, octets[i]);
  }
  out->text_bytes = static_cast<std::uint8_t>(to - out->text.data());
}

void put_ipv6(const sockaddr_in6& from, SocketAddress* out) noexcept {
  const unsigned char* bytes = from.sin6_addr.s6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&from.sin6_addr)) return put_ipv4(bytes + 12, out);
  ::inet_ntop(AF_INET6, bytes, out->text.data(), static_cast<socklen_t>(out->text.size()));
  out->text_bytes = static_cast<std::uint8_t>(std::strlen(out->text.data()));
}

void put_unix(const sockaddr_un& from, socklen_t from_bytes, SocketAddress* out) noexcept {
  out->unix_socket = true;
  constexpr socklen_t kPathAt = offsetof(sockaddr_un, sun_path);
  std::size_t length = from_bytes > kPathAt ? from_bytes - kPathAt : 0;
  length = std::min(length, sizeof(from.sun_path));
  // A path ends at its NUL; an abstract name starts with one and ends with the length.
  const bool abstract = length > 1 && from.sun_path[0] == '\0';
  if (!abstract) length = ::strnlen(from.sun_path, length);
  std::memcpy(out->text.data(), from.sun_path, length);
  if (abstract) out->text[0] = '@';
  out->text_bytes = static_cast<std::uint8_t>(length);
}

union AnyAddress {
  sockaddr any;
  sockaddr_in ipv4;
  sockaddr_in6 ipv6;
  sockaddr_un local;
  sockaddr_storage room;
};

void put_address(const AnyAddress& from, socklen_t from_bytes, SocketAddress* out) noexcept {
  out->text_bytes = 0;
  out->port = 0;
  out->unix_socket = false;
  switch (from.any.sa_family) {
    case AF_INET: {
      const std::uint32_t address = ntohl(from.ipv4.sin_addr.s_addr);
      const unsigned char octets[4] = {
          static_cast<unsigned char>(address >> 24), static_cast<unsigned char>(address >> 16),
          static_cast<unsigned char>(address >> 8), static_cast<unsigned char>(address)};
      put_ipv4(octets, out);
      out->port = ntohs(from.ipv4.sin_port);
      return;
    }
    case AF_INET6:
      put_ipv6(from.ipv6, out);
      out->port = ntohs(from.ipv6.sin6_port);
      return;
    case AF_UNIX:
      return put_unix(from.local, from_bytes, out);
    default:
      return;
  }
}

Result<std::size_t> send_one(int fd, std::string_view piece) noexcept {
  for (;;) {
    const ssize_t count = ::send(fd, piece.data(), piece.size(), MSG_NOSIGNAL);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return os_error(errno);
  }
}

Result<std::size_t> send_many(int fd, std::span<const std::string_view> pieces) noexcept {
  iovec parts[kPiecesMax];
  const std::size_t parts_count = std::min(pieces.size(), kPiecesMax);
  for (std::size_t i = 0; i < parts_count; ++i) {
    // SAFETY: sendmsg(2) only reads through iov_base, which has no const variant.
    parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
  }
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = parts_count;
  for (;;) {
    const ssize_t count = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return os_error(errno);
  }
}

}  // namespace

Result<int> accept(int listener, SocketAddress* peer) noexcept {
  AnyAddress from;
  from.any.sa_family = AF_UNSPEC;
  socklen_t from_bytes;
  int fd;
  do {
    from_bytes = sizeof(from);
    fd = ::accept4(listener, &from.any, &from_bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return os_error(errno);
  const int family = from.any.sa_family;
  // Without it a small answer may wait for the acknowledgement of the one before. That it may fail
  // on a connection that is dead already does not matter.
  if (family == AF_INET || family == AF_INET6) (void)set_no_delay(fd);
  if (peer) put_address(from, from_bytes, peer);
  return fd;
}

Result<SocketAddress> local_address(int fd) noexcept {
  AnyAddress from;
  from.any.sa_family = AF_UNSPEC;
  socklen_t from_bytes = sizeof(from);
  if (::getsockname(fd, &from.any, &from_bytes) != 0) return os_error(errno);
  SocketAddress address;
  put_address(from, from_bytes, &address);
  return address;
}

Result<void> set_nonblocking(int fd) noexcept {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return os_error(errno);
  if (flags & O_NONBLOCK) return {};
  if (::fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return os_error(errno);
  return {};
}

Result<void> set_no_delay(int fd) noexcept {
  const int on = 1;
  if (::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) return os_error(errno);
  return {};
}

void limit_unsent(int fd, unsigned bytes) noexcept {
  // Where it is not known, the kernel takes as much as it likes.
  (void)::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

bool is_listening_socket(int fd) noexcept {
  int listening = 0;
  socklen_t bytes = sizeof(listening);
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &bytes) == 0 && listening;
}

Result<std::size_t> read(int fd, char* to, std::size_t room) noexcept {
  for (;;) {
    const ssize_t count = ::recv(fd, to, room, 0);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return os_error(errno);
  }
}

Result<std::size_t> write(int fd, std::span<const std::string_view> pieces) noexcept {
  if (pieces.size() == 1) return send_one(fd, pieces[0]);
  return send_many(fd, pieces);
}

Result<std::size_t> send_file(int fd, int file, std::uint64_t offset, std::size_t count) noexcept {
  auto at = static_cast<off_t>(offset);
  for (;;) {
    const ssize_t sent = ::sendfile(fd, file, &at, std::min(count, kSendFileMax));
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno != EINTR) return os_error(errno);
  }
}

void shutdown_write(int fd) noexcept { ::shutdown(fd, SHUT_WR); }

void close(int fd) noexcept { ::close(fd); }

void close_reset(int fd) noexcept {
  const linger now{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  ::close(fd);
}

Result<int> make_eventfd() noexcept {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) return os_error(errno);
  return fd;
}

void signal_eventfd(int fd) noexcept {
  const int kept = errno;
  const std::uint64_t one = 1;
  // EAGAIN = the counter is full, so the reader wakes in any case.
  [[maybe_unused]] const ssize_t written = ::write(fd, &one, sizeof(one));
  errno = kept;
}

void drain_eventfd(int fd) noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(fd, &count, sizeof(count));
}

std::size_t unacknowledged(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::size_t unread(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void refuse_connections(int listener) noexcept {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return;
  if (domain != AF_INET && domain != AF_INET6) return;
  // A listener's filter sees the TCP header: byte 13 holds the flags, SYN is 2. Accepted sockets
  // inherit it, harmlessly.
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
  };
  const sock_fprog filter{4, program};
  // Without it, who comes late is reset when the listener closes.
  (void)::setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

void allow_connections(int listener) noexcept {
  const int ignored = 0;
  // It fails where there is no filter.
  (void)::setsockopt(listener, SOL_SOCKET, SO_DETACH_FILTER, &ignored, sizeof ignored);
}

}  // namespace lanner::sys
