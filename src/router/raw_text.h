// router/raw_text.h: percent-encoded text, read byte by byte as what it stands for, from either end.
//
// A '%' without two hex digits stands for itself, as in http::percent_decode. Both ends agree on
// what the bytes are: a '%' begins a triplet or none, and is no hex digit of another.

#pragma once

#include <string_view>

#include "http/ascii.h"

namespace lanner::router {

struct RawStep {
  char byte;
  const char* at;  // what is left begins here (front), or ends here (back)
};

inline bool is_triplet(const char* at) noexcept {
  return *at == '%' && http::hex_value(at[1]) >= 0 && http::hex_value(at[2]) >= 0;
}
inline char triplet_byte(const char* at) noexcept {
  return static_cast<char>(http::hex_value(at[1]) * 16 + http::hex_value(at[2]));
}

// REQUIRES: begin < end
inline RawStep step_front(const char* begin, const char* end) noexcept {
  if (end - begin >= 3 && is_triplet(begin)) return {triplet_byte(begin), begin + 3};
  return {*begin, begin + 1};
}
inline RawStep step_back(const char* begin, const char* end) noexcept {
  if (end - begin >= 3 && is_triplet(end - 3)) return {triplet_byte(end - 3), end - 3};
  return {end[-1], end - 1};
}

// For a text that has no '%'.
inline RawStep plain_step_back(const char*, const char* end) noexcept { return {end[-1], end - 1}; }

// Where `text` ends that [begin, end) begins with; null: it does not. `text` is decoded.
inline const char* skip_front(const char* begin, const char* end, std::string_view text) noexcept {
  for (const char wanted : text) {
    if (begin == end) return nullptr;
    const RawStep step = step_front(begin, end);
    if (step.byte != wanted) return nullptr;
    begin = step.at;
  }
  return begin;
}
// Where `text` begins that [begin, end) ends with.
inline const char* skip_back(const char* begin, const char* end, std::string_view text) noexcept {
  for (std::size_t left = text.size(); left > 0; --left) {
    if (begin == end) return nullptr;
    const RawStep step = step_back(begin, end);
    if (step.byte != text[left - 1]) return nullptr;
    end = step.at;
  }
  return end;
}

}  // namespace lanner::router
