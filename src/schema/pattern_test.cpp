#include "schema/pattern.h"

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

TEST(Pattern, SearchesAnywhere) {
  Pattern::Problem why;
  const auto pattern = Pattern::make("b+", &why);
  ASSERT_NE(pattern, nullptr) << why.view();
  EXPECT_EQ(pattern->found_in("abba"), Pattern::Found::yes);
  EXPECT_EQ(pattern->found_in("aa"), Pattern::Found::no);
}

TEST(Pattern, SaysWhyItCannotBeMade) {
  Pattern::Problem why;
  EXPECT_EQ(Pattern::make("(?=a)b", &why), nullptr);
  EXPECT_FALSE(why.empty());
}

TEST(Pattern, ReadsCodePoints) {
  Pattern::Problem why;
  const auto pattern = Pattern::make("^.$", &why);
  ASSERT_NE(pattern, nullptr) << why.view();
  EXPECT_EQ(pattern->found_in("\xC3\xA9"), Pattern::Found::yes);
}

}  // namespace
}  // namespace lanner::schema
