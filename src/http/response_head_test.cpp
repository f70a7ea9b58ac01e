#include "http/response_head.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

constexpr std::uint64_t kRoom = 1'000'000;

TEST(ResponseHead, KeepsStatusAndFields) {
  ResponseHead head;
  ASSERT_TRUE(head.set_status(404, "Nothing Here"));
  ASSERT_TRUE(head.add("Content-Type", "text/plain", kRoom));
  ASSERT_TRUE(head.add("X-Empty", "", kRoom));
  EXPECT_EQ(head.status(), 404);
  EXPECT_EQ(head.reason(), "Nothing Here");
  EXPECT_FALSE(head.has_usual_reason());
  ASSERT_EQ(head.field_count(), 2u);
  EXPECT_EQ(head.field(0).name, "Content-Type");
  EXPECT_EQ(head.field(0).value, "text/plain");
  EXPECT_EQ(head.field(0).token, Token::content_type);
  EXPECT_EQ(head.field(1).name, "X-Empty");
  EXPECT_EQ(head.field(1).value, "");
  EXPECT_EQ(head.field(1).token, Token::unknown);
  EXPECT_EQ(head.field_lines(), "Content-Type: text/plain\r\nX-Empty: \r\n");
  EXPECT_EQ(head.text_bytes(), head.field_lines().size());
}

TEST(ResponseHead, KnowsTheUsualReason) {
  ResponseHead head;
  ASSERT_TRUE(head.set_status(200, "OK"));
  EXPECT_TRUE(head.has_usual_reason());
  EXPECT_EQ(head.reason(), "OK");
  ASSERT_TRUE(head.set_status(200, ""));
  EXPECT_TRUE(head.has_usual_reason());
  EXPECT_EQ(head.reason(), "");
  ASSERT_TRUE(head.set_status(299, "Mine"));
  EXPECT_EQ(head.reason(), "Mine");
}

TEST(ResponseHead, RefusesStatusOutOfRange) {
  ResponseHead head;
  for (const int status : {-200, 0, 99, 1000}) {
    EXPECT_EQ(head.set_status(status, "").code(), Errc::status_invalid) << status;
  }
  EXPECT_TRUE(head.set_status(100, ""));
  EXPECT_TRUE(head.set_status(999, ""));
}

TEST(ResponseHead, RefusesSplittingByReason) {
  ResponseHead head;
  ASSERT_TRUE(head.set_status(500, ""));
  for (const char* reason : {"a\rb", "a\nb", "ok\r\nSet-Cookie: x", "\x7F", "\x01"}) {
    EXPECT_EQ(head.set_status(200, reason).code(), Errc::reason_invalid);
  }
  EXPECT_EQ(head.set_status(200, std::string_view("a\0b", 3)).code(), Errc::reason_invalid);
  EXPECT_EQ(head.status(), 500);
  EXPECT_TRUE(head.set_status(200, "caf\xE9\ttime"));
}

TEST(ResponseHead, RefusesSplittingByFields) {
  ResponseHead head;
  for (int value = 0; value < 256; ++value) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'v');
      text[at] = static_cast<char>(value);
      const bool allowed = value == '\t' || (value >= 0x20 && value != 0x7F);
      ASSERT_EQ(head.add("X", text, kRoom).code(),
                allowed ? Errc::ok : Errc::response_field_value_invalid)
          << value << " at " << at;
    }
  }
  for (const char* name : {"", "a b", "a:", "a\r\n", "a\n", "\xC3\xA9", "a(b)", "a\t", "Date\r"}) {
    EXPECT_EQ(head.add(name, "v", kRoom).code(), Errc::response_field_name_invalid) << name;
  }
}

TEST(ResponseHead, CutsWhitespaceAround) {
  ResponseHead head;
  ASSERT_TRUE(head.add("A", " \t b c\t ", kRoom));
  ASSERT_TRUE(head.add("B", " \t ", kRoom));
  EXPECT_EQ(head.field(0).value, "b c");
  EXPECT_EQ(head.field(1).value, "");
  EXPECT_EQ(head.add("A", "b\r\n", kRoom).code(), Errc::response_field_value_invalid);
}

TEST(ResponseHead, RefusesHopByHopFields) {
  ResponseHead head;
  for (const char* name : {"Connection", "keep-alive", "Proxy-Connection", "TE", "Trailer",
                           "TRANSFER-ENCODING", "Upgrade"}) {
    EXPECT_EQ(head.add(name, "x", kRoom).code(), Errc::response_field_hop_by_hop) << name;
  }
  EXPECT_EQ(head.field_count(), 0u);
  EXPECT_FALSE(head.wants_close());
}

TEST(ResponseHead, TakesConnectionCloseAsAWish) {
  ResponseHead head;
  ASSERT_TRUE(head.add("connection", " Close ", kRoom));
  EXPECT_TRUE(head.wants_close());
  EXPECT_EQ(head.field_count(), 0u);
}

