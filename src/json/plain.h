// json/plain.h: writes ASCII text that needs no escape, and numbers, in loops over many of them;
// for every machine. plain_avx2.h and plain_avx512.h do the same with wider vectors.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/simd128.h"
#include "json/decimal.h"
#include "json/specials.h"

namespace lanner::json {

class PlainCopy final {
 public:
  // Copies `size` bytes of ASCII, or of UTF-8. False: a byte needs an escape, and the output must
  // be discarded. Never reads outside the text. REQUIRES: room for size + 64 bytes.
  [[gnu::always_inline]] bool copy(char* to, const char* text, std::size_t size) const noexcept {
    if (size < kStep) [[likely]]
      return copy_short(to, text, size);
    simd128::U8 special{};
    for (std::size_t at = 0; at + kStep <= size; at += kStep) special |= copy_step(to, text, at);
    // The last bytes, of which some were copied before.
    return !simd128::mask_of(special | copy_step(to, text, size - kStep));
  }

 private:
  static constexpr std::size_t kStep = simd128::kBytes;

  static simd128::U8 copy_step(char* to, const char* text, std::size_t at) noexcept {
    const simd128::U8 bytes = simd128::load(text + at);
    simd128::store(to + at, bytes);
    return specials(bytes);
  }

  // Two halves that overlap.
  [[gnu::always_inline]] static bool copy_short(char* to, const char* text,
                                                std::size_t size) noexcept {
    std::uint64_t first = kSpaces;
    std::uint64_t last = kSpaces;
    if (size >= 8) [[likely]] {
      std::memcpy(&first, text, 8);
      std::memcpy(&last, text + size - 8, 8);
      std::memcpy(to, &first, 8);
      std::memcpy(to + size - 8, &last, 8);
    } else if (size >= 4) {
      std::memcpy(&first, text, 4);
      std::memcpy(&last, text + size - 4, 4);
      std::memcpy(to, &first, 4);
      std::memcpy(to + size - 4, &last, 4);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        first = first << 8 | static_cast<unsigned char>(text[i]);
        to[i] = text[i];
      }
    }
    const simd128::U64 halves = {first, last};
    return !simd128::mask_of(specials(simd128::as<simd128::U8>(halves)));
  }

  static constexpr std::uint64_t kSpaces = 0x2020202020202020;
};

// The numbers of decimal.h, in the form that such loops call.
class PlainNumbers final {
 public:
  char* write(char* to, std::int64_t value) const noexcept { return write_int64(to, value); }
  char* write(char* to, double value) const noexcept { return write_double(to, value); }
};

}  // namespace lanner::json
