// schema/scalars.h: numbers, booleans and UUIDs from text: shared by path, query, header and cookie
// values, JSON object keys and the compat profile.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/short_text.h"
#include "schema/plan.h"

namespace lanner::schema {

inline constexpr std::size_t kMaxDigits =
    4300;  // of an integer: CPython's own bound against quadratic time

// Where `fits` is false, `digits` are the number, without spaces, underscores, fraction and "+": a
// part of the text, or of `clean`.
struct IntegerText {
  std::int64_t value = 0;
  bool fits = true;
  std::string_view digits;
  ShortText<kMaxDigits + 1> clean;
};
// Decimal digits with a sign; compat also takes spaces around, single underscores between digits
// and a fraction of zeros. False: *slug says why (int_parsing, int_parsing_size).
bool parse_integer(std::string_view text, Profile profile, IntegerText* out, Slug* slug) noexcept;

// Digits, with a sign or without.
bool is_integer_text(std::string_view text) noexcept;

// JSON's grammar of numbers, with a sign "+", or digits alone; compat also spaces, "inf" and "nan".
// What is too large for a double is infinite.
bool parse_floating(std::string_view text, Profile profile, double* value) noexcept;

// The underscores of compat's floats: each stands alone, between two other characters.
bool has_single_underscores(std::string_view text) noexcept;
// Takes all of them out of *text, which then is in *clean. False: memory is out.
[[nodiscard]] bool drop_underscores(std::string_view* text, Buffer* clean) noexcept;

// text: true false 1 0 on off yes no, in any case; compat: also t f y n.
bool parse_boolean(std::string_view text, Profile profile, bool* value) noexcept;

// Hyphenated or 32 digits, in braces or behind "urn:uuid:". False: *why says what is wrong.
using UuidProblem = ShortText<96>;
bool parse_uuid(std::string_view text, std::uint8_t (&bytes)[16], UuidProblem* why) noexcept;

// A number as the decimal module writes it, without spaces or underscores (compat: with them):
// digits, one point, an exponent. False for anything else, "NaN" and "Infinity" too.
bool is_decimal(std::string_view text) noexcept;

std::string_view trim(std::string_view text) noexcept;  // white space, Unicode's too

}  // namespace lanner::schema
