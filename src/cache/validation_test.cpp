#include "cache/validation.h"

#include <string>

#include <gtest/gtest.h>

#include "cache/test_fields.h"

namespace lanner::cache {
namespace {

constexpr std::int64_t kNow = 784'200'000;
constexpr const char* kStored = "ETag: \"a,b\\\"\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT";

std::string ask(std::string_view request_text, std::string_view stored = kStored, int status = 200,
                http::Method method = http::Method::get) {
  const Request request(request_text, "/", method);
  const Answer answer(stored, status);
  const Selected selected =
      select(request.head, status, read_validators(answer.head, kNow), 100, kNow);
  switch (selected.selection) {
    case Selection::whole:
      return "200";
    case Selection::not_modified:
      return "304";
    case Selection::unsatisfiable:
      return "416";
    case Selection::part:
      return std::to_string(selected.first) + "+" + std::to_string(selected.bytes);
  }
  return "";
}

TEST(Validation, NoneMatch) {
  EXPECT_EQ(ask("If-None-Match: \"a,b\\\""), "304");
  EXPECT_EQ(ask("If-None-Match: \"x\", W/\"a,b\\\" , \"y\""), "304");
  EXPECT_EQ(ask("If-None-Match: \"x\"\nIf-None-Match: \"a,b\\\""), "304");
  EXPECT_EQ(ask("If-None-Match: *"), "304");
  EXPECT_EQ(ask("If-None-Match: \"a\", \"b\""), "200");
  EXPECT_EQ(ask("If-None-Match: "), "200");
  EXPECT_EQ(ask("If-None-Match: \"x"), "200");
  EXPECT_EQ(ask("If-None-Match: \"a\"", "ETag: W/\"a\""), "304");
  EXPECT_EQ(ask("If-None-Match: a", "ETag: a"), "200");  // no entity-tag
  EXPECT_EQ(ask("If-None-Match: \"a,b\\\"", kStored, 404), "200");
  EXPECT_EQ(ask("If-None-Match: \"a,b\\\"", kStored, 200, http::Method::head), "304");
}

TEST(Validation, ModifiedSince) {
  EXPECT_EQ(ask("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"), "304");
  EXPECT_EQ(ask("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT"), "200");
  EXPECT_EQ(ask("If-Modified-Since: yesterday"), "200");
  EXPECT_EQ(ask("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\nIf-None-Match: \"x\""), "200");
  EXPECT_EQ(ask("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", ""), "200");
}

TEST(Validation, Ranges) {
  EXPECT_EQ(ask("Range: bytes=0-9"), "0+10");
  EXPECT_EQ(ask("Range: Bytes=90-"), "90+10");
  EXPECT_EQ(ask("Range: bytes=90-1000"), "90+10");
  EXPECT_EQ(ask("Range: bytes=-10"), "90+10");
  EXPECT_EQ(ask("Range: bytes=-1000"), "0+100");
  EXPECT_EQ(ask("Range: bytes=100-"), "416");
  EXPECT_EQ(ask("Range: bytes=-0"), "416");
  for (const char* text : {"Range: bytes=9-0", "Range: bytes=0-1,5-6", "Range: lines=0-1",
                           "Range: bytes=-", "Range: bytes=a-b", "Range: bytes=", "Range: "})
    EXPECT_EQ(ask(text), "200") << text;
  EXPECT_EQ(ask("Range: bytes=0-9", kStored, 404), "200");
  EXPECT_EQ(ask("Range: bytes=0-9", kStored, 200, http::Method::head), "200");
}

TEST(Validation, IfRange) {
  EXPECT_EQ(ask("Range: bytes=0-9\nIf-Range: \"a,b\\\""), "0+10");
  EXPECT_EQ(ask("Range: bytes=0-9\nIf-Range: \"x\""), "200");
  EXPECT_EQ(ask("Range: bytes=0-9\nIf-Range: W/\"a\"", "ETag: W/\"a\""), "200");
  EXPECT_EQ(ask("Range: bytes=0-9\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT"), "0+10");
  EXPECT_EQ(ask("Range: bytes=0-9\nIf-Range: Sun, 06 Nov 1994 08:49:38 GMT"), "200");
  EXPECT_EQ(ask("Range: bytes=0-9\nIf-Range: ", ""), "200");
}

TEST(Validation, ConditionsAndTheirAnswer) {
  const Answer answer(kStored);
  const Validators stored = read_validators(answer.head, kNow);
  char to[256];
  TextWriter writer(to);
  write_conditions(stored, writer);
  EXPECT_EQ(writer.text(),
            "If-None-Match: \"a,b\\\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_TRUE(confirms(Answer("", 304).head, stored));
  EXPECT_TRUE(confirms(Answer("ETag: \"a,b\\\"", 304).head, stored));
  EXPECT_TRUE(confirms(Answer("ETag: W/\"a,b\\\"", 304).head, stored));
  EXPECT_FALSE(confirms(Answer("ETag: \"x\"", 304).head, stored));
  EXPECT_FALSE(confirms(Answer("Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT", 304).head, stored));
  EXPECT_FALSE(confirms(Answer("").head, stored));
}

TEST(Validation, FieldsThatA304Updates) {
  for (const char* text : {"Cache-Control: x", "Date: x", "Expires: x", "X-Other: x", "Vary: x"})
    EXPECT_TRUE(is_updated(fields_of(text)[0])) << text;
  for (const char* text : {"Content-Length: 0", "Content-Encoding: x", "Set-Cookie: x", "Age: 1",
                           "Connection: x", "Content-Type: x", "Content-Range: x", "ETag: x"})
    EXPECT_FALSE(is_updated(fields_of(text)[0])) << text;
}

TEST(Validation, Invalidation) {
  EXPECT_TRUE(invalidates(http::Method::post, 201));
  EXPECT_TRUE(invalidates(http::Method::unknown, 302));
  EXPECT_FALSE(invalidates(http::Method::delete_, 404));
  EXPECT_FALSE(invalidates(http::Method::get, 200));
  const auto target = [](const char* text) {
    return same_origin_target(text, false, "a.org:8000");
  };
  EXPECT_EQ(target("/x?y#z"), "/x?y");
  EXPECT_EQ(target("http://A.org:8000/x"), "/x");
  EXPECT_EQ(target("HTTP://a.org:8000"), "/");
  EXPECT_EQ(target("//a.org:8000/x"), "/x");
  for (const char* text : {"https://a.org:8000/x", "http://b.org:8000/x", "http://a.org/x", "x", "",
                           "http:", "http:x", "//", "?x"})
    EXPECT_EQ(target(text), "") << text;
}

}  // namespace
}  // namespace lanner::cache
