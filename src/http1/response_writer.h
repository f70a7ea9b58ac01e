// http1/response_writer.h: how an answer is framed, and its head as bytes (RFC 9112).
//
// Pure: its input is the request and the ResponseHead, its output the caller's memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/head.h"
#include "http/response_head.h"

namespace lanner::http1 {

enum class ResponseFraming : std::uint8_t {
  none,     // no body on the wire: http::is_without_content()
  length,   // Content-Length
  chunked,  // to 1.1 clients, when the size is not known
  close,    // to 1.0 clients, when the size is not known: the end of the connection is the end
};

// How one answer is framed, and whether its connection persists.
struct ResponsePlan {
  ResponseFraming framing = ResponseFraming::none;
  std::uint64_t body_bytes = 0;  // framing length: what must follow
  // A Content-Length field is written: also on HEAD and 304 when the application set it or the
  // caller knows it and it is not 0; always 0 on 205; never on 1xx, 204 and 2xx to CONNECT (RFC
  // 9110, section 8.6).
  bool write_content_length = false;
  std::uint64_t content_length = 0;  // its value
  bool keep_alive = false;
};

// `body_bytes`: the whole size if the caller knows it. `may_persist`: false when the server wants
// to close after this answer.
ResponsePlan plan_response(const http::RequestHead& request, const http::ResponseHead& response,
                           std::optional<std::uint64_t> body_bytes, bool may_persist) noexcept;

// Fields that the server itself adds to every final answer, as lines ready to copy: "Server:
// lanner\r\n". Split, so that an application's own Server or Date replaces the server's.
struct ServerFields {
  std::string_view server_line;  // "" = switched off
  std::string_view date_line;    // "" = switched off
};

// Upper bound of what write_head() writes.
std::size_t head_bytes_bound(const http::ResponseHead& response, const ServerFields& own) noexcept;
// Status line, the application's fields, framing, Connection where needed ("close", or "keep-alive"
// to a persisting 1.0 client), own fields, empty line. The application's Content-Length is replaced
// by the plan's. Returns the end. REQUIRES: room for head_bytes_bound().
char* write_head(char* to, const http::RequestHead& request, const http::ResponseHead& response,
                 const ResponsePlan& plan, const ServerFields& own) noexcept;
// A 1xx answer: status line, fields without Content-Length, empty line (no Date needed).
char* write_informational(char* to, const http::ResponseHead& response) noexcept;

// "1a2b\r\n"; returns the end. REQUIRES: room for kChunkHeadBytesMax.
inline constexpr std::size_t kChunkHeadBytesMax = 18;
char* write_chunk_head(char* to, std::uint64_t bytes) noexcept;
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// A short answer by the server itself: status line, Connection: close, and a text/plain body like
// "400 Bad Request: malformed chunk size\n". `extra_field`: "" or one whole line, e.g.
// "Sec-WebSocket-Version: 13\r\n". Returns the end; at most kErrorBytesMax bytes: a long text is
// cut, lines that are much too long are left out. `with_body` = false for HEAD: its Content-Length
// is kept.
inline constexpr std::size_t kErrorBytesMax = 1024;
char* write_error(char* to, int status, std::string_view text, std::string_view extra_field,
                  const ServerFields& own, bool with_body) noexcept;

}  // namespace lanner::http1
