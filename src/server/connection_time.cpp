// server/connection_time.cpp: the deadlines of a connection: how its client takes what is sent, and
// how long it lingers (http/limits.def). Those of a request are its protocol's.

#include <algorithm>

#include "server/connection.h"
#include "server/rate_deadline.h"
#include "server/server.h"

namespace lanner::server {

std::uint64_t Connection::write_deadline_ms() const noexcept {
  if (all_taken_) return kNever;
  const http::Limits& limits = terms_.limits;
  const std::uint64_t slow =
      rate_deadline(write_slow_since_ms_, write_taken_bytes_ - write_base_bytes_, limits.write_rate,
                    http::kWriteRateGraceMs);
  return std::min(write_progress_ms_ + limits.write_stall_ms, slow);
}

std::uint64_t Connection::linger_deadline_ms() const noexcept {
  return std::min(linger_since_ms_ + http::kLingerReadMs, linger_until_ms_);
}

std::uint64_t Connection::deadline_ms() const noexcept {
  if (stage_ == Stage::handshake) return handshake_until_ms_;
  const std::uint64_t read_ms =
      stage_ == Stage::lingering ? linger_deadline_ms() : protocol_->deadline_ms();
  const std::uint64_t limit = std::min(read_ms, write_deadline_ms());
  return all_taken_ ? limit : std::min(limit, write_look_ms_);
}

void Connection::rearm() noexcept {
  const std::uint64_t deadline = deadline_ms();
  if (deadline == kNever) {
    if (Timer::armed()) server_.loop().cancel(*this);
  } else {
    server_.loop().arm(*this, deadline);
  }
}

void Connection::rearm_later() noexcept {
  const std::uint64_t soon_ms = server_.loop().now_ms() + terms_.least_limit_ms;
  if (!Timer::armed() || Timer::deadline_ms() > soon_ms) rearm();
}

// Something was written, or could not be; `taken_bytes` of what was written before are taken.
void Connection::watch_client(std::uint64_t taken_bytes) noexcept {
  all_taken_ = false;
  write_progress_ms_ = write_slow_since_ms_ = server_.loop().now_ms();
  write_base_bytes_ = write_taken_bytes_ = taken_bytes;
  write_sent_bytes_ = bytes_sent();
  write_look_ms_ = write_progress_ms_ + ListenerTerms::kWriteLookMs;
}

// False: the write deadline has passed. What counts is what the client has acknowledged: write(2)
// says little, as the kernel's buffer holds a lot. The kernel does not tell when something is
// taken, so that is asked now and then, until all is. A stall is noticed late by one look at most.
bool Connection::made_progress(std::uint64_t now_ms) noexcept {
  const std::uint64_t sent = bytes_sent();
  const std::uint64_t queued = transport().unacknowledged();
  const std::uint64_t taken = sent > queued ? sent - queued : 0;
  if (taken > write_taken_bytes_) {
    write_taken_bytes_ = taken;
    write_progress_ms_ = now_ms;
  }
  // All that was sent by the last look is taken: how fast it goes is the application's doing.
  if (!write_blocked_ && taken >= write_sent_bytes_) {
    write_slow_since_ms_ = now_ms;
    write_base_bytes_ = taken;
  }
  all_taken_ = queued == 0 && !write_blocked_;
  write_sent_bytes_ = sent;
  write_look_ms_ = now_ms + ListenerTerms::kWriteLookMs;
  return now_ms < write_deadline_ms();
}

void Connection::on_handshake_timer(std::uint64_t now_ms) noexcept {
  if (now_ms < handshake_until_ms_) return rearm();
  log_failure("handshake.failed", Errc::handshake_timeout);
  close(false);
}

void Connection::on_timer(std::uint64_t now_ms) noexcept {
  if (closed()) return;
  if (stage_ == Stage::handshake) return on_handshake_timer(now_ms);
  const bool look = !all_taken_ && now_ms >= std::min(write_look_ms_, write_deadline_ms());
  if (look && !made_progress(now_ms)) {
    log_failure("h1.stalled", Errc::write_timeout);
    return close(true);
  }
  if (stage_ == Stage::lingering) {
    if (now_ms >= linger_deadline_ms()) return close(false);
  } else if (now_ms >= protocol_->deadline_ms()) {
    protocol_->on_deadline(now_ms);
  }
  if (!closed()) rearm();
}

}  // namespace lanner::server
