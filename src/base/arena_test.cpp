#include "base/arena.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace lanner {
namespace {

bool aligned(const void* at) {
  // SAFETY: the address is only looked at as a number.
  return reinterpret_cast<std::uintptr_t>(at) % alignof(std::max_align_t) == 0;
}

TEST(Arena, HoldsNothingUntilAskedAndAfterReset) {
  BlockPool pool;
  Arena arena(pool);
  EXPECT_EQ(arena.bytes_held(), 0u);
  ASSERT_NE(arena.allocate(1), nullptr);
  EXPECT_EQ(arena.bytes_held(), Block::kBytes);
  EXPECT_EQ(pool.in_use(), 1u);
  arena.reset();
  EXPECT_EQ(arena.bytes_held(), 0u);
  EXPECT_EQ(pool.in_use(), 0u);
}

TEST(Arena, AlignsAfterUnalignedCopies) {
  BlockPool pool;
  Arena arena(pool);
  for (std::size_t i = 1; i < 40; ++i) {
    ASSERT_NE(arena.copy(std::string(i, 'x')).data(), nullptr);
    void* at = arena.allocate(i);
    ASSERT_NE(at, nullptr);
    EXPECT_TRUE(aligned(at));
  }
}

TEST(Arena, AllocationsDoNotOverlap) {
  BlockPool pool;
  Arena arena(pool);
  std::array<unsigned char*, 300> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<unsigned char*>(arena.allocate(i + 1));
    ASSERT_NE(all[i], nullptr);
    std::memset(all[i], static_cast<int>(i & 0xff), i + 1);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t at = 0; at <= i; ++at) ASSERT_EQ(all[i][at], i & 0xff);
  }
  EXPECT_GT(pool.in_use(), 1u);
}

TEST(Arena, CopyLivesOnItsOwn) {
  BlockPool pool;
  Arena arena(pool);
  std::string text = "a value";
  const std::string_view copy = arena.copy(text);
  text.assign(text.size(), '!');
  EXPECT_EQ(copy, "a value");
}

TEST(Arena, EmptyCopyNeedsNoMemory) {
  BlockPool pool;
  Arena arena(pool);
  const std::string_view copy = arena.copy("");
  EXPECT_NE(copy.data(), nullptr);
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(arena.bytes_held(), 0u);
}

TEST(Arena, ZeroBytesAreAnAllocationToo) {
  BlockPool pool;
  Arena arena(pool);
  void* first = arena.allocate(0);
  void* second = arena.allocate(0);
  ASSERT_NE(first, nullptr);
  EXPECT_NE(first, second);
}

TEST(Arena, FillsABlockToTheLastByte) {
  BlockPool pool;
  Arena arena(pool);
  void* whole = arena.allocate(Block::kRoom);
  ASSERT_NE(whole, nullptr);
  std::memset(whole, 1, Block::kRoom);
  EXPECT_EQ(pool.in_use(), 1u);
  ASSERT_NE(arena.allocate(1), nullptr);
  EXPECT_EQ(pool.in_use(), 2u);
}

TEST(Arena, TakesMoreThanABlockFromTheHeap) {
  BlockPool pool;
  Arena arena(pool);
  const std::string large(3 * Block::kBytes + 1, 'L');
  EXPECT_EQ(arena.copy(large), large);
  void* memory = arena.allocate(Block::kRoom + 1);
  ASSERT_NE(memory, nullptr);
  EXPECT_TRUE(aligned(memory));
  std::memset(memory, 2, Block::kRoom + 1);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_GT(arena.bytes_held(), large.size() + Block::kRoom);
}

TEST(Arena, SaysNoWhenMemoryIsOut) {
  BlockPool pool(0, 1);
  Arena arena(pool);
  ASSERT_NE(arena.allocate(10'000), nullptr);
  EXPECT_EQ(arena.allocate(10'000), nullptr);
  EXPECT_EQ(arena.copy(std::string(10'000, 'x')).data(), nullptr);
  EXPECT_NE(arena.allocate(1'000), nullptr) << "what is left still serves";
}

TEST(Arena, SaysNoToTheImpossible) {
  BlockPool pool;
  Arena arena(pool);
  ASSERT_NE(arena.allocate(5), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX - 20), nullptr);
  EXPECT_NE(arena.allocate(5), nullptr);
}

}  // namespace
}  // namespace lanner
