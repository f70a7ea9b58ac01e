// sys/clock.h: monotonic and wall time.

#pragma once

#include <cstdint>

namespace lanner::sys {

std::uint64_t monotonic_ms() noexcept;  // CLOCK_MONOTONIC
std::uint64_t monotonic_us() noexcept;
std::int64_t unix_seconds() noexcept;  // CLOCK_REALTIME
std::uint64_t unix_us() noexcept;

}  // namespace lanner::sys
