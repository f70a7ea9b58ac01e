// sys/poller.h: which descriptors are ready: epoll, behind an interface that io_uring could
// implement later.

#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/epoll.h>

#include "base/result.h"

namespace lanner::sys {

// Sets of these.
struct Ready {
  static constexpr std::uint32_t readable = 1;
  static constexpr std::uint32_t writable = 2;
  // The peer shut its sending side (EPOLLRDHUP).
  static constexpr std::uint32_t peer_closed = 4;
  // Error or full hang-up; always reported.
  static constexpr std::uint32_t broken = 8;
  // Interest only: wake one of several waiting processes (EPOLLEXCLUSIVE). Not with peer_closed.
  static constexpr std::uint32_t exclusive = 16;
  // Interest only: report each change once (EPOLLET).
  static constexpr std::uint32_t edge = 32;
};

// Movable owner of the epoll descriptor. Level-triggered.
class Poller final {
 public:
  static constexpr int kEventsMax = 512;

  static Result<Poller> create() noexcept;
  Poller() noexcept = default;
  Poller(Poller&& other) noexcept;
  Poller& operator=(Poller&& other) noexcept;
  ~Poller();

  Result<void> add(int fd, std::uint32_t interest, void* tag) noexcept;
  // REQUIRES: neither the old nor the new interest is exclusive (the kernel refuses: EINVAL).
  Result<void> change(int fd, std::uint32_t interest, void* tag) noexcept;
  void remove(int fd) noexcept;

  // Waits at most wait_ms (-1 = for ever). Returns how many are ready; error os_error(EINTR) when a
  // signal came.
  Result<int> wait(int wait_ms) noexcept;
  // REQUIRES: index < what wait() returned
  void* tag(int index) const noexcept { return events_[index].data.ptr; }
  std::uint32_t ready(int index) const noexcept;
  // A stale event: its tag becomes nullptr.
  void clear_tag(int index) noexcept { events_[index].data.ptr = nullptr; }
  int descriptor() const noexcept { return fd_; }

 private:
  Result<void> control(int operation, int fd, std::uint32_t interest, void* tag) noexcept;

  int fd_ = -1;
  epoll_event* events_ = nullptr;  // kEventsMax of them
};

inline std::uint32_t Poller::ready(int index) const noexcept {
  static_assert(EPOLLIN == Ready::readable && EPOLLOUT >> 1 == Ready::writable &&
                EPOLLRDHUP >> 11 == Ready::peer_closed && EPOLLERR == Ready::broken &&
                EPOLLHUP >> 1 == Ready::broken);
  const std::uint32_t events = events_[index].events;
  return (events & Ready::readable) | (events >> 1 & (Ready::writable | Ready::broken)) |
         (events >> 11 & Ready::peer_closed) | (events & Ready::broken);
}

}  // namespace lanner::sys
