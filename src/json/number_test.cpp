#include "json/number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/limits.h"
#include "json/scan.h"

namespace lanner::json {
namespace {

struct Outcome {
  Number number;
  std::string text;
  Errc code = Errc::ok;
  std::ptrdiff_t behind = -1;
  std::ptrdiff_t failed_at = -1;
};

Outcome read_by(NumberFunction function, const std::string& text, const std::string& more) {
  // A block of its own, the NUL in it: ASan sees a byte read outside.
  const std::string whole = text + more;
  std::vector<char> tight(whole.begin(), whole.end());
  tight.push_back('\0');
  const char* const begin = tight.data();
  Outcome outcome;
  const char* failed = nullptr;
  const char* const end =
      function(begin, begin + whole.size(), &outcome.number, &outcome.code, &failed);
  if (end != nullptr) {
    outcome.behind = end - begin;
    outcome.text = outcome.number.text;
    outcome.number.text = {};
  } else {
    outcome.failed_at = failed - begin;
  }
  return outcome;
}

void expect_same(const Outcome& found, const Outcome& want, const std::string& text) {
  ASSERT_EQ(found.code, want.code) << text;
  ASSERT_EQ(found.failed_at, want.failed_at) << text;
  ASSERT_EQ(found.behind, want.behind) << text;
  ASSERT_EQ(found.text, want.text) << text;
  if (want.behind < 0) return;
  ASSERT_EQ(found.number.kind, want.number.kind) << text;
  if (want.number.kind == NumberKind::big) return;
  ASSERT_EQ(found.number.uint64, want.number.uint64) << text;  // of doubles the bits
}

// What read_number() says, which every level must say, at the end of a document and within.
Outcome read(const std::string& text) {
  const Outcome want = read_by(read_number, text, "");
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
    const NumberFunction function = scan_kernels_of(static_cast<SimdLevel>(level)).number;
    for (const char* more :
         {"", ",", "],[7.77777777777777777777777777777777777777777777777777777"}) {
      expect_same(read_by(function, text, more), want, text + more);
    }
  }
  return want;
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

TEST(Number, OneTooLargeForADoubleIsPassedOver) {
  const auto skip = [](const std::string& text, Errc* code) {
    const char* failed = nullptr;
    *code = Errc::ok;
    const char* const end = skip_number(text.data(), text.data() + text.size(), code, &failed);
    return end ? end - text.data() : text.data() - failed - 1;
  };
  Errc code = Errc::ok;
  EXPECT_EQ(skip("1e400", &code), 5);
  EXPECT_EQ(skip("-1.5E+999999999]", &code), 15);
  EXPECT_EQ(skip(std::string(kIntegerDigitsMax, '7'), &code), 4300);
  EXPECT_EQ(skip("1e", &code), -3);
  EXPECT_EQ(code, Errc::json_number_invalid);
  EXPECT_EQ(skip(std::string(kIntegerDigitsMax + 1, '7'), &code), -1);
  EXPECT_EQ(code, Errc::json_integer_too_long);
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
                                {".5", 0},
                                {"+1", 0},
                                {"a1", 0},
                                {"", 0},
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

// strtod() of glibc rounds exactly: it is the judge. CI takes the default number of doubles,
// `make nightly` many more.
TEST(Number, EveryWrittenDoubleIsReadAsTheNearest) {
  const char* const wanted = std::getenv("LANNER_DOUBLES");
  std::mt19937_64 random(11);
  for (int round = wanted != nullptr ? std::atoi(wanted) : 100'000; round > 0; --round) {
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

// Every length of an integer, a fraction and an exponent, with zeros in front and behind.
TEST(Number, EveryShapeIsReadAsTheNearest) {
  std::mt19937_64 random(12);
  const auto digits = [&](int count, bool zeros) {
    std::string text;
    while (static_cast<int>(text.size()) < count)
      text += static_cast<char>('0' + (zeros && random() % 3 != 0 ? 0 : random() % 10));
    return text;
  };
  for (int integer = 1; integer <= 25; ++integer) {
    for (int fraction = 0; fraction <= 25; ++fraction) {
      for (const char* exponent :
           {"", "e0", "E5", "e-7", "e+22", "e-23", "e300", "e-310", "e0012"}) {
        std::string text = digits(integer, random() % 2 == 0);
        if (text[0] == '0' && integer > 1) text[0] = '1';
        if (fraction > 0) text += "." + digits(fraction, random() % 2 == 0);
        text += exponent;
        if (random() % 2 == 0) text.insert(0, "-");
        const Outcome outcome = read(text);
        if (outcome.number.kind != NumberKind::real) continue;  // read() has compared them
        const double expected = std::strtod(text.c_str(), nullptr);
        ASSERT_EQ(outcome.code == Errc::json_number_too_large, std::isinf(expected)) << text;
        if (outcome.code != Errc::ok) continue;
        ASSERT_EQ(outcome.number.uint64, std::bit_cast<std::uint64_t>(expected)) << text;
      }
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
