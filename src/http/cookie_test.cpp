#include "http/cookie.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string unquoted(std::string_view value) {
  std::string to(value.size(), '\0');
  to.resize(unquote_cookie(value, to.data()));
  return to;
}

Pairs pairs(std::string_view text) {
  Pairs found;
  CookieReader reader(text);
  for (CookiePair pair; reader.next(&pair);) {
    found.emplace_back(pair.name, pair.has_escapes ? unquoted(pair.value) : pair.value);
  }
  return found;
}

// What starlette.requests.cookie_parser gives for the same text, version 1.10.
TEST(Cookie, ReadsAsStarletteDoes) {
  const struct {
    const char* text;
    Pairs pairs;
  } kCases[] = {
      {"", {}},
      {";;;", {}},
      {" = ; ", {}},
      {"a=1", {{"a", "1"}}},
      {"a=1; b=2", {{"a", "1"}, {"b", "2"}}},
      {"a=1;b=2;", {{"a", "1"}, {"b", "2"}}},
      {"  a = 1 ;\tb\t=\t2 ", {{"a", "1"}, {"b", "2"}}},
      {"a=b=c", {{"a", "b=c"}}},
      {"a==", {{"a", "="}}},
      {"novalue", {{"", "novalue"}}},
      {"novalue; a=1", {{"", "novalue"}, {"a", "1"}}},
      {"=x", {{"", "x"}}},
      {"a=", {{"a", ""}}},
      {"A=1; a=2", {{"A", "1"}, {"a", "2"}}},
      {"$Version=1; a=1", {{"$Version", "1"}, {"a", "1"}}},
      {"a=1, b=2", {{"a", "1, b=2"}}},
      {"a b=c d", {{"a b", "c d"}}},
      {"a=\"1\"", {{"a", "1"}}},
      {"a=\"\"", {{"a", ""}}},
      {"a=\"", {{"a", "\""}}},
      {"a=\"x", {{"a", "\"x"}}},
      {"a=x\"", {{"a", "x\""}}},
      {"a=\"b c\"", {{"a", "b c"}}},
      {"a=\"a\"b\"", {{"a", "a\"b"}}},
      {"a=\"b;c\"", {{"a", "\"b"}, {"", "c\""}}},
      {"a=\"b\\\"c\"", {{"a", "b\"c"}}},
      {"a=\"b\\\\c\"", {{"a", "b\\c"}}},
      {"a=\"b\\073c\"", {{"a", "b;c"}}},
      {"a=\"\\\\073\"", {{"a", "\\073"}}},
      {"a=\"\\477\"", {{"a", "477"}}},
      {"a=\"\\1\"", {{"a", "1"}}},
      {"a=\"x\\\"", {{"a", "x\\"}}},
      {"a=b\\073", {{"a", "b\\073"}}},
      {"a=\"\\303\\244\"", {{"a", "\xC3\xA4"}}},
  };
  for (const auto& one : kCases) EXPECT_EQ(pairs(one.text), one.pairs) << one.text;
}

// Starlette strips what Latin-1 calls white space: half a character of UTF-8 may be among it.
TEST(Cookie, KeepsBytesOfUtf8AtTheEnds) {
  EXPECT_EQ(pairs("a=\xC3\xA0 ; b=\xC2\x85"), (Pairs{{"a", "\xC3\xA0"}, {"b", "\xC2\x85"}}));
}

TEST(Cookie, OfANameThatComesTwiceTheLastCounts) {
  const Field fields[] = {{"Cookie", "a=1; b=2; a=3", Token::cookie},
                          {"Accept", "a=9", Token::accept},
                          {"cookie", "c=4; b=\"5\"", Token::cookie}};
  RequestHead head;
  head.fields = fields;
  CookiePair pair;
  ASSERT_TRUE(find_cookie(head, "a", &pair));
  EXPECT_EQ(pair.value, "3");
  ASSERT_TRUE(find_cookie(head, "b", &pair));
  EXPECT_EQ(pair.value, "5");
  EXPECT_FALSE(find_cookie(head, "A", &pair));
  EXPECT_FALSE(find_cookie(head, "", &pair));
}

TEST(Cookie, UnquotesInPlace) {
  std::string text = "\\073\\\"\\";
  text.resize(unquote_cookie(text, text.data()));
  EXPECT_EQ(text, ";\"\\");
}

}  // namespace
}  // namespace lanner::http
