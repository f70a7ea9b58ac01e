#include "http/date.h"

#include <ctime>
#include <string>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

std::string date(std::int64_t seconds) {
  std::string text(kDateBytes, '?');
  write_date(text.data(), seconds);
  return text;
}

TEST(Date, WritesTheExampleOfTheRfc) {
  EXPECT_EQ(date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(Date, WritesTheFirstAndLastSecond) {
  EXPECT_EQ(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date(253'402'300'799), "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST(Date, KnowsLeapDays) {
  EXPECT_EQ(date(951'782'400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(date(4'107'542'399), "Sun, 28 Feb 2100 23:59:59 GMT");
  EXPECT_EQ(date(4'107'542'400), "Mon, 01 Mar 2100 00:00:00 GMT");
}

TEST(Date, AgreesWithTheCLibrary) {
  for (std::int64_t seconds = 0; seconds < 253'402'300'799; seconds += 123'456'789) {
    const std::time_t time = seconds;
    std::tm parts{};
    ASSERT_NE(gmtime_r(&time, &parts), nullptr);
    char want[64];
    ASSERT_EQ(std::strftime(want, sizeof want, "%a, %d %b %Y %H:%M:%S GMT", &parts), kDateBytes);
    ASSERT_EQ(date(seconds), want) << seconds;
  }
}

TEST(Date, ReadsTheThreeForms) {
  constexpr std::int64_t kNow = 1'000'000'000;  // 2001
  for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    std::int64_t seconds = 0;
    EXPECT_TRUE(parse_date(text, kNow, &seconds)) << text;
    EXPECT_EQ(seconds, 784'111'777) << text;
  }
  std::int64_t seconds = 0;
  EXPECT_TRUE(parse_date("Friday, 06-Nov-50 08:49:37 GMT", kNow, &seconds));
  EXPECT_EQ(date(seconds), "Sun, 06 Nov 2050 08:49:37 GMT");
}

TEST(Date, RefusesOthers) {
  std::int64_t seconds = 0;
  for (const char* text :
       {"", "0", "-1", "Sun", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994"})
    EXPECT_FALSE(parse_date(text, 0, &seconds)) << text;
}

TEST(Date, ReadsWhatItWrites) {
  for (std::int64_t seconds = 0; seconds < 253'402'300'799; seconds += 123'456'789) {
    std::int64_t read = 0;
    ASSERT_TRUE(parse_date(date(seconds), 0, &read));
    ASSERT_EQ(read, seconds);
  }
}

}  // namespace
}  // namespace lanner::http
