#include "net/listener.h"

#include <algorithm>
#include <cerrno>

#include "net/tcp_transport.h"
#include "sys/sockets.h"

namespace lanner::net {
namespace {

// Linux hands over what happened to the new connection before it was accepted (accept(2)). That is
// over; the next client may be fine.
bool only_this_client_failed(int number) noexcept {
  switch (number) {
    case ECONNABORTED:
    case ECONNRESET:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case ETIMEDOUT:
    case EPERM:  // a firewall rule
      return true;
    default:
      return false;
  }
}

}  // namespace

Listener::Listener(Loop& loop, int fd, Acceptor& acceptor, Options options) noexcept
    : loop_(loop), fd_(fd), acceptor_(acceptor), options_(options) {
  if (options_.shared) {
    options_.accepts_per_turn = std::min(options_.accepts_per_turn, kSharedAcceptsMax);
  }
  const Result<sys::SocketAddress> address = sys::local_address(fd);
  if (address) address_ = *address;
}

Listener::~Listener() { close(); }

void Listener::close() noexcept {
  pause();
  if (reserve_fd_ >= 0) sys::close(reserve_fd_);
  if (owned_ && fd_ >= 0) sys::close(fd_);
  reserve_fd_ = fd_ = -1;
}

Result<void> Listener::start() noexcept {
  loop_.cancel(*this);
  if (watching_) return {};
  if (fd_ < 0) return os_error(EBADF);
  const Result<void> set = sys::set_nonblocking(fd_);
  if (!set) return set;
  sys::limit_unsent(fd_, kUnsentBytesMax);
  if (reserve_fd_ < 0) {
    const Result<int> reserve = sys::make_eventfd();
    if (reserve) reserve_fd_ = *reserve;  // without one, clients wait in the backlog
  }
  const std::uint32_t exclusive = options_.shared ? sys::Ready::exclusive : 0;
  const Result<void> watched = loop_.watch(fd_, sys::Ready::readable | exclusive, *this);
  watching_ = static_cast<bool>(watched);
  return watched;
}

void Listener::pause() noexcept {
  loop_.cancel(*this);
  if (!watching_) return;
  loop_.unwatch(fd_, *this);
  watching_ = false;
}

void Listener::on_ready(std::uint32_t) noexcept {
  for (int count = 0; count < options_.accepts_per_turn; ++count) {
    // on_accept() may have paused.
    if (!watching_ || !accept_one()) return;
  }
}

void Listener::on_timer(std::uint64_t) noexcept { resume(); }

void Listener::resume() noexcept {
  const Result<void> started = start();
  if (started) return;
  loop_.arm(*this, loop_.now_ms() + kRestMs);
  acceptor_.on_accept_error(started.error());
}

bool Listener::accept_one() noexcept {
  sys::SocketAddress peer;
  const Result<int> accepted = sys::accept(fd_, &peer);
  if (accepted) {
    acceptor_.on_accept(*accepted, peer, *this);
    return true;
  }
  const int number = static_cast<int>(accepted.error().detail);
  if (number == EAGAIN) return false;
  if (only_this_client_failed(number)) return true;
  if (number == EMFILE || number == ENFILE) refuse_one();
  rest();
  acceptor_.on_accept_error(accepted.error());
  return false;
}

// Gives up the reserve descriptor for a moment: one client sees at once that it is not served.
void Listener::refuse_one() noexcept {
  if (reserve_fd_ < 0) return;
  sys::close(reserve_fd_);
  const Result<int> refused = sys::accept(fd_, nullptr);
  if (refused) sys::close(*refused);
  const Result<int> reserve = sys::make_eventfd();
  reserve_fd_ = reserve ? *reserve : -1;
}

void Listener::rest() noexcept {
  if (!watching_) return;  // paused already: whoever did it starts again
  pause();
  loop_.arm(*this, loop_.now_ms() + kRestMs);
}

}  // namespace lanner::net
