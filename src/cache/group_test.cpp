#include "cache/group.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::cache {
namespace {

TEST(Group, TheTableGrows) {
  GroupTable table;
  EXPECT_EQ(table.find(1, "a"), nullptr);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Group* const group = Group::make(i % 7, std::to_string(i), "accept");  // they collide
    ASSERT_NE(group, nullptr);
    ASSERT_TRUE(table.add(*group));
  }
  EXPECT_EQ(table.size(), 1000U);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Group* const group = table.find(i % 7, std::to_string(i));
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->vary_names, "accept");
  }
  EXPECT_EQ(table.find(3, "x"), nullptr);
  table.for_each([&table](Group& group) {
    table.remove(group);
    Group::destroy(&group);
  });
  EXPECT_EQ(table.size(), 0U);
}

TEST(Group, VariantsAreFoundByTheirText) {
  EntryMemory memory;
  Group* const group = Group::make(1, "k", "a");
  ASSERT_NE(group, nullptr);
  std::vector<Entry*> entries;
  for (const char* variant : {"x", "y", "z"}) {
    EntryParts parts;
    parts.variant = variant;
    entries.push_back(Entry::make(parts, memory));
    group->add(*entries.back());
  }
  EXPECT_EQ(group->find("y"), entries[1]);
  group->remove(*entries[1]);
  EXPECT_EQ(group->find("y"), nullptr);
  EXPECT_EQ(group->find("x"), entries[0]);
  EXPECT_EQ(group->count, 2U);
  for (Entry* entry : entries) entry->release();
  Group::destroy(group);
}

}  // namespace
}  // namespace lanner::cache
