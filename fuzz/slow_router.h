// fuzz/slow_router.h: the router's rules as plainly as they can be written: each route is tried by
// itself, on decoded text, with all the going back and forth that it takes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace lanner::fuzz {

struct SlowPart {
  char converter;  // 'u', 'i', 'f', 's', 'p'; 0: text
  std::string text;
};
using SlowSegment = std::vector<SlowPart>;
// A '/' at the end is a last segment without parts; so is "/".
using SlowPattern = std::vector<SlowSegment>;
using SlowValues = std::vector<std::string>;

inline bool slow_converts(char converter, std::string_view text) {
  const auto all = [](std::string_view digits, std::string_view set) {
    return !digits.empty() && digits.find_first_not_of(set) == std::string_view::npos;
  };
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t point = text.find('.');
  std::string hex;
  std::size_t at = 0;
  switch (converter) {
    case 'i':
      return all(text, kDigits) && text.size() <= 4300;
    case 'f':
      return all(text.substr(0, point), kDigits) &&
             (point == std::string_view::npos || all(text.substr(point + 1), kDigits));
    case 'u':
      if (text.size() < 32 || text.size() > 36) return false;
      for (const std::size_t bytes : {8U, 4U, 4U, 4U, 12U}) {
        if (!hex.empty() && at < text.size() && text[at] == '-') ++at;
        hex += text.substr(std::min(at, text.size()), bytes);
        at += bytes;
      }
      return at == text.size() && hex.size() == 32 && all(hex, "0123456789abcdefABCDEF");
    case 's':
      return !text.empty();
    default:
      return true;
  }
}

// Parts from `part` on against all of `text`; each parameter takes as much as lets the rest match.
inline bool slow_match(const SlowSegment& segment, std::size_t part, std::string_view text,
                       SlowValues* values) {
  if (part == segment.size()) return text.empty();
  const SlowPart& one = segment[part];
  if (one.converter == 0)
    return text.starts_with(one.text) &&
           slow_match(segment, part + 1, text.substr(one.text.size()), values);
  for (std::size_t bytes = text.size() + 1; bytes-- > 0;) {
    if (!slow_converts(one.converter, text.substr(0, bytes))) continue;
    values->emplace_back(text.substr(0, bytes));
    if (slow_match(segment, part + 1, text.substr(bytes), values)) return true;
    values->pop_back();
  }
  return false;
}

// `segments` are decoded; `rests[i]` is all from segment i on.
inline bool slow_match(const SlowPattern& pattern, const std::vector<std::string>& segments,
                       const std::vector<std::string>& rests, SlowValues* values) {
  values->clear();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (i == segments.size()) return false;
    const bool rest = !pattern[i].empty() && pattern[i].back().converter == 'p';
    if (!slow_match(pattern[i], 0, rest ? rests[i] : segments[i], values)) return false;
    if (rest) return true;
  }
  return pattern.size() == segments.size();
}

inline std::string slow_shape(const SlowSegment& segment) {
  std::string shape;
  for (const SlowPart& part : segment) {
    shape += part.converter ? std::string("{") + part.converter : part.text;
  }
  return shape;
}
inline std::string slow_shape(const SlowPattern& pattern) {
  std::string shape;
  for (const SlowSegment& segment : pattern) shape += slow_shape(segment) + '/';
  return shape;
}

// Less is earlier (router/segment.h).
using SlowRank = std::tuple<int, int, int, std::string, std::string>;
inline SlowRank slow_rank(const SlowSegment& segment) {
  constexpr std::string_view kOrder = "uifsp";
  int bytes = 0;
  std::string converters;
  for (const SlowPart& part : segment) {
    bytes += static_cast<int>(part.text.size());
    if (part.converter) converters += static_cast<char>('a' + kOrder.find(part.converter));
  }
  const int front =
      segment.empty() || segment[0].converter ? 0 : static_cast<int>(segment[0].text.size());
  int group = 1;
  if (converters.empty()) return {0, 0, 0, "", slow_shape(segment)};
  if (segment.back().converter == 'p') {
    group = 6;
  } else if (segment.size() == 1) {
    group = 2 + converters[0] - 'a';
  }
  return {group, -bytes, -front, converters, slow_shape(segment)};
}
inline std::vector<SlowRank> slow_rank(const SlowPattern& pattern) {
  std::vector<SlowRank> ranks;
  for (const SlowSegment& segment : pattern) ranks.push_back(slow_rank(segment));
  return ranks;
}

}  // namespace lanner::fuzz
