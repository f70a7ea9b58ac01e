// json/number.h: reads numbers from JSON text (RFC 8259, section 6) exactly: integers of any size,
// doubles rounded to nearest even.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lanner::json {

enum class NumberKind : std::uint8_t {
  int64,   // an integer that fits; `-0` is the integer 0
  uint64,  // a positive integer over INT64_MAX that fits
  big,     // a longer integer: `text` is its sign and digits
  real,    // with a fraction or an exponent
};

struct Number {
  NumberKind kind = NumberKind::int64;
  union {
    std::int64_t int64 = 0;
    std::uint64_t uint64;
    double real;
  };
  std::string_view text;  // the number as written, in the document: for Decimal
};

// Reads the number at `at` ('-' or a digit), of a text that ends at `end`, and returns the byte
// behind it. Null: *code says why, *out is not set, *failed_at is the offending byte.
//
// REQUIRES: a byte that cannot continue a number (the document's final NUL) lies at `end`.
// Errors: json_number_invalid (01, 1., .5, -), json_integer_too_long (over kIntegerDigitsMax),
// json_number_too_large (1e400: no double is near).
const char* read_number(const char* at, const char* end, Number* out, Errc* code,
                        const char** failed_at) noexcept;

using NumberFunction = decltype(&read_number);

// Passes over the number at `at`, which may be too large for a double. REQUIRES: as above.
// Errors: json_number_invalid, json_integer_too_long.
const char* skip_number(const char* at, const char* end, Errc* code,
                        const char** failed_at) noexcept;

namespace detail {
#if defined(__x86_64__)
// The same, faster for short ones. REQUIRES: simd_level() >= avx2
const char* read_number_avx2(const char* at, const char* end, Number* out, Errc* code,
                             const char** failed_at) noexcept;
#endif
}  // namespace detail
}  // namespace lanner::json
