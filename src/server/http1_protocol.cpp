// server/http1_protocol.cpp: HTTP/1 on a connection: the stages of a request. Time is in
// http1_time.cpp, what is sent in http1_sink.cpp.

#include "server/http1_protocol.h"

#include <algorithm>

#include "server/connection.h"
#include "server/server.h"
#include "websocket/handshake.h"

namespace lanner::server {

Http1Protocol::Http1Protocol(Connection& connection) noexcept
    : connection_(connection),
      server_(connection.server()),
      limits_(connection.limits()),
      exchange_(connection, *this),
      since_ms_(now_ms()) {}

std::uint64_t Http1Protocol::now_ms() const noexcept { return server_.loop().now_ms(); }
void Http1Protocol::release() noexcept { server_.release(*this); }

std::size_t Http1Protocol::feed(std::string_view in) noexcept {
  turn_requests_ = 0;
  if (!in.empty() && at_rest()) since_ms_ = now_ms();
  std::string_view rest = in;
  while (step(&rest)) {
  }
  const std::size_t used = in.size() - rest.size();
  if (connection_.closed() || gone_) return used;
  const bool comes_back =
      connection_.turn_requested() || (!rest.empty() && connection_.over_high_mark());
  if (connection_.peer_ended() && reading_head() && !connection_.closing() && !comes_back) {
    connection_.close_after_flush(false);
  }
  if (used > 0 && !rest.empty() && reading_head()) since_ms_ = now_ms();  // a new head
  return used;
}

bool Http1Protocol::step(std::string_view* in) noexcept {
  if (busy()) {
    if (!exchange_.takes_body()) return false;
  } else if (reading_head()) {
    if (in->empty() || connection_.over_high_mark()) return false;
    if (turn_requests_ >= limits_.requests_per_turn) {
      connection_.request_turn();
      return false;
    }
  }
  const char* begin = in->data();
  std::string_view piece;
  Result<http1::Session::Event> event =
      session_.next(*in, limits_, server_.fields(), &exchange_.head_slot(), &piece);
  if (!event) {
    fail(event.code());
    return false;
  }
  switch (*event) {
    case http1::Session::Event::need_more:
      if (!busy()) return false;
      check(exchange_.wait_for_body(in->empty()));
      return false;
    case http1::Session::Event::head:
      on_head({begin, static_cast<std::size_t>(in->data() - begin)});
      break;
    case http1::Session::Event::body:
      if (busy()) {
        check(exchange_.add_body(piece));
      } else {
        discard(piece);
      }
      break;
    case http1::Session::Event::body_end:
      on_body_end();
      break;
  }
  return !connection_.ending() && !gone_;
}

// What comes after a refusal is nobody's, in whatever state that was.
bool Http1Protocol::wants_input() const noexcept {
  if (connection_.closing()) return false;
  if (busy()) return exchange_.takes_body();
  return !reading_head() || !connection_.over_high_mark();
}

void Http1Protocol::on_head(std::string_view raw) noexcept {
  ++requests_;
  ++turn_requests_;
  server_.count_request();
  Result<void> opened = exchange_.open(raw, since_ms_);
  const http::RequestHead& head = exchange_.head();
  if (!opened) return fail(opened.code());
  if (head.upgrade) {
    Result<websocket::Handshake> handshake = websocket::check_handshake(head);
    if (!handshake) return fail(handshake.code());
  }
  if (head.framing == http::BodyFraming::none) {
    session_.skip_body_end();
    exchange_.end_body();
  }
}

void Http1Protocol::discard(std::string_view piece) noexcept {
  discard_clock_.on_piece(now_ms());
  discarded_bytes_ += piece.size();
  if (discarded_bytes_ > discard_bytes_max()) connection_.close_after_flush(false);
}

void Http1Protocol::on_body_end() noexcept {
  if (busy()) return exchange_.end_body();
  session_.begin_next();
  since_ms_ = now_ms();
}

void Http1Protocol::request_ended(bool persist) noexcept {
  if (connection_.closed()) return;
  if (!persist || server_.draining()) return connection_.close_after_flush(false);
  since_ms_ = now_ms();
  if (session_.phase() == http1::Session::Phase::done) {
    session_.begin_next();
  } else {
    discard_clock_.begin(since_ms_);
    discarded_bytes_ = 0;
  }
  connection_.resume_input(false);
}

bool Http1Protocol::may_persist() const noexcept {
  if (server_.stopping() || connection_.closing() || limits_.keep_alive_ms == 0) {
    return false;
  }
  if (exchange_.body_complete()) return true;
  // An answer before the body's end: only worth it when the rest is short and surely on its way
  // (RFC 9112, 9.3).
  const http::RequestHead& head = exchange_.head();
  return !head.expect_continue && head.framing == http::BodyFraming::length &&
         head.content_length - session_.body_bytes() <= discard_bytes_max();
}

std::uint64_t Http1Protocol::discard_bytes_max() const noexcept {
  return std::min(http::kDiscardBytesMax, limits_.linger_bytes);
}

void Http1Protocol::upgrade(Protocol& next) noexcept {
  gone_ = true;
  exchange_.reset();
  connection_.hand_over(next);
}

bool Http1Protocol::on_drained(bool all) noexcept {
  if (busy()) return exchange_.waits_for_space();
  if (all) {
    exchange_.clear_until();
    if (at_rest()) since_ms_ = now_ms();  // idle from now on
  }
  return reading_head() && (connection_.input_kept() || connection_.peer_ended());
}

void Http1Protocol::on_space() noexcept {
  if (exchange_.waits_for_space()) exchange_.on_space();
}

void Http1Protocol::on_memory() noexcept { since_ms_ = now_ms(); }

void Http1Protocol::on_half_close() noexcept { exchange_.on_half_close(); }

void Http1Protocol::on_input_end() noexcept {
  if (busy()) {
    // Half-closed: it may still read its answer.
    if (!exchange_.body_complete()) fail(Errc::body_incomplete);
    return;
  }
  if (discarding()) return connection_.close_after_flush(false);
  // Half a head is nobody's request; complete ones that are still kept are served first.
  if (connection_.input_kept()) return connection_.request_turn();
  if (!connection_.output_pending()) return connection_.close(false);
  connection_.close_after_flush(false);
}

void Http1Protocol::check(const Result<void>& done) noexcept {
  if (!done) fail(done.code());
}

// The request at hand cannot be served: say why if it is not too late, then close.
void Http1Protocol::fail(Errc code) noexcept {
  connection_.log_failure("h1.reject", code);
  if (busy()) return exchange_.fail(code, false);
  const int status = error_status(code);
  char* to = status ? connection_.reserve(http1::kErrorBytesMax) : nullptr;
  if (!to) return connection_.close(status != 0);
  const bool with_body = exchange_.head().method != http::Method::head;  // as far as parsed
  char* end =
      http1::write_error(to, status, error_text(code), "", server_.server_fields(), with_body);
  connection_.out().commit(static_cast<std::size_t>(end - to));
  server_.log_rejected(connection_, status);
  connection_.close_after_flush(false);
}

void Http1Protocol::begin_drain() noexcept {
  constexpr std::uint64_t kAtWorkMs = 1000;  // idle for less: the client may be at work
  if (discarding()) return connection_.close_after_flush(false);
  if (!reading_head() || connection_.closing()) return;
  if (connection_.input_kept() || session_.head_begun()) return;
  // A client in the middle of its work sends its next request any moment now: it gets an answer
  // with Connection: close instead of an end that it could not tell from a failure. So does one
  // that has connected and not spoken yet.
  const bool at_work =
      requests_ == 0 || now_ms() - since_ms_ < kAtWorkMs || connection_.output_pending();
  if (!at_work) return connection_.close(false);
  since_ms_ = now_ms();
  connection_.rearm();
}

void Http1Protocol::on_closed() noexcept {
  if (busy()) exchange_.fail(Errc::disconnected, true);
}

}  // namespace lanner::server
