// http/method.h: request methods (RFC 9110, section 9), as ids.

#pragma once

#include <cstdint>
#include <string_view>

namespace lanner::http {

enum class Method : std::uint8_t {
  unknown,
  get,
  head,
  post,
  put,
  delete_,
  connect,
  options,
  trace,
  patch
};

// Case-sensitive (RFC 9110, section 9.1); a method without an id is `unknown`, not an error.
Method method_from_text(std::string_view text) noexcept;
// "GET" ...; "" for unknown.
std::string_view method_text(Method method) noexcept;

}  // namespace lanner::http
