#include "json/decimal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/simd128.h"
#include "json/shortest_inl.h"

namespace lanner::json {

namespace {

constexpr std::uint64_t kEight = 100'000'000;
constexpr std::uint64_t kAscii = 0x3030303030303030;
static_assert(std::endian::native == std::endian::little, "the first digit lies lowest");

// Eight decimal digits as eight bytes 0 to 9, the first one lowest. REQUIRES: value < 10^8.
std::uint64_t eight_digits(std::uint32_t value) noexcept {
  const std::uint64_t fours = value / 10000 | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007F;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000F;
  return tens | (twos - 10 * tens) << 8;
}

char* put_word(char* to, std::uint64_t word) noexcept {
  std::memcpy(to, &word, sizeof word);
  return to + sizeof word;
}

// Without leading zeros. REQUIRES: value < 10^8. Writes 8 bytes.
char* put_short(char* to, std::uint32_t value) noexcept {
  if (value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  const std::uint64_t digits = eight_digits(value);
  const int zeros = std::countr_zero(digits) / 8;
  put_word(to, (digits | kAscii) >> 8 * zeros);
  return to + 8 - zeros;
}

}  // namespace

char* write_uint64(char* to, std::uint64_t value) noexcept {
  if (value < kEight) return put_short(to, static_cast<std::uint32_t>(value));
  std::uint64_t high = value / kEight;
  const std::uint64_t low = eight_digits(static_cast<std::uint32_t>(value % kEight)) | kAscii;
  if (high < kEight) return put_word(put_short(to, static_cast<std::uint32_t>(high)), low);
  const std::uint64_t middle = eight_digits(static_cast<std::uint32_t>(high % kEight)) | kAscii;
  high /= kEight;
  return put_word(put_word(put_short(to, static_cast<std::uint32_t>(high)), middle), low);
}

char* write_int64(char* to, std::int64_t value) noexcept {
  auto magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) {
    *to++ = '-';
    magnitude = 0 - magnitude;
  }
  return write_uint64(to, magnitude);
}

namespace {

__extension__ using Wide = unsigned __int128;

// 16 digits as bytes 0 to 9, and which of them are not zero. REQUIRES: value < 10^16. In registers:
// what was just stored byte by byte is slow to load again.
struct Sixteen {
  Wide bytes;
  std::uint32_t nonzero;
};

#if defined(__x86_64__)

// Halves of eight digits, then fours, pairs, single ones, all lanes at once. SSE2 belongs to every
// x86-64.
Sixteen sixteen_digits(std::uint64_t value) noexcept {
  const __m128i eights = _mm_set_epi64x(static_cast<long long>(value % kEight),
                                        static_cast<long long>(value / kEight));
  const __m128i over_fours =
      _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(3518437209)), 45);  // by 10^4
  const __m128i under_fours =
      _mm_sub_epi64(eights, _mm_mul_epu32(over_fours, _mm_set1_epi64x(10000)));
  const __m128i fours = _mm_or_si128(over_fours, _mm_slli_epi64(under_fours, 32));
  const __m128i over_pairs =
      _mm_srli_epi32(_mm_mulhi_epu16(fours, _mm_set1_epi32(5243)), 3);  // by 100
  const __m128i under_pairs =
      _mm_sub_epi32(fours, _mm_mullo_epi16(over_pairs, _mm_set1_epi32(100)));
  const __m128i pairs = _mm_or_si128(over_pairs, _mm_slli_epi32(under_pairs, 16));
  const __m128i tens = _mm_mulhi_epu16(pairs, _mm_set1_epi16(6554));  // by 10
  const __m128i ones = _mm_sub_epi16(pairs, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
  const __m128i digits = _mm_or_si128(tens, _mm_slli_epi16(ones, 8));
  const int zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128()));
  Wide bytes = 0;
  std::memcpy(&bytes, &digits, sizeof bytes);
  return {bytes, ~static_cast<std::uint32_t>(zeros) & 0xFFFF};
}

#else

