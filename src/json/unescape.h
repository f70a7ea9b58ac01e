// json/unescape.h: the inside of a string literal with escapes as the text that it says (RFC 8259,
// section 7): scalar, AVX2, AVX-512; scan.h chooses.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lanner::json {

struct Unescaped {
  const char* stop;  // the byte that was not passed over
  char* to;          // the end of what was written
  bool high;         // a byte above 0x7F was passed over
};

// Passes over text and escapes of one letter (\n) and writes what they say. Stops at a quote, a
// control byte (< 0x20), the backslash of any other escape, at `last`, and at an escape that `last`
// cuts. Reads nothing outside [at, end); last <= end. UTF-8 is not looked at.
//
// REQUIRES: no escape begins before `at`; room for last - at + kUnescapePadding bytes at `to`.
using UnescapeFunction = Unescaped (*)(const char* at, const char* last, const char* end,
                                       char* to) noexcept;
inline constexpr std::size_t kUnescapePadding = 64;

// What the letter behind a backslash stands for; 0: nothing, or a code (\u0041). A table, for which
// one comes is chance.
inline constexpr std::array<char, 256> kShortEscapes = [] {
  std::array<char, 256> table{};
  constexpr char kPairs[][2] = {{'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'b', '\b'},
                                {'f', '\f'}, {'n', '\n'},  {'r', '\r'}, {'t', '\t'}};
  for (const auto& pair : kPairs) table[static_cast<std::size_t>(pair[0])] = pair[1];
  return table;
}();

inline char short_escape(char letter) noexcept {
  return kShortEscapes[static_cast<unsigned char>(letter)];
}

namespace detail {

Unescaped unescape_scalar(const char* at, const char* last, const char* end, char* to) noexcept;
#if defined(__x86_64__)
Unescaped unescape_avx2(const char* at, const char* last, const char* end, char* to) noexcept;
// REQUIRES: has_vbmi2() of escape.h
Unescaped unescape_vbmi2(const char* at, const char* last, const char* end, char* to) noexcept;
#endif

// Of a block's backslashes, a bit each, the first of the block not escaped itself: which of them
// begin an escape, and which bytes are escaped by them. Every second one of a run, and what follows
// a run of odd length; by one subtraction, whose borrow ends each run (as simdjson has it).
template <class Bits>
struct Escapes {
  Bits begin;
  Bits escaped;
};
template <class Bits>
constexpr Escapes<Bits> escapes_of(Bits backslashes) noexcept {
  constexpr Bits kOdd = static_cast<Bits>(0xAAAAAAAAAAAAAAAA);
  const Bits after = static_cast<Bits>(backslashes << 1);
  const Bits codes = static_cast<Bits>(((after | kOdd) - backslashes) ^ kOdd);
  return {codes & backslashes, codes ^ backslashes};
}

}  // namespace detail
}  // namespace lanner::json
