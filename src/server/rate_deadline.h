// server/rate_deadline.h: when a transfer that goes on at its present pace is too slow.

#pragma once

#include <algorithm>
#include <cstdint>

namespace lanner::server {

// When `bytes` moved since `since_ms` fall under `rate` bytes/s, but not before the grace is over.
// A rate of 0 is no bound.
inline std::uint64_t rate_deadline(std::uint64_t since_ms, std::uint64_t bytes, std::uint64_t rate,
                                   std::uint64_t grace_ms) noexcept {
  if (rate == 0) return ~std::uint64_t{0};
  return since_ms + std::max(grace_ms, bytes * 1000 / rate);
}

}  // namespace lanner::server
