#include "http/set_cookie.h"

#include <charconv>
#include <cstring>

#include "http/ascii.h"
#include "http/date.h"

namespace lanner::http {

namespace {

constexpr std::int64_t kYear10000 = 253'402'300'800;  // in Unix seconds
constexpr std::size_t kNumberBytes = 20;              // of an int64

// cookie-octet (RFC 6265bis, section 4.1.1): printable ASCII without SP, '"', ',', ';' and '\'.
constexpr bool is_cookie_octet(char byte) noexcept {
  return byte > ' ' && byte < 0x7F && byte != '"' && byte != ',' && byte != ';' && byte != '\\';
}

// What http.cookies leaves as it is; without quotes around it, and within.
constexpr bool is_plain(char byte) noexcept { return is_byte(byte, kTokenByte) || byte == ':'; }
constexpr bool is_plain_in_quotes(char byte) noexcept {
  return is_plain(byte) || detail::contains(" ()/<=>?@[]{}", byte);
}

// Between the quotes: cookie-octets, SP, and "\" before a byte of its own.
bool is_quoted_text(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      if (++at == text.size() || text[at] < ' ' || text[at] >= 0x7F || text[at] == ';')
        return false;
    } else if (text[at] != ' ' && !is_cookie_octet(text[at])) {
      return false;
    }
  }
  return true;
}

std::string_view value_mistake(std::string_view value) noexcept {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"' &&
      is_quoted_text(value.substr(1, value.size() - 2)))
    return {};
  for (const char byte : value) {
    if (is_cookie_octet(byte)) continue;
    const auto number = static_cast<unsigned char>(byte);
    if (number >= 0x80) return "the value of a cookie is ASCII; percent-encode the rest";
    if (number < ' ' || number == 0x7F)
      return "control character in the value of a cookie (CR and LF would add a field)";
    if (byte == ';') return "';' in the value of a cookie would add an attribute; quote the value";
    return "space, comma, quote or backslash in the value of a cookie; quote the value";
  }
  return {};
}

std::string_view domain_mistake(std::string_view domain) noexcept {
  if (domain.size() > kCookieAttributeMax) return "Domain of a cookie longer than 1024 bytes";
  for (const char byte : domain) {
    if (is_digit(byte) || (to_lower(byte) >= 'a' && to_lower(byte) <= 'z') || byte == '-' ||
        byte == '.' || byte == '_')
      continue;
    return "Domain of a cookie is a host name alone, such as example.com (ASCII, no port)";
  }
  return {};
}

std::string_view path_mistake(std::string_view path) noexcept {
  if (path.size() > kCookieAttributeMax) return "Path of a cookie longer than 1024 bytes";
  if (!path.empty() && path.front() != '/') return "Path of a cookie begins with '/'";
  for (const char byte : path) {
    if (byte < ' ' || byte >= 0x7F || byte == ';')
      return "Path of a cookie is printable ASCII without ';'; percent-encode the rest";
  }
  return {};
}

bool has_prefix(std::string_view name, std::string_view prefix) noexcept {
  return name.size() >= prefix.size() &&
         equals_ignoring_case(name.substr(0, prefix.size()), prefix);
}

// Combinations that browsers drop (RFC 6265bis, sections 4.1.3 and 5.7; CHIPS for Partitioned).
std::string_view combination_mistake(const SetCookie& cookie) noexcept {
  if (!cookie.secure) {
    if (has_prefix(cookie.name, "__Secure-") || has_prefix(cookie.name, "__Host-"))
      return "browsers drop a cookie named __Secure- or __Host- without Secure";
    if (cookie.same_site == SameSite::none)
      return "browsers drop a cookie with SameSite=None but without Secure";
    if (cookie.partitioned) return "browsers drop a cookie with Partitioned but without Secure";
  }
  if (has_prefix(cookie.name, "__Host-") && (!cookie.domain.empty() || cookie.path != "/"))
    return "browsers drop a cookie named __Host- with a Domain or with another Path than '/'";
  return {};
}

char* put(char* to, std::string_view text) noexcept {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

std::string_view set_cookie_mistake(const SetCookie& cookie) noexcept {
  if (!is_token(cookie.name))
    return "the name of a cookie is one or more letters, digits or !#$%&'*+-.^_`|~";
  if (cookie.name.size() + cookie.value.size() > kCookieBytesMax)
    return "browsers drop a cookie whose name and value have more than 4096 bytes";
  if (cookie.expires_unix_s && (*cookie.expires_unix_s < 0 || *cookie.expires_unix_s >= kYear10000))
    return "Expires of a cookie lies in the years 1970 to 9999";
  std::string_view mistake = value_mistake(cookie.value);
  if (mistake.empty()) mistake = domain_mistake(cookie.domain);
  if (mistake.empty()) mistake = path_mistake(cookie.path);
  return mistake.empty() ? combination_mistake(cookie) : mistake;
}

std::size_t set_cookie_bytes_bound(const SetCookie& cookie) noexcept {
  constexpr std::string_view kWords =
      "=; Domain=; expires=; HttpOnly; Max-Age=; Partitioned; Path=; SameSite=strict; Secure";
  return kWords.size() + cookie.name.size() + cookie.value.size() + cookie.domain.size() +
         cookie.path.size() + kDateBytes + kNumberBytes;
}

char* write_set_cookie(const SetCookie& cookie, char* to) noexcept {
  static constexpr std::string_view kSameSite[] = {"", "lax", "strict", "none"};
  to = put(put(put(to, cookie.name), "="), cookie.value);
  if (!cookie.domain.empty()) to = put(put(to, "; Domain="), cookie.domain);
  if (cookie.expires_unix_s) {
    to = put(to, "; expires=");
    write_date(to, *cookie.expires_unix_s);
    to += kDateBytes;
  }
  if (cookie.http_only) to = put(to, "; HttpOnly");
  if (cookie.max_age_s) {
    to = put(to, "; Max-Age=");
    to = std::to_chars(to, to + kNumberBytes, *cookie.max_age_s).ptr;
  }
  if (cookie.partitioned) to = put(to, "; Partitioned");
  if (!cookie.path.empty()) to = put(put(to, "; Path="), cookie.path);
  if (cookie.same_site != SameSite::unset)
    to = put(put(to, "; SameSite="), kSameSite[static_cast<std::size_t>(cookie.same_site)]);
  return cookie.secure ? put(to, "; Secure") : to;
}

std::size_t quote_cookie(std::string_view value, char* to) noexcept {
  char* const begin = to;
  bool plain = !value.empty();
  for (const char byte : value) plain = plain && is_plain(byte);
  if (plain) return static_cast<std::size_t>(put(to, value) - begin);
  *to++ = '"';
  for (const char byte : value) {
    const auto number = static_cast<unsigned char>(byte);
    if (is_plain_in_quotes(byte)) {
      *to++ = byte;
    } else if (byte == '"' || byte == '\\') {
      *to++ = '\\';
      *to++ = byte;
    } else {
      *to++ = '\\';
      *to++ = static_cast<char>('0' + number / 64);
      *to++ = static_cast<char>('0' + number / 8 % 8);
      *to++ = static_cast<char>('0' + number % 8);
    }
  }
  *to++ = '"';
  return static_cast<std::size_t>(to - begin);
}

}  // namespace lanner::http
