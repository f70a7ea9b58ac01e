// fuzz/json_reference.h: what the kernels of JSON text must say, byte by byte.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/scan.h"
#include "json/unescape.h"
#include "json/utf8.h"
#include "json/utf8_kernels.h"

namespace lanner::fuzz {

inline bool is_plain(char byte) {
  return static_cast<unsigned char>(byte) >= 0x20 && byte != '"' && byte != '\\';
}

inline bool is_high(char byte) { return static_cast<unsigned char>(byte) >= 0x80; }

inline json::StringScan scan_string(const char* at, const char* end) {
  const char* const stop = std::find_if_not(at, end, is_plain);
  return {stop, std::any_of(at, stop, is_high)};
}

inline json::Unescaped unescape(const char* at, const char* end, char* to) {
  bool high = false;
  for (; at != end; ++at) {
    if (is_plain(*at)) {
      high = high || is_high(*at);
      *to++ = *at;
      continue;
    }
    if (*at != '\\' || end - at < 2 || json::short_escape(at[1]) == 0) break;
    *to++ = json::short_escape(*++at);
  }
  return {at, to, high};
}

// The text is valid.
inline json::Utf8Shape shape(std::string_view text) {
  unsigned char largest = 0;
  std::size_t code_points = 0;
  for (const char byte : text) {
    largest = std::max(largest, static_cast<unsigned char>(byte));
    code_points += (byte & 0xC0) != 0x80;
  }
  return {code_points, json::detail::max_of(largest)};
}

template <class Element>
void decode(std::string_view text, Element* to) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;)
    *to++ = static_cast<Element>(json::detail::decode_one(&at));
}

}  // namespace lanner::fuzz
