#include "http/token.h"

#include <string>

#include <gtest/gtest.h>

#include "http/ascii.h"

namespace lanner::http {
namespace {

constexpr int kCount = static_cast<int>(Token::count);

std::string name_of(int token) { return std::string(token_name(static_cast<Token>(token))); }

TEST(Token, FindsEveryNameInAnyCase) {
  for (int i = 1; i < kCount; ++i) {
    std::string name = name_of(i);
    EXPECT_EQ(static_cast<int>(token_from_name(name)), i) << name;
    for (std::size_t k = 0; k < name.size(); k += 2) {
      if (name[k] != '-') name[k] = static_cast<char>(name[k] - 0x20);
    }
    EXPECT_EQ(static_cast<int>(token_from_name(name)), i) << name;
    for (char& byte : name) {
      if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 0x20);
    }
    EXPECT_EQ(static_cast<int>(token_from_name(name)), i) << name;
  }
}

TEST(Token, OneByteOffIsUnknown) {
  for (int i = 1; i < kCount; ++i) {
    const std::string name = name_of(i);
    for (std::size_t k = 0; k < name.size(); ++k) {
      for (int value = 0; value < 256; ++value) {
        std::string other = name;
        other[k] = static_cast<char>(value);
        const Token token = token_from_name(other);
        if (equals_ignoring_case(other, name)) {
          ASSERT_EQ(static_cast<int>(token), i) << other;
        } else {
          ASSERT_FALSE(token != Token::unknown && !equals_ignoring_case(token_name(token), other))
              << other;
        }
      }
    }
  }
}

TEST(Token, CarriageReturnIsNotAHyphen) {
  EXPECT_EQ(token_from_name("content\rlength"), Token::unknown);
  EXPECT_EQ(token_from_name("content_length"), Token::unknown);
}

TEST(Token, ShorterAndLongerNamesAreUnknown) {
  for (int i = 1; i < kCount; ++i) {
    const std::string name = name_of(i);
    EXPECT_NE(static_cast<int>(token_from_name(name + "s")), i);
    EXPECT_NE(static_cast<int>(token_from_name(name.substr(1))), i);
    EXPECT_NE(static_cast<int>(token_from_name(name.substr(0, name.size() - 1))), i);
  }
  EXPECT_EQ(token_from_name(""), Token::unknown);
  EXPECT_EQ(token_from_name(std::string(31, 'a')), Token::unknown);
  EXPECT_EQ(token_from_name(std::string(300, 'a')), Token::unknown);
  EXPECT_EQ(token_name(Token::unknown), "");
}

}  // namespace
}  // namespace lanner::http
