#include "schema/scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanner::schema {

namespace {

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same(std::string_view text, std::string_view word) noexcept {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != word[i]) return false;
  }
  return true;
}

// Those of compat's integers: each stands between two digits.
bool has_underscores_between_digits(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size() || !digit(text[i - 1]) || !digit(text[i + 1])) return false;
  }
  return true;
}

// Bytes of the white space (Unicode's) that `text` begins with, or ends with; 0 = none.
std::size_t space_at_begin(std::string_view text) noexcept {
  static constexpr std::string_view kWide[] = {"\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80",
                                               "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF",
                                               "\xE2\x81\x9F", "\xE3\x80\x80"};
  if (text.empty()) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  for (const std::string_view space : kWide) {
    if (text.starts_with(space)) return space.size();
  }
  const bool quad = text.starts_with("\xE2\x80") && text.size() > 2;  // U+2000 to U+200A
  return quad && static_cast<unsigned char>(text[2]) >= 0x80 &&
                 static_cast<unsigned char>(text[2]) <= 0x8A
             ? 3
             : 0;
}

std::size_t space_at_end(std::string_view text) noexcept {
  for (std::size_t size = 1; size <= 3 && size <= text.size(); ++size) {
    if (space_at_begin(text.substr(text.size() - size)) == size) return size;
  }
  return 0;
}

// Whether a number that no double is near is a tiny one: its first digit that is not 0, exponent
// included, stands behind the point.
bool is_tiny(std::string_view number) noexcept {
  constexpr std::int64_t kFar = 1LL << 50;  // an exponent that no number of digits makes up for
  std::int64_t power = 0;                   // of ten, of the digit in hand
  std::int64_t first = 0;                   // of the first that is not 0
  bool found = false;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < number.size() && lower(number[i]) != 'e'; ++i) {
    if (number[i] == '.') fraction = true;
    if (!digit(number[i])) continue;
    if (!fraction && found) ++first;
    if (fraction && !found) --power;
    if (number[i] != '0' && !found) {
      found = true;
      first = power;
    }
  }
  std::int64_t exponent = 0;
  const bool negative = i + 1 < number.size() && number[i + 1] == '-';
  for (; i < number.size(); ++i) {
    if (digit(number[i]) && exponent < kFar) exponent = exponent * 10 + (number[i] - '0');
  }
  return first + (negative ? -exponent : exponent) < 0;
}

