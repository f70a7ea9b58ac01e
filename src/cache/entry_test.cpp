#include "cache/entry.h"

#include <gtest/gtest.h>

namespace lanner::cache {
namespace {

TEST(Entry, KeepsCopiesAndIsCharged) {
  EntryMemory memory;
  EntryParts parts;
  parts.variant = "v";
  parts.head = "A: b\r\n";
  parts.body = "body";
  parts.tags = "cards,card-7";
  parts.validators.etag = "\"e\"";
  Entry* const entry = Entry::make(parts, memory);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(memory.bytes, Entry::bytes_for(parts));
  EXPECT_EQ(entry->head(), parts.head);
  EXPECT_NE(entry->head().data(), parts.head.data());
  EXPECT_EQ(entry->body(), "body");
  EXPECT_EQ(entry->variant(), "v");
  EXPECT_EQ(entry->validators().etag, "\"e\"");
  EXPECT_EQ(entry->validators().last_modified, "");
  EXPECT_TRUE(entry->has_tag("card-7"));
  EXPECT_FALSE(entry->has_tag("card"));
  {
    EntryRef first(*entry);
    entry->release();
    EntryRef second = std::move(first);
    EXPECT_EQ(second->body(), "body");
    EXPECT_GT(memory.bytes, 0U);
  }
  EXPECT_EQ(memory.bytes, 0U);
}

}  // namespace
}  // namespace lanner::cache
