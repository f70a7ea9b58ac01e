// router/slashes.h: where the segments of a path end: a bit for each of its first 64 bytes, since
// most segments are shorter than a call of memchr is long.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/simd128.h"

namespace lanner::router {

class Slashes final {
 public:
  explicit Slashes(std::string_view path) noexcept
      : begin_(path.data()), end_(path.data() + path.size()) {
    const std::size_t bytes = path.size();
    const std::size_t covered = std::min(bytes, kCovered);
    std::size_t at = 0;
    for (; at + 16 <= covered; at += 16) bits_ |= sixteen(begin_ + at) << at;
    if (at == covered) return;
    if (bytes >= 16) {  // a vector that overlaps the last one
      bits_ |= sixteen(begin_ + covered - 16) << (covered - 16);
    } else if (bytes >= 8) {  // two words that overlap
      const std::uint64_t both = both_ends<std::uint64_t>(begin_, bytes);
      bits_ = (both & 0xFF) | (both >> 8) << (bytes - 8);
    } else if (bytes >= 4) {
      const std::uint64_t both = both_ends<std::uint32_t>(begin_, bytes);
      bits_ = (both & 0xF) | ((both >> 8) & 0xF) << (bytes - 4);
    } else {
      for (; at < covered; ++at) bits_ |= std::uint64_t{begin_[at] == '/'} << at;
    }
  }

  // The next '/' at `at` or behind it; the end of the path if there is none.
  const char* next(const char* at) const noexcept {
    const auto offset = static_cast<std::size_t>(at - begin_);
    if (offset < kCovered) {
      if (const std::uint64_t left = bits_ >> offset) return at + std::countr_zero(left);
      at = begin_ + kCovered;
      if (at >= end_) return end_;
    }
    const void* slash = std::memchr(at, '/', static_cast<std::size_t>(end_ - at));
    return slash ? static_cast<const char*>(slash) : end_;
  }

 private:
  static constexpr std::size_t kCovered = 64;

  static std::uint64_t sixteen(const char* at) noexcept {
    return simd128::bits_of(simd128::load(at) == '/');
  }

  // The first word's bytes from bit 0, the last word's from bit 8.
  template <class Word>
  static std::uint64_t both_ends(const char* at, std::size_t bytes) noexcept {
    Word first;
    Word last;
    std::memcpy(&first, at, sizeof first);
    std::memcpy(&last, at + bytes - sizeof last, sizeof last);
    return simd128::bits_of(simd128::as<simd128::U8>(simd128::U64{first, last}) == '/');
  }

  const char* begin_;
  const char* end_;
  std::uint64_t bits_ = 0;
};

}  // namespace lanner::router
