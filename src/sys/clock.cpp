#include "sys/clock.h"

#include <ctime>

namespace lanner::sys {
namespace {

std::timespec now(clockid_t clock) noexcept {
  std::timespec at{};
  clock_gettime(clock, &at);  // cannot fail for the two clocks used here
  return at;
}

std::uint64_t to_us(const std::timespec& at) noexcept {
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(at.tv_nsec) / 1'000;
}

}  // namespace

std::uint64_t monotonic_ms() noexcept { return monotonic_us() / 1'000; }
std::uint64_t monotonic_us() noexcept { return to_us(now(CLOCK_MONOTONIC)); }
std::int64_t unix_seconds() noexcept { return now(CLOCK_REALTIME).tv_sec; }
std::uint64_t unix_us() noexcept { return to_us(now(CLOCK_REALTIME)); }

}  // namespace lanner::sys