int hex(char c) noexcept {
  if (digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool bad_character(std::string_view text, std::size_t shift, UuidProblem* why) noexcept {
  constexpr std::size_t kCodePointMax = 4;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (hex(text[i]) >= 0 || text[i] == '-') continue;
    std::size_t size = 1;  // the whole code point
    while (size < kCodePointMax && i + size < text.size() && (text[i + size] & 0xC0) == 0x80)
      ++size;
    why->assign("invalid character: found `");
    why->append(text.substr(i, size)).append("` at ").append(i + shift);
    return true;
  }
  return false;
}

bool hyphenated(std::string_view text, UuidProblem* why) noexcept {
  static constexpr std::size_t kGroups[] = {8, 4, 4, 4, 12};
  std::size_t hyphens = 0;
  for (const char c : text) hyphens += c == '-';
  if (hyphens != 4) {
    why->assign("invalid group count: expected 5, found ");
    why->append(hyphens + 1);
    return false;
  }
  std::size_t begin = 0;
  for (std::size_t group = 0; group < 5; ++group) {
    std::size_t end = text.find('-', begin);
    if (end == std::string_view::npos) end = text.size();
    if (end - begin != kGroups[group]) {
      why->assign("invalid group length in group ");
      why->append(group).append(": expected ").append(kGroups[group]);
      why->append(", found ").append(end - begin);
      return false;
    }
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::string_view trim(std::string_view text) noexcept {
  while (const std::size_t size = space_at_begin(text)) text.remove_prefix(size);
  while (const std::size_t size = space_at_end(text)) text.remove_suffix(size);
  return text;
}

bool parse_integer(std::string_view text, Profile profile, IntegerText* out, Slug* slug) noexcept {
  *slug = Slug::int_parsing;
  bool underscores = false;
  if (profile == Profile::compat) {
    text = trim(text);
    const std::size_t point = text.find('.');
    if (point != std::string_view::npos) {
      const std::string_view fraction = text.substr(point + 1);
      if (fraction.empty() || fraction.find_first_not_of('0') != std::string_view::npos)
        return false;
      text = text.substr(0, point);
    }
    underscores = text.find('_') != std::string_view::npos;
    if (underscores && !has_underscores_between_digits(text)) return false;
  }
  const bool negative = !text.empty() && text[0] == '-';
  std::string_view digits = text;
  if (negative || (!text.empty() && text[0] == '+')) digits.remove_prefix(1);
  std::size_t count = 0;
  for (const char c : digits) {
    if (!digit(c) && !(underscores && c == '_')) return false;
    count += c != '_';
  }
  if (count == 0) return false;
  if (count > kMaxDigits) {
    *slug = Slug::int_parsing_size;
    return false;
  }
  out->digits = negative ? text : digits;
  if (underscores) {
    out->clean.assign("");
    for (const char& c : out->digits) {
      if (c != '_') out->clean.append(std::string_view(&c, 1));
    }
    out->digits = out->clean.view();
  }
  const char* const end = out->digits.data() + out->digits.size();
  out->fits = std::from_chars(out->digits.data(), end, out->value).ec == std::errc();
  return true;
}

bool is_integer_text(std::string_view text) noexcept {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool has_single_underscores(std::string_view text) noexcept {
  return !text.starts_with('_') && !text.ends_with('_') &&
         text.find("__") == std::string_view::npos;
}

bool drop_underscores(std::string_view* text, Buffer* clean) noexcept {
  if (text->find('_') == std::string_view::npos) return true;
  clean->clear();
  char* const to = clean->reserve(text->size());
  if (!to) return false;
  clean->commit(
      static_cast<std::size_t>(std::remove_copy(text->begin(), text->end(), to, '_') - to));
  *text = clean->view();
  return true;
}

bool parse_floating(std::string_view text, Profile profile, double* value) noexcept {
  if (profile == Profile::compat) text = trim(text);
  const bool negative = !text.empty() && text[0] == '-';
  if (!negative && !text.empty() && text[0] == '+') text.remove_prefix(1);
  const std::string_view rest = text.substr(negative);  // no other sign may follow
  if (rest.empty()) return false;
  if (!digit(rest[0]) && !(rest[0] == '.' && rest.size() > 1 && digit(rest[1]))) {
    if (profile != Profile::compat) return false;
    if (same(rest, "inf") || same(rest, "infinity")) {
      *value = negative ? -HUGE_VAL : HUGE_VAL;
      return true;
    }
    if (!same(rest, "nan")) return false;
    *value = std::nan("");
    return true;
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (read.ptr != text.data() + text.size()) return false;
  if (read.ec == std::errc::result_out_of_range) {
    // from_chars says neither which: what is tiny is zero, what is huge infinite.
    *value = std::copysign(is_tiny(rest) ? 0.0 : HUGE_VAL, negative ? -1.0 : 1.0);
    return true;
  }
  return read.ec == std::errc();
}

bool parse_boolean(std::string_view text, Profile profile, bool* value) noexcept {
  static constexpr std::string_view kTrue[] = {"true", "1", "on", "yes", "t", "y"};
  static constexpr std::string_view kFalse[] = {"false", "0", "off", "no", "f", "n"};
  const std::size_t words = profile == Profile::compat ? 6 : 4;
  for (std::size_t i = 0; i < words; ++i) {
    if (same(text, kTrue[i])) {
      *value = true;
      return true;
    }
    if (same(text, kFalse[i])) {
      *value = false;
      return true;
    }
  }
  return false;
}

bool parse_uuid(std::string_view text, std::uint8_t (&bytes)[16], UuidProblem* why) noexcept {
  std::size_t shift = 0;
  if (text.starts_with("urn:uuid:")) {
    shift = 9;
    text.remove_prefix(9);
  } else if (text.size() == 38 && text.front() == '{' && text.back() == '}') {
    shift = 1;
    text = text.substr(1, 36);
  }
  if (bad_character(text, shift, why)) return false;
  if (text.find('-') == std::string_view::npos) {
    if (text.size() != 32) {
      why->assign("invalid length: found ");
      why->append(text.size());
      return false;
    }
  } else if (!hyphenated(text, why)) {
    return false;
  }
  std::size_t nibble = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int value = hex(c);
    bytes[nibble / 2] =
        static_cast<std::uint8_t>(nibble % 2 ? bytes[nibble / 2] | value : value << 4);
    ++nibble;
  }
  return true;
}

bool is_decimal(std::string_view text) noexcept {
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  std::size_t digits = 0;
  for (; i < text.size() && digit(text[i]); ++i) ++digits;
  if (i < text.size() && text[i] == '.') {
    ++i;
    for (; i < text.size() && digit(text[i]); ++i) ++digits;
  }
  if (digits == 0) return false;
  if (i < text.size() && lower(text[i]) == 'e') {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    const std::size_t begin = i;
    while (i < text.size() && digit(text[i])) ++i;
    if (i == begin || i - begin > 9) return false;
  }
  return i == text.size();
}

}  // namespace lanner::schema
