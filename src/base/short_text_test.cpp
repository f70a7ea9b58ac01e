#include "base/short_text.h"

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(ShortText, IsPutTogether) {
  ShortText<32> text;
  EXPECT_TRUE(text.empty());
  text.append("found `").append("x").append("` at ").append(UINT64_MAX);
  EXPECT_EQ(text.view(), "found `x` at 1844674407370955161");  // 32 bytes of it
  text.assign("");
  EXPECT_TRUE(text.empty());
  text.assign("next");
  EXPECT_EQ(text.view(), "next");
}

TEST(ShortText, IsNotCutWithinACodePoint) {
  ShortText<4> text;
  text.append("ab").append("\xE2\x82\xAC");
  EXPECT_EQ(text.view(), "ab");
  text.append("\xC3\xA9");
  EXPECT_EQ(text.view(), "ab\xC3\xA9");
}

TEST(Beginning, IsOfWholeCodePoints) {
  EXPECT_EQ(beginning("abc", 3), "abc");
  EXPECT_EQ(beginning("abc", 2), "ab");
  EXPECT_EQ(beginning("a\xE2\x82\xAC", 3), "a");
  EXPECT_EQ(beginning("\xE2\x82\xAC", 0), "");
}

}  // namespace
}  // namespace lanner
