// json/unescape.h: decodes the content of a string literal with escapes (RFC 8259, section 7):
// with vectors of 128 bits, AVX2, AVX-512; scan.h chooses.

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

// Decodes text and one-letter escapes (\n). Stops at a quote, a control byte (< 0x20), the
// backslash of any other escape, at `last`, and at an escape that crosses `last`. Reads nothing
// outside [at, end); last <= end. UTF-8 is not checked.
//
// REQUIRES: no escape begins before `at`; room for last - at + kUnescapePadding bytes at `to`.
using UnescapeFunction = Unescaped (*)(const char* at, const char* last, const char* end,
                                       char* to) noexcept;
inline constexpr std::size_t kUnescapePadding = 64;

// The byte that the letter after a backslash stands for; 0: invalid, or a code (\u0041). A table,
// because a branch would mispredict.
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

Unescaped unescape_baseline(const char* at, const char* last, const char* end, char* to) noexcept;
#if defined(__x86_64__)
Unescaped unescape_avx2(const char* at, const char* last, const char* end, char* to) noexcept;
Unescaped unescape_avx512(const char* at, const char* last, const char* end, char* to) noexcept;
#endif

// From the backslashes of a block, one bit each (the first of the block is not escaped itself),
// computes which of them begin an escape and which bytes they escape: every second backslash of a
// run, and the byte after a run of odd length. One subtraction does it; its borrow ends each run
// (as in simdjson).
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
