// sys/signals.h: SIGINT and SIGTERM: the first asks to stop, the second ends the process at once.
//
// Plain sigaction handlers, not a blocked mask: children inherit nothing. A server that does not
// get to its own drain (an application stuck in a call) is ended by a timer.

#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/result.h"

namespace lanner::sys {

// What a signal handler may call; must be async-signal-safe.
class StopTarget {
 public:
  virtual void on_stop_signal() noexcept = 0;

 protected:
  ~StopTarget() = default;
};

// Installs on construction, restores on destruction. At most one at a time in a process: a second
// does nothing.
class StopSignals final {
 public:
  // After the first signal the process has `hard_ms` to get here again, then it ends with exit
  // code 1. A signal within `repeat_ms` of the first is the same one: timeout(1) and service
  // managers signal twice.
  StopSignals(StopTarget& target, std::uint64_t hard_ms, std::uint64_t repeat_ms = kRepeatMs,
              bool ignore_after = false) noexcept;
  // `ignore_after`: at the end both are ignored instead: the process is to end in its own time.
  static constexpr std::uint64_t kRepeatMs = 500;
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  bool installed() const noexcept { return installed_; }

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
  struct sigaction old_hard_ {};
  timer_t timer_{};
  bool installed_ = false;
  bool ignore_after_ = false;
  bool has_timer_ = false;
};

bool is_main_thread() noexcept;

}  // namespace lanner::sys
