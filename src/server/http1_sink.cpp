// server/http1_sink.cpp: answers as HTTP/1 frames them (RFC 9112), into the connection's output.

#include "server/connection.h"
#include "server/http1_protocol.h"
#include "server/server.h"
#include "sys/files.h"

namespace lanner::server {

namespace {

std::string_view text(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

// Also without kept input: the end of the body may be all that is owed.
void Http1Protocol::resume_body() noexcept { connection_.resume_input(exchange_.takes_body()); }

void Http1Protocol::send_continue() noexcept {
  if (connection_.put_text("HTTP/1.1 100 Continue\r\n\r\n")) connection_.mark_dirty();
}

Result<void> Http1Protocol::send_informational(const http::ResponseHead& head) noexcept {
  Buffer memory;
  char* to = memory.reserve(http1::head_bytes_bound(head, {}));
  if (!to || !connection_.put_text(text(to, http1::write_informational(to, head)))) {
    return Errc::no_memory;
  }
  connection_.mark_dirty();
  return {};
}

Result<void> Http1Protocol::send_head(const http::ResponseHead& head,
                                      std::optional<std::uint64_t> body_bytes,
                                      AnswerFrame* frame) noexcept {
  const http::RequestHead& request = exchange_.head();
  const http1::ServerFields& own = server_.server_fields();
  plan_ = http1::plan_response(request, head, body_bytes, may_persist());
  const std::size_t bound = http1::head_bytes_bound(head, own);
  if (char* to = connection_.reserve(bound)) {
    const char* end = http1::write_head(to, request, head, plan_, own);
    connection_.out().commit(static_cast<std::size_t>(end - to));
  } else {
    Buffer memory;
    to = memory.reserve(bound);
    if (!to || !connection_.put_text(text(to, http1::write_head(to, request, head, plan_, own)))) {
      return Errc::no_memory;
    }
  }
  connection_.mark_dirty();
  frame->content = plan_.framing != http1::ResponseFraming::none;
  frame->trailers = plan_.framing == http1::ResponseFraming::chunked;
  frame->persists = plan_.keep_alive;
  frame->body_bytes.reset();
  if (plan_.framing == http1::ResponseFraming::length) frame->body_bytes = plan_.body_bytes;
  if (plan_.write_content_length) frame->content_length = plan_.content_length;
  return {};
}

bool Http1Protocol::send_body(const http::Payload& payload, std::uint64_t bytes,
                              bool spooled) noexcept {
  const std::string_view piece = payload.bytes.substr(0, static_cast<std::size_t>(bytes));
  const auto add = [&](std::string_view more) noexcept {
    return spooled ? connection_.spool_text(more) : connection_.put_text(more);
  };
  char chunk_head[http1::kChunkHeadBytesMax];
  const bool chunked = plan_.framing == http1::ResponseFraming::chunked;
  if (chunked && !add(text(chunk_head, http1::write_chunk_head(chunk_head, bytes)))) {
    if (payload.release) payload.release(payload.owner);
    return false;
  }
  bool stored;
  if (!spooled && payload.release && bytes >= http::kReferenceBytesMin &&
      connection_.spool().empty()) {
    stored = connection_.out().append_reference(piece, payload.owner, payload.release);
    server_.hold_bytes(bytes);
  } else {
    stored = add(piece);
    if (payload.release) payload.release(payload.owner);
  }
  if (!stored || (chunked && !add(http1::kChunkEnd))) return false;
  connection_.mark_dirty();
  return true;
}

bool Http1Protocol::send_file(int fd, std::uint64_t offset, std::uint64_t bytes) noexcept {
  const bool chunked = plan_.framing == http1::ResponseFraming::chunked;
  char chunk_head[http1::kChunkHeadBytesMax];
  if (chunked &&
      !connection_.put_text(text(chunk_head, http1::write_chunk_head(chunk_head, bytes)))) {
    sys::close(fd);
    return false;
  }
  if (!connection_.put_file(fd, offset, bytes)) return false;
  if (chunked && !connection_.put_text(http1::kChunkEnd)) return false;
  connection_.mark_dirty();
  return true;
}

bool Http1Protocol::send_end(std::string_view trailer_lines) noexcept {
  if (plan_.framing != http1::ResponseFraming::chunked) return true;
  const bool stored = trailer_lines.empty()
                          ? connection_.put_text(http1::kLastChunk)
                          : connection_.put_text("0\r\n") && connection_.put_text(trailer_lines) &&
                                connection_.put_text("\r\n");
  if (stored) connection_.mark_dirty();
  return stored;
}

int Http1Protocol::send_error(Errc code) noexcept {
  int status = error_status(code);
  const std::string_view extra =
      code == Errc::websocket_version ? "Sec-WebSocket-Version: 13\r\n" : "";
  char* to = status ? connection_.reserve(http1::kErrorBytesMax) : nullptr;
  if (to) {
    const char* end =
        http1::write_error(to, status, error_text(code), extra, server_.server_fields(),
                           exchange_.head().method != http::Method::head);
    connection_.out().commit(static_cast<std::size_t>(end - to));
  } else {
    status = 0;
  }
  connection_.close_after_flush(false);
  return status;
}

void Http1Protocol::flush() noexcept { connection_.flush(); }
bool Http1Protocol::full() const noexcept { return connection_.over_high_mark(); }
void Http1Protocol::yield() noexcept { connection_.request_turn(); }

// 1.0 and close-delimited answers would look complete without a reset (RFC 9112, section 8).
void Http1Protocol::break_off() noexcept {
  connection_.close_after_flush(plan_.framing == http1::ResponseFraming::close);
}

void Http1Protocol::cut() noexcept { connection_.close(true); }

}  // namespace lanner::server
