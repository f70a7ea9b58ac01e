// json/number_avx512.h: writes numbers as text in code that the caller inlines, for AVX-512. The
// output is that of decimal.h.

#pragma once

#if defined(__x86_64__)

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include <immintrin.h>

#include "base/cpu.h"
#include "json/decimal.h"
#include "json/plain_avx512.h"
#include "json/shortest_inl.h"

namespace lanner::json {

namespace detail {

// The layout of the digits of 0.digits * 10^point.
struct DoubleLayout {
  std::uint32_t holes;      // a bit for each byte that no digit takes
  std::uint8_t digits_min;  // so many, even if they are zeros
  std::uint8_t added;       // bytes that are no digits
  const char* around;       // what stands in the holes
};

inline constexpr char kPoints[] = "................................";
inline constexpr char kZeros[] = "0.000000000000000000000000000000";

constexpr int kPointMin = -3;  // 0.000ddd
constexpr int kPointMax = 16;  // ddddddddddddddd.0

inline constexpr std::array<DoubleLayout, kPointMax - kPointMin + 1> kDoubleLayouts = [] {
  std::array<DoubleLayout, kPointMax - kPointMin + 1> table{};
  for (int point = kPointMin; point <= kPointMax; ++point) {
    const auto before = static_cast<unsigned>(point > 0 ? point : 2 - point);
    table[static_cast<std::size_t>(point - kPointMin)] =
        point > 0 ? DoubleLayout{1U << before, static_cast<std::uint8_t>(point + 1), 1, kPoints}
                  : DoubleLayout{(1U << before) - 1, 0, static_cast<std::uint8_t>(before), kZeros};
  }
  return table;
}();

struct SmallNumber {
  char digits[2];
  std::uint8_t length;
};

template <bool kFilled>
constexpr std::array<SmallNumber, 100> small_numbers() noexcept {
  std::array<SmallNumber, 100> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto tens = static_cast<char>('0' + i / 10);
    const auto ones = static_cast<char>('0' + i % 10);
    const bool both = kFilled || i >= 10;
    table[i] = {{both ? tens : ones, ones}, static_cast<std::uint8_t>(both ? 2 : 1)};
  }
  return table;
}
inline constexpr auto kSmall = small_numbers<false>();  // 0 to 99
inline constexpr auto kTwo = small_numbers<true>();     // 00 to 99

// Where the 17 digits lie in two vectors of eight lanes: all, or all but the first one.
constexpr unsigned kLast = 64 + 57;    // a byte of the second vector, in which it is '0' at first
constexpr unsigned kNothing = 64 + 1;  // another one
inline constexpr std::uint8_t kDigitOrder[2][32] = {
    {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, kLast},
    {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, kLast, kNothing}};

}  // namespace detail

// One for each loop: it holds the constants.
class Avx512PlainNumbers final {
 public:
  LANNER_AVX512_TARGET Avx512PlainNumbers() noexcept
      : tenths_(_mm512_setr_epi64(kOne / 100'000'000, kOne / 10'000'000, kOne / 1'000'000,
                                  kOne / 100'000, kOne / 10'000, kOne / 1'000, kOne / 100,
                                  kOne / 10)),
        ten_(_mm512_set1_epi64(10)),
        zero_(_mm512_set1_epi8('0')) {
    // Opaque to the compiler, which would otherwise recompute them for every number.
    asm("" : "+v"(tenths_), "+v"(ten_), "+v"(zero_));
  }

