#include "json/shortest.h"

#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "json/shortest_inl.h"

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

// shortest_of() is the judge: three products, exact.
void expect_the_same(double value) {
  if (!std::isfinite(value) || value <= 0) return;
  const Shortest judge = shortest_of(value);
  std::uint64_t digits = judge.digits;
  int point = judge.exponent + 17;
  for (; digits < 10'000'000'000'000'000; --point) digits *= 10;
  Filled found = shortest_filled(value);
  if (found.sixteen < 1'000'000'000'000'000) {
    found.sixteen = found.sixteen * 10 + found.last;
    found = {found.sixteen, 0, found.point - 1};
  }
  ASSERT_EQ(found.sixteen, digits / 10) << value;
  ASSERT_EQ(found.last, digits % 10) << value;
  ASSERT_EQ(found.point, point) << value;
}

TEST(Shortest, OneProductFindsWhatThreeFind) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 100'000; ++round) {
    ASSERT_NO_FATAL_FAILURE(expect_the_same(std::bit_cast<double>(random() >> 1)));
    const auto integer = static_cast<double>(random() >> random() % 64);
    ASSERT_NO_FATAL_FAILURE(expect_the_same(integer));
    ASSERT_NO_FATAL_FAILURE(expect_the_same(std::ldexp(integer, -static_cast<int>(random() % 80))));
    ASSERT_NO_FATAL_FAILURE(
        expect_the_same(integer / std::pow(10, static_cast<int>(random() % 20))));
  }
}

TEST(Shortest, OneProductFindsWhatThreeFindForEveryExponent) {
  for (std::uint64_t exponent = 0; exponent < 2047; ++exponent) {
    for (const std::uint64_t fraction : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                         (std::uint64_t{1} << 52) - 1, std::uint64_t{1} << 51}) {
      ASSERT_NO_FATAL_FAILURE(expect_the_same(std::bit_cast<double>(exponent << 52 | fraction)));
    }
  }
}

}  // namespace
}  // namespace lanner::json
