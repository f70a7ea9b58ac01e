// base/timer_wheel.h: coarse timers: one hashed wheel of 128 ms ticks, O(1) to arm and cancel.
//
// A timer fires at an advance() at or after its deadline, never before, at most one tick late
// (plus the loop's own delay). A deadline beyond one rotation of the wheel stays in its slot for
// further rotations. The wheel has no clock: the caller passes milliseconds of a monotonic clock.
//
//   deadline <= last advance  -> due list
//   deadline >  last advance  -> slot [ceil(deadline / tick) % slots]

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/intrusive_list.h"

namespace lanner {

class TimerWheel;

struct TimerTag {};

// A timer. It is owned by the object that embeds it; destroying an armed timer disarms it.
class Timer : public ListNode<TimerTag> {
 public:
  // `now_ms` is the time given to advance(). The timer is disarmed before; it may be armed again in
  // here, and this or any other timer may be destroyed.
  virtual void on_timer(std::uint64_t now_ms) noexcept = 0;
  std::uint64_t deadline_ms() const noexcept { return deadline_ms_; }
  bool armed() const noexcept { return linked(); }

 protected:
  Timer() noexcept = default;
  ~Timer() {
    if (linked()) disarm();
  }

 private:
  friend class TimerWheel;
  void disarm() noexcept;
  std::uint64_t deadline_ms_ = 0;
  TimerWheel* wheel_ = nullptr;  // where it is armed; kept when disarmed
};

class TimerWheel final {
 public:
  static constexpr std::uint64_t kTickMs = 128;
  // One rotation is 131 s: nearly every deadline fits in one.
  static constexpr std::size_t kSlots = 1024;

  explicit TimerWheel(std::uint64_t now_ms) noexcept : now_ms_(now_ms) {}
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel();

  // Arms or re-arms. A deadline in the past fires at the next advance(), not at the current one.
  // Re-arming within the same tick only stores the number.
  void arm(Timer& timer, std::uint64_t deadline_ms) noexcept;
  void cancel(Timer& timer) noexcept;
  // Fires all that is due. Returns how many fired. A time before the last one counts as the last
  // one.
  std::size_t advance(std::uint64_t now_ms) noexcept;
  // Milliseconds until something may be due, for the poller; -1 = nothing is armed. May be early,
  // never late.
  int wait_ms(std::uint64_t now_ms) const noexcept;
  std::size_t armed_count() const noexcept { return count_; }

 private:
  friend class Timer;
  using Slot = IntrusiveList<Timer, TimerTag>;
  static constexpr std::uint64_t kNever = UINT64_MAX;
  static constexpr std::size_t kBits = 64;  // slots per word of occupied_

  static std::uint64_t tick_of(std::uint64_t deadline_ms) noexcept;
  void insert(Timer& timer) noexcept;
  void detach(Timer& timer) noexcept;
  std::size_t fire(Slot& from) noexcept;
  std::uint64_t next_occupied(std::uint64_t from_tick) const noexcept;

  std::array<Slot, kSlots> slots_;
  std::array<std::uint64_t, kSlots / kBits> occupied_{};  // exact: bit set = slot not empty
  Slot due_;                          // deadlines that had passed when they were armed
  std::uint64_t now_ms_;              // of the last advance()
  std::uint64_t next_tick_ = kNever;  // no slot needs a visit before it; a lower bound
  std::size_t count_ = 0;
};

}  // namespace lanner
