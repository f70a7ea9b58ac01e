// http/status.h: reason phrases of the registered status codes (RFC 9110, section 15, and IANA).

#pragma once

#include <string_view>

namespace lanner::http {

// "Not Found" for 404; "" for codes not registered.
std::string_view reason_phrase(int status) noexcept;
// "HTTP/1.1 404 Not Found\r\n": the same as a whole status line; "" for codes not registered.
std::string_view status_line(int status) noexcept;

}  // namespace lanner::http
