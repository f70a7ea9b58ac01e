#include "sys/poller.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <unistd.h>

namespace lanner::sys {
namespace {

std::uint32_t to_epoll(std::uint32_t interest) noexcept {
  std::uint32_t events = 0;
  if (interest & Ready::readable) events |= EPOLLIN;
  if (interest & Ready::writable) events |= EPOLLOUT;
  if (interest & Ready::peer_closed) events |= EPOLLRDHUP;
  if (interest & Ready::exclusive) events |= EPOLLEXCLUSIVE;
  if (interest & Ready::edge) events |= EPOLLET;
  return events;
}

}  // namespace

Result<Poller> Poller::create() noexcept {
  Poller poller;
  poller.events_ = static_cast<epoll_event*>(std::calloc(kEventsMax, sizeof(epoll_event)));
  if (!poller.events_) return Errc::no_memory;
  poller.fd_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (poller.fd_ < 0) return os_error(errno);
  return poller;
}

Poller::Poller(Poller&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), events_(std::exchange(other.events_, nullptr)) {}

Poller& Poller::operator=(Poller&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(events_, other.events_);
  return *this;
}

Poller::~Poller() {
  if (fd_ >= 0) ::close(fd_);
  std::free(events_);
}

Result<void> Poller::add(int fd, std::uint32_t interest, void* tag) noexcept {
  return control(EPOLL_CTL_ADD, fd, interest, tag);
}

Result<void> Poller::change(int fd, std::uint32_t interest, void* tag) noexcept {
  return control(EPOLL_CTL_MOD, fd, interest, tag);
}

void Poller::remove(int fd) noexcept { ::epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr); }

Result<int> Poller::wait(int wait_ms) noexcept {
  const int count = ::epoll_wait(fd_, events_, kEventsMax, wait_ms);
  if (count < 0) return os_error(errno);
  return count;
}

Result<void> Poller::control(int operation, int fd, std::uint32_t interest, void* tag) noexcept {
  epoll_event event{};
  event.events = to_epoll(interest);
  event.data.ptr = tag;
  if (::epoll_ctl(fd_, operation, fd, &event) != 0) return os_error(errno);
  return {};
}

}  // namespace lanner::sys
