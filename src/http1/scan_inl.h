// http1/scan_inl.h: scans by vectors of 128 bits, which need no dispatch: inline for the first 32
// bytes, for most names and values are not longer; then the kernels of scan.h go on.

#pragma once

#include <cstdint>
#include <cstring>

#include "base/simd128.h"
#include "http/ascii.h"
#include "http1/scan.h"

namespace lanner::http1 {

namespace detail {

// Each finder answers with the bytes that end a run.
struct Token {
  static constexpr std::uint8_t kClass = http::kTokenByte;
  static simd128::Mask ends(simd128::U8 bytes) noexcept {
    const auto invisible = simd128::at_most(bytes, 0x20) | simd128::at_least(bytes, 0x7F);
    const auto colon_to_at = simd128::at_most(bytes - ':', '@' - ':');
    const auto brackets = simd128::at_most(bytes - '[', ']' - '[') | ((bytes & 0xFE) == '(') |
                          (bytes == '{') | (bytes == '}');
    const auto others = (bytes == '"') | (bytes == ',') | (bytes == '/');
    return simd128::mask_of(invisible | colon_to_at | brackets | others);
  }
};
struct Value {
  static constexpr std::uint8_t kClass = http::kValueByte;
  static simd128::Mask ends(simd128::U8 bytes) noexcept {
    return simd128::mask_of((simd128::at_most(bytes, 0x1F) ^ (bytes == '\t')) | (bytes == 0x7F));
  }
};
struct Target {
  static constexpr std::uint8_t kClass = http::kTargetByte;
  static simd128::Mask ends(simd128::U8 bytes) noexcept {
    return simd128::mask_of(simd128::at_most(bytes, 0x20) | simd128::at_least(bytes, 0x7F) |
                            (bytes == '#'));
  }
};
struct Colon {
  static simd128::Mask ends(simd128::U8 bytes) noexcept { return simd128::mask_of(bytes == ':'); }
};

inline std::uint64_t load_word(const char* at) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// Less than a vector: two halves that overlap, or byte by byte.
template <class Finder>
inline const char* scan_short(const char* at, const char* end) noexcept {
  using simd128::kBytes;
  constexpr std::ptrdiff_t kHalf = kBytes / 2;
  if (end - at < kHalf) {
    while (at != end && http::is_byte(*at, Finder::kClass)) ++at;
    return at;
  }
  const simd128::U64 halves = {load_word(at), load_word(end - kHalf)};
  const simd128::Mask ends = Finder::ends(simd128::as<simd128::U8>(halves));
  if (!ends) return end;
  const unsigned first = ends.first();
  return first < kHalf ? at + first : end - kBytes + first;
}

template <class Finder>
inline const char* scan(const char* at, const char* end) noexcept {
  using simd128::kBytes;
  if (end - at < kBytes) return scan_short<Finder>(at, end);
  for (; end - at >= kBytes; at += kBytes) {
    const simd128::Mask ends = Finder::ends(simd128::load(at));
    if (ends) return at + ends.first();
  }
  if (at == end) return end;
  // A vector that overlaps the one before, in which no byte ended the run.
  const char* const last = end - kBytes;
  const simd128::Mask ends = Finder::ends(simd128::load(last));
  return ends ? last + ends.first() : end;
}

inline constexpr int kInlineSteps = 2;

// The end of a run if it is in the first kInlineSteps steps; otherwise nullptr, and *at is past
// them.
template <class Finder>
inline const char* find_early(const char** at, const char* end) noexcept {
  for (int step = 0; step < kInlineSteps && end - *at >= simd128::kBytes;
       ++step, *at += simd128::kBytes) {
    const simd128::Mask ends = Finder::ends(simd128::load(*at));
    if (ends) return *at + ends.first();
  }
  return nullptr;
}

}  // namespace detail

inline const char* find_value_end(const char* at, const char* end,
                                  const ScanKernels& kernels) noexcept {
  const char* const found = detail::find_early<detail::Value>(&at, end);
  return found ? found : kernels.value(at, end);
}
inline const char* find_target_end(const char* at, const char* end,
                                   const ScanKernels& kernels) noexcept {
  const char* const found = detail::find_early<detail::Target>(&at, end);
  return found ? found : kernels.target(at, end);
}
// The first colon if it is among the first few bytes; otherwise nullptr, which does not mean that
// there is none.
inline const char* find_colon_early(const char* at, const char* end) noexcept {
  const char* const found = detail::find_early<detail::Colon>(&at, end);
  if (found || end - at >= simd128::kBytes) return found;
  while (at != end && *at != ':') ++at;
  return at == end ? nullptr : at;
}

}  // namespace lanner::http1
