// sys/signals.h: SIGINT and SIGTERM: the first asks to stop, the second ends the process at once.
//
// These are plain sigaction handlers instead of a blocked mask, so that children inherit nothing. A
// timer ends a server that cannot drain because the application is stuck in a call.

#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/result.h"
#include "sys/fork.h"

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
class StopSignals final : private ForkGuest {
 public:
  // After the first signal the process has `hard_ms` to destroy this object; then it is ended with
  // exit code 1. A signal within `repeat_ms` of the first counts as the same one, because
  // timeout(1) and service managers signal twice.
  StopSignals(StopTarget& target, std::uint64_t hard_ms, std::uint64_t repeat_ms = kRepeatMs,
              bool ignore_after = false, bool hangup = false) noexcept;
  // `ignore_after`: on destruction both signals are ignored instead of restored, so that the
  // process can end undisturbed.
  // `hangup`: SIGHUP stops, too, and logs that there is no reload; further ones change nothing.
  static constexpr std::uint64_t kRepeatMs = 500;
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();
  bool installed() const noexcept { return installed_; }

 private:
  // A child of fork(2) gets signals as the process did before: it is no server.
  void on_forked() noexcept override;
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
  struct sigaction old_hard_ {};
  struct sigaction old_hup_ {};
  timer_t timer_{};
  bool installed_ = false;
  bool ignore_after_ = false;
  bool hangup_ = false;
  bool has_timer_ = false;
};

bool is_main_thread() noexcept;

}  // namespace lanner::sys
