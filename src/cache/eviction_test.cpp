#include "cache/eviction.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanner::cache {
namespace {

class EvictionTest : public ::testing::Test {
 protected:
  EvictionTest() { EXPECT_TRUE(eviction_.set_size(10 * Entry::bytes_for({}), 64)); }
  ~EvictionTest() override {
    for (Entry* entry : entries_) {
      eviction_.remove(*entry);
      entry->release();
    }
  }
  Entry& add(std::uint64_t hash) {
    entries_.push_back(Entry::make({}, memory_));
    eviction_.add(*entries_.back(), hash);
    return *entries_.back();
  }

  EntryMemory memory_;
  Eviction eviction_;
  std::vector<Entry*> entries_;
};

TEST_F(EvictionTest, TheUnusedGoesFirst) {
  EXPECT_EQ(eviction_.choose(), nullptr);
  Entry& used = add(1);
  Entry& unused = add(2);
  Eviction::hit(used);
  EXPECT_EQ(eviction_.choose(), &unused);
  EXPECT_EQ(used.queue, Queue::main);
}

TEST_F(EvictionTest, WhoComesBackSoonIsKept) {
  Entry& first = add(1);
  ASSERT_EQ(eviction_.choose(), &first);
  eviction_.remember(first, 1);
  eviction_.remove(first);
  EXPECT_EQ(add(1).queue, Queue::main);
  EXPECT_EQ(add(2).queue, Queue::small);
  EXPECT_EQ(add(1).queue, Queue::small);  // remembered once
}

TEST_F(EvictionTest, MemoryOfThoseWhoLeftIsBounded) {
  Entry& first = add(1);
  eviction_.remember(first, 1);
  for (std::uint64_t i = 0; i < 20; ++i) eviction_.remember(first, 100 + i);
  EXPECT_EQ(add(1).queue, Queue::small);
}

TEST_F(EvictionTest, AScanLeavesTheMainQueueAlone) {
  Entry& used = add(1);
  Eviction::hit(used);
  add(2);
  ASSERT_NE(eviction_.choose(), nullptr);
  for (std::uint64_t i = 10; i < 1000; ++i) {
    add(i << 32 | i);
    Entry* const gone = eviction_.choose();
    ASSERT_NE(gone, &used);
    eviction_.remember(*gone, i << 32 | i);
    eviction_.remove(*gone);
  }
}

TEST_F(EvictionTest, WhatIsUsedOftenLeavesAtLast) {
  Entry& used = add(1);
  for (int i = 0; i < 100; ++i) Eviction::hit(used);
  EXPECT_EQ(eviction_.choose(), &used);  // it ends
}

}  // namespace
}  // namespace lanner::cache
