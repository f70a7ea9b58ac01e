// json/number_avx2.h: reads numbers of up to 19 digits in code that the caller inlines: all digits
// at once, for any number of digits and any position of the point. Both are unpredictable, and a
// mispredicted branch would cost more than everything else.

#pragma once

#include <cstring>

#include "base/cpu.h"
#include "json/number_inl.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace lanner::json {

struct ShortNumber {
  bool is_real;
  std::int64_t int64;
  double real;
};

namespace detail {

// Bytes that may be read: 32 behind the sign, and one more.
inline constexpr std::ptrdiff_t kShortReach = 34;
// Of integers. With one more it may be over 2^63.
inline constexpr unsigned kShortInteger = 18;
inline constexpr std::uint64_t kShortPowers[] = {1, 10, 100};

// A window of 32 that begins at bytes[32 - n]: the first n bytes are set.
struct FirstBytes {
  unsigned char bytes[64];
  constexpr FirstBytes() noexcept : bytes{} {
    for (int i = 0; i < 32; ++i) bytes[i] = 0xFF;
  }
};
alignas(64) inline constexpr FirstBytes kFirstBytes;

// For PSHUFB: a window of 16 that begins at bytes[n] moves the first n bytes to the end, with zeros
// in front.
struct LastPlaces {
  unsigned char bytes[32];
  constexpr LastPlaces() noexcept : bytes{} {
    for (unsigned i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned char>(i < 16 ? 0x80 : i - 16);
  }
};
alignas(32) inline constexpr LastPlaces kLastPlaces;

LANNER_AVX2_TARGET inline __m256i load32(const void* at) noexcept {
  // SAFETY: an unaligned load of 32 bytes; callers have checked that they are there.
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
LANNER_AVX2_TARGET inline __m128i load16(const void* at) noexcept {
  // SAFETY: the same for 16 bytes.
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

// A bit for each byte that is no digit.
LANNER_AVX2_TARGET inline std::uint32_t no_digits(__m256i bytes) noexcept {
  // Bytes below '0' wrap around to large values; the added bias sets the top bit of every value
  // above 9.
  const __m256i values = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_adds_epu8(values, _mm256_set1_epi8(0x7F - 9))));
}

// The first `count` (1 to 18) bytes at `at`, all digits.
LANNER_AVX2_TARGET inline std::uint64_t value_of_integer(const char* at, unsigned count) noexcept {
  std::uint64_t bytes = 0;
  if (count <= 8) {
    std::memcpy(&bytes, at, sizeof bytes);
    return value_of_front(bytes, count);
  }
  const unsigned first = count < 16 ? count : 16;
  const __m128i places = _mm_shuffle_epi8(_mm_sub_epi8(load16(at), _mm_set1_epi8('0')),
                                          load16(kLastPlaces.bytes + first));
  // Pairs, fours, eights.
  const __m128i pairs = _mm_maddubs_epi16(places, _mm_set1_epi16(0x010A));
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
  const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  const std::uint64_t value = (both & UINT32_MAX) * 100'000'000 + (both >> 32);
  if (count <= 16) return value;
  std::memcpy(&bytes, at + 16, sizeof bytes);
  return value * kShortPowers[count - 16] + value_of_front(bytes, count - 16);
}

// The first kSafeDigits bytes at `at`, without the point behind `integer` of them, `count` digits,
// then zeros up to the full width, so that nothing has to be moved.
LANNER_AVX2_TARGET inline std::uint64_t value_of_places(const char* at, std::size_t integer,
                                                        std::size_t count) noexcept {
  const __m256i before = load32(kFirstBytes.bytes + 32 - integer);
  const __m256i are = load32(kFirstBytes.bytes + 32 - count);
  const __m256i merged = _mm256_blendv_epi8(load32(at + 1), load32(at), before);
  const __m256i places = _mm256_and_si256(_mm256_sub_epi8(merged, _mm256_set1_epi8('0')), are);
  // Pairs, fours, eights; of the upper half its first three.
  const __m256i pairs = _mm256_maddubs_epi16(
      places, _mm256_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1,  //
                               10, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i fours = _mm256_madd_epi16(
      pairs, _mm256_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1, 10, 1, 0, 0, 0, 0, 0, 0));
  const __m256i eights =
      _mm256_madd_epi16(_mm256_packus_epi32(fours, fours),
                        _mm256_setr_epi16(10000, 1, 10000, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)));
  const auto last =
      static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm256_extracti128_si256(eights, 1)));
  return (both & UINT32_MAX) * 100'000'000'000 + (both >> 32) * 1000 + last;
}

// The exponent behind the `e` at at[-1]; null: more than two digits, or none.
inline const char* take_short_exponent(const char* at, std::int64_t* exponent) noexcept {
  const bool negative = *at == '-';
  at += static_cast<int>(negative || *at == '+');
  const unsigned first = static_cast<unsigned char>(at[0] - '0');
  const unsigned second = static_cast<unsigned char>(at[1] - '0');
  // Without a branch: it would mispredict on whether there is a second digit.
  const unsigned two = second <= 9 ? 1 : 0;
  const unsigned third = static_cast<unsigned char>(at[2] - '0');
  if (first > 9 || (two & static_cast<unsigned>(third <= 9)) != 0) return nullptr;
  const std::int64_t value = first + two * (9 * first + second);
  *exponent = negative ? -value : value;
  return at + 1 + two;
}

}  // namespace detail

// Reads the number at `at` ('-' or a digit), of a text that ends at `end`, and returns the byte
// behind it. Null: longer, malformed or too close to the end of the text; then call read_number().
[[gnu::always_inline]] LANNER_AVX2_TARGET inline const char* read_short_number(
    const char* at, const char* end, ShortNumber* out) noexcept {
  if (end - at < detail::kShortReach) return nullptr;
  // The sign is skipped without a branch: everything that follows depends on the end of the number.
  const std::uint32_t all_others = detail::no_digits(detail::load32(at));
  std::uint32_t others = all_others & ~std::uint32_t{1};
  const bool negative = *at == '-';
  const char* const first = at + static_cast<int>(negative);
  at += _tzcnt_u32(others);
  const auto integer = static_cast<std::size_t>(at - first);
  if ((all_others & 1) != std::uint32_t{negative}) return nullptr;
  if (integer - 1 >= detail::kShortInteger || (*first == '0' && integer != 1)) return nullptr;
  std::size_t digits = integer;
  if (*at == '.') {
    others = _blsr_u32(others);
    at = first - static_cast<int>(negative) + _tzcnt_u32(others);
    digits = static_cast<std::size_t>(at - first) - 1;
    if (std::uint32_t{digits == integer} | std::uint32_t{digits > detail::kSafeDigits})
      return nullptr;
  } else if ((*at | 0x20) != 'e') {
    const auto value =
        static_cast<std::int64_t>(detail::value_of_integer(first, static_cast<unsigned>(integer)));
    out->is_real = false;
    out->int64 = negative ? -value : value;
    return at;
  }
  const std::uint64_t mantissa = detail::value_of_places(first, integer, digits);
  std::int64_t exponent = 0;
  if ((*at | 0x20) == 'e' && (at = detail::take_short_exponent(at + 1, &exponent)) == nullptr)
    return nullptr;
  exponent += static_cast<std::int64_t>(integer) - std::int64_t{detail::kSafeDigits};
  out->is_real = true;
  const detail::Scaled scaled = detail::scale(mantissa, exponent, negative, &out->real);
  return scaled == detail::Scaled::done ? at : nullptr;
}

}  // namespace lanner::json

#endif
