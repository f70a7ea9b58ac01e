// json/escape_inl.h: single elements, for the escape kernels of all levels.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "json/escape.h"

namespace lanner::json::detail {

extern const EscapeKernels kBaselineEscapes;
// Of kBaselineEscapes and kAvx2Escapes.
char* escape_ucs2_baseline(char* to, const std::uint16_t* text, std::size_t size) noexcept;
char* escape_ucs4_baseline(char* to, const std::uint32_t* text, std::size_t size) noexcept;
#if defined(__x86_64__)
extern const EscapeKernels kAvx2Escapes;
extern const EscapeKernels kAvx512Escapes;
#endif

// The escaped form of an ASCII byte, and its length behind it: one eight-byte store, of which
// `length` bytes are used.
struct Escape {
  char text[7];
  std::uint8_t length;  // 0: written unchanged
};

inline constexpr std::array<Escape, 128> kEscapes = [] {
  constexpr char kHex[] = "0123456789abcdef";
  std::array<Escape, 128> table{};
  for (std::size_t i = 0; i < 0x20; ++i)
    table[i] = {{'\\', 'u', '0', '0', kHex[i >> 4], kHex[i & 15], 0}, 6};
  constexpr char kShort[][2] = {{'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'},
                                {'\t', 't'}, {'"', '"'},  {'\\', '\\'}};
  for (const auto& pair : kShort)
    table[static_cast<std::size_t>(pair[0])] = {{'\\', pair[1], 0, 0, 0, 0, 0}, 2};
  return table;
}();

// REQUIRES: byte < 0x80, and it has an escape. Writes 8 bytes.
inline char* write_escape(char* to, std::uint32_t byte) noexcept {
  const Escape& escape = kEscapes[byte];
  std::memcpy(to, &escape, sizeof escape);
  return to + escape.length;
}

// REQUIRES: code >= 0x80. Null at a surrogate.
inline char* write_wide(char* to, std::uint32_t code) noexcept {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    if (code >= 0xD800 && code <= 0xDFFF) return nullptr;
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
  return to;
}

// Any one element. Null at a surrogate.
inline char* write_one(char* to, std::uint32_t code) noexcept {
  if (code >= 0x80) return write_wide(to, code);
  if (kEscapes[code].length != 0) return write_escape(to, code);
  *to = static_cast<char>(code);
  return to + 1;
}

template <class Element>
char* write_each(char* to, const Element* text, std::size_t size) noexcept {
  for (const Element* const end = text + size; text != end; ++text) {
    to = write_one(to, *text);
    if (to == nullptr) return nullptr;
  }
  return to;
}

}  // namespace lanner::json::detail
