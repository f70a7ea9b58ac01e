#include "python/native/blocking_look.h"

#include <utility>

#include "sys/clock.h"

namespace lanner::python {

void BlockingLook::look(std::uint64_t began_ms) noexcept {
  Operation& last = *std::exchange(last_, nullptr);
  const std::uint32_t calls = std::exchange(calls_, 0);
  const std::uint64_t now_ms = sys::monotonic_ms();
  if (now_ms < began_ms + kBlockedMsMin) return;
  if (calls == 1) {
    name(last, now_ms - began_ms);
  } else if (timed_left_ == 0) {
    timed_left_ = kTimedCalls;
  }
}

void BlockingLook::timed(Operation& operation, std::uint64_t ms) noexcept {
  --timed_left_;
  if (ms < kBlockedMsMin) return;
  timed_left_ = 0;
  name(operation, ms);
}

void BlockingLook::name(Operation& operation, std::uint64_t ms) noexcept {
  if (!log_ || !operation.runs_inline() || operation.was_named) return;
  operation.was_named = true;
  log_->line(log::LogLevel::warning, "app.blocked")
      .add("handler", operation.title())
      .add("ms", ms)
      .add("hint",
           "nothing else is served meanwhile: pool=True in its route runs it in a thread, async "
           "def may wait")
      .send();
}

}  // namespace lanner::python
