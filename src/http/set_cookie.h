// http/set_cookie.h: the Set-Cookie field (RFC 6265bis, section 4.1): checked, then written.
//
// Nothing that passes set_cookie_mistake() can end the field, or add an attribute or a second
// cookie to it. What browsers would silently drop is refused as well, where it can be known.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lanner::http {

enum class SameSite : std::uint8_t { unset, lax, strict, none };

struct SetCookie {
  std::string_view name;                       // a token (RFC 9110, section 5.6.2)
  std::string_view value;                      // cookie-octets; or what quote_cookie() wrote
  std::optional<std::int64_t> max_age_s;       // 0 or less deletes the cookie
  std::optional<std::int64_t> expires_unix_s;  // of the years 1970 to 9999
  std::string_view domain;                     // "" = this host only
  std::string_view path;                       // "" = the directory of the request's path
  SameSite same_site = SameSite::unset;
  bool secure = false;
  bool http_only = false;
  bool partitioned = false;
};

// Browsers drop what is longer (RFC 6265bis, section 5.6).
inline constexpr std::size_t kCookieBytesMax = 4096;      // name and value together
inline constexpr std::size_t kCookieAttributeMax = 1024;  // the value of one attribute

// What is wrong with it, and what to write instead, without a full stop; "" if nothing is.
std::string_view set_cookie_mistake(const SetCookie& cookie) noexcept;

// Most bytes that write_set_cookie() writes.
std::size_t set_cookie_bytes_bound(const SetCookie& cookie) noexcept;
// Writes the field's value; returns its end. Attributes come in http.cookies' order and spelling.
// REQUIRES: set_cookie_mistake(cookie) is empty; room for set_cookie_bytes_bound(cookie)
char* write_set_cookie(const SetCookie& cookie, char* to) noexcept;

// Any bytes as a value, as http.cookies quotes them: unchanged if they are a token (or have a ':'),
// else in double quotes with escapes that http/cookie.h undoes. `to` needs quoted_cookie_bound()
// bytes. Returns the bytes written.
std::size_t quote_cookie(std::string_view value, char* to) noexcept;
constexpr std::size_t quoted_cookie_bound(std::size_t value_bytes) noexcept {
  return 2 + 4 * value_bytes;
}

}  // namespace lanner::http
