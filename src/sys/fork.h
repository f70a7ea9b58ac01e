// sys/fork.h: what becomes of this process' objects in a child that is forked from it.
//
// A child shares the descriptors of its parent, and with them what the kernel knows of them: an
// epoll set, a listening socket, the end of a connection. None of that is the child's. An object
// that holds such a thing is a ForkGuest: in each child of fork(2) it is told before anything else
// runs there, and lets go. Not for posix_spawn(3), vfork(2) and what is executed: all descriptors
// are close-on-exec.
//
// A fork(2) finds the list of guests in order, whichever thread calls it (pthread_atfork(3)): this
// and sys/signals.cpp are the places that need process-wide state.

#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>

#include "base/intrusive_list.h"

namespace lanner::sys {

struct ForkTag {};

class ForkGuest : public ListNode<ForkTag> {
 public:
  ForkGuest(const ForkGuest&) = delete;
  ForkGuest& operator=(const ForkGuest&) = delete;

 protected:
  ForkGuest() noexcept;  // from here on it is told
  ~ForkGuest();

 private:
  friend struct ForkGuests;
  // In the child, on its only thread, inside fork(): must be async-signal-safe.
  virtual void on_forked() noexcept = 0;
};

namespace internal {
extern std::atomic<std::uint32_t> forks;
}

// Forks between the first process that asked and this one: who keeps the number that he was made
// with, and finds another, is in a child.
inline std::uint32_t fork_count() noexcept {
  return internal::forks.load(std::memory_order_relaxed);
}

// Puts /dev/null in the place of descriptors that are the parent's: the numbers stay taken, so that
// whoever still holds one does not write into another file. Closes them if there is no /dev/null.
class Replacer final {
 public:
  Replacer() noexcept;
  Replacer(const Replacer&) = delete;
  Replacer& operator=(const Replacer&) = delete;
  ~Replacer();
  void replace(int fd) const noexcept;  // below 0: nothing

 private:
  int null_;
};

}  // namespace lanner::sys
