// sys/test_sockets.h: sockets on this machine for the tests of this and higher layers; not for the
// server.
//
// Waiting is poll(2) for an event that must come; the timeout only turns a hang into a failure.

#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys/sockets.h"

namespace lanner::sys::test {

inline constexpr int kHangMs = 10'000;

struct Pair {
  int ours = -1;    // non-blocking, as accept() gives it
  int theirs = -1;  // blocking
};

inline bool wait_for(int fd, short events) {
  pollfd one{fd, events, 0};
  return ::poll(&one, 1, kHangMs) == 1;
}
inline bool wait_readable(int fd) { return wait_for(fd, POLLIN); }
inline bool wait_writable(int fd) { return wait_for(fd, POLLOUT); }

inline Pair unix_pair() {
  int both[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return {};
  (void)set_nonblocking(both[0]);
  return {both[0], both[1]};
}

union Address {
  sockaddr any;
  sockaddr_in ipv4;
  sockaddr_in6 ipv6;
  sockaddr_un local;
};

inline int listen_at(const Address& at, socklen_t bytes) {
  const int fd = ::socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int off = 0;
  if (at.any.sa_family == AF_INET6) {
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (::bind(fd, &at.any, bytes) == 0 && ::listen(fd, 64) == 0 && set_nonblocking(fd)) return fd;
  ::close(fd);
  return -1;
}

// On a free port of 127.0.0.1.
inline int listen_ipv4() {
  Address at{};
  at.ipv4.sin_family = AF_INET;
  at.ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return listen_at(at, sizeof(at.ipv4));
}
// On a free port of [::], IPv4 included. -1 where there is no IPv6.
inline int listen_dual() {
  Address at{};
  at.ipv6.sin6_family = AF_INET6;
  at.ipv6.sin6_addr = in6addr_any;
  return listen_at(at, sizeof(at.ipv6));
}
// "@name" = abstract.
inline Address unix_address(std::string_view path, socklen_t* bytes) {
  Address at{};
  at.local.sun_family = AF_UNIX;
  path = path.substr(0, sizeof(at.local.sun_path) - 1);
  std::memcpy(at.local.sun_path, path.data(), path.size());
  const bool abstract = at.local.sun_path[0] == '@';
  if (abstract) at.local.sun_path[0] = '\0';
  *bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + !abstract);
  return at;
}
inline int listen_unix(std::string_view path) {
  socklen_t bytes = 0;
  const Address at = unix_address(path, &bytes);
  return listen_at(at, bytes);
}

// A blocking client of a listener on this machine; an IPv4 one also for listen_dual() if asked.
inline int connect_to(int listener, bool as_ipv4 = false) {
  Address at{};
  socklen_t bytes = sizeof(at);
  if (::getsockname(listener, &at.any, &bytes) != 0) return -1;
  if (at.any.sa_family == AF_INET6) {
    const in_port_t port = at.ipv6.sin6_port;
    if (as_ipv4) {
      at = {};
      at.ipv4.sin_family = AF_INET;
      at.ipv4.sin_port = port;
      at.ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      bytes = sizeof(at.ipv4);
    } else {
      at.ipv6.sin6_addr = in6addr_loopback;
    }
  }
  const int fd = ::socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, &at.any, bytes) == 0) return fd;
  ::close(fd);
  return -1;
}

inline Pair tcp_pair() {
  const int listener = listen_ipv4();
  Pair pair;
  pair.theirs = connect_to(listener);
  if (wait_readable(listener)) {
    const Result<int> accepted = accept(listener, nullptr);
    if (accepted) pair.ours = *accepted;
  }
  ::close(listener);
  return pair;
}

inline bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}
// Up to `count` bytes; fewer when the peer ends, resets or hangs.
inline std::string receive(int fd, std::size_t count) {
  std::string got(count, '\0');
  std::size_t filled = 0;
  while (filled < count && wait_readable(fd)) {
    const ssize_t more = ::recv(fd, got.data() + filled, count - filled, 0);
    if (more <= 0) break;
    filled += static_cast<std::size_t>(more);
  }
  got.resize(filled);
  return got;
}
// How the stream ends at its next byte: 0 = end, else errno; -1 = it does not.
inline int how_it_ends(int fd) {
  char byte = 0;
  if (!wait_readable(fd)) return -1;
  const ssize_t got = ::recv(fd, &byte, 1, 0);
  return got > 0 ? -1 : got == 0 ? 0 : errno;
}

}  // namespace lanner::sys::test
