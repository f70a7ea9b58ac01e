#include "json/decimal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include "json/shortest.h"

namespace lanner::json {

namespace {

constexpr char kPairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596"
    "979899";

char* put_pair(char* to, std::uint32_t pair) noexcept {
  std::memcpy(to, kPairs + 2 * pair, 2);
  return to + 2;
}
char* put_four(char* to, std::uint32_t four) noexcept {
  return put_pair(put_pair(to, four / 100), four % 100);
}
char* put_eight(char* to, std::uint32_t eight) noexcept {
  return put_four(put_four(to, eight / 10000), eight % 10000);
}

// Without leading zeros. REQUIRES: value < 10^8.
char* put_short(char* to, std::uint32_t value) noexcept {
  if (value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  if (value < 100) return put_pair(to, value);
  if (value < 10000) {
    const std::uint32_t high = value / 100;
    return put_pair(put_short(to, high), value % 100);
  }
  const std::uint32_t high = value / 10000;
  return put_four(put_short(to, high), value % 10000);
}

}  // namespace

char* write_uint64(char* to, std::uint64_t value) noexcept {
  constexpr std::uint64_t kEight = 100'000'000;
  if (value < kEight) return put_short(to, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / kEight;
  to = write_uint64(to, high);
  return put_eight(to, static_cast<std::uint32_t>(value % kEight));
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

constexpr std::size_t kDigits = 17;  // of a double at most

// Eight decimal digits as eight bytes 0 to 9, the first one lowest. REQUIRES: value < 10^8.
std::uint64_t eight_digits(std::uint32_t value) noexcept {
  const std::uint64_t fours = value / 10000 | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007F;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000F;
  return tens | (twos - 10 * tens) << 8;
}

// 17 digits with zeros before and behind, and where those that count begin and end.
struct Digits {
  char text[64];
  int first;
  int end;
};

void put_digits(std::uint64_t value, Digits* digits) noexcept {
  constexpr std::uint64_t kEight = 100'000'000;
  constexpr std::uint64_t kAscii = 0x3030303030303030;
  const std::uint64_t high = value / kEight;
  const std::uint64_t middle = eight_digits(static_cast<std::uint32_t>(high % kEight));
  const std::uint64_t low = eight_digits(static_cast<std::uint32_t>(value % kEight));
  std::memset(digits->text, '0', sizeof digits->text);
  digits->text[0] = static_cast<char>('0' + high / kEight);
  const std::uint64_t words[2] = {middle | kAscii, low | kAscii};
  static_assert(std::endian::native == std::endian::little, "the first digit lies lowest");
  std::memcpy(digits->text + 1, words, sizeof words);
  digits->first = high >= kEight ? 0
                  : middle != 0  ? 1 + std::countr_zero(middle) / 8
                                 : 9 + std::countr_zero(low) / 8;
  digits->end = low != 0      ? 17 - std::countl_zero(low) / 8
                : middle != 0 ? 9 - std::countl_zero(middle) / 8
                              : 1;
}

// d.ddde-7; `exponent` is of the first digit.
char* put_scientific(char* to, const char* first, int count, int exponent) noexcept {
  *to++ = *first;
  if (count > 1) {
    *to = '.';
    std::memcpy(to + 1, first + 1, kDigits);
    to += count;
  }
  *to++ = 'e';
  return write_int64(to, exponent);
}

// 0.00ddd, ddd.dd or dd00.0; `exponent` is of the first digit.
char* put_plain(char* to, const char* first, int count, int exponent) noexcept {
  if (exponent < 0) {
    std::memcpy(to, "0.0000", 6);
    to += 1 - exponent;
    std::memcpy(to, first, kDigits);
    return to + count;
  }
  // Zeros follow the digits in the text.
  std::memcpy(to, first, kDigits);
  to += exponent + 1;
  *to++ = '.';
  std::memcpy(to, first + exponent + 1, kDigits);
  return to + (count > exponent + 1 ? count - exponent - 1 : 1);
}

}  // namespace

char* write_double(char* to, double value) noexcept {
  if (std::signbit(value)) {
    *to++ = '-';
    value = -value;
  }
  if (value == 0) {
    std::memcpy(to, "0.0", 3);
    return to + 3;
  }
  const Shortest shortest = shortest_of(value);
  Digits digits;
  put_digits(shortest.digits, &digits);
  const int exponent = shortest.exponent + static_cast<int>(kDigits) - 1 - digits.first;
  const char* const first = digits.text + digits.first;
  const int count = digits.end - digits.first;
  if (exponent < -4 || exponent >= 16) return put_scientific(to, first, count, exponent);
  return put_plain(to, first, count, exponent);
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
