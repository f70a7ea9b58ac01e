// json/shortest_inl.h: the 17 digits of the shortest number, inline.

#pragma once

#include <bit>
#include <cstdint>

#include "json/shortest.h"

namespace lanner::json {

namespace detail {

struct Power {
  std::uint64_t high;
  std::uint64_t low;
};

constexpr int kFirstPower = -292;
constexpr int kLastPower = 324;
extern const Power kPowers[kLastPower - kFirstPower + 1];

constexpr int kFractionBits = 52;
constexpr int kBias = 1075;  // value = fraction * 2^(exponent - kBias)
constexpr std::uint64_t kTenTo15 = 1'000'000'000'000'000;  // the least number of 16 digits

// floor(log10(2^e)), floor(log2(10^e)), exact for every e of a double.
constexpr int log10_of_power_of_2(int e) noexcept { return (e * 1262611) >> 22; }
constexpr int log2_of_power_of_10(int e) noexcept { return (e * 1741647) >> 19; }

__extension__ using Wide = unsigned __int128;

// shortest_filled() by way of shortest_of().
[[gnu::cold]] Filled fill(double value) noexcept;

}  // namespace detail

[[gnu::always_inline]] inline Filled shortest_filled(double value) noexcept {
  using namespace detail;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const auto biased = static_cast<int>(bits >> kFractionBits);
  // Subnormal numbers, powers of two (their lower neighbour is nearer), what needs 10^-293.
  constexpr int kBiasedMax = 2045;
  if (static_cast<unsigned>(biased - 1) >= kBiasedMax || fraction == 0) [[unlikely]]
    return fill(value);
  const std::uint64_t c = fraction | std::uint64_t{1} << kFractionBits;
  const int q = biased - kBias;
  const int k = log10_of_power_of_2(q);  // 10^k <= 2^q < 10^(k + 1)

  // value / 10^(k + 1) = whole + part / 2^64; 4.5 * 10^14 < whole < 9.1 * 10^15. The power is too
  // great by less than 1 / 2^128 of 2, and so `part` by at most 1.
  constexpr int kSpare = 6;                               // bits, so that the shift is to the left
  const int shift = q + log2_of_power_of_10(-k - 1) + 1;  // -3 to 0
  const Power& power = kPowers[-k - 1 - kFirstPower];
  const std::uint64_t factor = c << (shift + kSpare);
  const Wide product =
      Wide{power.high} * factor + static_cast<std::uint64_t>((Wide{power.low} * factor) >> 64);
  const auto whole = static_cast<std::uint64_t>(product >> (64 + kSpare));
  const auto part = static_cast<std::uint64_t>(product >> kSpare);
  // Half of the gap to the next double, in the unit of `part`, too small by less than 1.
  const std::uint64_t half = power.high >> (1 - shift);

  // One digit less will do if `whole` or the next one reads back; else the nearest digit behind it.
  // This is unpredictable, so there are no branches.
  const std::uint64_t upper = 0 - (part >> 63);  // all ones: the next one is nearer
  const std::uint64_t distance = (part ^ upper) - upper;
  const bool shorter = distance < half;
  const Wide tenfold = Wide{part} * 10;
  const std::uint64_t rest = static_cast<std::uint64_t>(tenfold) + (std::uint64_t{1} << 63);
  const std::uint64_t digit =
      static_cast<std::uint64_t>(tenfold >> 64) + (rest < std::uint64_t{1} << 63);
  // Too close to decide: the error of `rest` is 10 times that of `part`.
  constexpr std::uint64_t kError = 4;
  if ((distance - half + kError <= 2 * kError) | (rest + 16 * kError <= 32 * kError)) [[unlikely]]
    return fill(value);
  const std::uint64_t choice = static_cast<std::uint64_t>(shorter) - 1;
  return {whole + (upper & ~choice & 1), static_cast<std::uint32_t>(digit & choice), k + 17};
}

}  // namespace lanner::json
