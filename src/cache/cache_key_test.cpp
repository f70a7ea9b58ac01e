#include "cache/cache_key.h"

#include <string>

#include <gtest/gtest.h>

#include "cache/limits.h"
#include "cache/test_fields.h"

namespace lanner::cache {
namespace {

std::string key(std::string_view query, const QueryRule& rule = {},
                http::Method method = http::Method::get) {
  Request request("X-HTTP-Method-Override: POST", "/Cards", method);
  request.head.authority = "Example.ORG:80";
  request.head.query = query;
  request.head.has_query = !query.empty();
  char to[kKeyBytesMax];
  return std::string(write_key(request.head, rule, to));
}

constexpr std::string_view kNames[] = {"q", "p a"};

TEST(CacheKey, WholeQuery) {
  EXPECT_EQ(key(""), "GET http://example.org/Cards");
  EXPECT_EQ(key("b=1&a=%41"), "GET http://example.org/Cards?b=1&a=%41");
  EXPECT_EQ(key("a", {}, http::Method::head), key("a"));
  EXPECT_EQ(key("a", {}, http::Method::post), "");
  EXPECT_EQ(key("a", {}, http::Method::unknown), "");
}

TEST(CacheKey, ChosenParameters) {
  const QueryRule only{QueryRule::Which::only, false, kNames};
  EXPECT_EQ(key("x=1&p+a=2&q=3&utm=4&q", only), "GET http://example.org/Cards?p+a=2&q=3&q");
  EXPECT_EQ(key("%71=1", only), "GET http://example.org/Cards?%71=1");
  const QueryRule except{QueryRule::Which::except, false, kNames};
  EXPECT_EQ(key("x=1&p%20a=2&q=3&y", except), "GET http://example.org/Cards?x=1&y");
  EXPECT_EQ(key("x=1", {QueryRule::Which::none, false, {}}), "GET http://example.org/Cards");
  const QueryRule any{QueryRule::Which::except, true, {}};
  EXPECT_EQ(key("b=2&a=1&b=1", any), "GET http://example.org/Cards?a=1&b=2&b=1");
}

TEST(CacheKey, NoneWhereThereIsNoRoom) {
  EXPECT_EQ(key(std::string(kKeyBytesMax, 'a')), "");
  std::string many;
  for (std::size_t i = 0; i <= kQueryPairsMax; ++i) many += "a&";
  EXPECT_EQ(key(many, {QueryRule::Which::except, true, {}}), "");
  Request request("");
  request.head.authority = "";
  char to[64];
  EXPECT_EQ(write_key(request.head, {}, to), "");
}

TEST(CacheKey, SchemesArePartOfIt) {
  char to[64];
  EXPECT_EQ(write_key(true, "a:443", "/", "", false, to), "GET https://a/");
  EXPECT_EQ(write_key(false, "a:443", "/", "", true, to), "GET http://a:443/?");
}

}  // namespace
}  // namespace lanner::cache
