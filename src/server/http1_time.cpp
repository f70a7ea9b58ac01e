// server/http1_time.cpp: the deadlines of HTTP/1: every stall mode of a request ends
// (http/limits.def). How a client takes its answer is the connection's (connection_time.cpp).

#include <algorithm>

#include "server/connection.h"
#include "server/http1_protocol.h"
#include "server/server.h"

namespace lanner::server {

namespace {

constexpr std::uint64_t kDrainIdleMs = 250;  // a client at work, between two requests

}  // namespace

std::uint64_t Http1Protocol::read_deadline_ms() const noexcept {
  if (connection_.closing()) return kNever;  // only the output is waited for
  if (busy()) return exchange_.body_deadline_ms();
  if (discarding()) return discard_clock_.deadline_ms(session_.body_bytes(), limits_);
  if (connection_.over_high_mark()) return kNever;
  if (session_.head_begun()) {
    const std::uint64_t whole_ms = limits_.request_ms > 0 ? limits_.request_ms : limits_.head_ms;
    return since_ms_ + std::min(limits_.head_ms, whole_ms);
  }
  // Kept and not looked at yet: it waits for us. Or the client is busy with its answer.
  if (connection_.input_waits() || connection_.output_pending()) return kNever;
  if (server_.draining()) return since_ms_ + (requests_ > 0 ? kDrainIdleMs : http::kDrainSilentMs);
  return since_ms_ + (requests_ > 0 ? limits_.keep_alive_ms : limits_.first_byte_ms);
}

std::uint64_t Http1Protocol::deadline_ms() const noexcept {
  return std::min(read_deadline_ms(), exchange_.until_ms());
}

// The time for the whole request is over, whoever was slow.
void Http1Protocol::on_request_timeout() noexcept {
  exchange_.clear_until();
  if (busy() && !exchange_.started() && exchange_.state() != ExchangeCore::State::lost) {
    return fail(exchange_.body_complete() ? Errc::answer_timeout : Errc::request_timeout);
  }
  // What was begun can only be cut. An answer that nobody had to wait for yet goes out first.
  if (!busy() && !connection_.write_blocked()) return;
  connection_.log_failure("h1.stalled", Errc::request_timeout);
  connection_.close(true);
}

void Http1Protocol::on_deadline(std::uint64_t now_ms) noexcept {
  if (now_ms >= exchange_.until_ms()) on_request_timeout();
  if (connection_.closed() || now_ms < read_deadline_ms()) return;
  if (discarding()) {
    // Answered already: a 408 would be taken for the next answer.
    connection_.close_after_flush(false);
  } else if (busy()) {
    fail(Errc::body_timeout);
  } else if (session_.head_begun()) {
    fail(Errc::head_timeout);
  } else {
    connection_.close(false);  // idle, or never said a word
  }
}

}  // namespace lanner::server
