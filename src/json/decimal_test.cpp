#include "json/decimal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/cpu.h"
#include "json/number_avx512.h"

namespace lanner::json {
namespace {

// How many random doubles: CI takes the default, `LANNER_DOUBLES=10000000` is the long run.
int double_rounds() {
  const char* wanted = std::getenv("LANNER_DOUBLES");
  return wanted != nullptr ? std::atoi(wanted) : 100'000;
}

#if defined(__x86_64__)
template <class Number>
LANNER_AVX512_TARGET std::string written_by_avx512(Number value) {
  char text[kDoubleRoom];
  const Avx512PlainNumbers writer;
  return {text, writer.write(text, value)};
}
#endif

// By all the ways that this machine has.
std::string written(double value) {
  char room[kDoubleRoom];
  std::string text(room, write_double(room, value));
#if defined(__x86_64__)
  if (simd_level() == SimdLevel::avx512) {
    EXPECT_EQ(written_by_avx512(value), text);
  }
#endif
  return text;
}
std::string written_float(float value) {
  char text[kDoubleRoom];
  return {text, write_float(text, value)};
}
template <class Integer>
std::string written_integer(Integer value) {
  char room[kIntegerRoom];
  if constexpr (std::is_signed_v<Integer>) {
    std::string text(room, write_int64(room, value));
#if defined(__x86_64__)
    if (simd_level() == SimdLevel::avx512) {
      EXPECT_EQ(written_by_avx512(value), text);
    }
#endif
    return text;
  } else {
    return {room, write_uint64(room, value)};
  }
}

std::string digits_of(std::string text) {
  if (const auto e = text.find('e'); e != std::string::npos) text.resize(e);
  std::erase(text, '.');
  std::erase(text, '-');
  text.erase(0, text.find_first_not_of('0'));
  while (!text.empty() && text.back() == '0') text.pop_back();
  return text;
}

// std::to_chars() gives the shortest digits, and of those the nearest: it is the judge.
void expect_shortest(double value) {
  const std::string text = written(value);
  ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)),
            std::bit_cast<std::uint64_t>(value))
      << text;
  char judge[64];
  const auto end = std::to_chars(judge, judge + sizeof judge, value, std::chars_format::scientific);
  ASSERT_EQ(digits_of(text), digits_of(std::string(judge, end.ptr)));
}

TEST(Decimal, IntegersOfEveryLength) {
  for (std::uint64_t value = 1, digit = 1;; value = value * 10 + digit % 10) {
    ASSERT_EQ(written_integer(value), std::to_string(value));
    ASSERT_EQ(written_integer(static_cast<std::int64_t>(value)),
              std::to_string(static_cast<std::int64_t>(value)));
    ++digit;
    if (value > UINT64_MAX / 10 - 1) break;
  }
  for (std::uint64_t power = 1;; power *= 10) {
    ASSERT_EQ(written_integer(power), std::to_string(power));
    ASSERT_EQ(written_integer(power - 1), std::to_string(power - 1));
    if (power > UINT64_MAX / 10) break;
  }
  EXPECT_EQ(written_integer(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(written_integer(INT64_MIN), "-9223372036854775808");
}

TEST(Decimal, SmallIntegersAreAsTheStandardLibrarysAre) {
  for (std::int64_t value = -100'100; value <= 100'100; ++value) {
    ASSERT_EQ(written_integer(value), std::to_string(value));
  }
}

TEST(Decimal, RandomIntegersAreAsTheStandardLibrarysAre) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100'000; ++round) {
    const std::uint64_t value = random() >> (random() % 64);
    ASSERT_EQ(written_integer(value), std::to_string(value));
    const auto sign = static_cast<std::int64_t>(value);
    ASSERT_EQ(written_integer(sign), std::to_string(sign));
  }
}

TEST(Decimal, DoublesLookAsInPython) {
  EXPECT_EQ(written(0.0), "0.0");
  EXPECT_EQ(written(-0.0), "-0.0");
  EXPECT_EQ(written(1.0), "1.0");
  EXPECT_EQ(written(-1.5), "-1.5");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(100.0), "100.0");
  EXPECT_EQ(written(123456.789), "123456.789");
  EXPECT_EQ(written(0.0001), "0.0001");
  EXPECT_EQ(written(0.00001), "1e-5");
  EXPECT_EQ(written(1.5e-7), "1.5e-7");
  EXPECT_EQ(written(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(written(1e15), "1000000000000000.0");
  EXPECT_EQ(written(1e16), "1e16");
  EXPECT_EQ(written(1.2345e22), "1.2345e22");
  EXPECT_EQ(written(5e-324), "5e-324");
  EXPECT_EQ(written(2.2250738585072014e-308), "2.2250738585072014e-308");
  EXPECT_EQ(written(1.7976931348623157e308), "1.7976931348623157e308");
}

TEST(Decimal, EveryPowerOfTwoAndTenIsShortest) {
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    expect_shortest(power);
    expect_shortest(std::nextafter(power, 0.0));
    expect_shortest(std::nextafter(power, 1e308));
  }
  for (int exponent = -323; exponent <= 308; ++exponent) {
    const double power = std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
    expect_shortest(power);
    expect_shortest(std::nextafter(power, 0.0));
    expect_shortest(std::nextafter(power, 1e308));
  }
}

TEST(Decimal, RandomDoublesAreShortestAndComeBack) {
  std::mt19937_64 random(6);
  for (int round = double_rounds(); round > 0; --round) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ASSERT_NO_FATAL_FAILURE(expect_shortest(value));
  }
}

TEST(Decimal, RandomDecimalFractionsAreShortest) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 100'000; ++round) {
    const double value =
        static_cast<double>(random() % 1'000'000'000) / std::pow(10, random() % 12);
    ASSERT_NO_FATAL_FAILURE(expect_shortest(value));
  }
}

// 1 to 17 digits with the point at each place, the exponents at which the form changes among them.
TEST(Decimal, EveryLengthWithThePointAtEveryPlace) {
  const std::string digits = "12345678901234567";
  for (std::size_t count = 1; count <= digits.size(); ++count) {
    for (int exponent = -30; exponent <= 30; ++exponent) {
      const std::string text = digits.substr(0, count) + "e" + std::to_string(exponent);
      const double value = std::strtod(text.c_str(), nullptr);
      ASSERT_NO_FATAL_FAILURE(expect_shortest(value));
      ASSERT_NO_FATAL_FAILURE(expect_shortest(-value));
      const std::string form = written(value);
      const bool plain = value >= 1e-4 && value < 1e16;
      ASSERT_EQ(form.find('e') == std::string::npos, plain) << form;
      ASSERT_EQ(std::count(form.begin(), form.end(), '.'), plain || count > 1) << form;
    }
  }
}

TEST(Decimal, FloatsAreShortestAmongFloats) {
  EXPECT_EQ(written_float(0.1f), "0.1");
  EXPECT_EQ(written_float(16777216.0f), "16777216.0");
  EXPECT_EQ(written_float(std::numeric_limits<float>::denorm_min()), "1e-45");
  std::mt19937 random(8);
  for (int round = 0; round < 100'000; ++round) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    const std::string text = written_float(value);
    ASSERT_EQ(std::strtof(text.c_str(), nullptr), value) << text;
  }
}

}  // namespace
}  // namespace lanner::json
