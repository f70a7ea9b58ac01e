// server/exchange_core.cpp: the http::Exchange of every protocol.

#include "server/exchange_core.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "http/answer_tap.h"
#include "server/connection.h"
#include "server/server.h"
#include "sys/clock.h"
#include "sys/files.h"

namespace lanner::server {

namespace {

// A view into `from` becomes one of the same bytes at `to`. Others stay: constants of the parser's
// ("/" of an absolute form without a path), what the arena holds, and empty ones.
void rebase(std::string_view* view, std::string_view from, const char* to) noexcept {
  const bool inside = view->data() >= from.data() && view->data() <= from.data() + from.size();
  if (inside) *view = {to + (view->data() - from.data()), view->size()};
}

}  // namespace

ExchangeCore::ExchangeCore(Connection& connection, ExchangeSink& sink) noexcept
    : connection_(connection),
      server_(connection.server()),
      limits_(connection.limits()),
      sink_(sink),
      arena_(server_.loop().blocks()),
      store_(server_.spool_file()) {}

std::uint64_t ExchangeCore::now_ms() const noexcept { return server_.loop().now_ms(); }

Result<void> ExchangeCore::open(std::string_view raw, std::uint64_t since_ms) noexcept {
  raw_ = raw;
  state_ = State::receiving;
  if (server_.options().access_format) opened_us_ = sys::monotonic_us();
  if (limits_.request_ms > 0) until_ms_ = since_ms + limits_.request_ms;
  const ListenerTerms& terms = connection_.terms();
  if (terms.trust && (head_.forwarded || terms.may_drop_forwarding())) apply_forwarding();
  plan_ = server_.handler().plan(head_);
  if (head_.framing == http::BodyFraming::none) return {};
  clock_.begin(now_ms());
  const std::uint64_t most = plan_.body_bytes_max ? plan_.body_bytes_max : limits_.body_bytes;
  body_bytes_max_ = most ? most : http::Plan::kUnlimited;
  return head_.content_length > body_bytes_max_ ? Errc::body_too_large : Result<void>();
}

Result<void> ExchangeCore::add_body(std::string_view piece) noexcept {
  clock_.on_piece(now_ms());
  body_bytes_ += piece.size();
  if (body_bytes_ > body_bytes_max_) return Errc::body_too_large;
  if (state_ == State::receiving) return keep_body(piece);
  if (observer_) observer_->on_body(piece);
  return {};
}

// A first piece that the handler sees in this turn need not be copied.
Result<void> ExchangeCore::keep_body(std::string_view piece) noexcept {
  const bool stream = plan_.body_mode == http::BodyMode::stream;
  const bool whole =
      head_.framing == http::BodyFraming::length && piece.size() == head_.content_length;
  if (whole || (stream && piece.size() == body_bytes_)) {
    store_.borrow(piece);
    return {};
  }
  // What came with the head is no more than was read at once.
  return store_.append(piece, stream ? UINT64_MAX : server_.body_memory_bytes(limits_));
}

void ExchangeCore::end_body() noexcept {
  body_complete_ = true;
  if (state_ == State::receiving) return dispatch();
  if (observer_) observer_->on_body_end(Errc::ok);
}

Result<void> ExchangeCore::wait_for_body(bool all) noexcept {
  if (state_ != State::receiving) return {};
  if (plan_.body_mode == http::BodyMode::stream) {
    dispatch();
    return {};
  }
  if (all) want_body();
  return keep_head();
}

void ExchangeCore::dispatch() noexcept {
  state_ = State::open;
  server_.handler().handle(*this, plan_);
  if (state_ != State::idle && !observer_) abort();
  server_.flush_held();
}

void ExchangeCore::end_tap(bool complete) noexcept {
  std::exchange(tap_, nullptr)->on_end(complete);
}

void ExchangeCore::reset() noexcept {
  if (tap_) end_tap(false);
  state_ = State::idle;
  observer_ = nullptr;
  logged_head_.reset();
  if (trailer_lines_.capacity() > 0) trailer_lines_.release();
  store_.reset();
  arena_.reset();
  head_kept_ = overflow_ = waits_for_space_ = continue_sent_ = body_complete_ = body_paused_ =
      false;
  client_bytes_ = 0;
  server_named_ = false;
  server_port_ = 0;
  frame_.content_length.reset();
  body_sent_ = body_bytes_ = 0;
  status_ = 0;
}

Result<void> ExchangeCore::keep_head() noexcept {
  if (head_kept_) return {};
  const std::string_view copy = arena_.copy(raw_);
  void* memory = head_.fields.empty() ? nullptr : arena_.allocate(head_.fields.size_bytes());
  if (!copy.data() || (!memory && !head_.fields.empty())) return Errc::no_memory;
  http::Field* fields = static_cast<http::Field*>(memory);
  for (std::size_t i = 0; i < head_.fields.size(); ++i) {
    http::Field* field = ::new (static_cast<void*>(fields + i)) http::Field(head_.fields[i]);
    rebase(&field->name, raw_, copy.data());
    rebase(&field->value, raw_, copy.data());
  }
  head_.fields = {fields, head_.fields.size()};
  for (std::string_view* view :
       {&head_.method_text, &head_.target, &head_.query, &head_.path, &head_.authority}) {
    rebase(view, raw_, copy.data());
  }
  raw_ = copy;
  head_kept_ = true;
  return {};
}

Result<void> ExchangeCore::retain(http::Observer* observer) noexcept {
  if (state_ == State::lost || state_ == State::idle) return Errc::disconnected;
  Result<void> kept = keep_head();
  if (kept) kept = store_.own();
  if (kept) observer_ = observer;
  return kept;
}

void ExchangeCore::want_body() noexcept {
  const bool late = state_ != State::receiving && state_ != State::open;
  if (!head_.expect_continue || continue_sent_ || late || body_bytes_ > 0) return;
  continue_sent_ = true;
  sink_.send_continue();
}

void ExchangeCore::pause_body() noexcept {
  if (body_paused_) return;
  body_paused_ = true;
  clock_.pause(now_ms());
}

void ExchangeCore::resume_body() noexcept {
  if (!body_paused_) return;
  body_paused_ = false;
  clock_.resume(now_ms());
  sink_.resume_body();
}

Result<void> ExchangeCore::inform(const http::ResponseHead& head) noexcept {
  if (state_ == State::lost || state_ == State::idle) return Errc::disconnected;
  if (state_ == State::started) return Errc::response_started;
  if (head.status() < 100 || head.status() > 199 || head.status() == 101)
    return Errc::status_invalid;
  if (head_.minor_version == 0) return {};  // 1.0 clients know no 1xx (RFC 9110, section 15.2)
  return sink_.send_informational(head);
}

Result<void> ExchangeCore::start(const http::ResponseHead& head,
                                 std::optional<std::uint64_t> body_bytes) noexcept {
  if (state_ == State::lost || state_ == State::idle) return Errc::disconnected;
  if (state_ == State::started) return Errc::response_started;
  if (head.status() < 200 || head.status() > 999) return Errc::status_invalid;
  Result<void> headed = sink_.send_head(head, body_bytes, &frame_);
  if (!headed) return headed;
  state_ = State::started;
  status_ = static_cast<std::uint16_t>(head.status());
  if (tap_) tap_->on_start(head, frame_.content_length);
  log::AccessFormat* format = server_.options().access_format;
  if (format && format->needs_response_fields()) {
    logged_head_.reset(new (std::nothrow) http::ResponseHead);
    // Without memory the line has "-" where the fields would be.
    if (logged_head_) (void)logged_head_->copy_from(head);
  }
  return {};
}

std::uint64_t ExchangeCore::admit(std::uint64_t bytes) noexcept {
  if (!frame_.content) return 0;
  if (frame_.body_bytes) {
    const std::uint64_t left = *frame_.body_bytes - body_sent_;
    if (bytes > left) {
      overflow_ = true;
      bytes = left;
    }
  }
  body_sent_ += bytes;
  return bytes;
}

http::WriteState ExchangeCore::sent(bool stored) noexcept {
  if (!stored) {
    cut();
    return http::WriteState::closed;
  }
  if (!sink_.full()) return http::WriteState::ok;
  // Near the budget: as much as the client takes goes to it now, the rest to the file.
  if (server_.budget().near()) return flush();
  waits_for_space_ = true;
  return http::WriteState::full;
}

// From within a call of the handler's.
void ExchangeCore::cut() noexcept {
  in_call_ = true;
  sink_.cut();
  in_call_ = false;
}

http::WriteState ExchangeCore::write(http::Payload payload) noexcept {
  const bool open = state_ == State::started;
  const std::uint64_t bytes = open ? admit(payload.bytes.size()) : 0;
  if (bytes == 0) {
    if (payload.release) payload.release(payload.owner);
    return open ? http::WriteState::ok : http::WriteState::closed;
  }
  if (tap_) tap_->on_body(payload.bytes.substr(0, bytes));
  return sent(sink_.send_body(payload, bytes, false));
}

std::span<char> ExchangeCore::reserve_body(std::size_t used, std::size_t more) noexcept {
  return server_.answer_space().reserve(used, more);
}

Result<void> ExchangeCore::commit_body(const http::ResponseHead& head, std::size_t bytes) noexcept {
  Result<void> begun = start(head, bytes);
  if (begun && bytes > 0) (void)write(server_.answer_space().take(bytes));  // finish() tells
  server_.answer_space().trim();
  return begun;
}

http::WriteState ExchangeCore::write_spooled(std::string_view text) noexcept {
  if (state_ != State::started) return http::WriteState::closed;
  const std::uint64_t bytes = admit(text.size());
  if (bytes == 0) return http::WriteState::ok;
  if (tap_) tap_->on_body(text.substr(0, bytes));
  const http::WriteState state =
      sent(sink_.send_body({text, nullptr, nullptr}, bytes, sink_.full()));
  waits_for_space_ = false;
  return state == http::WriteState::full ? http::WriteState::ok : state;
}

http::WriteState ExchangeCore::write_file(http::FilePart part) noexcept {
  if (state_ != State::started) return http::WriteState::closed;
  const std::uint64_t bytes = admit(part.count);
  if (bytes == 0) return http::WriteState::ok;
  if (tap_) tap_->on_file({part.fd, part.offset, bytes});
  Result<int> copy = sys::duplicate(part.fd);
  return sent(copy && sink_.send_file(*copy, part.offset, bytes));
}

http::WriteState ExchangeCore::flush() noexcept {
  if (state_ == State::lost) return http::WriteState::closed;
  in_call_ = true;
  sink_.flush();
  in_call_ = false;
  if (state_ == State::lost) return http::WriteState::closed;
  waits_for_space_ = sink_.full();
  return waits_for_space_ ? http::WriteState::full : http::WriteState::ok;
}

Result<void> ExchangeCore::add_trailers(const http::ResponseHead& fields) noexcept {
  if (state_ != State::started || !frame_.trailers) return {};
  return trailer_lines_.append(fields.field_lines()) ? Result<void>() : Errc::no_memory;
}

void ExchangeCore::yield() noexcept {
  waits_for_space_ = true;
  sink_.yield();
}

void ExchangeCore::on_space() noexcept {
  waits_for_space_ = false;
  if (observer_) observer_->on_writable();
}

void ExchangeCore::on_half_close() noexcept {
  if (observer_ && state_ != State::lost) observer_->on_half_close();
}

Result<void> ExchangeCore::finish() noexcept {
  if (state_ == State::lost) {
    end(false);
    return Errc::disconnected;
  }
  if (state_ != State::started) {
    abort();
    return Errc::internal;
  }
  const bool too_short = frame_.body_bytes && body_sent_ < *frame_.body_bytes;
  if (!too_short && !sink_.send_end(trailer_lines_.view())) {
    cut();
    end(false);
    return Errc::no_memory;
  }
  const Errc mistake = too_short   ? Errc::response_too_short
                       : overflow_ ? Errc::response_too_long
                                   : Errc::ok;
  if (mistake != Errc::ok) log_mistake(mistake);
  if (tap_) end_tap(mistake == Errc::ok);
  end(frame_.persists && !too_short);
  return mistake;
}

void ExchangeCore::log_mistake(Errc code) noexcept {
  log::Log* log = server_.log();
  if (!log) return;
  log->line(log::LogLevel::error, "app.mistake")
      .add("reason", error_name(code))
      .add("method", head_.method_text)
      .add("target", head_.target)
      .add("declared", frame_.body_bytes.value_or(0))
      .add("sent", body_sent_)
      .send();
}

void ExchangeCore::abort() noexcept {
  if (state_ == State::started) {
    sink_.break_off();
    return end(false);
  }
  if (state_ != State::open) return end(false);
  if (tap_) end_tap(false);
  answer_error();
}

// A 500 of the server's own; the connection goes on if the request was read to its end.
void ExchangeCore::answer_error() noexcept {
  constexpr std::string_view kBody = "500 Internal Server Error\n";
  http::ResponseHead head;
  const bool built = head.set_status(500, "Internal Server Error") &&
                     head.add("Content-Type", "text/plain; charset=utf-8", 256);
  if (!built || !start(head, kBody.size())) {
    cut();
    return end(false);
  }
  (void)write({kBody, nullptr, nullptr});  // finish() sees what comes of it
  (void)finish();                          // what is wrong with it is logged there
}

void ExchangeCore::fail(Errc code, bool gone) noexcept {
  http::Observer* observer = observer_;
  const bool dispatched = state_ != State::receiving;
  const bool streaming = observer && !body_complete_ && state_ != State::lost;
  if (!gone && (state_ == State::open || !dispatched)) {
    status_ = static_cast<std::uint16_t>(sink_.send_error(code));
  } else if (!gone && state_ == State::started) {
    sink_.break_off();
  }
  if (state_ != State::lost) log_access();
  state_ = State::lost;
  if (tap_) end_tap(false);
  if (!dispatched) {
    reset();
  } else if (observer && !in_call_) {
    if (streaming) observer->on_body_end(code);
    if (gone && observer_) observer->on_disconnect();  // unless it has ended it there
  }
}

void ExchangeCore::log_access() noexcept {
  log::AccessFormat* format = server_.options().access_format;
  if (!format || status_ == 0) return;
  server_.log_access({.head = &head_,
                      .client = client(),
                      .status = status_,
                      .body_bytes = body_sent_,
                      .duration_us = sys::monotonic_us() - opened_us_,
                      .unix_us = static_cast<std::int64_t>(sys::unix_us()),
                      .content_length = frame_.content_length,
                      .response = logged_head_.get(),
                      .pid = 0});
}

void ExchangeCore::end(bool persist) noexcept {
  if (state_ != State::lost) log_access();
  reset();
  sink_.request_ended(persist);
}

}  // namespace lanner::server
