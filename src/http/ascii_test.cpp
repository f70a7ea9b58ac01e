#include "http/ascii.h"

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TEST(Ascii, ClassesFollowTheGrammars) {
  int tokens = 0;
  int values = 0;
  int targets = 0;
  for (int i = 0; i < 256; ++i) {
    const char byte = static_cast<char>(i);
    tokens += is_byte(byte, kTokenByte);
    values += is_byte(byte, kValueByte);
    targets += is_byte(byte, kTargetByte);
  }
  EXPECT_EQ(tokens, 62 + 15);
  EXPECT_EQ(values, 256 - 32 - 1 + 1);
  EXPECT_EQ(targets, 94 - 1);
  for (const char byte : std::string_view("(),/:;<=>?@[\\]{}\" \t\r\n\x7F\x80\xFF")) {
    EXPECT_FALSE(is_byte(byte, kTokenByte)) << byte;
  }
  for (const char byte : std::string_view(" #\t\r\n\x7F\x80"))
    EXPECT_FALSE(is_byte(byte, kTargetByte)) << byte;
}

TEST(Ascii, ReadsHexDigits) {
  EXPECT_EQ(hex_value('0'), 0);
  EXPECT_EQ(hex_value('9'), 9);
  EXPECT_EQ(hex_value('a'), 10);
  EXPECT_EQ(hex_value('F'), 15);
  for (const char byte : std::string_view("g/:@G` -x_")) EXPECT_EQ(hex_value(byte), -1) << byte;
}

TEST(Ascii, ReadsDecimalsStrictly) {
  std::uint64_t value = 1;
  EXPECT_TRUE(parse_decimal("0", &value));
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(parse_decimal("0000000000000000000000000000010", &value));
  EXPECT_EQ(value, 10u);
  EXPECT_TRUE(parse_decimal("9223372036854775807", &value));
  EXPECT_EQ(value, 9223372036854775807u);
  for (const char* text : {"", " 1", "1 ", "+1", "-0", "1_0", "0x5", "9223372036854775808",
                           "18446744073709551621", "99999999999999999999999999"}) {
    EXPECT_FALSE(parse_decimal(text, &value)) << text;
  }
}

TEST(Ascii, LettersOnlyHaveCase) {
  EXPECT_TRUE(equals_ignoring_case("Host", "hOST"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
  EXPECT_FALSE(equals_ignoring_case("\r", "-"));
  EXPECT_FALSE(equals_ignoring_case("a", "aa"));
  EXPECT_EQ(trim_blanks("\t a b \t"), "a b");
  EXPECT_EQ(trim_blanks(" \t"), "");
}

}  // namespace
}  // namespace lanner::http
