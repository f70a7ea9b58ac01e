#include "http1/response_writer.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "http/status.h"

namespace lanner::http1 {

namespace {

constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kContentLength = "Content-Length: ";
constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n";
constexpr std::string_view kClose = "Connection: close\r\n";
constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n";
constexpr std::size_t kDecimalBytesMax = 20;
// "HTTP/1.1 200 " and CRLF; a registered phrase has 31 bytes at most ("Network Authentication
// Required").
constexpr std::size_t kStatusLineBytes = 15;
constexpr std::size_t kPhraseBytesMax = 31;

// The literal's size is known where it is inlined: a few moves, no call.
inline char* put(char* to, std::string_view text) noexcept {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

inline char* put_decimal(char* to, std::uint64_t number) noexcept {
  return std::to_chars(to, to + kDecimalBytesMax, number).ptr;
}

char* put_status_line(char* to, int status, std::string_view reason) noexcept {
  to = put(to, "HTTP/1.1 ");
  to = put_decimal(to, static_cast<std::uint64_t>(status));
  *to++ = ' ';  // also without a reason (RFC 9112, section 4)
  to = put(to, reason);
  return put(to, kCrlf);
}

char* put_status_line(char* to, const http::ResponseHead& response) noexcept {
  if (!response.has_usual_reason())
    return put_status_line(to, response.status(), response.reason());
  const std::string_view line = http::status_line(response.status());
  return line.empty() ? put_status_line(to, response.status(), {}) : put(to, line);
}

}  // namespace

ResponsePlan plan_response(const http::RequestHead& request, const http::ResponseHead& response,
                           std::optional<std::uint64_t> body_bytes, bool may_persist) noexcept {
  const int status = response.status();
  const std::optional<std::uint64_t> length =
      response.content_length() ? response.content_length() : body_bytes;
  ResponsePlan plan;
  plan.keep_alive = may_persist && request.keep_alive && !response.wants_close();
  const bool tunnel = request.method == http::Method::connect && status < 300;
  if (status < 200 || status == 204 || tunnel) return plan;  // RFC 9110, section 8.6: no length
  if (status == 205) {
    plan.write_content_length = true;  // 0: 205 is framed like others (RFC 9112, section 6.3)
  } else if (http::is_without_content(request.method, status)) {
    // It would tell the size of the answer to a GET. A size of 0 that the application did not set
    // itself tells only that it has left the body out already.
    plan.write_content_length = response.content_length() || body_bytes.value_or(0) > 0;
    plan.content_length = length.value_or(0);
  } else if (length) {
    plan.framing = ResponseFraming::length;
    plan.body_bytes = plan.content_length = *length;
    plan.write_content_length = true;
  } else if (request.minor_version == 0) {
    plan.framing = ResponseFraming::close;
    plan.keep_alive = false;
  } else {
    plan.framing = ResponseFraming::chunked;
  }
  return plan;
}

std::size_t head_bytes_bound(const http::ResponseHead& response, const ServerFields& own) noexcept {
  constexpr std::size_t kFixed = kStatusLineBytes + kPhraseBytesMax + kChunked.size() +
                                 kContentLength.size() + kDecimalBytesMax + kKeepAlive.size() +
                                 2 * kCrlf.size();
  return kFixed + response.reason().size() + response.text_bytes() + own.server_line.size() +
         own.date_line.size();
}

char* write_head(char* to, const http::RequestHead& request, const http::ResponseHead& response,
                 const ResponsePlan& plan, const ServerFields& own) noexcept {
  to = put_status_line(to, response);
  to = put(to, response.field_lines());
  if (plan.write_content_length) {
    to = put(to, kContentLength);
    to = put_decimal(to, plan.content_length);
    to = put(to, kCrlf);
  } else if (plan.framing == ResponseFraming::chunked) {
    to = put(to, kChunked);
  }
  if (!plan.keep_alive) {
    to = put(to, kClose);
  } else if (request.minor_version == 0) {
    to = put(to, kKeepAlive);
  }
  if (!response.has_server()) to = put(to, own.server_line);
  if (!response.has_date()) to = put(to, own.date_line);
  return put(to, kCrlf);
}

char* write_informational(char* to, const http::ResponseHead& response) noexcept {
  to = put_status_line(to, response);
  to = put(to, response.field_lines());
  return put(to, kCrlf);
}

char* write_chunk_head(char* to, std::uint64_t bytes) noexcept {
  static constexpr char kDigits[] = "0123456789abcdef";
  int shift = (64 - std::countl_zero(bytes | 1) - 1) / 4 * 4;  // of the first digit
  for (; shift >= 0; shift -= 4) *to++ = kDigits[bytes >> shift & 15];
  return put(to, kCrlf);
}

char* write_error(char* to, int status, std::string_view text, std::string_view extra_field,
                  const ServerFields& own, bool with_body) noexcept {
  constexpr std::size_t kTextBytesMax = 200;
  constexpr std::size_t kOwnBytesMax =
      256;  // each; longer lines are left out, so that kErrorBytesMax holds
  constexpr std::string_view kType = "Content-Type: text/plain; charset=utf-8\r\n";
  text = text.substr(0, kTextBytesMax);
  const std::string_view phrase = http::reason_phrase(status);
  // "400 Bad Request: malformed chunk size\n"
  const std::size_t body_bytes =
      3 + (phrase.empty() ? 0 : 1 + phrase.size()) + (text.empty() ? 0 : 2 + text.size()) + 1;

  to = put_status_line(to, status, phrase);
  to = put(to, kType);
  to = put(to, kContentLength);
  to = put_decimal(to, body_bytes);
  to = put(to, kCrlf);
  to = put(to, kClose);
  if (extra_field.size() <= kOwnBytesMax / 2) to = put(to, extra_field);
  if (own.server_line.size() <= kOwnBytesMax) to = put(to, own.server_line);
  if (own.date_line.size() <= kOwnBytesMax / 2) to = put(to, own.date_line);
  to = put(to, kCrlf);
  if (!with_body) return to;

  to = put_decimal(to, static_cast<std::uint64_t>(status));
  if (!phrase.empty()) to = put(put(to, " "), phrase);
  if (!text.empty()) to = put(put(to, ": "), text);
  return put(to, "\n");
}

}  // namespace lanner::http1
