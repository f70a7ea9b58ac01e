// server/http1_exchange.cpp: the http::Exchange of an HTTP/1 connection.

#include "server/http1_exchange.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "server/connection.h"
#include "server/server.h"
#include "sys/clock.h"
#include "sys/files.h"

namespace lanner::server {

namespace {

constexpr std::size_t kReferenceBytes =
    16384;  // smaller pieces are copied: cheaper than a reference

// A view into `from` becomes one of the same bytes at `to`. Others stay: constants of the parser's
// ("/" of an absolute form without a path), what the arena holds, and empty ones.
void rebase(std::string_view* view, std::string_view from, const char* to) noexcept {
  const bool inside = view->data() >= from.data() && view->data() <= from.data() + from.size();
  if (inside) *view = {to + (view->data() - from.data()), view->size()};
}

}  // namespace

void Http1Exchange::open(std::string_view raw) noexcept {
  raw_ = raw;
  state_ = State::open;
  if (connection_.server().options().access_format) opened_us_ = sys::monotonic_us();
  const Options& options = connection_.server().options();
  if (options.trust && (head_.forwarded || options.may_drop_forwarding())) apply_forwarding();
}

void Http1Exchange::reset() noexcept {
  state_ = State::idle;
  observer_ = nullptr;
  logged_head_.reset();
  if (trailer_lines_.capacity() > 0) trailer_lines_.release();
  store_.reset();
  arena_.reset();
  head_kept_ = overflow_ = waits_for_space_ = continue_sent_ = dispatched_ = false;
  client_bytes_ = 0;
  server_named_ = false;
  server_port_ = 0;
  body_sent_ = 0;
  status_ = 0;
}

Result<void> Http1Exchange::keep_head() noexcept {
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

Result<void> Http1Exchange::retain(http::Observer* observer) noexcept {
  if (state_ == State::lost || state_ == State::idle) return Errc::disconnected;
  Result<void> kept = keep_head();
  if (kept) kept = store_.own();
  if (kept) observer_ = observer;
  return kept;
}

void Http1Exchange::want_body() noexcept {
  if (!head_.expect_continue || continue_sent_ || state_ != State::open ||
      connection_.body_begun()) {
    return;
  }
  continue_sent_ = true;
  // Without memory for it the client sends its body unasked, after a while (RFC 9110, 10.1.1).
  if (connection_.put_text("HTTP/1.1 100 Continue\r\n\r\n")) connection_.mark_dirty();
}

void Http1Exchange::pause_body() noexcept { connection_.set_body_paused(true); }
void Http1Exchange::resume_body() noexcept { connection_.set_body_paused(false); }

Result<void> Http1Exchange::inform(const http::ResponseHead& head) noexcept {
  if (state_ == State::lost || state_ == State::idle) return Errc::disconnected;
  if (state_ == State::started) return Errc::response_started;
  if (head.status() < 100 || head.status() > 199 || head.status() == 101)
    return Errc::status_invalid;
  if (head_.minor_version == 0) return {};  // 1.0 clients know no 1xx (RFC 9110, section 15.2)
  const std::size_t bound = http1::head_bytes_bound(head, {});
  Buffer text;
  char* to = text.reserve(bound);
  if (!to) return Errc::no_memory;
  const char* end = http1::write_informational(to, head);
  if (!connection_.put_text({to, static_cast<std::size_t>(end - to)})) return Errc::no_memory;
  connection_.mark_dirty();
  return {};
}

Result<void> Http1Exchange::start(const http::ResponseHead& head,
                                  std::optional<std::uint64_t> body_bytes) noexcept {
  if (state_ == State::lost || state_ == State::idle) return Errc::disconnected;
  if (state_ == State::started) return Errc::response_started;
  if (head.status() < 200 || head.status() > 999) return Errc::status_invalid;
  Server& server = connection_.server();
  plan_ = http1::plan_response(head_, head, body_bytes, connection_.may_persist());
  const std::size_t bound = http1::head_bytes_bound(head, server.server_fields());
  if (char* to = connection_.reserve(bound)) {
    const char* end = http1::write_head(to, head_, head, plan_, server.server_fields());
    connection_.out().commit(static_cast<std::size_t>(end - to));
  } else {
    Buffer text;
    to = text.reserve(bound);
    if (!to) return Errc::no_memory;
    const char* end = http1::write_head(to, head_, head, plan_, server.server_fields());
    if (!connection_.put_text({to, static_cast<std::size_t>(end - to)})) return Errc::no_memory;
  }
  state_ = State::started;
  status_ = static_cast<std::uint16_t>(head.status());
  connection_.mark_dirty();
  AccessFormat* format = server.options().access_format;
  if (format && format->needs_response_fields()) {
    logged_head_.reset(new (std::nothrow) http::ResponseHead);
    // Without memory the line has "-" where the fields would be.
    if (logged_head_) (void)logged_head_->copy_from(head);
  }
  return {};
}

std::uint64_t Http1Exchange::admit(std::uint64_t bytes) noexcept {
  if (plan_.framing == http1::ResponseFraming::none) return 0;
  if (plan_.framing == http1::ResponseFraming::length) {
    const std::uint64_t left = plan_.body_bytes - body_sent_;
    if (bytes > left) {
      overflow_ = true;
      bytes = left;
    }
  }
  body_sent_ += bytes;
  return bytes;
}

http::WriteState Http1Exchange::wrote(bool stored) noexcept {
  if (!stored) {
    cut();
    return http::WriteState::closed;
  }
  connection_.mark_dirty();
  if (!connection_.over_high_mark()) return http::WriteState::ok;
  // Near the budget: as much as the client takes goes to it now, the rest to the file.
  if (connection_.server().budget().near()) return flush();
  waits_for_space_ = true;
  return http::WriteState::full;
}

// From within a call of the handler's.
void Http1Exchange::cut() noexcept {
  in_call_ = true;
  connection_.close(true);
  in_call_ = false;
}

bool Http1Exchange::put(const http::Payload& payload, std::uint64_t bytes, bool spooled) noexcept {
  const std::string_view piece = payload.bytes.substr(0, static_cast<std::size_t>(bytes));
  const auto add = [&](std::string_view text) noexcept {
    return spooled ? connection_.spool_text(text) : connection_.put_text(text);
  };
  char chunk_head[http1::kChunkHeadBytesMax];
  const bool chunked = plan_.framing == http1::ResponseFraming::chunked;
  if (chunked) {
    const char* end = http1::write_chunk_head(chunk_head, bytes);
    if (!add({chunk_head, static_cast<std::size_t>(end - chunk_head)})) {
      if (payload.release) payload.release(payload.owner);
      return false;
    }
  }
  bool stored;
  if (!spooled && payload.release && bytes >= kReferenceBytes && connection_.spool().empty()) {
    stored = connection_.out().append_reference(piece, payload.owner, payload.release);
    connection_.server().hold_bytes(bytes);
  } else {
    stored = add(piece);
    if (payload.release) payload.release(payload.owner);
  }
  return stored && (!chunked || add(http1::kChunkEnd));
}

http::WriteState Http1Exchange::write(http::Payload payload) noexcept {
  const bool open = state_ == State::started;
  const std::uint64_t bytes = open ? admit(payload.bytes.size()) : 0;
  if (bytes == 0) {
    if (payload.release) payload.release(payload.owner);
    return open ? http::WriteState::ok : http::WriteState::closed;
  }
  return wrote(put(payload, bytes, false));
}

http::WriteState Http1Exchange::write_spooled(std::string_view text) noexcept {
  if (state_ != State::started) return http::WriteState::closed;
  const std::uint64_t bytes = admit(text.size());
  if (bytes == 0) return http::WriteState::ok;
  const http::WriteState state =
      wrote(put({text, nullptr, nullptr}, bytes, connection_.over_high_mark()));
  waits_for_space_ = false;
  return state == http::WriteState::full ? http::WriteState::ok : state;
}

http::WriteState Http1Exchange::write_file(http::FilePart part) noexcept {
  if (state_ != State::started) return http::WriteState::closed;
  const std::uint64_t bytes = admit(part.count);
  if (bytes == 0) return http::WriteState::ok;
  Result<int> copy = sys::duplicate(part.fd);
  if (!copy) return wrote(false);
  if (plan_.framing != http1::ResponseFraming::chunked) {
    return wrote(connection_.put_file(*copy, part.offset, bytes));
  }
  char chunk_head[http1::kChunkHeadBytesMax];
  const char* end = http1::write_chunk_head(chunk_head, bytes);
  const bool headed =
      connection_.put_text({chunk_head, static_cast<std::size_t>(end - chunk_head)});
  if (!headed) sys::close(*copy);
  return wrote(headed && connection_.put_file(*copy, part.offset, bytes) &&
               connection_.put_text(http1::kChunkEnd));
}

http::WriteState Http1Exchange::flush() noexcept {
  if (state_ == State::lost) return http::WriteState::closed;
  in_call_ = true;
  connection_.flush();
  in_call_ = false;
  if (state_ == State::lost) return http::WriteState::closed;
  waits_for_space_ = connection_.over_high_mark();
  return waits_for_space_ ? http::WriteState::full : http::WriteState::ok;
}

Result<void> Http1Exchange::add_trailers(const http::ResponseHead& fields) noexcept {
  if (state_ != State::started || plan_.framing != http1::ResponseFraming::chunked) return {};
  return trailer_lines_.append(fields.field_lines()) ? Result<void>() : Errc::no_memory;
}

void Http1Exchange::yield() noexcept {
  waits_for_space_ = true;
  connection_.server().mark_ready(connection_);
}

void Http1Exchange::on_space() noexcept {
  waits_for_space_ = false;
  if (observer_) observer_->on_writable();
}

Result<void> Http1Exchange::finish() noexcept {
  if (state_ == State::lost) {
    end(false);
    return Errc::disconnected;
  }
  if (state_ != State::started) {
    abort();
    return Errc::internal;
  }
  if (plan_.framing == http1::ResponseFraming::chunked) {
    if (wrote(put_last_chunk()) == http::WriteState::closed) {
      end(false);
      return Errc::no_memory;
    }
  }
  const bool too_short =
      plan_.framing == http1::ResponseFraming::length && body_sent_ < plan_.body_bytes;
  const Errc mistake = too_short   ? Errc::response_too_short
                       : overflow_ ? Errc::response_too_long
                                   : Errc::ok;
  if (mistake != Errc::ok) log_mistake(mistake);
  end(plan_.keep_alive && !too_short);
  return mistake;
}

void Http1Exchange::log_mistake(Errc code) noexcept {
  Log* log = connection_.server().log();
  if (!log) return;
  log->line(LogLevel::error, "app.mistake")
      .add("reason", error_name(code))
      .add("method", head_.method_text)
      .add("target", head_.target)
      .add("declared", plan_.body_bytes)
      .add("sent", body_sent_)
      .send();
}

bool Http1Exchange::put_last_chunk() noexcept {
  if (trailer_lines_.empty()) return connection_.put_text(http1::kLastChunk);
  return connection_.put_text("0\r\n") && connection_.put_text(trailer_lines_.view()) &&
         connection_.put_text("\r\n");
}

void Http1Exchange::abort() noexcept {
  if (state_ == State::started) {
    // 1.0 and close-delimited answers would look complete without a reset (RFC 9112, section 8).
    const bool reset = plan_.framing == http1::ResponseFraming::close;
    connection_.close_after_flush(reset);
    return end(false);
  }
  if (state_ != State::open) return end(false);
  answer_error();
}

// A 500 of the server's own; the connection goes on if the request was read to its end.
void Http1Exchange::answer_error() noexcept {
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

void Http1Exchange::fail(Errc code, bool gone) noexcept {
  http::Observer* observer = observer_;
  const bool streaming = observer && !connection_.body_complete() && state_ != State::lost;
  if (!gone && state_ == State::open) {
    const int status = error_status(code);
    const std::string_view extra =
        code == Errc::websocket_version ? "Sec-WebSocket-Version: 13\r\n" : "";
    char* to = status ? connection_.reserve(http1::kErrorBytesMax) : nullptr;
    if (to) {
      const char* end = http1::write_error(to, status, error_text(code), extra,
                                           connection_.server().server_fields(),
                                           head_.method != http::Method::head);
      connection_.out().commit(static_cast<std::size_t>(end - to));
      status_ = static_cast<std::uint16_t>(status);
    }
    connection_.close_after_flush(false);
  } else if (!gone && state_ == State::started) {
    connection_.close_after_flush(plan_.framing == http1::ResponseFraming::close);
  }
  if (state_ != State::lost) log_access();
  state_ = State::lost;
  if (!dispatched_) {
    reset();
  } else if (observer && !in_call_) {
    if (streaming) observer->on_body_end(code);
    if (gone && observer_) observer->on_disconnect();  // unless it has ended it there
  }
}

void Http1Exchange::log_access() noexcept {
  AccessFormat* format = connection_.server().options().access_format;
  if (!format || status_ == 0) return;
  connection_.server().log_access({.head = &head_,
                                   .client = client(),
                                   .status = status_,
                                   .body_bytes = body_sent_,
                                   .duration_us = sys::monotonic_us() - opened_us_,
                                   .unix_us = static_cast<std::int64_t>(sys::unix_us()),
                                   .content_length = plan_.write_content_length
                                                         ? std::optional(plan_.content_length)
                                                         : std::nullopt,
                                   .response = logged_head_.get(),
                                   .pid = 0});
}

void Http1Exchange::end(bool persist) noexcept {
  if (state_ != State::lost) log_access();
  reset();
  connection_.answer_ended(persist);
}

}  // namespace lanner::server
