#include "json/decimal.h"

#include <charconv>
#include <cstring>
#include <string_view>

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

// to_chars() gives "1", "1e+16", "1e-07": a fraction is added, exponents lose plus and zeros.
template <class Real>
char* write_shortest(char* to, Real value) noexcept {
  const Real magnitude = value < 0 ? -value : value;
  const bool plain = value == 0 || (magnitude >= Real(1e-4) && magnitude < Real(1e16));
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  char* end = std::to_chars(to, to + kDoubleRoom, value, format).ptr;
  const std::string_view text(to, static_cast<std::size_t>(end - to));
  const std::size_t e = text.find('e');
  if (e == std::string_view::npos) {
    if (text.find('.') == std::string_view::npos) {
      *end++ = '.';
      *end++ = '0';
    }
    return end;
  }
  std::size_t digits = e + 2;
  while (digits + 1 < text.size() && to[digits] == '0') ++digits;
  char* exponent = to + e + 1;
  if (text[e + 1] == '-') ++exponent;
  const std::size_t count = text.size() - digits;
  std::memmove(exponent, to + digits, count);
  return exponent + count;
}

}  // namespace

char* write_double(char* to, double value) noexcept { return write_shortest(to, value); }
char* write_float(char* to, float value) noexcept { return write_shortest(to, value); }

}  // namespace lanner::json
