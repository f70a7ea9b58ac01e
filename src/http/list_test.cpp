#include "http/list.h"

#include <gtest/gtest.h>

namespace lanner::http {
namespace {

TEST(List, FindsMembersInAnyCase) {
  EXPECT_TRUE(has_member("close", "close"));
  EXPECT_TRUE(has_member("x-foo , Close", "close"));
  EXPECT_TRUE(has_member("\tUpgrade\t,keep-alive", "upgrade"));
  EXPECT_TRUE(has_member(",,a,,", "a"));
}

TEST(List, WantsWholeMembers) {
  EXPECT_FALSE(has_member("", "close"));
  EXPECT_FALSE(has_member("closed", "close"));
  EXPECT_FALSE(has_member("not close", "close"));
  EXPECT_FALSE(has_member("clo,se", "close"));
}

TEST(List, TakesMembersInOrder) {
  std::string_view rest = " a ,, b";
  EXPECT_EQ(take_member(rest), "a");
  EXPECT_EQ(take_member(rest), "");
  EXPECT_EQ(take_member(rest), "b");
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace lanner::http
