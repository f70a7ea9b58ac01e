// sys/fork.cpp: what becomes of this process' objects in a child that is forked from it.

#include "sys/fork.h"

#include <csignal>
#include <mutex>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

namespace lanner::sys {

namespace internal {
std::atomic<std::uint32_t> forks{0};
}

struct ForkGuests {
  std::mutex mutex;
  IntrusiveList<ForkGuest, ForkTag> list;
  sigset_t mask;  // of the thread that forks

  static ForkGuests& all() noexcept {
    static ForkGuests* const guests = [] {
      static ForkGuests made;
      // It fails for want of memory only, before anything is served: children are not told then.
      (void)::pthread_atfork(before, in_parent, in_child);
      return &made;
    }();
    return *guests;
  }
  // No signal comes before the guests were told: it would be handled as the parent's.
  static void before() noexcept {
    sigset_t every;
    ::sigfillset(&every);
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, &every, &mask);
    all().mutex.lock();
    all().mask = mask;
  }
  static void in_parent() noexcept {
    const sigset_t mask = all().mask;
    all().mutex.unlock();
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  }
  static void in_child() noexcept {
    internal::forks.fetch_add(1, std::memory_order_relaxed);
    all().list.for_each([](ForkGuest& guest) { guest.on_forked(); });
    in_parent();
  }
};

ForkGuest::ForkGuest() noexcept {
  ForkGuests& guests = ForkGuests::all();
  const std::lock_guard lock(guests.mutex);
  guests.list.push_back(*this);
}

ForkGuest::~ForkGuest() {
  const std::lock_guard lock(ForkGuests::all().mutex);
  unlink();
}

Replacer::Replacer() noexcept : null_(::open("/dev/null", O_RDWR | O_CLOEXEC)) {}

Replacer::~Replacer() {
  if (null_ >= 0) ::close(null_);
}

void Replacer::replace(int fd) const noexcept {
  if (fd < 0 || fd == null_) return;
  if (null_ < 0 || ::dup3(null_, fd, O_CLOEXEC) < 0) ::close(fd);
}

}  // namespace lanner::sys
