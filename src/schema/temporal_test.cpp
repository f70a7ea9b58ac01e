#include "schema/temporal.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

std::string why_date(std::string_view text) {
  Date date;
  const char* why = parse_date(text, &date);
  return why ? why : "";
}

std::string datetime_text(std::string_view text) {
  DateTime value;
  if (const char* why = parse_datetime(text, &value)) return why;
  const Time& t = value.time;
  std::string out = std::to_string(value.date.year) + "-" + std::to_string(value.date.month) + "-" +
                    std::to_string(value.date.day) + " " + std::to_string(t.hour) + ":" +
                    std::to_string(t.minute) + ":" + std::to_string(t.second) + "." +
                    std::to_string(t.microsecond);
  return t.has_offset ? out + " " + std::to_string(t.offset_s) : out;
}

std::string duration_text(std::string_view text) {
  Duration value;
  if (const char* why = parse_duration(text, &value)) return why;
  return std::to_string(value.days) + "d" + std::to_string(value.seconds) + "s" +
         std::to_string(value.microseconds);
}

TEST(Temporal, ReadsDatesAndSaysWhatIsWrongWithOthers) {
  EXPECT_EQ(why_date("2024-02-29"), "");
  EXPECT_EQ(why_date("2023-02-29"), "day value is outside expected range");
  EXPECT_EQ(why_date("2023-13-01"), "month value is outside expected range of 1-12");
  EXPECT_EQ(why_date("0000-01-01"), "year 0 is out of range");
  EXPECT_EQ(why_date("2023-1-01"), "input is too short");
  EXPECT_EQ(why_date("2023-01-01 "), "unexpected extra characters at the end of the input");
  EXPECT_EQ(why_date("2023/01/01"), "invalid date separator, expected `-`");
}

TEST(Temporal, KeepsTheOffsetOfADatetime) {
  EXPECT_EQ(datetime_text("2024-01-02T03:04:05+05:30"), "2024-1-2 3:4:5.0 19800");
  EXPECT_EQ(datetime_text("2024-01-02 03:04:05.25Z"), "2024-1-2 3:4:5.250000 0");
  EXPECT_EQ(datetime_text("2024-01-02t03:04:05-0130"), "2024-1-2 3:4:5.0 -5400");
  EXPECT_EQ(datetime_text("2024-01-02T03:04"), "2024-1-2 3:4:0.0");
}

TEST(Temporal, CutsWhatIsFinerThanMicroseconds) {
  EXPECT_EQ(datetime_text("2024-01-02T03:04:05.123456789"), "2024-1-2 3:4:5.123456");
}

TEST(Temporal, RefusesTimesThatDoNotExist) {
  EXPECT_EQ(datetime_text("2024-01-02T24:00:00"), "hour value is outside expected range of 0-23");
  EXPECT_EQ(datetime_text("2024-01-02T23:59:60"), "second value is outside expected range of 0-59");
  EXPECT_EQ(datetime_text("2024-01-02T00:00:00+25:00"),
            "timezone offset must be less than 24 hours");
  EXPECT_EQ(datetime_text("2024-01-02T00:00:00."), "second fraction digits missing after `.`");
}

TEST(Temporal, ReadsEveryPrefixOfATimeWithoutReadingBeyondIt) {
  const std::string whole = "2024-01-02T03:04:05.123456+05:30";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string part =
        whole.substr(0, size);  // its own memory: the sanitizer sees a read beyond
    DateTime value;
    (void)parse_datetime(part, &value);
    Time time;
    (void)parse_time(part, &time);
    Duration span;
    (void)parse_duration(part, &span);
  }
}

