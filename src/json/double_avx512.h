// json/double_avx512.h: doubles as text by code that its caller inlines, for AVX-512 with IFMA and
// VBMI2. The same bytes as write_double() of decimal.h.

#pragma once

#if defined(__x86_64__)

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include <immintrin.h>

#include "json/decimal.h"
#include "json/plain_avx512.h"
#include "json/shortest_inl.h"

namespace lanner::json {

namespace detail {

// How the digits of 0.digits * 10^point are laid out.
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

}  // namespace detail

// One for each loop: it holds the constants.
class DoubleWriter final {
 public:
  LANNER_VBMI2_TARGET DoubleWriter() noexcept
      : tenths_(_mm512_setr_epi64(kOne / 100'000'000, kOne / 10'000'000, kOne / 1'000'000,
                                  kOne / 100'000, kOne / 10'000, kOne / 1'000, kOne / 100,
                                  kOne / 10)),
        ten_(_mm512_set1_epi64(10)),
        zero_(_mm512_set1_epi64('0')),
        zeros_(_mm256_set1_epi8('0')) {
    // Opaque to the compiler, or it makes them anew for every number.
    asm("" : "+v"(tenths_), "+v"(ten_), "+v"(zero_), "+v"(zeros_));
  }

  // As write_double(). REQUIRES: value is finite; kDoubleRoom bytes at `to`.
  LANNER_VBMI2_TARGET char* write(char* to, double value) const noexcept {
    using namespace detail;
    const double magnitude = std::fabs(value);
    if (magnitude < 1e15) {
      const auto whole = static_cast<std::int64_t>(magnitude);
      if (static_cast<double>(whole) == magnitude) return write_double(to, value);
    }
    *to = '-';
    to += std::signbit(value);  // chance, so no branch
    const Filled filled = shortest_filled(magnitude);
    const __m256i digits = seventeen_digits(filled);
    const int count = 32 - std::countl_zero(_mm256_mask_cmpneq_epi8_mask(0x1FFFF, digits, zeros_));
    const auto row = static_cast<unsigned>(filled.point - kPointMin);
    if (row >= kDoubleLayouts.size()) [[unlikely]]
      return put_with_exponent(to, digits, count, filled.point - 1);
    const DoubleLayout& layout = kDoubleLayouts[row];
    put(to, layout.holes, layout.around, digits);
    return to + layout.added + (count > layout.digits_min ? count : layout.digits_min);
  }

 private:
  static constexpr long long kOne = 1LL << 52;

  // 8 digits as 8 lanes of ASCII, the first one lowest. REQUIRES: value < 10^8.
  //
  // (value + 1) * floor(2^52 / 10^n) modulo 2^52 is the fraction of value / 10^n, too great by less
  // than its last digit is worth: its first digit is right.
  LANNER_VBMI2_TARGET __m512i eight_lanes(std::uint64_t value) const noexcept {
    const __m512i values = _mm512_set1_epi64(static_cast<long long>(value));
    const __m512i fractions = _mm512_madd52lo_epu64(tenths_, values, tenths_);
    return _mm512_madd52hi_epu64(zero_, fractions, ten_);
  }

  // 17 digits as ASCII, the first one lowest.
  LANNER_VBMI2_TARGET __m256i seventeen_digits(const Filled& filled) const noexcept {
    constexpr std::uint64_t kEight = 100'000'000;
    const std::uint64_t high = filled.sixteen / kEight;
    const __m512i order = _mm512_zextsi128_si512(
        _mm_setr_epi8(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120));
    const __m512i both = _mm512_permutex2var_epi8(eight_lanes(high), order,
                                                  eight_lanes(filled.sixteen - high * kEight));
    // Not the intrinsic that casts: GCC 12 warns of it.
    const __m256i first = __builtin_shufflevector(both, both, 0, 1, 2, 3);
    return _mm256_inserti128_si256(first, _mm_cvtsi32_si128(static_cast<int>('0' + filled.last)),
                                   1);
  }

  LANNER_VBMI2_TARGET static void put(char* to, std::uint32_t holes, const char* around,
                                      __m256i digits) noexcept {
    // SAFETY: unaligned, 32 bytes in both places.
    const __m256i other =
        _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(around)));
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)),
                        _mm256_mask_expand_epi8(other, ~holes, digits));
  }

  // d.ddde-7
  LANNER_VBMI2_TARGET static char* put_with_exponent(char* to, __m256i digits, int count,
                                                     int exponent) noexcept {
    put(to, 0b10, detail::kPoints, digits);
    to += count > 1 ? count + 1 : 1;
    *to++ = 'e';
    return write_int64(to, exponent);
  }

  __m512i tenths_;
  __m512i ten_;
  __m512i zero_;
  __m256i zeros_;
};

}  // namespace lanner::json

#endif
