#include "json/number.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <system_error>

#include <fast_float/fast_float.h>

#include "json/limits.h"

namespace lanner::json {

namespace {

// Decimal digits that always fit 64 bits.
constexpr std::size_t kSafeDigits = 19;

bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

// What a number is made of, before it has a value.
struct Parts {
  const char* begin;
  const char* digits;       // behind the sign
  const char* integer_end;  // behind the integer's digits
  const char* end;
  std::uint64_t mantissa = 0;   // all digits, if there are at most kSafeDigits significant ones
  std::int64_t exponent = 0;    // value = mantissa * 10^exponent
  std::size_t significant = 0;  // digits; without leading zeros, where there are many
  bool real = false;
};

// The number that eight digits are, the first one lowest: pairs, then fours, then all.
std::uint64_t value_of_digits(std::uint64_t bytes) noexcept {
  bytes -= 0x3030303030303030;
  bytes = bytes * 10 + (bytes >> 8);
  const std::uint64_t low = (bytes & 0x000000FF000000FF) * 0x000F424000000064;
  const std::uint64_t high = (bytes >> 16 & 0x000000FF000000FF) * 0x0000271000000001;
  return (low + high) >> 32;
}

// How many of the eight bytes, from the first on, are digits.
int digits_at_front(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
  constexpr std::uint64_t kThree = 0x3030303030303030;
  const std::uint64_t other =
      ((bytes & kHigh) ^ kThree) | (((bytes + 0x0606060606060606) & kHigh) ^ kThree);
  return other == 0 ? 8 : std::countr_zero(other) / 8;
}

constexpr std::uint64_t kShortPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

const char* take_digits(const char* at, const char* end, Parts* parts) noexcept {
  static_assert(std::endian::native == std::endian::little, "the first byte lies lowest");
  std::uint64_t mantissa = parts->mantissa;  // wraps when it is not used
  while (end - at >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    const int count = digits_at_front(bytes);
    if (count == 8) {
      mantissa = mantissa * 100'000'000 + value_of_digits(bytes);
      at += 8;
      continue;
    }
    // Zeros in front make eight of them; without a loop, for its length would be chance.
    if (count != 0) {
      const int missing = 8 * (8 - count);
      bytes = bytes << missing | (0x3030303030303030 & ((std::uint64_t{1} << missing) - 1));
      mantissa = mantissa * kShortPowers[count] + value_of_digits(bytes);
    }
    parts->mantissa = mantissa;
    return at + count;
  }
  for (; is_digit(*at); ++at) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  parts->mantissa = mantissa;
  return at;
}

// Of the digits from `at` on, a point among them, how many come behind the leading zeros.
std::size_t significant_digits(const char* at, std::size_t digits) noexcept {
  for (; digits > kSafeDigits && (*at == '0' || *at == '.'); ++at) digits -= *at == '0';
  return digits;
}

// Null: malformed at *failed_at.
const char* take_exponent(const char* at, Parts* parts, const char** failed_at) noexcept {
  ++at;
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  const char* const first = at;
  std::int64_t value = 0;
  for (; is_digit(*at); ++at) {
    if (value < 1'000'000) value = value * 10 + (*at - '0');
  }
  if (at == first) {
    *failed_at = at;
    return nullptr;
  }
  parts->exponent += negative ? -value : value;
  return at;
}

const char* take_parts(const char* at, const char* text_end, Parts* parts,
                       const char** failed_at) noexcept {
  parts->begin = at;
  if (*at == '-') ++at;
  parts->digits = at;
  const char first = *at;
  at = take_digits(at, text_end, parts);
  parts->integer_end = at;
  *failed_at = at;
  if (at == parts->digits) return nullptr;
  if (first == '0' && at - parts->digits > 1) {
    *failed_at = parts->digits + 1;
    return nullptr;
  }
  parts->significant = static_cast<std::size_t>(at - parts->digits);
  if (*at == '.') {
    parts->real = true;
    const char* const fraction = ++at;
    at = take_digits(at, text_end, parts);
    *failed_at = at;
    if (at == fraction) return nullptr;
    parts->exponent = fraction - at;
    parts->significant += static_cast<std::size_t>(at - fraction);
  }
  if (parts->significant > kSafeDigits) [[unlikely]]
    parts->significant = significant_digits(parts->digits, parts->significant);
  if (*at == 'e' || *at == 'E') {
    parts->real = true;
    at = take_exponent(at, parts, failed_at);
    if (at == nullptr) return nullptr;
  }
  return parts->end = at;
}

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// False: too large.
bool to_double(const Parts& parts, double* out) noexcept {
  const bool negative = *parts.begin == '-';
  if (parts.significant <= kSafeDigits) {
    // Both factors exact, so one rounding: Clinger's fast path.
    if (parts.mantissa <= std::uint64_t{1} << 53 && parts.exponent >= -22 && parts.exponent <= 22) {
      double value = static_cast<double>(parts.mantissa);
      value = parts.exponent < 0 ? value / kPowersOfTen[-parts.exponent]
                                 : value * kPowersOfTen[parts.exponent];
      *out = negative ? -value : value;
      return true;
    }
    const fast_float::adjusted_mantissa found =
        fast_float::compute_float<fast_float::binary_format<double>>(parts.exponent,
                                                                     parts.mantissa);
    if (found.power2 >= 0) {
      if (found.power2 == 0x7FF) return false;
      const std::uint64_t bits = found.mantissa | static_cast<std::uint64_t>(found.power2) << 52 |
                                 static_cast<std::uint64_t>(negative) << 63;
      *out = std::bit_cast<double>(bits);
      return true;
    }
  }
  const fast_float::from_chars_result result = fast_float::from_chars(parts.begin, parts.end, *out);
  return result.ec == std::errc() && *out - *out == 0;
}

Errc to_integer(const Parts& parts, Number* out) noexcept {
  const bool negative = *parts.begin == '-';
  if (parts.significant <= kSafeDigits) {
    const std::uint64_t limit = std::uint64_t{1} << 63;
    if (parts.mantissa < limit || (negative && parts.mantissa == limit)) {
      out->kind = NumberKind::int64;
      out->int64 = static_cast<std::int64_t>(negative ? 0 - parts.mantissa : parts.mantissa);
      return Errc::ok;
    }
  }
  // 2^64 - 1 has 20 digits; a sum of 20 digits has wrapped if it lost its leading one.
  const bool fits = parts.significant <= kSafeDigits ||
                    (parts.significant == kSafeDigits + 1 && *parts.digits == '1' &&
                     parts.mantissa >= 10'000'000'000'000'000'000u);
  if (fits && !negative) {
    out->kind = NumberKind::uint64;
    out->uint64 = parts.mantissa;
    return Errc::ok;
  }
  if (parts.significant > kIntegerDigitsMax) return Errc::json_integer_too_long;
  out->kind = NumberKind::big;
  return Errc::ok;
}

}  // namespace

const char* read_number(const char* at, const char* text_end, Number* out, Errc* code,
                        const char** failed_at) noexcept {
  Parts parts{};
  const char* const end = take_parts(at, text_end, &parts, failed_at);
  if (end == nullptr) {
    *code = Errc::json_number_invalid;
    return nullptr;
  }
  *failed_at = parts.begin;
  if (parts.real) {
    out->kind = NumberKind::real;
    if (!to_double(parts, &out->real)) *code = Errc::json_number_too_large;
  } else {
    *code = to_integer(parts, out);
  }
  if (*code != Errc::ok) return nullptr;
  out->text = {parts.begin, static_cast<std::size_t>(end - parts.begin)};
  return end;
}

}  // namespace lanner::json
