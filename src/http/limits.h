// http/limits.h: every limit of the protocol with its default, in one struct that is passed to
// constructors.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lanner::http {

struct Limits {
#define LANNER_LIMIT(field, value, unit, flag, help, precedent) std::uint64_t field = value;
#include "http/limits.def"
#undef LANNER_LIMIT
};

// The shortest of all times; UINT64_MAX when none has a limit.
inline std::uint64_t least_time_ms(const Limits& limits) noexcept {
  std::uint64_t least = UINT64_MAX;
#define LANNER_LIMIT(field, value, unit, flag, help, precedent) \
  if (std::string_view(#unit) == "ms" && limits.field > 0) least = std::min(least, limits.field);
#include "http/limits.def"
#undef LANNER_LIMIT
  return least;
}

// Not configurable.
inline constexpr std::uint64_t kBodyRateGraceMs = 10'000;   // min-body-rate counts after this
inline constexpr std::uint64_t kWriteRateGraceMs = 30'000;  // min-write-rate counts after this
inline constexpr std::uint64_t kLingerReadMs = 5'000;       // silence that ends a lingering close
inline constexpr std::uint64_t kDrainLingerMs = 2'000;      // all of one, when the server stops
inline constexpr std::uint64_t kDrainSilentMs =
    1'000;  // when the server stops: for the first byte of a client that was accepted before
// What may be left of a body that nobody reads and be read for the next request's sake (Go: 256k).
inline constexpr std::uint64_t kDiscardBytesMax = 1'048'576;
inline constexpr int kLeadingEmptyLines = 8;  // RFC 9112, section 2.2: ignore at least one
inline constexpr int kChunkSizeDigits = 16;   // leading zeros counted, as Go

}  // namespace lanner::http
