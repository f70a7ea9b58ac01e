#include "schema/pattern.h"

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

TEST(Pattern, SearchesAnywhere) {
  std::string why;
  const auto pattern = Pattern::make("b+", &why);
  ASSERT_NE(pattern, nullptr) << why;
  EXPECT_TRUE(pattern->found_in("abba"));
  EXPECT_FALSE(pattern->found_in("aa"));
}

TEST(Pattern, SaysWhyItCannotBeMade) {
  std::string why;
  EXPECT_EQ(Pattern::make("(?=a)b", &why), nullptr);
  EXPECT_FALSE(why.empty());
}

TEST(Pattern, ReadsCodePoints) {
  std::string why;
  const auto pattern = Pattern::make("^.$", &why);
  ASSERT_NE(pattern, nullptr) << why;
  EXPECT_TRUE(pattern->found_in("\xC3\xA9"));
}

}  // namespace
}  // namespace lanner::schema
