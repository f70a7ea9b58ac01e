#include "json/number.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <system_error>

#include <fast_float/fast_float.h>

#include "json/limits.h"
#include "json/number_inl.h"

namespace lanner::json {

namespace {

using detail::kSafeDigits;
using detail::Scaled;

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

constexpr std::uint64_t kShortPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

const char* take_digits(const char* at, const char* end, Parts* parts) noexcept {
  std::uint64_t mantissa = parts->mantissa;  // wraps when it is not used
  while (end - at >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    const std::uint64_t others = detail::other_bytes(bytes);
    if (others == 0) {
      mantissa = mantissa * 100'000'000 + detail::value_of_front(bytes, 8);
      at += 8;
      continue;
    }
    const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count != 0)
      mantissa = mantissa * kShortPowers[count] + detail::value_of_front(bytes, count);
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
      const double value = static_cast<double>(parts.mantissa);
      *out = detail::with_sign(parts.exponent < 0 ? value / kPowersOfTen[-parts.exponent]
                                                  : value * kPowersOfTen[parts.exponent],
                               negative);
      return true;
    }
    const Scaled scaled = detail::scale(parts.mantissa, parts.exponent, negative, out);
    if (scaled != Scaled::unknown) return scaled == Scaled::done;
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

const char* skip_number(const char* at, const char* text_end, Errc* code,
                        const char** failed_at) noexcept {
  Parts parts{};
  const char* const end = take_parts(at, text_end, &parts, failed_at);
  if (end == nullptr) {
    *code = Errc::json_number_invalid;
    return nullptr;
  }
  if (parts.real || parts.significant <= kIntegerDigitsMax) return end;
  *failed_at = parts.begin;
  *code = Errc::json_integer_too_long;
  return nullptr;
}

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
