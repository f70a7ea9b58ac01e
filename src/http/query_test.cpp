#include "http/query.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

using Step = QueryReader::Step;

std::string decoded(std::string_view text) {
  std::string to(text.size(), '\0');
  to.resize(decode_form(text, to.data()));
  return to;
}

// "name=value" of each pair, decoded; "name" alone where there was no '='.
std::vector<std::string> pairs(std::string_view text) {
  std::vector<std::string> found;
  QueryReader reader(text, 100);
  QueryPair pair;
  while (reader.next(&pair) == Step::pair) {
    EXPECT_EQ(pair.name_has_escapes, pair.name.find_first_of("%+") != std::string_view::npos);
    EXPECT_EQ(pair.value_has_escapes, pair.value.find_first_of("%+") != std::string_view::npos);
    found.push_back(decoded(pair.name) + (pair.has_equals ? "=" : "") + decoded(pair.value));
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(Query, ReadsPairsAsTheUrlStandardDoes) {
  const struct {
    const char* text;
    Texts pairs;
  } kCases[] = {
      {"", {}},
      {"a=1", {"a=1"}},
      {"a=1&b=2", {"a=1", "b=2"}},
      {"a=1&a=2&a=1", {"a=1", "a=2", "a=1"}},
      {"a", {"a"}},
      {"a=", {"a="}},
      {"=a", {"=a"}},
      {"=", {"="}},
      {"&&&", {}},
      {"&a=1&&b=2&", {"a=1", "b=2"}},
      {"a=b=c", {"a=b=c"}},
      {"a;b=1;c=2", {"a;b=1;c=2"}},
      {"a+b=c+d", {"a b=c d"}},
      {"a%20b=c%26d%3De", {"a b=c&d=e"}},
      {"a%3Db=1", {"a=b=1"}},
      {"a=%2B", {"a=+"}},
      {"a=1?b=2", {"a=1?b=2"}},
      {"%C3%A4=%E2%82%AC", {"\xC3\xA4=\xE2\x82\xAC"}},
  };
  for (const auto& one : kCases) EXPECT_EQ(pairs(one.text), one.pairs) << one.text;
}

TEST(Query, PairsAreViewsOfTheText) {
  const std::string_view text = "name=value&blank";
  QueryReader reader(text, 2);
  QueryPair pair;
  ASSERT_EQ(reader.next(&pair), Step::pair);
  EXPECT_EQ(pair.name.data(), text.data());
  EXPECT_EQ(pair.value.data(), text.data() + 5);
  ASSERT_EQ(reader.next(&pair), Step::pair);
  EXPECT_EQ(pair.value.data(), text.data() + text.size());
}

TEST(Query, TellsABlankValueFromNone) {
  QueryReader reader("a&b=", 9);
  QueryPair pair;
  ASSERT_EQ(reader.next(&pair), Step::pair);
  EXPECT_FALSE(pair.has_equals);
  ASSERT_EQ(reader.next(&pair), Step::pair);
  EXPECT_TRUE(pair.has_equals);
  EXPECT_EQ(reader.next(&pair), Step::end);
  EXPECT_EQ(reader.next(&pair), Step::end);
}

TEST(Query, RefusesMorePairsThanAllowed) {
  QueryPair pair;
  QueryReader exact("a&&b&", 2);
  EXPECT_EQ(exact.next(&pair), Step::pair);
  EXPECT_EQ(exact.next(&pair), Step::pair);
  EXPECT_EQ(exact.next(&pair), Step::end);
  QueryReader more("a&b&c", 2);
  EXPECT_EQ(more.next(&pair), Step::pair);
  EXPECT_EQ(more.next(&pair), Step::pair);
  EXPECT_EQ(more.next(&pair), Step::too_many);
  EXPECT_EQ(more.next(&pair), Step::too_many);
}

TEST(Query, KeepsBrokenEscapes) {
  const struct {
    const char* text;
    const char* decoded;
  } kCases[] = {
      {"%", "%"},       {"%4", "%4"},    {"%4g", "%4g"},
      {"%G1", "%G1"},   {"%%41", "%A"},  {"100%+ok", "100% ok"},
      {"%41%4", "A%4"}, {"%e4", "\xE4"}, {"%u00e4", "%u00e4"},
  };
  for (const auto& one : kCases) EXPECT_EQ(decoded(one.text), one.decoded) << one.text;
  EXPECT_EQ(decoded("a%00b"), std::string("a\0b", 3));
}

TEST(Query, DecodesInPlace) {
  std::string text = "a%20b+c%zz";
  text.resize(decode_form(text, text.data()));
  EXPECT_EQ(text, "a b c%zz");
}

}  // namespace
}  // namespace lanner::http
