// server/connection_time.cpp: the deadlines of a connection: every stall mode ends
// (http/limits.def).

#include <algorithm>

#include "server/connection.h"
#include "server/server.h"

namespace lanner::server {

namespace {

constexpr std::uint64_t kDrainIdleMs = 250;  // a client at work, between two requests
constexpr std::uint64_t kDrainSilentMs =
    1000;  // a client accepted before the drain that has sent nothing yet

// When `bytes` moved since `since_ms` would fall under `rate` bytes/s, but not before the grace is
// over.
std::uint64_t rate_deadline(std::uint64_t since_ms, std::uint64_t bytes, std::uint64_t rate,
                            std::uint64_t grace_ms) noexcept {
  if (rate == 0) return ~std::uint64_t{0};
  return since_ms + std::max(grace_ms, bytes * 1000 / rate);
}

}  // namespace

std::uint64_t Connection::body_deadline_ms() const noexcept {
  const http::Limits& limits = server_.limits();
  const std::uint64_t slow =
      rate_deadline(since_ms_, session_.body_bytes(), limits.body_rate, http::kBodyRateGraceMs);
  return std::min(body_progress_ms_ + limits.body_idle_ms, slow);
}

std::uint64_t Connection::write_deadline_ms() const noexcept {
  if (all_taken_) return kNever;
  const http::Limits& limits = server_.limits();
  const std::uint64_t slow =
      rate_deadline(write_slow_since_ms_, write_taken_bytes_ - write_base_bytes_, limits.write_rate,
                    http::kWriteRateGraceMs);
  return std::min(write_progress_ms_ + limits.write_stall_ms, slow);
}

std::uint64_t Connection::read_deadline_ms() const noexcept {
  const http::Limits& limits = server_.limits();
  if (closing_ && stage_ != Stage::lingering) return kNever;  // only the output is waited for
  switch (stage_) {
    case Stage::head:
      if (over_high_mark()) return kNever;
      if (session_.head_begun()) {
        const std::uint64_t whole_ms = limits.request_ms > 0 ? limits.request_ms : limits.head_ms;
        return since_ms_ + std::min(limits.head_ms, whole_ms);
      }
      // Kept and not looked at yet: it waits for us. Or the client is busy with its answer.
      if (!kept_.empty() || write_blocked_ || !out_.empty()) return kNever;
      if (static_cast<const ListNode<ShortTag>*>(this)->linked()) return kNever;
      if (server_.draining()) return since_ms_ + (requests_ > 0 ? kDrainIdleMs : kDrainSilentMs);
      return since_ms_ + (requests_ > 0 ? limits.keep_alive_ms : limits.first_byte_ms);
    case Stage::receiving:
    case Stage::discarding:
      return body_deadline_ms();
    case Stage::answering:
      if (!streaming_ || body_paused_ || body_complete()) return kNever;
      return body_deadline_ms();
    case Stage::lingering:
      return std::min(since_ms_ + http::kLingerReadMs, linger_until_ms_);
    case Stage::closed:
      return kNever;
  }
  return kNever;
}

std::uint64_t Connection::deadline_ms() const noexcept {
  const std::uint64_t limit =
      std::min({read_deadline_ms(), write_deadline_ms(), request_until_ms_});
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

// Something was written, or could not be; `taken_bytes` of what was written before are taken.
void Connection::watch_client(std::uint64_t taken_bytes) noexcept {
  all_taken_ = false;
  write_progress_ms_ = write_slow_since_ms_ = server_.loop().now_ms();
  write_base_bytes_ = write_taken_bytes_ = taken_bytes;
  write_sent_bytes_ = bytes_sent();
  write_look_ms_ = write_progress_ms_ + kWriteLookMs;
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
  write_look_ms_ = now_ms + kWriteLookMs;
  return now_ms < write_deadline_ms();
}

// The time for the whole request is over, whoever was slow.
void Connection::on_request_timeout() noexcept {
  request_until_ms_ = kNever;
  if (stage_ == Stage::lingering) return;  // which has its own time
  if (exchange_.state() == Http1Exchange::State::open) {
    const bool complete = stage_ == Stage::answering && body_complete();
    return fail(complete ? Errc::answer_timeout : Errc::request_timeout);
  }
  // What was begun can only be cut. An answer that nobody had to wait for yet goes out first.
  if (exchange_.state() == Http1Exchange::State::idle && !write_blocked_) return;
  log_failure("h1.stalled", Errc::request_timeout);
  close(true);
}

void Connection::on_timer(std::uint64_t now_ms) noexcept {
  if (closed()) return;
  if (now_ms >= request_until_ms_) on_request_timeout();
  if (closed()) return;
  const bool look = !all_taken_ && now_ms >= std::min(write_look_ms_, write_deadline_ms());
  if (look && !made_progress(now_ms)) {
    log_failure("h1.stalled", Errc::write_timeout);
    return close(true);
  }
  if (now_ms >= read_deadline_ms()) {
    if (stage_ == Stage::lingering) return close(false);
    if (stage_ == Stage::discarding) {
      close_after_flush(false);  // answered already: a 408 would be taken for the next answer
    } else if (stage_ != Stage::head) {
      fail(Errc::body_timeout);
    } else if (session_.head_begun()) {
      fail(Errc::head_timeout);
    } else {
      return close(false);  // idle, or never said a word
    }
  }
  if (!closed()) rearm();
}

}  // namespace lanner::server
