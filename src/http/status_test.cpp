#include "http/status.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TEST(Status, KnowsRegisteredPhrases) {
  EXPECT_EQ(reason_phrase(100), "Continue");
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(431), "Request Header Fields Too Large");
  EXPECT_EQ(reason_phrase(511), "Network Authentication Required");
}

TEST(Status, OthersHaveNone) {
  for (const int code : {-1, 0, 99, 104, 299, 306, 418, 499, 599, 600, 999}) {
    EXPECT_EQ(reason_phrase(code), "") << code;
    EXPECT_EQ(status_line(code), "") << code;
  }
}

TEST(Status, LineAndPhraseAgree) {
  int registered = 0;
  for (int code = 100; code < 600; ++code) {
    const std::string phrase(reason_phrase(code));
    if (phrase.empty()) continue;
    ++registered;
    EXPECT_EQ(status_line(code), "HTTP/1.1 " + std::to_string(code) + " " + phrase + "\r\n");
  }
  EXPECT_EQ(registered, 61);
}

TEST(Status, SomeAnswersHaveNoContent) {
  for (int code = 100; code < 1000; ++code) {
    const bool never = code < 200 || code == 204 || code == 205 || code == 304;
    EXPECT_EQ(is_without_content(Method::get, code), never) << code;
    EXPECT_EQ(is_without_content(Method::unknown, code), never) << code;
    EXPECT_TRUE(is_without_content(Method::head, code)) << code;
    EXPECT_EQ(is_without_content(Method::connect, code), never || code < 300) << code;
  }
}

}  // namespace
}  // namespace lanner::http
