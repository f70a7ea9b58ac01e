// http1/nibble_table.h: a set of ASCII bytes in the form that a byte shuffle can look up.
//
// lows[b & 15] has bit (b >> 4) set if b is in the set: one shuffle by the low nibble, one by the
// high nibble and an AND classify 16 bytes per lane at once (Langdale and Lemire's classification,
// 2019).

#pragma once

#include <array>
#include <cstdint>

#include "http/ascii.h"

namespace lanner::http1::detail {

using NibbleTable = std::array<std::uint8_t, 16>;

// Bytes above 0x7F are never in the set.
constexpr NibbleTable make_low_nibbles(std::uint8_t byte_class) noexcept {
  NibbleTable lows{};
  for (unsigned int i = 0; i < 128; ++i) {
    if (!http::is_byte(static_cast<char>(i), byte_class)) continue;
    lows[i & 15] = static_cast<std::uint8_t>(lows[i & 15] | 1u << (i >> 4));
  }
  return lows;
}

inline constexpr NibbleTable kTokenLowNibbles = make_low_nibbles(http::kTokenByte);
inline constexpr NibbleTable kHighNibbleBits = {1, 2, 4, 8, 16, 32, 64, 128,
                                                0, 0, 0, 0, 0,  0,  0,  0};

}  // namespace lanner::http1::detail
