#include "base/ring.h"

#include <array>
#include <deque>
#include <random>

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(Ring, GivesBackInTheOrderItTook) {
  std::array<int, 1000> items{};
  Ring<int> ring;
  for (int& item : items) ASSERT_TRUE(ring.push_back(&item));
  EXPECT_EQ(ring.size(), items.size());
  for (int& item : items) EXPECT_EQ(ring.pop_front(), &item);
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, GrowsWhileItIsWrappedAround) {
  std::array<int, 200> items{};
  Ring<int> ring;
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(ring.push_back(&items[0]));
  for (int i = 0; i < 40; ++i) (void)ring.pop_front();
  for (int& item : items) ASSERT_TRUE(ring.push_back(&item));
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(ring[i], &items[i]);
}

TEST(Ring, AgreesWithADequeAtBothEnds) {
  std::mt19937 random(7);
  std::array<int, 512> items{};
  std::deque<int*> model;
  Ring<int> ring;
  for (int step = 0; step < 20000; ++step) {
    int* item = &items[random() % items.size()];
    switch (random() % 5) {
      case 0:
      case 1:
        ASSERT_TRUE(ring.push_back(item));
        model.push_back(item);
        break;
      case 2:
        ASSERT_TRUE(ring.push_front(item));
        model.push_front(item);
        break;
      case 3:
        if (model.empty()) break;
        ASSERT_EQ(ring.pop_front(), model.front());
        model.pop_front();
        break;
      default:
        if (model.empty()) break;
        ASSERT_EQ(ring.pop_back(), model.back());
        model.pop_back();
    }
    ASSERT_EQ(ring.size(), model.size());
  }
}

}  // namespace
}  // namespace lanner
