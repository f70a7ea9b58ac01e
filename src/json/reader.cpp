#include "json/reader.h"

#include <array>
#include <cstring>
#include <limits>

#include "base/simd128.h"
#include "json/limits.h"
#include "json/utf8.h"

namespace lanner::json {

namespace {

// UTF-8 is checked so many bytes at a time, ahead of the cursor: one call for many strings, and
// what was checked is still in the cache when it is read.
constexpr std::size_t kCheckBytes = 32 * 1024;

// Of a string with escapes, read at once. With the padding it is a block that malloc() keeps for
// the next document.
constexpr std::size_t kPieceBytes = 896;

constexpr std::ptrdiff_t kCodeBytes = 6;  // of \uXXXX

// What a hexadecimal digit is worth; negative: it is none.
constexpr std::array<std::int8_t, 256> kHexDigits = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (int i = 0; i < 16; ++i) {
    table[static_cast<std::size_t>("0123456789abcdef"[i])] = static_cast<std::int8_t>(i);
    table[static_cast<std::size_t>("0123456789ABCDEF"[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}();

int hex_digit(char byte) noexcept { return kHexDigits[static_cast<unsigned char>(byte)]; }

// The four digits of \uXXXX at `at`; negative if they are not. The document's NUL stops it.
int hex_code(const char* at) noexcept {
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(at[i]);
    if (digit < 0) return -1;
    code = code << 4 | digit;
  }
  return code;
}

constexpr bool is_high_half(int code) noexcept { return code >= 0xD800 && code <= 0xDBFF; }
constexpr bool is_low_half(int code) noexcept { return code >= 0xDC00 && code <= 0xDFFF; }

char* put_utf8(char* to, std::uint32_t code) noexcept {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return to;
  }
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
  return to;
}

// Which of the open arrays and objects are objects: a bit for each, no memory, no recursion.
class OpenStack final {
 public:
  explicit OpenStack(int outside) noexcept : room_(kDepthMax - outside) {}
  bool empty() const noexcept { return depth_ == 0; }
  bool object() const noexcept { return (bits_[word()] >> bit() & 1) != 0; }
  // False: too deep.
  bool push(bool object) noexcept {
    if (depth_ >= room_) return false;
    ++depth_;
    bits_[word()] &= ~(std::uint64_t{1} << bit());
    bits_[word()] |= std::uint64_t{object} << bit();
    return true;
  }
  void pop() noexcept { --depth_; }

 private:
  std::size_t word() const noexcept { return static_cast<std::size_t>(depth_ - 1) / 64; }
  unsigned bit() const noexcept { return static_cast<unsigned>(depth_ - 1) % 64; }

  std::uint64_t bits_[(kDepthMax + 63) / 64] = {};
  int depth_ = 0;
  int room_;
};

}  // namespace

namespace detail {

const char* skip_spaces(const char* at) noexcept {
  while (is_space(*at)) ++at;
  return at;
}

// 16 bytes at once: how deep lines are indented is chance.
const char* skip_spaces(const char* at, const char* end) noexcept {
  for (; end - at >= simd128::kBytes; at += simd128::kBytes) {
    const simd128::U8 bytes = simd128::load(at);
    const auto spaces = (bytes == ' ') | (bytes == '\n') | (bytes == '\r') | (bytes == '\t');
    if (const simd128::Mask others = ~simd128::mask_of(spaces)) return at + others.first();
  }
  return skip_spaces(at);
}

}  // namespace detail

const char* Reader::fail(const char* at, Errc code) noexcept {
  failed_at_ = at;
  if (at == begin_ && document().starts_with("\xEF\xBB\xBF")) code = Errc::json_byte_order_mark;
  code_ = at >= end_ && code != Errc::no_memory ? Errc::json_truncated : code;
  return nullptr;
}

Error Reader::error() const noexcept {
  if (code_ == Errc::ok) return {};
  constexpr std::size_t kMax = std::numeric_limits<std::uint32_t>::max();
  return {code_, static_cast<std::uint32_t>(offset() < kMax ? offset() : kMax)};
}

const char* Reader::literal(const char* at, std::string_view word) noexcept {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (at[i] != word[i]) return fail(at + i, Errc::json_value_expected);
  }
  return at + word.size();
}

bool Reader::finish(const char* at) noexcept {
  at = skip_space(at);
  if (at == end_) return true;
  fail(at, Errc::json_trailing_data);
  return false;
}

bool Reader::check_utf8(const char* from, const char* to) noexcept {
  if (to <= validated_) return true;
  const char* stop =
      end_ - from > static_cast<std::ptrdiff_t>(kCheckBytes) ? from + kCheckBytes : end_;
  if (stop < to) stop = to;
  // Not within a sequence; `to` is at a quote or a backslash.
  while (stop > to && stop != end_ && (static_cast<unsigned char>(*stop) & 0xC0) == 0x80) --stop;
  if (is_utf8({from, static_cast<std::size_t>(stop - from)})) {
    validated_ = stop;
    return true;
  }
  const std::string_view text(from, static_cast<std::size_t>(to - from));
  const std::size_t invalid = invalid_utf8_at(text);
  if (invalid == text.size()) return true;  // what is malformed comes later
  fail(from + invalid, Errc::json_utf8_invalid);
  return false;
}

const char* Reader::string_slow(const char* at, StringScan scan, String* out) noexcept {
  if (scan.stop == end_) {
    if (scan.high && !check_utf8(at, scan.stop)) return nullptr;
    return fail(end_, Errc::json_truncated);
  }
  if (*scan.stop == '\\') return unescape(at, out);
  if (scan.high && !check_utf8(at, scan.stop)) return nullptr;
  if (*scan.stop != '"') return fail(scan.stop, Errc::json_control_character);
  *out = String{{at, static_cast<std::size_t>(scan.stop - at)}, !scan.high, false};
  return scan.stop + 1;
}

// The string from `at` on, out of the document into the scratch.
const char* Reader::unescape(const char* at, String* out) noexcept {
  scratch_.clear();
  bool high = false;
  const char* const stop = unescape_to_end(at, &high);
  // An escape is ASCII: what is UTF-8 with it is so without it. What is not comes before any other
  // failure, for the string was read only up to that one.
  if (high && !check_utf8(at, stop != nullptr ? stop : failed_at_)) return nullptr;
  if (stop == nullptr) return nullptr;
  *out = String{scratch_.view(), !high, true};
  return stop + 1;
}

// *high: there is a byte above 0x7F, or an escape said one. Returns the closing quote.
const char* Reader::unescape_to_end(const char* at, bool* high) noexcept {
  for (;;) {
    // A piece of the document at a time, so that the scratch is not larger than the string.
    const char* const last =
        end_ - at > static_cast<std::ptrdiff_t>(kPieceBytes) ? at + kPieceBytes : end_;
    char* const begin = scratch_.reserve(kPieceBytes + kUnescapePadding);
    if (begin == nullptr) return fail(at, Errc::no_memory);
    const Unescaped piece = unescape_(at, last, end_, begin);
    *high |= piece.high;
    at = piece.stop;
    // Codes come one behind the other, where text is not Latin. None is shorter than what it says.
    char* to = piece.to;
    while (*at == '\\' && at <= last) {
      if ((at = escape(at, &to, high)) == nullptr) return nullptr;
    }
    scratch_.commit(static_cast<std::size_t>(to - begin));
    if (*at == '"') return at;
    if (static_cast<unsigned char>(*at) < 0x20) return fail(at, Errc::json_control_character);
  }
}

// The escape at `at`, of a letter or \uXXXX, or two of these; writes up to four bytes.
const char* Reader::escape(const char* at, char** to, bool* high) noexcept {
  if (end_ - at >= kCodeBytes && at[1] == 'u') [[likely]] {
    const int plain =
        hex_digit(at[2]) << 12 | hex_digit(at[3]) << 8 | hex_digit(at[4]) << 4 | hex_digit(at[5]);
    if (plain >= 0 && (plain & 0xF800) != 0xD800) [[likely]] {
      *high |= plain >= 0x80;
      *to = put_utf8(*to, static_cast<std::uint32_t>(plain));
      return at + kCodeBytes;
    }
  }
  if (const char letter = short_escape(at[1]); letter != 0) {
    *(*to)++ = letter;
    return at + 2;
  }
  if (at[1] != 'u') return fail(at + 1, Errc::json_escape_invalid);
  int code = hex_code(at + 2);
  if (code < 0) {
    const char* bad = at + 2;
    while (hex_digit(*bad) >= 0) ++bad;
    return fail(bad, Errc::json_escape_invalid);
  }
  const char* behind = at + 6;
  if (is_low_half(code)) return fail(at, Errc::json_surrogate_alone);
  auto code_point = static_cast<std::uint32_t>(code);
  if (is_high_half(code)) {
    if (behind[0] != '\\' || behind[1] != 'u') return fail(at, Errc::json_surrogate_alone);
    code = hex_code(behind + 2);
    if (code >= 0 && !is_low_half(code)) return fail(at, Errc::json_surrogate_alone);
    if (code < 0) return fail(behind + 1, Errc::json_escape_invalid);
    code_point =
        0x10000 + ((code_point - 0xD800) << 10) + (static_cast<std::uint32_t>(code) - 0xDC00);
    behind += 6;
  }
  *high |= code_point >= 0x80;
  *to = put_utf8(*to, code_point);
  return behind;
}

const char* Reader::skip_scalar(const char* at) noexcept {
  String text;
  Number number;
  switch (*at) {
    case '"':
      return string(at + 1, &text);
    case 't':
      return literal(at, "true");
    case 'f':
      return literal(at, "false");
    case 'n':
      return literal(at, "null");
    default:
      if (*at != '-' && (*at < '0' || *at > '9')) return fail(at, Errc::json_value_expected);
      return this->number(at, &number);
  }
}

const char* Reader::skip_key(const char* at) noexcept {
  if (*at != '"') return fail(at, Errc::json_key_expected);
  String key;
  at = string(at + 1, &key);
  if (at == nullptr) return nullptr;
  at = skip_space(at);
  if (*at != ':') return fail(at, Errc::json_colon_expected);
  return skip_space(at + 1);
}

const char* Reader::skip_value(const char* at, int depth) noexcept {
  OpenStack open(depth);
  for (;;) {
    // A value begins at `at`.
    const bool object = *at == '{';
    if (object || *at == '[') {
      if (!open.push(object)) return fail(at, Errc::json_too_deep);
      at = skip_space(at + 1, end_);
      if (*at != (object ? '}' : ']')) {
        if (object && (at = skip_key(at)) == nullptr) return nullptr;
        continue;
      }
      ++at;
      open.pop();
    } else if ((at = skip_scalar(at)) == nullptr) {
      return nullptr;
    }
    // A value ended before `at`.
    for (;;) {
      if (open.empty()) return at;
      at = skip_space(at);
      if (*at == ',') break;
      if (*at != (open.object() ? '}' : ']')) {
        return fail(at,
                    open.object() ? Errc::json_object_end_expected : Errc::json_array_end_expected);
      }
      ++at;
      open.pop();
    }
    at = skip_space(at + 1);
    if (open.object() && (at = skip_key(at)) == nullptr) return nullptr;
  }
}

}  // namespace lanner::json
