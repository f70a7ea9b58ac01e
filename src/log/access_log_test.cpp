#include "log/access_log.h"

#include <cstdlib>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

namespace lanner::log {
namespace {

constexpr std::int64_t kWhen = 1'796'031'620'123'456;  // 2026-11-30 09:40:20.123456 UTC

std::string line(AccessFormat& format, std::int64_t unix_us = kWhen) {
  AccessRecord record;
  record.status = 200;
  record.unix_us = unix_us;
  Buffer out;
  format.format(record, &out);
  return std::string(out.view());
}

std::string line(std::string_view text) {
  Result<AccessFormat> format = AccessFormat::compile(text);
  EXPECT_TRUE(format) << text;
  return line(*format);
}

void set_zone(const char* zone) {
  ::setenv("TZ", zone, 1);
  ::tzset();
}

std::uint32_t error_at(std::string_view format) {
  const Result<AccessFormat> compiled = AccessFormat::compile(format);
  EXPECT_EQ(compiled.code(), Errc::log_format_invalid) << format;
  return compiled.error().detail;
}

TEST(AccessLog, FollowsTheZoneAndTheClock) {
  set_zone("XXX-05:45");
  Result<AccessFormat> format = AccessFormat::compile("%(t)s %(time)s");
  ASSERT_TRUE(format);
  const std::string first = "[30/Nov/2026:15:25:20 +0545] 2026-11-30 15:25:20 +0545\n";
  EXPECT_EQ(line(*format), first);
  EXPECT_EQ(line(*format, kWhen + 800'000), first);  // the same second: made once
  EXPECT_EQ(line(*format, kWhen + 900'000),
            "[30/Nov/2026:15:25:21 +0545] 2026-11-30 15:25:21 +0545\n");
  set_zone("YYY03:30");
  EXPECT_EQ(line(*AccessFormat::compile("%(t)s"), 0), "[31/Dec/1969:20:30:00 -0330]\n");
  set_zone("UTC0");
}

TEST(AccessLog, KnowsWhichFormatsNeedTheAnswersFields) {
  EXPECT_TRUE(AccessFormat::compile("%({x}o)s")->needs_response_fields());
  EXPECT_FALSE(AccessFormat::compile("%({x}i)s %({HTTP_X}e)s")->needs_response_fields());
  EXPECT_FALSE(AccessFormat::compile(AccessFormat::kDefault)->needs_response_fields());
  EXPECT_FALSE(AccessFormat::compile("json")->needs_response_fields());
}

TEST(AccessLog, KeepsLiteralText) {
  EXPECT_EQ(line("100%% json %% %(s)s%%"), "100% json % 200%\n");
  EXPECT_EQ(line("no atoms"), "no atoms\n");
}

TEST(AccessLog, SaysWhereAFormatIsWrong) {
  EXPECT_EQ(error_at(""), 0u);
  EXPECT_EQ(error_at("%(h)s %(nope)s"), 8u);
  EXPECT_EQ(error_at("ab%h"), 2u);
  EXPECT_EQ(error_at("ab%"), 2u);
  EXPECT_EQ(error_at("%(h"), 0u);
  EXPECT_EQ(error_at("%(h)"), 4u);
  EXPECT_EQ(error_at("%(h)x"), 4u);
  EXPECT_EQ(error_at("%(h)d"), 4u);
  EXPECT_EQ(error_at("%(s)999d"), 6u);
  EXPECT_EQ(error_at("%(s).10f"), 6u);
  EXPECT_EQ(error_at("%(h).9999s"), 8u);
  EXPECT_EQ(error_at("%({x)s"), 2u);
  EXPECT_EQ(error_at("%({x}z)s"), 5u);
  EXPECT_EQ(error_at("%({}i)s"), 3u);
  EXPECT_EQ(error_at("%({a b}i)s"), 3u);
  EXPECT_EQ(error_at("%(h)s\n"), 5u);
  EXPECT_EQ(error_at(std::string(5000, 'x')), 4096u);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "%(h)s";
  EXPECT_EQ(error_at(many), 129u * 5u);
}

TEST(AccessLog, RefusesVariablesThatARequestDoesNotHave) {
  for (const std::string_view name : {"wsgi.version", "PATH_INFO", "remote_addr", "x", ""}) {
    const std::string format = "%(h)s %({" + std::string(name) + "}e)s";
    const Result<AccessFormat> compiled = AccessFormat::compile(format);
    EXPECT_EQ(compiled.code(), Errc::log_variable_unknown) << format;
    EXPECT_EQ(compiled.error().detail, 9u);
  }
  EXPECT_EQ(error_at("%({HTTP_}e)s"), 3u);
  EXPECT_EQ(error_at("%({HTTP_a b}e)s"), 3u);
  EXPECT_EQ(error_at("%({HTTP_" + std::string(300, 'X') + "}e)s"), 3u);
}

TEST(AccessLog, AppendsToWhatIsThere) {
  Result<AccessFormat> format = AccessFormat::compile("%(s)s");
  ASSERT_TRUE(format);
  AccessFormat moved = std::move(*format);
  AccessRecord record;
  record.status = 204;
  Buffer out;
  ASSERT_TRUE(out.append("x\n"));
  for (int i = 0; i < 3; ++i) moved.format(record, &out);
  EXPECT_EQ(out.view(), "x\n204\n204\n204\n");
}

TEST(AccessLog, WritesNothingWithoutAFormat) {
  AccessFormat format;
  Buffer out;
  format.format(AccessRecord{}, &out);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace lanner::log
