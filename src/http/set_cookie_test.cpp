#include "http/set_cookie.h"

#include <string>

#include <gtest/gtest.h>

#include "http/cookie.h"

namespace lanner::http {
namespace {

std::string written(const SetCookie& cookie) {
  EXPECT_EQ(set_cookie_mistake(cookie), "");
  std::string to(set_cookie_bytes_bound(cookie), '?');
  to.resize(static_cast<std::size_t>(write_set_cookie(cookie, to.data()) - to.data()));
  return to;
}

std::string in_quotes(std::string_view value) {
  std::string to(quoted_cookie_bound(value.size()), '?');
  to.resize(quote_cookie(value, to.data()));
  return to;
}

SetCookie with_value(std::string_view value) {
  SetCookie cookie;
  cookie.name = "a";
  cookie.value = value;
  return cookie;
}

TEST(SetCookie, WritesAsHttpCookiesDoes) {
  SetCookie cookie = with_value("1");
  EXPECT_EQ(written(cookie), "a=1");
  cookie.path = "/";
  cookie.same_site = SameSite::lax;
  EXPECT_EQ(written(cookie), "a=1; Path=/; SameSite=lax");
  cookie.domain = "shop.example";
  cookie.expires_unix_s = 784'111'777;
  cookie.http_only = true;
  cookie.max_age_s = -1;
  cookie.partitioned = true;
  cookie.path = "/cart";
  cookie.same_site = SameSite::none;
  cookie.secure = true;
  EXPECT_EQ(written(cookie),
            "a=1; Domain=shop.example; expires=Sun, 06 Nov 1994 08:49:37 GMT; HttpOnly; "
            "Max-Age=-1; Partitioned; Path=/cart; SameSite=none; Secure");
  cookie.same_site = SameSite::strict;
  cookie.max_age_s = INT64_MIN;
  EXPECT_LE(written(cookie).size(), set_cookie_bytes_bound(cookie));
}

// What http.cookies.SimpleCookie makes of the same values.
TEST(SetCookie, QuotesAsHttpCookiesDoes) {
  const struct {
    const char* value;
    const char* quoted;
  } kCases[] = {
      {"", "\"\""},
      {"abc", "abc"},
      {"a:b", "a:b"},
      {"a%20b", "a%20b"},
      {"a b", "\"a b\""},
      {"a/b", "\"a/b\""},
      {"a=b", "\"a=b\""},
      {"{}", "\"{}\""},
      {"a,b", "\"a\\054b\""},
      {"a;b", "\"a\\073b\""},
      {"a\"b", "\"a\\\"b\""},
      {"a\\b", "\"a\\\\b\""},
      {"\"x\"", "\"\\\"x\\\"\""},
      {"\r\n", "\"\\015\\012\""},
      {"\x7F", "\"\\177\""},
      {"\xE4", "\"\\344\""},
  };
  for (const auto& one : kCases) EXPECT_EQ(in_quotes(one.value), one.quoted) << one.value;
}

TEST(SetCookie, WhatIsQuotedPassesAndIsReadBack) {
  for (int first = 0; first < 256; ++first) {
    const std::string value = {static_cast<char>(first), 'x', static_cast<char>(255 - first)};
    const std::string text = in_quotes(value);
    const std::string field = written(with_value(text));
    CookieReader reader(field);
    CookiePair pair;
    ASSERT_TRUE(reader.next(&pair));
    std::string back(pair.value);
    if (pair.has_escapes) back.resize(unquote_cookie(pair.value, back.data()));
    EXPECT_EQ(back, value) << first;
    EXPECT_FALSE(reader.next(&pair));
  }
}

TEST(SetCookie, TakesCookieOctetsAndRefusesOtherBytes) {
  for (int number = 0; number < 256; ++number) {
    const std::string value(1, static_cast<char>(number));
    const bool octet = number > 0x20 && number < 0x7F && value.find_first_of("\",;\\") != 0;
    EXPECT_EQ(set_cookie_mistake(with_value(value)).empty(), octet) << number;
  }
}

TEST(SetCookie, RefusesValuesThatWouldBeMore) {
  for (const char* value :
       {"1; Domain=evil.example", "1\r\nSet-Cookie: b=2", "1\n", "\"1;2\"", "\"1\"2\"", "\"",
        "\"\\\"", "\"a\rb\"", "\"a\\\nb\"", "\"a\\;b\"", "a b", " ", "a\tb", "\xC3\xA4", "a,b"}) {
    EXPECT_NE(set_cookie_mistake(with_value(value)), "") << value;
  }
  EXPECT_NE(set_cookie_mistake(with_value(std::string_view("a\0b", 3))), "");
}

TEST(SetCookie, SaysWhatToWrite) {
  EXPECT_EQ(set_cookie_mistake(with_value("a;b")),
            "';' in the value of a cookie would add an attribute; quote the value");
  EXPECT_EQ(set_cookie_mistake(with_value("a\r")),
            "control character in the value of a cookie (CR and LF would add a field)");
}

TEST(SetCookie, RefusesNamesThatAreNoTokens) {
  SetCookie cookie;
  for (const char* name :
       {"", " ", "a b", "a=b", "a;b", "a\r\n", "\"a\"", "\xC3\xA4", "a,b", "a/b"}) {
    cookie.name = name;
    EXPECT_NE(set_cookie_mistake(cookie), "") << name;
  }
}

TEST(SetCookie, RefusesAttributesThatWouldBeMore) {
  for (const char* domain :
       {"a;b", "a b", "a\r\n", "shop.example:80", "https://shop.example", "a/b"}) {
    SetCookie cookie = with_value("1");
    cookie.domain = domain;
    EXPECT_NE(set_cookie_mistake(cookie), "") << domain;
  }
  for (const char* path : {"a", "/a;b", "/a\r\n", "/\xC3\xA4", "; Secure"}) {
    SetCookie cookie = with_value("1");
    cookie.path = path;
    EXPECT_NE(set_cookie_mistake(cookie), "") << path;
  }
  for (const std::int64_t expires : {INT64_MIN, std::int64_t{-1}, std::int64_t{253'402'300'800}}) {
    SetCookie cookie = with_value("1");
    cookie.expires_unix_s = expires;
    EXPECT_NE(set_cookie_mistake(cookie), "") << expires;
  }
}

TEST(SetCookie, RefusesWhatBrowsersDrop) {
  SetCookie cookie = with_value("1");
  cookie.same_site = SameSite::none;
  EXPECT_NE(set_cookie_mistake(cookie), "");
  cookie.secure = true;
  EXPECT_EQ(set_cookie_mistake(cookie), "");
  cookie.name = "__host-id";
  EXPECT_NE(set_cookie_mistake(cookie), "");
  cookie.path = "/";
  EXPECT_EQ(set_cookie_mistake(cookie), "");
  cookie.domain = "shop.example";
  EXPECT_NE(set_cookie_mistake(cookie), "");
  cookie = with_value("1");
  cookie.partitioned = true;
  EXPECT_NE(set_cookie_mistake(cookie), "");
  cookie = with_value("1");
  cookie.name = "__Secure-id";
  EXPECT_NE(set_cookie_mistake(cookie), "");
}

TEST(SetCookie, RefusesWhatIsTooLong) {
  const std::string longest(kCookieBytesMax - 1, 'x');
  EXPECT_EQ(set_cookie_mistake(with_value(longest)), "");
  EXPECT_NE(set_cookie_mistake(with_value(longest + "x")), "");
  const std::string path = "/" + std::string(kCookieAttributeMax, 'x');
  SetCookie cookie = with_value("1");
  cookie.path = path;
  EXPECT_NE(set_cookie_mistake(cookie), "");
  cookie.path.remove_suffix(1);
  EXPECT_EQ(set_cookie_mistake(cookie), "");
  const std::string domain(kCookieAttributeMax + 1, 'x');
  cookie.domain = domain;
  EXPECT_NE(set_cookie_mistake(cookie), "");
}

}  // namespace
}  // namespace lanner::http
