#include "sys/log_stamp.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "sys/clock.h"
#include "sys/process.h"

namespace lanner::sys {
namespace {

std::string formatted(std::uint64_t unix_us, std::int32_t offset_s, std::uint32_t pid) {
  std::array<char, kLogStampBytesMax> text{};
  return {text.data(), format_log_stamp(text.data(), unix_us, offset_s, pid)};
}

TEST(LogStamp, IsLocalTimeAndProcess) {
  EXPECT_EQ(formatted(1'796'031'620'123'999, 0, 7), "2026-11-30T09:40:20.123+00:00 [7] ");
  EXPECT_EQ(formatted(1'796'031'620'000'000, 3'600, 4242), "2026-11-30T10:40:20.000+01:00 [4242] ");
  EXPECT_EQ(formatted(1'796'031'620'999'000, -12'600, 1), "2026-11-30T06:10:20.999-03:30 [1] ");
}

TEST(LogStamp, CrossesDays) {
  EXPECT_EQ(formatted(0, 0, 1), "1970-01-01T00:00:00.000+00:00 [1] ");
  EXPECT_EQ(formatted(951'782'399'000'000, 0, 1), "2000-02-28T23:59:59.000+00:00 [1] ");
  EXPECT_EQ(formatted(951'782'399'000'000, 3'600, 1), "2000-02-29T00:59:59.000+01:00 [1] ");
  EXPECT_EQ(formatted(1'798'761'599'000'000, 0, 1), "2026-12-31T23:59:59.000+00:00 [1] ");
}

TEST(LogStamp, FitsWhateverTheNumbers) {
  EXPECT_LE(formatted(UINT64_MAX, 86'399, UINT32_MAX).size(), kLogStampBytesMax);
  EXPECT_LE(formatted(0, -86'399, UINT32_MAX).size(), kLogStampBytesMax);
}

TEST(LogStamp, FollowsTheZoneAndLeavesItToSignalHandlers) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before ? before : "";
  ::setenv("TZ", "XYZ-05:30", 1);
  ::tzset();
  std::array<char, kLogStampBytesMax> text{};
  const std::string now(text.data(), put_log_stamp(text.data()));
  const std::string later(text.data(), put_log_stamp_in_signal(text.data()));
  before ? ::setenv("TZ", kept.c_str(), 1) : ::unsetenv("TZ");
  ::tzset();
  const std::string process = "+05:30 [" + std::to_string(process_id()) + "] ";
  EXPECT_TRUE(now.ends_with(process)) << now;
  EXPECT_TRUE(later.ends_with(process)) << later;
  EXPECT_LE(now, later);
}

}  // namespace
}  // namespace lanner::sys
