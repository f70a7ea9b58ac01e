#include "base/vector.h"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(Vector, StartsWithoutMemory) {
  Vector<int> vector;
  EXPECT_TRUE(vector.empty());
  EXPECT_EQ(vector.data(), nullptr);
  EXPECT_EQ(vector.begin(), vector.end());
}

TEST(Vector, KeepsWhatIsPushedWhileItGrows) {
  Vector<int> vector;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(vector.push(i));
  ASSERT_EQ(vector.size(), 1000u);
  int want = 0;
  for (const int value : vector) EXPECT_EQ(value, want++);
  EXPECT_EQ(vector.back(), 999);
  vector.shrink(10);
  EXPECT_EQ(vector.size(), 10u);
  EXPECT_EQ(vector.back(), 9);
}

TEST(Vector, MovesWhatIsNotPlain) {
  Vector<std::unique_ptr<int>> vector;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(vector.push(std::make_unique<int>(i)));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(*vector[i], static_cast<int>(i));
  vector.shrink(50);  // under ASan: what is behind is freed, and once
  Vector<std::unique_ptr<int>> other(std::move(vector));
  EXPECT_EQ(other.size(), 50u);
  EXPECT_EQ(*other.back(), 49);
}

TEST(Vector, KeepsTheAlignmentOfItsElements) {
  struct alignas(64) Wide {
    char bytes[64] = {'w'};
  };
  Vector<Wide> vector;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(vector.push(Wide{}));
    // SAFETY: only the number of the address counts.
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(vector.data()) % 64, 0u);
  }
  for (const Wide& wide : vector) EXPECT_EQ(wide.bytes[0], 'w');
}

TEST(Vector, ResizesWithNewElements) {
  struct Pair {
    int one = 1;
    int two = 2;
  };
  Vector<Pair> vector;
  ASSERT_TRUE(vector.resize(3));
  EXPECT_EQ(vector[2].two, 2);
  vector[0].one = 5;
  ASSERT_TRUE(vector.resize(1));
  ASSERT_TRUE(vector.resize(2));
  EXPECT_EQ(vector[0].one, 5);
  EXPECT_EQ(vector[1].one, 1);
}

TEST(Vector, AppendsAnother) {
  Vector<int> one;
  Vector<int> other;
  for (const int value : {1, 2}) ASSERT_TRUE(one.push(value));
  for (const int value : {3, 4, 5}) ASSERT_TRUE(other.push(value));
  ASSERT_TRUE(one.append(other));
  ASSERT_EQ(one.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(one[i], static_cast<int>(i) + 1);
  EXPECT_TRUE(other.append(Vector<int>()));
  EXPECT_EQ(other.size(), 3u);
}

TEST(Vector, RefusesWhatNoMemoryHolds) {
  Vector<std::uint64_t> vector;
  ASSERT_TRUE(vector.push(7));
  EXPECT_FALSE(vector.reserve(SIZE_MAX));
  EXPECT_FALSE(vector.resize(SIZE_MAX / 8));
  ASSERT_EQ(vector.size(), 1u);
  EXPECT_EQ(vector[0], 7u);
}

}  // namespace
}  // namespace lanner
