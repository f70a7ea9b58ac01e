// json/number_inl.h: reads eight digits at a time, and converts a decimal mantissa and exponent to
// the nearest double; for the number readers and for loops that inline them.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fast_float/fast_float.h>

namespace lanner::json {

namespace detail {

enum class Scaled : std::uint8_t {
  done,
  too_large,  // no double is near
  unknown,    // too close to the midpoint between two doubles: all digits are needed
};

// Decimal digits that always fit 64 bits.
inline constexpr std::size_t kSafeDigits = 19;
static_assert(std::endian::native == std::endian::little, "the first byte lies lowest");
inline constexpr std::uint64_t kZeroDigits = 0x3030303030303030;

// Not 0, in the upper half, for each of eight bytes that is no digit.
inline std::uint64_t other_bytes(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
  return ((bytes & kHigh) ^ kZeroDigits) | (((bytes + 0x0606060606060606) & kHigh) ^ kZeroDigits);
}

// The number that eight digits (0 to 9) are, the first one lowest: pairs, then fours, then all.
inline std::uint64_t value_of_eight(std::uint64_t digits) noexcept {
  digits = digits * 10 + (digits >> 8);
  const std::uint64_t low = (digits & 0x000000FF000000FF) * 0x000F424000000064;
  const std::uint64_t high = (digits >> 16 & 0x000000FF000000FF) * 0x0000271000000001;
  return (low + high) >> 32;
}

// The same for the first `count` (1 to 8) bytes; they are padded with zeros in front to eight,
// because a loop over them would mispredict.
inline std::uint64_t value_of_front(std::uint64_t bytes, unsigned count) noexcept {
  return value_of_eight((bytes - kZeroDigits) << (64 - 8 * count));
}

// Without a branch: it would mispredict on the sign.
inline double with_sign(double value, bool negative) noexcept {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | std::uint64_t{negative} << 63);
}

// mantissa * 10^exponent: the nearest double, if 64 bits of the mantissa suffice.
[[gnu::always_inline]] inline Scaled scale(std::uint64_t mantissa, std::int64_t exponent,
                                           bool negative, double* out) noexcept {
  const fast_float::adjusted_mantissa found =
      fast_float::compute_float<fast_float::binary_format<double>>(exponent, mantissa);
  if (found.power2 < 0) return Scaled::unknown;
  if (found.power2 == 0x7FF) return Scaled::too_large;
  const std::uint64_t bits = found.mantissa | static_cast<std::uint64_t>(found.power2) << 52;
  *out = with_sign(std::bit_cast<double>(bits), negative);
  return Scaled::done;
}

}  // namespace detail
}  // namespace lanner::json
