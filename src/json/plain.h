// json/plain.h: writes ASCII text that needs no escape, and numbers, in loops over many of them;
// for every machine. plain_avx2.h and plain_avx512.h do the same with vector instructions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "json/decimal.h"

namespace lanner::json {

class ScalarPlainCopy final {
 public:
  // Copies `size` bytes of ASCII, or of UTF-8. False: a byte needs an escape, and the output must
  // be discarded. Never reads outside the text. REQUIRES: room for size + 64 bytes.
  bool copy(char* to, const char* text, std::size_t size) const noexcept {
    std::uint64_t special = 0;
    if (size >= 8) {
      for (std::size_t at = 0; at + 8 <= size; at += 8) special |= copy_8(to, text, at);
      return (special | copy_8(to, text, size - 8)) == 0;  // some of them for the second time
    }
    std::uint64_t word = kOnes * ' ';
    for (std::size_t i = 0; i < size; ++i) {
      word = word << 8 | static_cast<unsigned char>(text[i]);
      to[i] = text[i];
    }
    return specials(word) == 0;
  }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101;

  static std::uint64_t copy_8(char* to, const char* text, std::size_t at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, text + at, 8);
    std::memcpy(to + at, &word, 8);
    return specials(word);
  }
  // Not zero if a byte of the word is below 0x20, a quote or a backslash.
  static std::uint64_t specials(std::uint64_t word) noexcept {
    const std::uint64_t quote = word ^ kOnes * '"';
    const std::uint64_t slash = word ^ kOnes * '\\';
    return (((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) |
            ((slash - kOnes) & ~slash)) &
           kOnes * 0x80;
  }
};

// The numbers of decimal.h, in the form that such loops call.
class PlainNumbers final {
 public:
  char* write(char* to, std::int64_t value) const noexcept { return write_int64(to, value); }
  char* write(char* to, double value) const noexcept { return write_double(to, value); }
};

}  // namespace lanner::json
