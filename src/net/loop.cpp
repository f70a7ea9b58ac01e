#include "net/loop.h"

#include <new>
#include <utility>

#include "sys/sockets.h"

namespace lanner::net {

void Loop::Wakeup::on_ready(std::uint32_t) noexcept { sys::drain_eventfd(fd); }

Result<std::unique_ptr<Loop>> Loop::create() noexcept {
  Result<sys::Poller> poller = sys::Poller::create();
  if (!poller) return poller.error();
  const Result<int> wake_fd = sys::make_eventfd();
  if (!wake_fd) return wake_fd.error();
  std::unique_ptr<Loop> loop(new (std::nothrow) Loop(std::move(*poller), *wake_fd));
  if (!loop) {
    sys::close(*wake_fd);
    return Errc::no_memory;
  }
  const Result<void> watched = loop->watch(*wake_fd, sys::Ready::readable, loop->wakeup_);
  if (!watched) return watched.error();
  return loop;
}

Loop::Loop(sys::Poller poller, int wake_fd) noexcept
    : poller_(std::move(poller)),
      wake_fd_(wake_fd),
      now_ms_(sys::monotonic_ms()),
      now_unix_(sys::unix_seconds()),
      timers_(now_ms_) {
  wakeup_.fd = wake_fd;
}

Loop::~Loop() { close(); }

void Loop::close() noexcept {
  poller_ = sys::Poller();
  if (wake_fd_ >= 0) sys::close(wake_fd_);
  wake_fd_ = wakeup_.fd = -1;
}

// The tag is a void*: what goes in and comes out must both be exactly Watcher*.
Result<void> Loop::watch(int fd, std::uint32_t interest, Watcher& watcher) noexcept {
  return poller_.add(fd, interest, &watcher);
}

Result<void> Loop::change(int fd, std::uint32_t interest, Watcher& watcher) noexcept {
  return poller_.change(fd, interest, &watcher);
}

void Loop::unwatch(int fd, Watcher& watcher) noexcept {
  poller_.remove(fd);
  for (int index = ready_index_ + 1; index < ready_count_; ++index) {
    if (poller_.tag(index) == &watcher) poller_.clear_tag(index);
  }
}

void Loop::post(Task& task) noexcept {
  Task* head = posted_.load(std::memory_order_relaxed);
  do {
    task.next_ = head;
  } while (!posted_.compare_exchange_weak(head, &task, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  // Either this sees that the loop waits, or the loop, which sets waiting_ before it looks at
  // posted_, sees the task: both are seq_cst. Who pushed onto a task that nobody has taken yet
  // leaves the waking to who pushed that one.
  if (head == nullptr && waiting_.load(std::memory_order_seq_cst)) sys::signal_eventfd(wake_fd_);
}

// As with post(): either this sees that the loop waits, or the loop sees that it was woken.
void Loop::wake() noexcept {
  if (woken_.exchange(true, std::memory_order_seq_cst)) return;
  if (waiting_.load(std::memory_order_seq_cst)) sys::signal_eventfd(wake_fd_);
}

void Loop::defer(Task& task) noexcept {
  task.next_ = nullptr;
  *deferred_end_ = &task;
  deferred_end_ = &task.next_;
}

// The epoll set and the eventfd are the parent's: what is changed there, the parent would feel.
void Loop::on_forked() noexcept {
  const sys::Replacer replacer;
  replacer.replace(poller_.descriptor());
  replacer.replace(wake_fd_);
  stopped_.store(true, std::memory_order_release);
  forked_ = true;
}

void Loop::run_once(int wait_ms_max) noexcept {
  if (forked_) return;
  Task* deferred = take_deferred();
  const Result<int> ready = poller_.wait(deferred ? 0 : prepare_wait(wait_ms_max));
  waiting_.store(false, std::memory_order_relaxed);
  // Not before the wait is over; what was done before a wake() is visible after this.
  if (woken_.load(std::memory_order_relaxed)) woken_.exchange(false, std::memory_order_acquire);
  read_clocks();
  if (observer_) observer_->on_wake();
  if (ready) {
    dispatch(*ready);
  } else if (hook_) {
    hook_->on_interrupt();
  }
  timers_.advance(now_ms_);
  run_all(deferred);
  run_all(take_posted());
  if (observer_) observer_->on_turn_end();
  if (hook_) hook_->settle();
}

void Loop::run() noexcept {
  while (!stopped()) run_once(-1);
}

void Loop::stop() noexcept {
  stopped_.store(true, std::memory_order_release);
  sys::signal_eventfd(wake_fd_);
}

// How long the poller may wait. Above 0, threads that post are told to wake us.
int Loop::prepare_wait(int wait_ms_max) noexcept {
  if (wait_ms_max == 0) return 0;
  int wait_ms = timers_.wait_ms(now_ms_);
  // now_ms_ is as old as the turn was long: ask again with the true time before sleeping on it.
  if (wait_ms > 0 && !clock_stepped_) wait_ms = timers_.wait_ms(sys::monotonic_ms());
  if (wait_ms == 0) return 0;
  if (wait_ms < 0 || (wait_ms_max > 0 && wait_ms_max < wait_ms)) wait_ms = wait_ms_max;
  awake_since_ms_.store(0, std::memory_order_relaxed);
  waiting_.store(true, std::memory_order_seq_cst);
  const bool told =
      posted_.load(std::memory_order_seq_cst) || woken_.load(std::memory_order_seq_cst);
  return told ? 0 : wait_ms;
}

void Loop::dispatch(int count) noexcept {
  ready_count_ = count;
  for (ready_index_ = 0; ready_index_ < ready_count_; ++ready_index_) {
    auto* watcher = static_cast<Watcher*>(poller_.tag(ready_index_));
    if (watcher) watcher->on_ready(poller_.ready(ready_index_));
  }
  ready_count_ = 0;
}

Task* Loop::take_posted() noexcept {
  // The plain load keeps the shared line clean in the turns, nearly all, in which nobody posted.
  if (!posted_.load(std::memory_order_relaxed)) return nullptr;
  Task* newest = posted_.exchange(nullptr, std::memory_order_acquire);
  Task* first = nullptr;
  while (newest) {
    Task* older = newest->next_;
    newest->next_ = first;
    first = newest;
    newest = older;
  }
  return first;
}

Task* Loop::take_deferred() noexcept {
  deferred_end_ = &deferred_;
  return std::exchange(deferred_, nullptr);
}

void Loop::run_all(Task* first) noexcept {
  while (first) {
    Task* next = first->next_;  // run() may destroy the task or post it again
    first->run();
    first = next;
  }
}

void Loop::step_clock(std::uint64_t ms) noexcept {
  clock_stepped_ = true;
  now_unix_ += static_cast<std::int64_t>((now_ms_ % 1000 + ms) / 1000);
  now_ms_ += ms;
}

void Loop::read_clocks() noexcept {
  const std::uint64_t now_ms = clock_stepped_ ? now_ms_ : sys::monotonic_ms();
  awake_since_ms_.store(now_ms, std::memory_order_relaxed);
  if (now_ms == now_ms_) return;  // under load several turns share a millisecond, and a second too
  now_ms_ = now_ms;
  now_unix_ = sys::unix_seconds();
}

}  // namespace lanner::net
