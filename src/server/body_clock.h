// server/body_clock.h: how long a client may take to send a body: from one piece to the next, and for
// all of it (http/limits.def). Pauses of the reader are not its fault.

#pragma once

#include <algorithm>
#include <cstdint>

#include "http/limits.h"
#include "server/rate_deadline.h"

namespace lanner::server {

class BodyClock final {
 public:
  void begin(std::uint64_t now_ms) noexcept { since_ms_ = progress_ms_ = now_ms; }
  void on_piece(std::uint64_t now_ms) noexcept { progress_ms_ = now_ms; }
  void pause(std::uint64_t now_ms) noexcept { pause_ms_ = now_ms; }
  void resume(std::uint64_t now_ms) noexcept {
    since_ms_ += now_ms - pause_ms_;
    progress_ms_ = now_ms;
  }
  // When it is too slow. `bytes`: of the body so far.
  std::uint64_t deadline_ms(std::uint64_t bytes, const http::Limits& limits) const noexcept {
    const std::uint64_t slow =
        rate_deadline(since_ms_, bytes, limits.body_rate, http::kBodyRateGraceMs);
    return std::min(progress_ms_ + limits.body_idle_ms, slow);
  }

 private:
  std::uint64_t since_ms_ = 0;
  std::uint64_t progress_ms_ = 0;
  std::uint64_t pause_ms_ = 0;
};

}  // namespace lanner::server
