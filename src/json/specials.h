// json/specials.h: the bytes that end a string literal or need an escape, in a vector of 128 bits.

#pragma once

#include "base/simd128.h"

namespace lanner::json {

// Quotes, backslashes and bytes below 0x20.
inline simd128::U8 specials(simd128::U8 bytes) noexcept {
  return simd128::at_most(bytes, 0x1F) | (bytes == '"') | (bytes == '\\');
}

}  // namespace lanner::json
