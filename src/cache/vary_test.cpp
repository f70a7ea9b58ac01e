#include "cache/vary.h"

#include <string>

#include <gtest/gtest.h>

#include "cache/test_fields.h"

namespace lanner::cache {
namespace {

std::string names(std::string_view text) {
  const Answer answer(text);
  char to[256];
  bool good = false;
  const std::string_view found = write_vary_names(answer.head, to, &good);
  return good ? std::string(found) : "refused";
}
std::string variant(std::string_view request_text, std::string_view of) {
  const Request request(request_text);
  char to[256];
  TextWriter writer(to);
  write_variant(request.head, of, writer);
  EXPECT_TRUE(writer.good());
  return std::string(writer.text());
}
std::string codings(const char* value) {
  return variant("Accept-Encoding: " + std::string(value), "accept-encoding");
}

TEST(Vary, NamesAreSorted) {
  EXPECT_EQ(names(""), "");
  EXPECT_EQ(names("Vary: Cookie, ACCEPT,\nVary: accept,, Accept-Encoding"),
            "accept,accept-encoding,cookie");
  for (const char* text : {"Vary: *", "Vary: Accept, *", "Vary: a b", "Vary: \"a\""})
    EXPECT_EQ(names(text), "refused") << text;
  std::string many = "Vary: ";
  for (char c = 'a'; c < 'q'; ++c) many += std::string(1, c) + ",";
  EXPECT_NE(names(many), "refused");
  EXPECT_EQ(names(many + "q"), "refused");
  EXPECT_EQ(names("Vary: " + std::string(300, 'a')), "refused");
}

TEST(Vary, CodingsAreASet) {
  EXPECT_EQ(codings("gzip, br"), codings("BR;q=1.0,  x-gzip;q=0.8"));
  EXPECT_EQ(codings("gzip, br, identity"), codings("br, gzip"));
  EXPECT_EQ(codings("gzip, br;q=0"), codings("gzip"));
  EXPECT_NE(codings("gzip"), codings("gzip, br"));
  EXPECT_NE(codings("gzip"), codings("gzip, identity;q=0"));
  EXPECT_NE(codings("gzip"), codings("gzip, *;q=0"));
  EXPECT_NE(codings("*"), codings("*, br;q=0"));
  EXPECT_NE(codings("gzip"), codings("gzip, foo"));
  EXPECT_EQ(codings("gzip,FOO"), codings("gzip, foo"));
  EXPECT_NE(codings(""), variant("", "accept-encoding"));
}

TEST(Vary, OtherFields) {
  EXPECT_EQ(variant("Foo: 1, 2", "foo"), variant("Foo: 1\nfoo: 2", "foo"));
  EXPECT_EQ(variant("Foo: 1,2", "foo"), variant("Foo:  1 , 2", "foo"));
  EXPECT_NE(variant("Foo: a", "foo"), variant("Foo: A", "foo"));
  EXPECT_EQ(variant("Accept-Language: EN", "accept-language"),
            variant("Accept-Language: en", "accept-language"));
  EXPECT_NE(variant("Foo: ", "foo"), variant("", "foo"));
  EXPECT_NE(variant("A: x", "a,b"), variant("B: x", "a,b"));
  EXPECT_NE(variant("Cookie: a=1,2", "cookie"), variant("Cookie: a=1, 2", "cookie"));
}

}  // namespace
}  // namespace lanner::cache
