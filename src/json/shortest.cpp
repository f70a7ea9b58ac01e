#include "json/shortest.h"

#include <bit>

#include "json/shortest_inl.h"

namespace lanner::json {

namespace detail {

const Power kPowers[] = {
#define LANNER_POWER(high, low) {high, low},
#include "json/powers_of_ten.def"
#undef LANNER_POWER
};

}  // namespace detail

namespace {

using detail::kBias;
using detail::kFractionBits;
using detail::Power;
using detail::Wide;

// floor(log10(3/4 * 2^e)), exact for every e of a double.
constexpr int log10_of_three_quarters(int e) noexcept { return (e * 1262611 - 524031) >> 22; }

// The upper 64 bits of power * factor / 2^64; the lowest bit is set if anything was cut off: such a
// number compares with integers as the exact one does.
std::uint64_t scale(const Power& power, std::uint64_t factor) noexcept {
  const Wide low = Wide{power.low} * factor;
  const Wide product = Wide{power.high} * factor + static_cast<std::uint64_t>(low >> 64);
  const auto rest = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64) | static_cast<std::uint64_t>(rest > 1);
}

constexpr std::uint64_t kPowersOfTen[] = {1,
                                          10,
                                          100,
                                          1'000,
                                          10'000,
                                          100'000,
                                          1'000'000,
                                          10'000'000,
                                          100'000'000,
                                          1'000'000'000,
                                          10'000'000'000,
                                          100'000'000'000,
                                          1'000'000'000'000,
                                          10'000'000'000'000,
                                          100'000'000'000'000,
                                          1'000'000'000'000'000,
                                          10'000'000'000'000'000,
                                          100'000'000'000'000'000};

// Decimal digits of a value from 1 to 10^17 - 1.
int length_of(std::uint64_t value) noexcept {
  const int guess = (64 - std::countl_zero(value)) * 1233 >> 12;  // log10(2) = 1233 / 4096
  return guess + static_cast<int>(value >= kPowersOfTen[guess]);
}

}  // namespace

Filled detail::fill(double value) noexcept {
  const Shortest shortest = shortest_of(value);
  const int length = length_of(shortest.digits);
  const std::uint64_t filled = shortest.digits * kPowersOfTen[17 - length];
  return {filled / 10, static_cast<std::uint32_t>(filled % 10), shortest.exponent + length};
}

Shortest shortest_of(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const auto biased = static_cast<int>(bits >> kFractionBits);
  const std::uint64_t c = biased != 0 ? fraction | std::uint64_t{1} << kFractionBits : fraction;
  const int q = (biased != 0 ? biased : 1) - kBias;
  if (q <= 0 && q > -kFractionBits - 1 && std::countr_zero(c) >= -q)
    return {c >> -q, 0};  // an integer: all its digits

  // All in quarters: the double, and the middles to its neighbours, of which the lower one is
  // nearer below a power of two.
  const bool even = c % 2 == 0;
  const bool uneven_gap = fraction == 0 && biased > 1;
  const int k = uneven_gap ? log10_of_three_quarters(q) : detail::log10_of_power_of_2(q);
  const int h = q + detail::log2_of_power_of_10(-k) + 1;
  const Power& power = detail::kPowers[-k - detail::kFirstPower];
  const std::uint64_t middle = scale(power, (4 * c) << h);
  const std::uint64_t lower = scale(power, (4 * c - 2 + uneven_gap) << h) + !even;
  const std::uint64_t upper = scale(power, (4 * c + 2) << h) - !even;

  // Which of the candidates it is depends on the last digits, so on chance: no branches.
  const std::uint64_t s = middle / 4;
  const std::uint64_t tens = s / 10;
  const bool tens_below = lower <= 40 * tens;
  const bool tens_above = 40 * tens + 40 <= upper;
  const bool shorter = (s >= 10) & (tens_below != tens_above);
  const bool below = lower <= 4 * s;
  const bool above = 4 * s + 4 <= upper;
  const std::uint64_t half = 4 * s + 2;
  const bool nearer_up = (middle > half) | ((middle == half) & (s % 2 == 1));
  const bool up = ((below != above) & above) | ((below == above) & nearer_up);
  const std::uint64_t choice = 0 - static_cast<std::uint64_t>(shorter);
  return {((tens + tens_above) & choice) | ((s + up) & ~choice), k + shorter};
}

}  // namespace lanner::json