  // As write_int64().
  [[gnu::always_inline]] LANNER_AVX512_TARGET char* write(char* to,
                                                          std::int64_t value) const noexcept {
    const std::uint64_t sign = 0 - (static_cast<std::uint64_t>(value) >> 63);
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(value) ^ sign) - sign;
    *to = '-';
    to -= static_cast<std::ptrdiff_t>(sign);
    if (magnitude < 100) return put(to, detail::kSmall[magnitude]);
    if (magnitude < 10'000) {
      const std::uint64_t hundreds = magnitude / 100;
      to = put(to, detail::kSmall[hundreds]);
      std::memcpy(to, detail::kTwo[magnitude - 100 * hundreds].digits, 2);
      return to + 2;
    }
    return magnitude < kEight ? write_short(to, magnitude) : write_long(to, magnitude);
  }

  // As write_double(). REQUIRES: value is finite; kDoubleRoom bytes at `to`.
  [[gnu::always_inline]] LANNER_AVX512_TARGET char* write(char* to, double value) const noexcept {
    using namespace detail;
    const double magnitude = std::fabs(value);
    if (std::trunc(magnitude) == magnitude && magnitude < 1e15) return write_whole(to, value);
    *to = '-';
    to += std::signbit(value);  // chance, so no branch
    const Filled filled = shortest_filled(magnitude);
    const bool zero = filled.sixteen < kTenTo15;
    const __m256i digits = seventeen_digits(filled, kDigitOrder[zero]);
    const int count = 32 - std::countl_zero(_mm256_mask_cmpneq_epi8_mask(
                               0x1FFFF, digits, __builtin_shufflevector(zero_, zero_, 0, 1, 2, 3)));
    const auto row = static_cast<unsigned>(filled.point - zero - kPointMin);
    if (row >= kDoubleLayouts.size()) [[unlikely]]
      return put_with_exponent(to, digits, count, filled.point - zero - 1);
    const DoubleLayout& layout = kDoubleLayouts[row];
    put(to, layout.holes, layout.around, digits);
    return to + layout.added + (count > layout.digits_min ? count : layout.digits_min);
  }

 private:
  static constexpr long long kOne = 1LL << 52;
  static constexpr std::uint64_t kEight = 100'000'000;

  // Marked as rarely called, so that the compiler keeps the constants in registers.
  [[gnu::cold, gnu::noinline]] static char* write_long(char* to, std::uint64_t value) noexcept {
    return write_uint64(to, value);
  }
  [[gnu::cold, gnu::noinline]] static char* write_whole(char* to, double value) noexcept {
    return write_double(to, value);
  }

  // 8 digits as 8 lanes of ASCII, the first one lowest; '0' in all other bytes. REQUIRES: value <
  // 10^8.
  //
  // (value + 1) * floor(2^52 / 10^n) modulo 2^52 is the fraction of value / 10^n, too great by less
  // than its last digit is worth: its first digit is right.
  LANNER_AVX512_TARGET __m512i eight_lanes(std::uint64_t value) const noexcept {
    const __m512i values = _mm512_set1_epi64(static_cast<long long>(value));
    const __m512i fractions = _mm512_madd52lo_epu64(tenths_, values, tenths_);
    return _mm512_madd52hi_epu64(zero_, fractions, ten_);
  }

  // Without leading zeros. REQUIRES: value < 10^8. Writes 8 bytes.
  LANNER_AVX512_TARGET char* write_short(char* to, std::uint64_t value) const noexcept {
    const __m128i bytes = _mm512_maskz_cvtepi64_epi8(0xFF, eight_lanes(value));
    const auto digits = static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes));
    constexpr std::uint64_t kZeros = 0x3030303030303030;
    constexpr std::uint64_t kOneAtLeast = std::uint64_t{1} << 56;
    const int zeros = std::countr_zero((digits ^ kZeros) | kOneAtLeast) & ~7;
    const std::uint64_t text = digits >> zeros;
    std::memcpy(to, &text, sizeof text);
    return to + 8 - zeros / 8;
  }

  // 17 digits as ASCII, the first one lowest.
  LANNER_AVX512_TARGET __m256i seventeen_digits(const Filled& filled,
                                                const std::uint8_t* order) const noexcept {
    const std::uint64_t high = filled.sixteen / kEight;
    const __m512i first = eight_lanes(high);
    constexpr __mmask64 kLastByte = std::uint64_t{1} << (detail::kLast - 64);
    const __m512i second = _mm512_mask_set1_epi8(eight_lanes(filled.sixteen - high * kEight),
                                                 kLastByte, static_cast<char>('0' + filled.last));
    // SAFETY: 32 bytes there; what the upper half of the vector says is not used.
    const __m512i places = _mm512_castsi256_si512(
        _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(order))));
    const __m512i both = _mm512_permutex2var_epi8(first, places, second);
    // Not the intrinsic that casts: GCC 12 warns of it.
    return __builtin_shufflevector(both, both, 0, 1, 2, 3);
  }

  static char* put(char* to, const detail::SmallNumber& number) noexcept {
    std::memcpy(to, number.digits, 2);
    return to + number.length;
  }

  LANNER_AVX512_TARGET static void put(char* to, std::uint32_t holes, const char* around,
                                       __m256i digits) noexcept {
    // SAFETY: unaligned, 32 bytes in both places.
    const __m256i other =
        _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(around)));
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)),
                        _mm256_mask_expand_epi8(other, ~holes, digits));
  }

  // d.ddde-7
  [[gnu::cold, gnu::noinline]] LANNER_AVX512_TARGET char* put_with_exponent(
      char* to, __m256i digits, int count, int exponent) const noexcept {
    put(to, 0b10, detail::kPoints, digits);
    to += count + (count > 1);
    const int sign = exponent >> 31;
    std::memcpy(to, "e-", 2);
    return write_short(to + 1 - sign, static_cast<std::uint64_t>((exponent ^ sign) - sign));
  }

  __m512i tenths_;
  __m512i ten_;
  __m512i zero_;
};

// The same for loops that are short of registers: small ones by tables, others called, not inlined.
class Avx512CalledNumbers final {
 public:
  [[gnu::always_inline]] LANNER_AVX512_TARGET char* write(char* to,
                                                          std::int64_t value) const noexcept {
    const auto number = static_cast<std::uint64_t>(value);
    if (number >= 10'000) return write_called(to, value);
    const std::uint64_t hundreds = number / 100;
    if (hundreds != 0) to = put(to, detail::kSmall[hundreds]);
    const auto& table = hundreds != 0 ? detail::kTwo : detail::kSmall;
    return put(to, table[number - 100 * hundreds]);
  }
  [[gnu::noinline]] LANNER_AVX512_TARGET char* write(char* to, double value) const noexcept {
    return Avx512PlainNumbers().write(to, value);
  }

 private:
  static char* put(char* to, const detail::SmallNumber& number) noexcept {
    std::memcpy(to, number.digits, 2);
    return to + number.length;
  }
  [[gnu::noinline]] LANNER_AVX512_TARGET static char* write_called(char* to,
                                                                   std::int64_t value) noexcept {
    return Avx512PlainNumbers().write(to, value);
  }
};

}  // namespace lanner::json

#endif