TEST(ResponseHead, ReadsContentLength) {
  ResponseHead head;
  EXPECT_FALSE(head.content_length());
  ASSERT_TRUE(head.add("content-length", "12", kRoom));
  ASSERT_TRUE(head.add("Content-Length", "012", kRoom));
  EXPECT_EQ(head.content_length(), 12u);
  EXPECT_EQ(head.field_count(), 0u);
  EXPECT_EQ(head.add("Content-Length", "13", kRoom).code(), Errc::response_content_length_invalid);
  for (const char* value : {"", "-1", "+1", "1 2", "0x1", "9223372036854775808", "1,1"}) {
    ResponseHead other;
    EXPECT_EQ(other.add("Content-Length", value, kRoom).code(),
              Errc::response_content_length_invalid)
        << value;
  }
  ResponseHead largest;
  ASSERT_TRUE(largest.add("Content-Length", "9223372036854775807", kRoom));
  EXPECT_EQ(largest.content_length(), 9223372036854775807u);
}

TEST(ResponseHead, SeesOwnDateAndServer) {
  ResponseHead head;
  EXPECT_FALSE(head.has_date());
  EXPECT_FALSE(head.has_server());
  ASSERT_TRUE(head.add("DATE", "x", kRoom));
  ASSERT_TRUE(head.add("server", "y", kRoom));
  EXPECT_TRUE(head.has_date());
  EXPECT_TRUE(head.has_server());
}

TEST(ResponseHead, IsBounded) {
  ResponseHead head;
  ASSERT_TRUE(head.add("A", "12345", 10));
  EXPECT_EQ(head.add("B", "", 14).code(), Errc::response_head_too_long);
  EXPECT_TRUE(head.add("B", "", 15));
  EXPECT_EQ(head.add(std::string(65536, 'n'), "", kRoom).code(), Errc::response_head_too_long);
  EXPECT_TRUE(head.add(std::string(65535, 'n'), "", kRoom));
}

TEST(ResponseHead, ClearForgetsEverything) {
  ResponseHead head;
  ASSERT_TRUE(head.set_status(200, "Mine"));
  ASSERT_TRUE(head.add("Connection", "close", kRoom));
  ASSERT_TRUE(head.add("Content-Length", "1", kRoom));
  ASSERT_TRUE(head.add("Date", "d", kRoom));
  ASSERT_TRUE(head.add("Server", "s", kRoom));
  head.clear();
  EXPECT_EQ(head.status(), 0);
  EXPECT_EQ(head.reason(), "");
  EXPECT_EQ(head.field_count(), 0u);
  EXPECT_EQ(head.text_bytes(), 0u);
  EXPECT_FALSE(head.content_length());
  EXPECT_FALSE(head.has_date() || head.has_server() || head.wants_close());
  ASSERT_TRUE(head.add("Content-Length", "2", kRoom));
  EXPECT_EQ(head.content_length(), 2u);
}

TEST(ResponseHead, CopiesEverything) {
  ResponseHead head;
  ASSERT_TRUE(head.set_status(201, "Mine"));
  ASSERT_TRUE(head.add("Connection", "close", kRoom));
  ASSERT_TRUE(head.add("Content-Length", "1", kRoom));
  ASSERT_TRUE(head.add("Date", "d", kRoom));
  ResponseHead copy;
  ASSERT_TRUE(copy.add("Old", "gone", kRoom));
  ASSERT_TRUE(copy.copy_from(head));
  head.clear();
  EXPECT_EQ(copy.status(), 201);
  EXPECT_EQ(copy.reason(), "Mine");
  EXPECT_EQ(copy.field_lines(), "Date: d\r\n");
  ASSERT_EQ(copy.field_count(), 1u);
  EXPECT_EQ(copy.field(0).token, Token::date);
  EXPECT_EQ(copy.content_length(), 1u);
  EXPECT_TRUE(copy.has_date() && copy.wants_close() && !copy.has_server());
}

TEST(ResponseHead, CopiesAHeadWithoutFields) {
  ResponseHead head;
  ASSERT_TRUE(head.set_status(204, "No Content"));
  ResponseHead copy;
  ASSERT_TRUE(copy.copy_from(head));
  EXPECT_EQ(copy.status(), 204);
  EXPECT_EQ(copy.reason(), "No Content");
  EXPECT_EQ(copy.field_count(), 0u);
}

TEST(ResponseHead, MovesItsMemory) {
  ResponseHead head;
  ASSERT_TRUE(head.add("A", "1", kRoom));
  ResponseHead moved = std::move(head);
  ASSERT_EQ(moved.field_count(), 1u);
  EXPECT_EQ(moved.field(0).value, "1");
}

}  // namespace
}  // namespace lanner::http
