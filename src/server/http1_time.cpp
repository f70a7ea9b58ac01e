// server/http1_time.cpp: the deadlines of HTTP/1: every stall mode of a request ends
// (http/limits.def). How a client takes its answer is the connection's (connection_time.cpp).

#include <algorithm>

#include "server/connection.h"
#include "server/http1_protocol.h"
#include "server/rate_deadline.h"
#include "server/server.h"

namespace lanner::server {

namespace {

constexpr std::uint64_t kDrainIdleMs = 250;  // a client at work, between two requests
constexpr std::uint64_t kDrainSilentMs =
    1000;  // a client accepted before the drain that has sent nothing yet

}  // namespace

void Http1Protocol::pause_body(bool paused) noexcept {
  if (paused == body_paused_) return;
  body_paused_ = paused;
  if (paused) {
    pause_since_ms_ = now_ms();
    return;
  }
  since_ms_ += now_ms() - pause_since_ms_;  // the pause was ours, not the client's
  body_progress_ms_ = now_ms();
  // Also without kept input: the end of the body may be all that is owed.
  connection_.resume_input(streaming_ && !body_complete());
}

std::uint64_t Http1Protocol::body_deadline_ms() const noexcept {
  const std::uint64_t slow =
      rate_deadline(since_ms_, session_.body_bytes(), limits_.body_rate, http::kBodyRateGraceMs);
  return std::min(body_progress_ms_ + limits_.body_idle_ms, slow);
}

std::uint64_t Http1Protocol::read_deadline_ms() const noexcept {
  if (connection_.closing()) return kNever;  // only the output is waited for
  switch (stage_) {
    case Stage::head:
      if (connection_.over_high_mark()) return kNever;
      if (session_.head_begun()) {
        const std::uint64_t whole_ms =
            limits_.request_ms > 0 ? limits_.request_ms : limits_.head_ms;
        return since_ms_ + std::min(limits_.head_ms, whole_ms);
      }
      // Kept and not looked at yet: it waits for us. Or the client is busy with its answer.
      if (connection_.input_waits() || connection_.output_pending()) return kNever;
      if (server_.draining()) return since_ms_ + (requests_ > 0 ? kDrainIdleMs : kDrainSilentMs);
      return since_ms_ + (requests_ > 0 ? limits_.keep_alive_ms : limits_.first_byte_ms);
    case Stage::receiving:
    case Stage::discarding:
      return body_deadline_ms();
    case Stage::answering:
      return takes_body() ? body_deadline_ms() : kNever;
  }
  return kNever;
}

std::uint64_t Http1Protocol::deadline_ms() const noexcept {
  return std::min(read_deadline_ms(), request_until_ms_);
}

// The time for the whole request is over, whoever was slow.
void Http1Protocol::on_request_timeout() noexcept {
  request_until_ms_ = kNever;
  if (exchange_.state() == ExchangeCore::State::open) {
    const bool complete = stage_ == Stage::answering && body_complete();
    return fail(complete ? Errc::answer_timeout : Errc::request_timeout);
  }
  // What was begun can only be cut. An answer that nobody had to wait for yet goes out first.
  if (!busy() && !connection_.write_blocked()) return;
  connection_.log_failure("h1.stalled", Errc::request_timeout);
  connection_.close(true);
}

void Http1Protocol::on_deadline(std::uint64_t now_ms) noexcept {
  if (now_ms >= request_until_ms_) on_request_timeout();
  if (connection_.closed() || now_ms < read_deadline_ms()) return;
  if (stage_ == Stage::discarding) {
    // Answered already: a 408 would be taken for the next answer.
    connection_.close_after_flush(false);
  } else if (stage_ != Stage::head) {
    fail(Errc::body_timeout);
  } else if (session_.head_begun()) {
    fail(Errc::head_timeout);
  } else {
    connection_.close(false);  // idle, or never said a word
  }
}

}  // namespace lanner::server
