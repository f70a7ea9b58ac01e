// cache/hash.h: a keyed hash of text, so that clients cannot choose keys that collide.
//
// Words are folded by 64 x 64 -> 128 bit products, as wyhash does it. The seed comes from the
// system's randomness, once for each store.

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace lanner::cache {

inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kA = 0xA076'1D64'78BD'642F;
  constexpr std::uint64_t kB = 0xE703'7ED1'A0B4'28DB;
  const auto load = [](const char* from, std::size_t bytes) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return word;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t state = seed ^ kA;
  for (; left > 16; at += 16, left -= 16)
    state = fold_product(load(at, 8) ^ kA ^ seed, load(at + 8, 8) ^ kB ^ state);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left > 8) {
    a = load(at, 8);
    b = load(at + 8, left - 8);
  } else if (left > 0) {
    a = load(at, left);
  }
  state = fold_product(a ^ kB ^ seed, b ^ state);
  return fold_product(state ^ text.size(), kA ^ seed);
}

}  // namespace lanner::cache
