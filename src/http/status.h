// http/status.h: status codes (RFC 9110, section 15, and IANA): their phrases, and which answers
// have no content.

#pragma once

#include <string_view>

#include "http/method.h"

namespace lanner::http {

// "Not Found" for 404; "" for codes not registered.
std::string_view reason_phrase(int status) noexcept;
// "HTTP/1.1 404 Not Found\r\n": the same as a whole status line; "" for codes not registered.
std::string_view status_line(int status) noexcept;

// Whether an answer has no content, whatever the application gives for one: 1xx, 204, 205 and 304,
// every answer to HEAD, and 2xx to CONNECT (RFC 9110, sections 6.4.1 and 15.3.6).
constexpr bool is_without_content(Method method, int status) noexcept {
  if (method == Method::head || status < 200) return true;
  if (method == Method::connect && status < 300) return true;
  return status == 204 || status == 205 || status == 304;
}

}  // namespace lanner::http