TEST(Temporal, ReadsDurationsInAllThreeSpellings) {
  EXPECT_EQ(duration_text("P1DT2H3M4.5S"), "1d7384s500000");
  EXPECT_EQ(duration_text("3 days, 01:00:00"), "3d3600s0");
  EXPECT_EQ(duration_text("-PT1S"), "-1d86399s0");
  EXPECT_EQ(duration_text("P1Y"), "365d0s0");
  EXPECT_EQ(duration_text("1000000000 days"), "durations may not exceed 999,999,999 days");
  EXPECT_EQ(duration_text("P"), "input is too short");
  EXPECT_EQ(duration_text("PT"), "input is too short");
  EXPECT_EQ(duration_text("P1y"), "quantity invalid in date part of duration");
  EXPECT_EQ(duration_text("P1.5DT1H"), "quantity fraction invalid in duration");
  EXPECT_EQ(duration_text("PT4294967296S"), "a numeric value in the duration is too large");
  EXPECT_EQ(duration_text("1 day 24:00"), "durations may not exceed 999,999,999 hours");
  EXPECT_EQ(duration_text("P1.Y"), "365d0s0");
  EXPECT_EQ(duration_text("PT1.123456789S"), "0d1s123457");
  EXPECT_EQ(duration_text("00:00:00.1234567"), "0d0s123456");
  EXPECT_EQ(duration_text("PT1H1"), "quantity invalid in time part of duration");
}

TEST(Temporal, TakesSecondsAndMillisecondsSince1970) {
  DateTime value;
  ASSERT_EQ(datetime_from_epoch(1577836800, 0, &value), nullptr);
  EXPECT_EQ(value.date.year, 2020);
  ASSERT_EQ(datetime_from_epoch(1577836800123, 0, &value), nullptr);
  EXPECT_EQ(value.time.microsecond, 123000);
  EXPECT_NE(datetime_from_epoch(INT64_MAX, 0, &value), nullptr);
  EXPECT_NE(datetime_from_epoch(INT64_MIN, 0, &value), nullptr);
}

TEST(Temporal, TakesSecondsOfAnySizeAndRoundsThem) {
  DateTime moment;
  ASSERT_EQ(datetime_from_seconds(0.9999999, &moment), nullptr);
  EXPECT_EQ(moment.time.second, 1);
  EXPECT_EQ(moment.time.microsecond, 0);
  Time time;
  ASSERT_EQ(time_from_seconds(86399.5, &time), nullptr);
  EXPECT_EQ(time.hour * 10000 + time.minute * 100 + time.second, 235959);
  EXPECT_EQ(time.microsecond, 500000);
  EXPECT_STREQ(time_from_seconds(86399.9999999, &time),
               "numeric times may not exceed 86,399 seconds");
  EXPECT_STREQ(time_from_seconds(-0.5, &time), "time in seconds should be positive");
  Duration span;
  ASSERT_EQ(duration_from_seconds(-0.25, &span), nullptr);
  EXPECT_EQ(span.days, -1);
  EXPECT_EQ(span.seconds, 86399);
  EXPECT_EQ(span.microseconds, 750000);
  ASSERT_EQ(duration_from_seconds(86399999999999.0, &span), nullptr);
  EXPECT_EQ(span.days, 999999999);
  EXPECT_NE(duration_from_seconds(86400000000000.0, &span), nullptr);
  for (const double huge : {1e300, -1e300, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    EXPECT_NE(duration_from_seconds(huge, &span), nullptr) << huge;
    EXPECT_NE(datetime_from_seconds(huge, &moment), nullptr) << huge;
    EXPECT_NE(time_from_seconds(huge, &time), nullptr) << huge;
  }
}

TEST(Temporal, CountsDaysBothWays) {
  for (std::int64_t day = -719162; day <= 2932896; day += 997) {
    DateTime value;
    ASSERT_EQ(datetime_from_epoch(day * 86400 / 1, 0, &value) == nullptr, true) << day;
    if (day * 86400 <= 20'000'000'000 && day * 86400 >= -20'000'000'000) {
      EXPECT_EQ(days_from_civil(value.date), day);
    }
  }
}

}  // namespace
}  // namespace lanner::schema
