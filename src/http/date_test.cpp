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

}  // namespace
}  // namespace lanner::http
