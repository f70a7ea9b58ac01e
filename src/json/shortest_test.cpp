#include "json/shortest.h"

#include <gtest/gtest.h>

namespace lanner::json {
namespace {

// decimal_test.cpp compares what is written with std::to_chars(); here the numbers themselves.
TEST(Shortest, AnIntegerKeepsItsDigits) {
  const Shortest found = shortest_of(9007199254740991.0);
  EXPECT_EQ(found.digits, 9007199254740991u);
  EXPECT_EQ(found.exponent, 0);
}

TEST(Shortest, TheLeastAndTheGreatestDouble) {
  const Shortest least = shortest_of(5e-324);
  EXPECT_EQ(least.digits, 5u);
  EXPECT_EQ(least.exponent, -324);
  const Shortest greatest = shortest_of(1.7976931348623157e308);
  EXPECT_EQ(greatest.digits, 17976931348623157u);
  EXPECT_EQ(greatest.exponent, 292);
}

TEST(Shortest, OfTwoAsShortTheNearest) {
  // 2^-44 = 5.684341886080802 00692...e-14: the neighbours would read back, too.
  const Shortest found = shortest_of(5.684341886080802e-14);
  EXPECT_EQ(found.digits, 5684341886080802u);
  EXPECT_EQ(found.exponent, -29);
}

}  // namespace
}  // namespace lanner::json
