// sys/signals.cpp: SIGINT and SIGTERM: the first asks to stop, the second ends the process at once.

#include "sys/signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <sys/syscall.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/log_stamp.h"

namespace lanner::sys {

namespace {

// A signal handler gets no context of its own: this is the one place that needs process-wide state.
struct Shared {
  std::atomic<StopTarget*> target{nullptr};
  std::atomic<std::uint64_t> first_ms{0};  // 0 = no signal yet
  std::uint64_t repeat_ms = 0;
  std::atomic<bool> has_timer{false};
  timer_t timer{};
  itimerspec hard{};
};
Shared shared;

// A log line, in a signal handler.
void say(std::string_view text) noexcept {
  std::array<char, 256> line;
  const std::size_t stamp = put_log_stamp_in_signal(line.data());
  text = text.substr(0, line.size() - stamp);
  std::memcpy(line.data() + stamp, text.data(), text.size());
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), stamp + text.size());
}

void on_stop(int number) {
  const int saved_errno = errno;
  std::uint64_t first_ms = 0;
  const std::uint64_t now_ms = monotonic_ms();  // clock_gettime: async-signal-safe
  if (!shared.first_ms.compare_exchange_strong(first_ms, now_ms)) {
    errno = saved_errno;
    if (now_ms - first_ms < shared.repeat_ms) return;
    say("warn server.killed reason=second_signal\n");
    ::_exit(128 + number);
  }
  if (shared.has_timer.load()) ::timer_settime(shared.timer, 0, &shared.hard, nullptr);
  if (StopTarget* target = shared.target.load()) target->on_stop_signal();
  errno = saved_errno;
}

void on_hangup(int number) {
  const int saved_errno = errno;
  if (shared.first_ms.load() == 0) {
    say("warn server.stop signal=SIGHUP hint=\"there is no reload yet: the server finishes open "
        "requests and stops; start it again to load changes\"\n");
    on_stop(number);
  }
  errno = saved_errno;
}

void on_hard_end(int) {
  say("error server.killed reason=stuck hint=\"the application did not return within the drain "
      "time\"\n");
  ::_exit(1);
}

int hard_signal() noexcept { return SIGRTMIN + 12; }

}  // namespace

StopSignals::StopSignals(StopTarget& target, std::uint64_t hard_ms, std::uint64_t repeat_ms,
                         bool ignore_after, bool hangup) noexcept
    : ignore_after_(ignore_after), hangup_(hangup) {
  StopTarget* none = nullptr;
  if (!shared.target.compare_exchange_strong(none, &target)) return;
  installed_ = true;
  read_zone();
  shared.first_ms.store(0);
  shared.repeat_ms = repeat_ms;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = hard_signal();
  struct sigaction action {};
  action.sa_handler = on_hard_end;
  ::sigaction(hard_signal(), &action, &old_hard_);
  if (hard_ms > 0 && ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0) {
    has_timer_ = true;
    shared.timer = timer_;
    shared.hard.it_value.tv_sec = static_cast<time_t>(hard_ms / 1000 + 1);
    shared.has_timer.store(true);
  }
  action.sa_handler = on_stop;
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
  if (!hangup_) return;
  action.sa_handler = on_hangup;
  ::sigaction(SIGHUP, &action, &old_hup_);
}

StopSignals::~StopSignals() {
  if (!installed_) return;
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, ignore_after_ ? &ignored : &old_int_, nullptr);
  ::sigaction(SIGTERM, ignore_after_ ? &ignored : &old_term_, nullptr);
  if (hangup_) ::sigaction(SIGHUP, ignore_after_ ? &ignored : &old_hup_, nullptr);
  if (has_timer_) {
    shared.has_timer.store(false);
    ::timer_delete(timer_);
  }
  ::sigaction(hard_signal(), &old_hard_, nullptr);
  shared.target.store(nullptr);
}

void StopSignals::on_forked() noexcept {
  if (!installed_) return;
  installed_ = false;
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
  if (hangup_) ::sigaction(SIGHUP, &old_hup_, nullptr);
  ::sigaction(hard_signal(), &old_hard_, nullptr);
  shared.has_timer.store(false);  // timers are not inherited
  shared.target.store(nullptr);
}

bool is_main_thread() noexcept { return ::syscall(SYS_gettid) == ::getpid(); }

}  // namespace lanner::sys
