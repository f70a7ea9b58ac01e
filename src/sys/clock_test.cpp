#include "sys/clock.h"

#include <ctime>

#include <gtest/gtest.h>

namespace lanner::sys {
namespace {

TEST(Clock, MonotonicNeverStepsBack) {
  std::uint64_t last = monotonic_us();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t next = monotonic_us();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(Clock, UnitsAgree) {
  const std::uint64_t before_us = monotonic_us();
  const std::uint64_t ms = monotonic_ms();
  const std::uint64_t after_us = monotonic_us();
  EXPECT_GE(ms, before_us / 1000);
  EXPECT_LE(ms, after_us / 1000);
}

TEST(Clock, WallTimeIsTheSystems) {
  std::timespec before{}, after{};
  clock_gettime(CLOCK_REALTIME, &before);
  const std::int64_t seconds = unix_seconds();
  const std::uint64_t us = unix_us();
  clock_gettime(CLOCK_REALTIME, &after);
  EXPECT_GE(seconds, before.tv_sec);
  EXPECT_LE(seconds, after.tv_sec);
  EXPECT_GE(us / 1'000'000, static_cast<std::uint64_t>(before.tv_sec));
  EXPECT_LE(us / 1'000'000, static_cast<std::uint64_t>(after.tv_sec));
}

}  // namespace
}  // namespace lanner::sys
