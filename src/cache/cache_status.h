// cache/cache_status.h: this cache's member of Cache-Status (RFC 9211): "lanner; hit; ttl=30".

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cache/text_writer.h"

namespace lanner::cache {

// Why a request went on to the application (section 2.2).
enum class Forward : std::uint8_t { none, bypass, method, uri_miss, vary_miss, request, stale };

struct CacheStatus {
  bool hit = false;
  Forward forward = Forward::none;
  std::optional<int> forward_status;  // of the application's answer, where it is not this one
  std::optional<std::int64_t> ttl_s;  // what is left of the lifetime; negative: stale
  bool stored = false;
  bool collapsed = false;   // waited for another request's answer
  std::string_view detail;  // a token, e.g. refusal_word(); empty: none
};

inline constexpr std::size_t kCacheStatusBytesMax = 192;

void write_cache_status(const CacheStatus& status, TextWriter& writer) noexcept;

}  // namespace lanner::cache
