#include "base/block_pool.h"

#include <cstring>

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(BlockPool, GivesTheSameBlockAgain) {
  BlockPool pool;
  Block* first = pool.take();
  ASSERT_NE(first, nullptr);
  first->begin = 3;
  first->end = 9;
  pool.give_back(first);
  EXPECT_EQ(pool.kept(), 1u);
  Block* again = pool.take();
  EXPECT_EQ(again, first);
  EXPECT_EQ(again->begin, 0u);
  EXPECT_EQ(again->end, 0u);
  EXPECT_EQ(again->next, nullptr);
  pool.give_back(again);
}

TEST(BlockPool, AllItsRoomIsWritable) {
  BlockPool pool;
  Block* block = pool.take();
  ASSERT_NE(block, nullptr);
  std::memset(block->data(), 7, Block::kRoom);
  pool.give_back(block);
  block = pool.take();
  std::memset(block->data(), 8, Block::kRoom);
  EXPECT_EQ(block->data()[Block::kRoom - 1], 8);
  pool.give_back(block);
}

TEST(BlockPool, KeepsNoMoreThanAsked) {
  BlockPool pool(2);
  Block* blocks[4];
  for (Block*& block : blocks) {
    block = pool.take();
    ASSERT_NE(block, nullptr);
  }
  EXPECT_EQ(pool.in_use(), 4u);
  for (Block* block : blocks) pool.give_back(block);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_EQ(pool.kept(), 2u);
}

TEST(BlockPool, SaysNoAtItsLimit) {
  BlockPool pool(1, 2);
  Block* first = pool.take();
  Block* second = pool.take();
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(first);
  EXPECT_EQ(pool.take(), first);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(second);
  pool.give_back(first);
}

#ifdef LANNER_ASAN
TEST(BlockPool, PoisonsAFreeBlock) {
  BlockPool pool;
  Block* block = pool.take();
  ASSERT_NE(block, nullptr);
  EXPECT_FALSE(__asan_address_is_poisoned(block->data()));
  char* data = block->data();
  pool.give_back(block);
  EXPECT_TRUE(__asan_address_is_poisoned(data));
  EXPECT_TRUE(__asan_address_is_poisoned(data + Block::kRoom - 1));
}
#endif

}  // namespace
}  // namespace lanner
