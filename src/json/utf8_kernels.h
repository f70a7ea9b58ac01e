// json/utf8_kernels.h: measures and decodes UTF-8: with vectors of 128 bits, AVX2, AVX-512,
// chosen at run time.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/cpu.h"
#include "json/utf8.h"

namespace lanner::json {

// As the functions of utf8.h. None reads or writes outside its arguments.
struct Utf8Kernels {
  Utf8Shape (*shape)(std::string_view text) noexcept;
  void (*decode8)(std::string_view text, std::uint8_t* to) noexcept;
  void (*decode16)(std::string_view text, std::uint16_t* to) noexcept;
  void (*decode32)(std::string_view text, std::uint32_t* to) noexcept;
};

// The best kernels that this machine supports, chosen at the first call.
const Utf8Kernels& utf8_kernels() noexcept;
// For tests. REQUIRES: level <= simd_level()
const Utf8Kernels& utf8_kernels_of(SimdLevel level) noexcept;

namespace detail {

extern const Utf8Kernels kBaselineUtf8;
// Of kBaselineUtf8 and kAvx2Utf8.
Utf8Shape shape_baseline(std::string_view text) noexcept;
void decode8_baseline(std::string_view text, std::uint8_t* to) noexcept;
void decode32_baseline(std::string_view text, std::uint32_t* to) noexcept;

// So many bytes are 16 code points at least: a vector of 16 elements can be stored.
inline constexpr std::ptrdiff_t kDecodeReach = 64;
// A character that is not ASCII and does not stand alone: that many bytes are decoded one by one,
// with the blanks between words.
inline constexpr std::ptrdiff_t kDenseBytes = 256;
#if defined(__x86_64__)
extern const Utf8Kernels kAvx2Utf8;
extern const Utf8Kernels kAvx512Utf8;
#endif

// The width class of text whose largest byte this is. 0xC3 leads U+00C0 to U+00FF.
constexpr char32_t max_of(unsigned char largest) noexcept {
  if (largest < 0x80) return 0x7F;
  if (largest < 0xC4) return 0xFF;
  return largest < 0xF0 ? 0xFFFF : 0x10FFFF;
}

// The code point at `at`; moves it behind. REQUIRES: valid UTF-8.
inline std::uint32_t decode_one(const char** at) noexcept {
  const char* const from = *at;
  const auto tail = [&](std::ptrdiff_t i) -> std::uint32_t {
    return static_cast<unsigned char>(from[i]) & 0x3Fu;
  };
  const auto lead = static_cast<unsigned char>(*from);
  if (lead < 0x80) {
    *at += 1;
    return lead;
  }
  if (lead < 0xE0) {
    *at += 2;
    return (lead & 0x1Fu) << 6 | tail(1);
  }
  if (lead < 0xF0) {
    *at += 3;
    return (lead & 0x0Fu) << 12 | tail(1) << 6 | tail(2);
  }
  *at += 4;
  return (lead & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
}

}  // namespace detail
}  // namespace lanner::json
