// http/ascii.h: the character classes of HTTP's grammars, case folding and hex digits.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::http {

inline constexpr std::uint8_t kTokenByte = 1;  // tchar (RFC 9110, section 5.6.2)
inline constexpr std::uint8_t kValueByte =
    2;  // HTAB, SP, VCHAR, obs-text: no other CTL, no DEL (section 5.5)
inline constexpr std::uint8_t kTargetByte =
    4;  // 0x21..0x7E but '#': wider than RFC 3986, as browsers are
inline constexpr std::uint8_t kRegNameByte =
    8;  // unreserved and sub-delims (RFC 3986, 3.2.2) without ','
inline constexpr std::uint8_t kQuotedByte = 16;  // qdtext (RFC 9110, section 5.6.4)

namespace detail {

constexpr bool contains(std::string_view set, char byte) noexcept {
  return set.find(byte) != std::string_view::npos;
}

constexpr std::array<std::uint8_t, 256> make_byte_classes() noexcept {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned int i = 0; i < 256; ++i) {
    const char byte = static_cast<char>(i);
    const bool alnum = (i >= '0' && i <= '9') || (i >= 'A' && i <= 'Z') || (i >= 'a' && i <= 'z');
    unsigned int bits = 0;
    if (alnum || contains("!#$%&'*+-.^_`|~", byte)) bits |= kTokenByte;
    if (i == '\t' || (i >= 0x20 && i != 0x7F)) bits |= kValueByte;
    if (i > 0x20 && i < 0x7F && i != '#') bits |= kTargetByte;
    // A comma in Host is a list of two hosts to some recipients (two Host fields joined by a
    // proxy).
    if (alnum || contains("-._~!$&'()*+;=", byte)) bits |= kRegNameByte;
    if ((bits & kValueByte) && i != '"' && i != '\\') bits |= kQuotedByte;
    classes[i] = static_cast<std::uint8_t>(bits);
  }
  return classes;
}

}  // namespace detail

inline constexpr std::array<std::uint8_t, 256> kByteClasses = detail::make_byte_classes();

constexpr bool is_byte(char byte, std::uint8_t byte_class) noexcept {
  return (kByteClasses[static_cast<unsigned char>(byte)] & byte_class) != 0;
}
constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }
constexpr bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t'; }  // OWS, BWS
constexpr char to_lower(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}

// 0..15, or -1.
constexpr int hex_value(char byte) noexcept {
  if (is_digit(byte)) return byte - '0';
  const char lower = to_lower(byte);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

constexpr bool is_token(std::string_view text) noexcept {
  for (const char byte : text) {
    if (!is_byte(byte, kTokenByte)) return false;
  }
  return !text.empty();
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

// Without SP and HTAB at both ends.
constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// 1*DIGIT up to 2^63-1, so that sums and signed file offsets stay safe; false for anything else.
constexpr bool parse_decimal(std::string_view text, std::uint64_t* value) noexcept {
  constexpr std::uint64_t kMax = UINT64_MAX / 2;
  std::uint64_t number = 0;
  for (const char byte : text) {
    if (!is_digit(byte)) return false;
    const auto digit = static_cast<std::uint64_t>(byte - '0');
    if (number > (kMax - digit) / 10) return false;
    number = number * 10 + digit;
  }
  *value = number;
  return !text.empty();
}

}  // namespace lanner::http
