#include "json/number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "json/limits.h"

namespace lanner::json {
namespace {

struct Outcome {
  Number number;
  std::string text;
  Errc code = Errc::ok;
  std::ptrdiff_t behind = -1;
  std::ptrdiff_t failed_at = -1;
};

Outcome read(const std::string& text) {
  Outcome outcome;
  const char* failed = nullptr;
  const char* end = read_number(text.c_str(), text.c_str() + text.size(), &outcome.number,
                                &outcome.code, &failed);
  if (end != nullptr) {
    outcome.behind = end - text.c_str();
    outcome.text = outcome.number.text;
  }
  if (end == nullptr) outcome.failed_at = failed - text.c_str();
  return outcome;
}

double read_real(const std::string& text) {
  const Outcome outcome = read(text);
  EXPECT_EQ(outcome.code, Errc::ok) << text;
  EXPECT_EQ(outcome.number.kind, NumberKind::real) << text;
  EXPECT_EQ(outcome.behind, static_cast<std::ptrdiff_t>(text.size())) << text;
  return outcome.number.real;
}

TEST(Number, IntegersKeepTheirValueAtEveryLimit) {
  EXPECT_EQ(read("0").number.int64, 0);
  EXPECT_EQ(read("-0").number.int64, 0);
  EXPECT_EQ(read("9223372036854775807").number.int64, INT64_MAX);
  EXPECT_EQ(read("-9223372036854775808").number.int64, INT64_MIN);
  EXPECT_EQ(read("9223372036854775808").number.kind, NumberKind::uint64);
  EXPECT_EQ(read("9223372036854775808").number.uint64, std::uint64_t{1} << 63);
  EXPECT_EQ(read("10000000000000000000").number.uint64, 10'000'000'000'000'000'000u);
  EXPECT_EQ(read("18446744073709551615").number.uint64, UINT64_MAX);
}

// msgspec #701: a sum that wraps past 2^64 must not be taken for a small number.
TEST(Number, IntegersOver64BitsAreBig) {
  for (const char* text :
       {"18446744073709551616", "19933688932870350000", "19446744073709551616",
        "19999999999999999999", "20000000000000000000", "99999999999999999999",
        "-9223372036854775809", "-18446744073709551615", "100000000000000000000"}) {
    const Outcome outcome = read(text);
    EXPECT_EQ(outcome.code, Errc::ok);
    EXPECT_EQ(outcome.number.kind, NumberKind::big) << text;
    EXPECT_EQ(outcome.text, text);
  }
}

TEST(Number, AnIntegerHas4300DigitsAtMost) {
  EXPECT_EQ(read(std::string(kIntegerDigitsMax, '7')).number.kind, NumberKind::big);
  EXPECT_EQ(read(std::string(kIntegerDigitsMax + 1, '7')).code, Errc::json_integer_too_long);
  EXPECT_EQ(read("-" + std::string(1'000'000, '7')).code, Errc::json_integer_too_long);
}

TEST(Number, ARealMayHaveAMillionDigits) {
  EXPECT_EQ(read_real("0." + std::string(1'000'000, '3')), 1.0 / 3);
  EXPECT_EQ(read_real(std::string(1'000'000, '1') + "e-999999"), 1.1111111111111112);
}

struct Malformed {
  const char* text;
  std::ptrdiff_t failed_at;
};

TEST(Number, RefusesWhatTheGrammarDoesNotHave) {
  for (const Malformed& each : {Malformed{"-", 1},
                                {"01", 1},
                                {"-01", 2},
                                {"00", 1},
                                {"1.", 2},
                                {"1.e1", 2},
                                {"1e", 2},
                                {"1e+", 3},
                                {"1E-", 3},
                                {"-a", 1},
                                {"-.5", 1},
                                {"0.", 2},
                                {"1.5e", 4},
                                {"--1", 1},
                                {"-Infinity", 1}}) {
    const Outcome outcome = read(each.text);
    EXPECT_EQ(outcome.code, Errc::json_number_invalid) << each.text;
    EXPECT_EQ(outcome.failed_at, each.failed_at) << each.text;
  }
}

TEST(Number, StopsWhereTheNumberEnds) {
  EXPECT_EQ(read("12,").behind, 2);
  EXPECT_EQ(read("1.5]").behind, 3);
  EXPECT_EQ(read("1e5 ").behind, 3);
  EXPECT_EQ(read("1+1").behind, 1);
}

TEST(Number, ADoubleThatIsNoneIsTooLarge) {
  for (const char* text :
       {"1e400", "-1e309", "1.8e308", "1e999999999999999999999", "1.7976931348623158080e308"}) {
    const Outcome outcome = read(text);
    EXPECT_EQ(outcome.code, Errc::json_number_too_large) << text;
    EXPECT_EQ(outcome.failed_at, 0);
  }
}

TEST(Number, SmallDoublesGoToZeroWithTheirSign) {
  EXPECT_EQ(read_real("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(read_real("-1e-400")));
  EXPECT_TRUE(std::signbit(read_real("-0.0")));
  EXPECT_EQ(read_real("0e999999999999"), 0.0);
  EXPECT_EQ(read_real("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

// strtod() of glibc rounds exactly: it is the judge.
TEST(Number, EveryWrittenDoubleIsReadAsTheNearest) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 100'000; ++round) {
    std::string text = std::to_string(random() >> (random() % 60));
    if (random() % 2) text.insert(1 + random() % text.size(), ".");
    if (text.back() == '.') text += '5';
    if (random() % 4 == 0) text += std::to_string(random());
    if (text[0] == '0' && text.size() > 1 && text[1] != '.') text[0] = '1';
    text += "e" + std::to_string(static_cast<int>(random() % 640) - 330);
    const double expected = std::strtod(text.c_str(), nullptr);
    if (std::isinf(expected)) {
      EXPECT_EQ(read(text).code, Errc::json_number_too_large) << text;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(read_real(text)),
                std::bit_cast<std::uint64_t>(expected))
          << text;
    }
  }
}

TEST(Number, HalfwayCasesRoundToEven) {
  for (const char* text :
       {"9007199254740993.0", "9007199254740993.00000000000000000000000000001",
        "2.2250738585072011e-308", "2.2250738585072012e-308",
        "1.00000000000000011102230246251565404236316680908203125e0",
        "1.00000000000000011102230246251565404236316680908203124e0",
        "1.00000000000000011102230246251565404236316680908203126e0", "8.98846567431158e307",
        "1.7976931348623157e308", "1.7976931348623158079e308"}) {
    EXPECT_EQ(read_real(text), std::strtod(text, nullptr)) << text;
  }
}

}  // namespace
}  // namespace lanner::json
