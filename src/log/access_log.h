// log/access_log.h: the access log's line format: compiled once, then run once for each request.
//
// A format is text with %(atom)s in it, as in gunicorn's --access-logformat. Atoms:
//
//   h  client address without port           l  always "-" (RFC 1413 is not spoken)
//   u  user name of Basic credentials        t  [30/Nov/2026:09:40:20 +0000], local time
//   r  request line: method target protocol  m  method
//   U  path as sent, still percent-encoded   q  query, without '?'
//   H  protocol                              s  status
//   b  body bytes sent, "-" if none          B  body bytes sent
//   f  Referer                               a  User-Agent
//   T  duration in whole seconds             M  in milliseconds
//   D  in microseconds                       L  in seconds, six decimals
//   p  process id, as <123>
//   {name}i  field of the request            {name}o  field of the answer
//   {name}e  variable of the WSGI environ, for ASGI too: REMOTE_ADDR, REQUEST_METHOD,
//            QUERY_STRING, SERVER_PROTOCOL, wsgi.url_scheme, CONTENT_TYPE, CONTENT_LENGTH, HTTP_*
//
// Field names match in any case; of repeated fields the first is taken.
//
// granian's names work as well: addr, time (2026-11-30 09:40:20 +0000), dt_ms, status, path,
// query_string, method, scheme, protocol, rbl (body bytes sent). The conversion after the bracket
// is Python's: s, d, i or f, before it '-' or '0', a width and a precision (numbers: decimals;
// text: bytes at most). Text takes s only. %% is a percent sign.
//
// The word `json` instead of a format gives one JSON object a line:
//   {"time":"2026-11-30T09:40:20.123456Z","client":"127.0.0.1","port":5,"method":"GET","target":"/?q",
//    "protocol":"HTTP/1.1","status":200,"bytes":12,"duration_us":345,"host":"a.b","referer":null,
//    "user_agent":"x","pid":7}
//
// What is not there is "-" (JSON: null). What came from a peer is escaped: quote and backslash
// behind a backslash, every byte outside 0x20..0x7E as \xNN (JSON: \u00NN, the byte read as
// Latin-1), in %(u)s a space too: nobody can forge a line or a column. Values are cut at
// kValueBytesMax.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "base/result.h"
#include "http/exchange.h"
#include "http/head.h"
#include "http/response_head.h"

namespace lanner::log {

// One answered request. Views are borrowed for the call.
struct AccessRecord {
  const http::RequestHead* head = nullptr;  // nullptr: the request could not be parsed
  http::Endpoint client;
  int status = 0;                 // 0: gone before there was an answer; shown as "-"
  std::uint64_t body_bytes = 0;   // of the answer's body
  std::uint64_t duration_us = 0;  // from the complete head to the last byte of the answer
  std::int64_t unix_us = 0;       // when it was answered
  std::optional<std::uint64_t> content_length;   // as sent: framing fields are not in `response`
  const http::ResponseHead* response = nullptr;  // needed only if needs_response_fields()
  std::uint32_t pid = 0;
};

// Movable. One thread.
class AccessFormat final {
 public:
  static constexpr std::string_view kDefault =
      "%(h)s %(l)s %(u)s %(t)s \"%(r)s\" %(s)s %(b)s \"%(f)s\" \"%(a)s\"";
  // The longest value written, before escaping; longer ones end in "...". gunicorn's limit of one
  // field is 8190.
  static constexpr std::size_t kValueBytesMax = 8192;

  // log_format_invalid, log_variable_unknown: Error::detail is the byte offset in `format` of what
  // was not understood.
  static Result<AccessFormat> compile(std::string_view format) noexcept;

  // Writes nothing. See compile().
  AccessFormat() noexcept = default;

  // Appends one line with its '\n'; nothing if memory is out.
  void format(const AccessRecord& record, Buffer* to) noexcept;
  // The format has {name}o: AccessRecord::response is looked at.
  bool needs_response_fields() const noexcept { return needs_response_fields_; }

 private:
  friend class AccessCompiler;  // makes the program
  friend class AccessLine;      // runs it

  enum class Atom : std::uint8_t {
    literal,
    dash,
    client,
    user,
    clf_time,
    request_line,
    method,
    path,
    query,
    protocol,
    scheme,
    status,
    body_bytes_or_dash,
    body_bytes,
    referer,
    user_agent,
    seconds,
    milliseconds,
    microseconds,
    decimal_seconds,
    decimal_milliseconds,
    pid,
    request_field,
    response_field,
    local_time,
    json,
  };
  struct Op {
    Atom atom = Atom::literal;
    char conversion = 's';
    bool left = false;                         // '-': padded on the right
    bool zero = false;                         // '0': numbers are padded with zeros
    std::uint8_t width = 0;                    // 0 = as long as it is
    std::int16_t precision = -1;               // -1 = not given
    http::Token token = http::Token::unknown;  // of a field's name, if it has one
    std::uint16_t text_offset = 0;             // in text_: the literal, or the field's name
    std::uint16_t text_bytes = 0;
  };
  // The text of one second, made once.
  struct SecondText {
    std::int64_t second = -1;
    std::array<char, 40> text{};
    std::size_t bytes = 0;
    std::string_view view() const noexcept { return {text.data(), bytes}; }
  };
  enum class Clock : std::uint8_t { clf, local, utc };
  static constexpr std::size_t kOpsMax = 128;
  static constexpr std::size_t kFormatBytesMax = 4096;
  static constexpr std::size_t kFieldNameBytesMax = 256;  // of a variable HTTP_NAME

  std::string_view text(const Op& op) const noexcept {
    return text_.view().substr(op.text_offset, op.text_bytes);
  }
  // As Clock says, without parts of a second.
  std::string_view time_text(Clock clock, std::int64_t unix_us) noexcept;

  std::array<Op, kOpsMax> ops_{};
  std::size_t op_count_ = 0;
  Buffer text_;
  bool needs_response_fields_ = false;
  std::array<SecondText, 3> seconds_;  // by Clock
};

}  // namespace lanner::log
