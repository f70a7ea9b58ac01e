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
      limits_(server_.limits()),
      exchange_(connection, *this),
      since_ms_(now_ms()) {}

std::uint64_t Http1Protocol::now_ms() const noexcept { return server_.loop().now_ms(); }
void Http1Protocol::release() noexcept { server_.release(*this); }

std::size_t Http1Protocol::feed(std::string_view in) noexcept {
  turn_requests_ = 0;
  if (stage_ == Stage::head && !in.empty() && !session_.head_begun()) since_ms_ = now_ms();
  std::string_view rest = in;
  while ((stage_ != Stage::head || !rest.empty()) && step(&rest)) {
  }
  const std::size_t used = in.size() - rest.size();
  if (connection_.closed() || gone_) return used;
  const bool comes_back =
      connection_.turn_requested() || (!rest.empty() && connection_.over_high_mark());
  if (connection_.peer_ended() && stage_ == Stage::head && !connection_.closing() && !comes_back) {
    connection_.close_after_flush(false);
  }
  if (used > 0 && !rest.empty() && stage_ == Stage::head) since_ms_ = now_ms();  // a new head
  return used;
}

bool Http1Protocol::step(std::string_view* in) noexcept {
  if (stage_ == Stage::head) {
    if (connection_.over_high_mark()) return false;
    if (turn_requests_ >= limits_.requests_per_turn) {
      connection_.request_turn();
      return false;
    }
  } else if (stage_ == Stage::answering && !takes_body()) {
    return false;
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
      if (stage_ == Stage::receiving && !exchange_.keep_head()) fail(Errc::no_memory);
      return false;
    case http1::Session::Event::head:
      on_head({begin, static_cast<std::size_t>(in->data() - begin)});
      if (stage_ == Stage::receiving && in->empty()) exchange_.want_body();
      break;
    case http1::Session::Event::body:
      on_body(piece);
      break;
    case http1::Session::Event::body_end:
      on_body_end();
      break;
  }
  return !connection_.ending() && !gone_;
}

// What comes after a refusal is nobody's, in whatever stage that was.
bool Http1Protocol::wants_input() const noexcept {
  if (connection_.closing()) return false;
  switch (stage_) {
    case Stage::head:
      return !connection_.over_high_mark();
    case Stage::receiving:
    case Stage::discarding:
      return true;
    case Stage::answering:
      return takes_body();
  }
  return false;
}

void Http1Protocol::on_head(std::string_view raw) noexcept {
  ++requests_;
  ++turn_requests_;
  server_.count_request();
  if (limits_.request_ms > 0) {
    request_until_ms_ = since_ms_ + limits_.request_ms;
  }
  since_ms_ = body_progress_ms_ = now_ms();
  exchange_.open(raw);
  const http::RequestHead& head = exchange_.head();
  stage_ = Stage::receiving;
  if (head.upgrade) {
    Result<websocket::Handshake> handshake = websocket::check_handshake(head);
    if (!handshake) return fail(handshake.code());
  }
  if (head.framing == http::BodyFraming::none) {
    session_.skip_body_end();
    return dispatch();
  }
  if (server_.handler().body_mode(head) == http::BodyMode::stream) {
    streaming_ = true;
    body_paused_ = false;
    dispatch();
  }
}

void Http1Protocol::on_body(std::string_view piece) noexcept {
  body_progress_ms_ = now_ms();
  if (stage_ == Stage::answering) {
    if (http::Observer* observer = exchange_.observer()) observer->on_body(piece);
    return;
  }
  if (stage_ == Stage::discarding) {
    discarded_bytes_ += piece.size();
    if (discarded_bytes_ > discard_bytes_max()) connection_.close_after_flush(false);
    return;
  }
  const http::RequestHead& head = exchange_.head();
  BodyStore& store = exchange_.store();
  if (head.framing == http::BodyFraming::length && piece.size() == head.content_length) {
    return store.borrow(piece);
  }
  Result<void> stored = store.append(piece, server_.body_memory_bytes());
  if (!stored) fail(stored.code());
}

void Http1Protocol::on_body_end() noexcept {
  if (stage_ == Stage::receiving) return dispatch();
  if (stage_ == Stage::answering) {
    if (http::Observer* observer = exchange_.observer()) observer->on_body_end(Errc::ok);
    return;
  }
  session_.begin_next();  // discarding
  stage_ = Stage::head;
  since_ms_ = now_ms();
}

void Http1Protocol::dispatch() noexcept {
  stage_ = Stage::answering;
  exchange_.set_dispatched();
  server_.handler().handle(exchange_);
  if (exchange_.state() != ExchangeCore::State::idle && !exchange_.retained()) exchange_.abort();
  server_.flush_held();
}

void Http1Protocol::request_ended(bool persist) noexcept {
  streaming_ = false;
  if (connection_.closed()) return;
  if (!persist || server_.draining()) return connection_.close_after_flush(false);
  since_ms_ = body_progress_ms_ = now_ms();
  if (body_complete()) {
    session_.begin_next();
    stage_ = Stage::head;
  } else {
    stage_ = Stage::discarding;
    discarded_bytes_ = 0;
  }
  connection_.resume_input(false);
}

bool Http1Protocol::may_persist() const noexcept {
  if (server_.stopping() || connection_.closing() || limits_.keep_alive_ms == 0) {
    return false;
  }
  if (body_complete()) return true;
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
    request_until_ms_ = kNever;
    if (at_rest()) since_ms_ = now_ms();  // idle from now on
  }
  return stage_ == Stage::head && (connection_.input_kept() || connection_.peer_ended());
}

void Http1Protocol::on_space() noexcept {
  if (exchange_.waits_for_space()) exchange_.on_space();
}

void Http1Protocol::on_memory() noexcept { since_ms_ = now_ms(); }

void Http1Protocol::on_half_close() noexcept {
  http::Observer* observer = exchange_.observer();
  if (observer && exchange_.state() != ExchangeCore::State::lost) observer->on_half_close();
}

void Http1Protocol::on_input_end() noexcept {
  switch (stage_) {
    case Stage::head:
      // Half a head is nobody's request; complete ones that are still kept are served first.
      if (connection_.input_kept()) return connection_.request_turn();
      if (!connection_.output_pending()) return connection_.close(false);
      return connection_.close_after_flush(false);
    case Stage::receiving:
      return fail(Errc::body_incomplete);
    case Stage::answering:
      // Half-closed: it may still read its answer.
      if (streaming_ && !body_complete()) fail(Errc::body_incomplete);
      return;
    case Stage::discarding:
      return connection_.close_after_flush(false);
  }
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
  if (stage_ == Stage::discarding) return connection_.close_after_flush(false);
  if (stage_ != Stage::head || connection_.closing()) return;
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
