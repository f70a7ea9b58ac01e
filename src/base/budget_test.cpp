#include "base/budget.h"

#include <thread>

#include <gtest/gtest.h>

namespace lanner {
namespace {

TEST(Budget, HasALevelForEachRule) {
  Budget budget;
  budget.set_limit(3200);
  budget.charge(1600);
  EXPECT_FALSE(budget.near());
  budget.charge(1);
  EXPECT_TRUE(budget.near());
  EXPECT_FALSE(budget.full());
  budget.charge(1280);
  EXPECT_TRUE(budget.full());
  EXPECT_FALSE(budget.spent());
  budget.charge(220);
  EXPECT_TRUE(budget.spent());
  EXPECT_EQ(budget.used(), 3101u);
}

TEST(Budget, IsRelievedOnlyWellUnderFull) {
  Budget budget;
  budget.set_limit(1000);
  budget.charge(850);
  EXPECT_FALSE(budget.full());
  EXPECT_FALSE(budget.relieved());
  budget.release(50);
  EXPECT_TRUE(budget.relieved());
}

TEST(Budget, FitsUpToTheLimitAndNotBeyond) {
  Budget budget;
  budget.set_limit(1000);
  budget.charge(600);
  EXPECT_TRUE(budget.fits(400));
  EXPECT_FALSE(budget.fits(401));
  budget.charge(600);  // charging never fails
  EXPECT_FALSE(budget.fits(0));
}

TEST(Budget, HasNoLimitUntilOneIsSet) {
  Budget budget;
  budget.charge(UINT64_MAX / 4);
  EXPECT_FALSE(budget.near());
  EXPECT_TRUE(budget.fits(UINT64_MAX / 2));
}

TEST(Budget, CountsWhatThreadsHandOver) {
  Budget budget;
  budget.set_limit(1'000'000);
  std::thread one([&] {
    for (int i = 0; i < 1000; ++i) budget.hand_over(300);
  });
  std::thread two([&] {
    for (int i = 0; i < 1000; ++i) budget.hand_over(300);
  });
  one.join();
  two.join();
  EXPECT_EQ(budget.used(), 600'000u);
  EXPECT_TRUE(budget.near());
  budget.take_over(600'000);
  EXPECT_EQ(budget.used(), 0u);
}

TEST(Charge, FollowsItsBufferUpAndDownAndIsGivenBack) {
  Budget budget;
  {
    Charge charge(budget);
    charge.set(100);
    EXPECT_EQ(budget.used(), 100u);
    charge.set(40);
    EXPECT_EQ(budget.used(), 40u);
    charge.set(400);
    EXPECT_EQ(budget.used(), 400u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace lanner
