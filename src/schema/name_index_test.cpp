#include "schema/name_index.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::schema {
namespace {

TEST(NameIndex, FindsEachNameAndNoOther) {
  const std::string_view names[] = {
      "", "a", "b", "ab", "ba", "name", "names", "set_code", "collector_number"};
  NameIndex index;
  ASSERT_EQ(index.build(names, std::size(names)), NameIndex::Built::done);
  for (std::size_t i = 0; i < std::size(names); ++i)
    EXPECT_EQ(index.find(names[i]), static_cast<int>(i));
  for (const char* other : {"c", "nam", "namess", "collector_numbeR", "xollector_number"}) {
    EXPECT_EQ(index.find(other), NameIndex::kNone) << other;
  }
}

TEST(NameIndex, TellsNamesApartWhoseEndsAreTheSame) {
  std::vector<std::string> owned;
  owned.reserve(20000);
  for (int i = 0; i < 200; ++i) owned.push_back("prefix__" + std::to_string(1000 + i) + "__suffix");
  const std::vector<std::string_view> names(owned.begin(), owned.end());
  NameIndex index;
  ASSERT_EQ(index.build(names.data(), names.size()), NameIndex::Built::done);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(index.find(names[i]), static_cast<int>(i));
}

TEST(NameIndex, HoldsManyNames) {
  std::vector<std::string> owned;
  owned.reserve(20000);
  for (int i = 0; i < 20000; ++i) owned.push_back("field" + std::to_string(i));
  const std::vector<std::string_view> names(owned.begin(), owned.end());
  NameIndex index;
  ASSERT_EQ(index.build(names.data(), names.size()), NameIndex::Built::done);
  for (std::size_t i = 0; i < names.size(); ++i)
    ASSERT_EQ(index.find(names[i]), static_cast<int>(i));
  EXPECT_EQ(index.find("field20000"), NameIndex::kNone);
}

TEST(NameIndex, RefusesANameThatStandsTwice) {
  const std::string_view names[] = {"a", "b", "a"};
  NameIndex index;
  EXPECT_EQ(index.build(names, 3), NameIndex::Built::refused);
}

TEST(NameIndex, LeavesOutNamesWithoutText) {
  const std::string_view names[] = {"a", std::string_view(), "b"};
  NameIndex index;
  ASSERT_EQ(index.build(names, 3), NameIndex::Built::done);
  EXPECT_EQ(index.find("b"), 2);
  EXPECT_EQ(index.find(""), NameIndex::kNone);
}

TEST(NameIndex, IsEmptyAtFirst) { EXPECT_EQ(NameIndex().find("a"), NameIndex::kNone); }

}  // namespace
}  // namespace lanner::schema
