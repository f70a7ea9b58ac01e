// net/loop.h: one thread's event loop: waits for descriptors and timers, and calls their owners.
//
// One iteration ("turn"): wait -> ready watchers, one indirect call each -> due timers -> posted
// tasks -> TurnObserver::on_turn_end() -> LoopHook::settle(). Everything belongs to the loop's thread except post() and stop().

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/block_pool.h"
#include "base/result.h"
#include "base/timer_wheel.h"
#include "sys/clock.h"
#include "sys/fork.h"
#include "sys/poller.h"

namespace lanner::net {

// Is called when its descriptor is ready. `events` is a set of sys::Ready bits.
class Watcher {
 public:
  virtual void on_ready(std::uint32_t events) noexcept = 0;

 protected:
  ~Watcher() = default;
};

// Runs on the loop's thread. Intrusive: an object can be posted again only once its run() has been
// called (or from within it). Not owned: it must live until then.
class Task {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~Task() = default;

 private:
  friend class Loop;
  Task* next_ = nullptr;
};

// Is called at fixed points of each iteration.
class TurnObserver {
 public:
  // The wait is over; nothing of this iteration has run yet.
  virtual void on_wake() noexcept = 0;
  // All watchers, timers and tasks of this iteration have run: time to write buffers and destroy
  // closed connections.
  virtual void on_turn_end() noexcept = 0;

 protected:
  ~TurnObserver() = default;
};

// What the loop's thread holds while handlers run and lets go of when none does: an interpreter's
// lock. One for each loop; without one there is nothing to hold.
class LoopHook {
 public:
  // No handler is needed for a while: before writing and waiting. It takes hold again by itself.
  virtual void rest() noexcept = 0;
  // The turn is over: what was released while it rested may be destroyed now.
  virtual void settle() noexcept = 0;
  // A signal interrupted the wait.
  virtual void on_interrupt() noexcept = 0;

 protected:
  ~LoopHook() = default;
};

class Loop final : private sys::ForkGuest {
 public:
  static Result<std::unique_ptr<Loop>> create() noexcept;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  // Level-triggered. `interest` is a set of sys::Ready bits. A watcher may be destroyed while
  // events of this iteration still refer to it only if unwatch() was called first: stale events are
  // then skipped.
  Result<void> watch(int fd, std::uint32_t interest, Watcher& watcher) noexcept;
  Result<void> change(int fd, std::uint32_t interest, Watcher& watcher) noexcept;
  // REQUIRES: fd still open.
  void unwatch(int fd, Watcher& watcher) noexcept;

  void arm(Timer& timer, std::uint64_t deadline_ms) noexcept { timers_.arm(timer, deadline_ms); }
  void cancel(Timer& timer) noexcept { timers_.cancel(timer); }
  // Monotonic; read once a turn.
  std::uint64_t now_ms() const noexcept { return now_ms_; }
  // Seconds since the epoch; read once a turn, for Date and logs.
  std::int64_t now_unix() const noexcept { return now_unix_; }
  // For tests: advances the time by `ms`; after the first call, time advances only in this way.
  void step_clock(std::uint64_t ms) noexcept;

  // Any thread: task.run() on the loop's thread in a coming turn, in the order posted by a thread.
  // Wakes the loop once per batch. REQUIRES: the loop outlives this call.
  void post(Task& task) noexcept;
  // Loop's thread: runs the task in the next iteration (not the current one), which then does not
  // wait.
  void defer(Task& task) noexcept;

  TurnObserver* turn_observer() const noexcept { return observer_; }
  void set_turn_observer(TurnObserver* observer) noexcept { observer_ = observer; }
  // Borrowed; null removes it.
  void set_hook(LoopHook* hook) noexcept { hook_ = hook; }
  // Loop's thread, outside run_once() or in on_turn_end(): see LoopHook.
  void rest() noexcept {
    if (hook_) hook_->rest();
  }
  // One turn; waits at most `wait_ms_max` (-1 = until something happens).
  void run_once(int wait_ms_max) noexcept;
  // Runs until stop(). A stopped loop cannot be run again.
  void run() noexcept;
  // Any thread, and signal handlers: the current wait, or the next one, ends at once; several calls
  // before that have the effect of one.
  void wake() noexcept;
  // Any thread: when the wait of the current iteration ended (monotonic); 0 while the loop waits.
  std::uint64_t awake_since_ms() const noexcept {
    return awake_since_ms_.load(std::memory_order_relaxed);
  }
  // Any thread, and signal handlers.
  void stop() noexcept;
  // In a child of fork(2) every loop that came with it is stopped: nothing is watched there, no
  // turn runs, nobody is woken.
  bool stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }
  // For signal handlers: wakes the loop; write(2) to this descriptor of 8 bytes (an eventfd).
  // Readable when an iteration would have something to do; for use by another loop.
  int descriptor() const noexcept { return poller_.descriptor(); }
  int wake_descriptor() const noexcept { return wake_fd_; }

  BlockPool& blocks() noexcept { return blocks_; }
  // For streams of the application's own: not refused to them because clients use up the budget.
  BlockPool& own_blocks() noexcept { return own_blocks_; }
  // Of all that grows with the clients of this loop.
  Budget& budget() noexcept { return blocks_.budget(); }
  const Budget& budget() const noexcept { return blocks_.budget(); }

  // Closes its descriptors; from then on nothing can be watched, and an iteration does not wait.
  // Idempotent. REQUIRES: not in a turn; nobody stops it or writes to its wake descriptor any more.
  void close() noexcept;

 private:
  // Empties the eventfd; the reason for the wake-up is found elsewhere.
  struct Wakeup final : Watcher {
    void on_ready(std::uint32_t events) noexcept override;
    int fd = -1;
  };

  Loop(sys::Poller poller, int wake_fd) noexcept;
  void on_forked() noexcept override;
  int prepare_wait(int wait_ms_max) noexcept;
  void dispatch(int count) noexcept;
  Task* take_posted() noexcept;
  Task* take_deferred() noexcept;
  static void run_all(Task* first) noexcept;
  void read_clocks() noexcept;

  sys::Poller poller_;
  int wake_fd_;
  Wakeup wakeup_;
  BlockPool blocks_;
  BlockPool own_blocks_;
  std::uint64_t now_ms_;
  std::int64_t now_unix_;
  TimerWheel timers_;
  TurnObserver* observer_ = nullptr;
  LoopHook* hook_ = nullptr;
  Task* deferred_ = nullptr;
  Task** deferred_end_ = &deferred_;
  int ready_count_ = 0;  // of the batch that is being dispatched
  int ready_index_ = 0;
  bool clock_stepped_ = false;
  bool forked_ = false;  // since it was made
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> awake_since_ms_{0};
  // Written by other threads: on a line of their own.
  alignas(64) std::atomic<Task*> posted_{nullptr};  // stack, newest first; reversed when taken
  std::atomic<bool> woken_{false};                  // the next wait does not wait
  std::atomic<bool> waiting_{false};                // a post must write to wake_fd_
  static_assert(std::atomic<Task*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
};

}  // namespace lanner::net