Sixteen sixteen_digits(std::uint64_t value) noexcept {
  const std::uint64_t high = eight_digits(static_cast<std::uint32_t>(value / kEight));
  const std::uint64_t low = eight_digits(static_cast<std::uint32_t>(value % kEight));
  const Wide bytes = Wide{high} | Wide{low} << 64;
  return {bytes, simd128::bits_of(simd128::load(&bytes) != 0)};
}

#endif

void put_wide(char* to, Wide bytes) noexcept { std::memcpy(to, &bytes, sizeof bytes); }

// 17 digits, `count` of which are no zeros at the end.
struct Digits {
  Wide sixteen;  // as ASCII, the first one lowest
  char last;
  int count;
};

// All digits, with a point behind `before` (1 to 16) of them: 18 bytes. Touches more.
void put_with_point(char* to, const Digits& digits, int before) noexcept {
  put_wide(to, digits.sixteen);
  to[before] = '.';
  put_wide(to + before + 1, digits.sixteen >> 8 * (before - 1) >> 8);
  to[17] = digits.last;
}

// value >= 1e16, or < 1e-4: d.ddde-7
char* put_with_exponent(char* to, const Digits& digits, int exponent) noexcept {
  put_with_point(to, digits, 1);
  to += digits.count > 1 ? digits.count + 1 : 1;
  *to++ = 'e';
  return write_int64(to, exponent);
}

}  // namespace

char* write_double(char* to, double value) noexcept {
  *to = '-';
  to += std::signbit(value);  // chance, so no branch
  value = std::fabs(value);
  if (value < 1e15) {
    const auto whole = static_cast<std::uint64_t>(value);
    if (static_cast<double>(whole) == value) {
      to = write_uint64(to, whole);
      std::memcpy(to, ".0", 2);
      return to + 2;
    }
  }
  Filled filled = shortest_filled(value);
  // Without the zero before it. Chance, so no branch.
  const bool zero = filled.sixteen < detail::kTenTo15;
  const std::uint64_t choice = 0 - static_cast<std::uint64_t>(zero);
  filled.sixteen += (9 * filled.sixteen + filled.last) & choice;
  filled.last &= static_cast<std::uint32_t>(~choice);
  const Sixteen sixteen = sixteen_digits(filled.sixteen);
  const Digits digits = {
      sixteen.bytes | (Wide{kAscii} << 64 | kAscii), static_cast<char>('0' + filled.last),
      32 - std::countl_zero(sixteen.nonzero | std::uint32_t{filled.last != 0} << 16)};
  const int point = filled.point - zero;
  if (point > 0 && point <= 16) {  // ddd.dd, dd00.0
    put_with_point(to, digits, point);
    return to + 1 + (digits.count > point ? digits.count : point + 1);
  }
  if (point > 0 || point <= -4) [[unlikely]]
    return put_with_exponent(to, digits, point - 1);
  std::memcpy(to, "0.000000", 8);  // 0.00ddd
  to += 2 - point;
  put_wide(to, digits.sixteen);
  to[16] = digits.last;
  return to + digits.count;
}

// std::to_chars() gives "1", "1e+16", "1e-07": a fraction is added, exponents lose plus and zeros.
char* write_float(char* to, float value) noexcept {
  const float magnitude = value < 0 ? -value : value;
  const bool plain = value == 0 || (magnitude >= 1e-4F && magnitude < 1e16F);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  char* end = std::to_chars(to, to + kDoubleRoom, value, format).ptr;
  const std::string_view text(to, static_cast<std::size_t>(end - to));
  const std::size_t e = text.find('e');
  if (e == std::string_view::npos) {
    if (text.find('.') != std::string_view::npos) return end;
    std::memcpy(end, ".0", 2);
    return end + 2;
  }
  std::size_t digits = e + 2;
  while (digits + 1 < text.size() && to[digits] == '0') ++digits;
  char* exponent = to + e + 1;
  if (text[e + 1] == '-') ++exponent;
  const std::size_t count = text.size() - digits;
  std::memmove(exponent, to + digits, count);
  return exponent + count;
}

}  // namespace lanner::json
