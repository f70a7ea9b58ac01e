// cache/cache_control.h: what Cache-Control says, of a request or of an answer (RFC 9111, section
// 5.2), and the targeted CDN-Cache-Control of an answer (RFC 9213).
//
// Unknown directives are ignored; an argument may be a token or quoted. Where a number makes an
// answer fresh, one that is invalid or that is said twice with different values makes it stale
// (section 4.2.1). The forms no-cache="field" and private="field" are taken as no-cache and private.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "http/head.h"

namespace lanner::cache {

// delta-seconds: larger numbers are taken as this one (section 1.2.2).
inline constexpr std::uint32_t kDeltaMax = 2'147'483'648;

// 1*DIGIT; false for anything else.
bool parse_delta(std::string_view text, std::uint32_t* seconds) noexcept;

struct CacheControl {
  std::optional<std::uint32_t> max_age;
  std::optional<std::uint32_t> s_maxage;
  std::optional<std::uint32_t> stale_while_revalidate;  // RFC 5861
  std::optional<std::uint32_t> stale_if_error;          // RFC 5861
  std::optional<std::uint32_t> min_fresh;
  std::optional<std::uint32_t> max_stale;  // kDeltaMax: any staleness
  bool no_cache = false;
  bool no_store = false;
  bool only_if_cached = false;
  bool must_revalidate = false;
  bool proxy_revalidate = false;
  bool must_understand = false;
  bool private_ = false;
  bool public_ = false;
  bool targeted = false;  // came from CDN-Cache-Control: Expires does not count

  // Stale answers must not be used without asking, whatever else is said.
  bool forbids_stale() const noexcept { return must_revalidate || proxy_revalidate || no_cache; }
};

// All Cache-Control fields of a request or an answer; nothing is set where there are none.
CacheControl read_cache_control(std::span<const http::Field> fields) noexcept;

// Of an answer: CDN-Cache-Control if it is there, is a dictionary (RFC 8941) and has members; else
// Cache-Control.
CacheControl read_answer_control(std::span<const http::Field> fields) noexcept;

}  // namespace lanner::cache
