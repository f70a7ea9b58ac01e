// json/utf8.h: checks and measures UTF-8 (RFC 3629), and converts it to the three widths in which
// CPython stores text.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanner::json {

// What is needed to make a str: how many code points, and the largest, rounded up to a class limit.
struct Utf8Shape {
  std::size_t code_points = 0;
  char32_t max = 0;  // 0x7F, 0xFF, 0xFFFF or 0x10FFFF: the width that all code points fit
};

// By SIMD, for long text.
bool is_utf8(std::string_view text) noexcept;
// The first byte of the first invalid sequence (including overlong forms, surrogates and values
// above 0x10FFFF); text.size() if there is none.
std::size_t invalid_utf8_at(std::string_view text) noexcept;

// All below REQUIRE valid UTF-8.
Utf8Shape shape_of(std::string_view text) noexcept;
// `to` has room for code_points elements; REQUIRES: shape.max fits the element.
void decode_utf8(std::string_view text, std::uint8_t* to) noexcept;
void decode_utf8(std::string_view text, std::uint16_t* to) noexcept;
void decode_utf8(std::string_view text, std::uint32_t* to) noexcept;

}  // namespace lanner::json
