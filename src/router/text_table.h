// router/text_table.h: from an owner and a text to a number: open addressing, built once.
//
// Keys come from the application, so the table is laid out before any client speaks: a client
// chooses what is looked up, but no text makes that take longer than the longest run of slots.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace lanner::router {

inline constexpr std::uint32_t kNone = 0xFFFF'FFFF;

// Whether two texts of one length are equal. Inline: most are short.
inline bool same_bytes(const char* a, const char* b, std::size_t bytes) noexcept {
  const auto differ = [a, b]<class Word>(Word, std::size_t at) noexcept {
    Word x;
    Word y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    return (x ^ y) != 0;
  };
  if (bytes > 16) return std::memcmp(a, b, bytes) == 0;
  if (bytes >= 8) return !differ(std::uint64_t{}, 0) && !differ(std::uint64_t{}, bytes - 8);
  if (bytes >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, bytes - 4);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

class TextTable final {
 public:
  // REQUIRES: the key was not added before
  void add(std::uint32_t owner, std::string_view text, std::uint32_t value);
  // After the last add(), before the first find().
  void freeze();

  // kNone: there is no such key.
  std::uint32_t find(std::uint32_t owner, std::string_view text) const noexcept {
    if (slots_.empty()) return kNone;
    for (std::size_t at = hash(owner, text) >> shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.value == kNone) return kNone;
      if (slot.owner == owner && slot.bytes == text.size() &&
          same_bytes(texts_.data() + slot.at, text.data(), text.size()))
        return slot.value;
    }
  }

 private:
  struct Slot {
    std::uint32_t owner = 0;
    std::uint32_t at = 0;  // in texts_
    std::uint32_t bytes = 0;
    std::uint32_t value = kNone;  // the slot is empty; there always is one
  };

  static std::uint64_t hash(std::uint32_t owner, std::string_view text) noexcept;

  std::string texts_;
  std::vector<Slot> entries_;  // until freeze()
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned int shift_ = 0;
};

inline std::uint64_t TextTable::hash(std::uint32_t owner, std::string_view text) noexcept {
  constexpr std::uint64_t kMix = 0x9E37'79B9'7F4A'7C15;
  const auto load = [&text]<class Word>(Word word, std::size_t at) noexcept -> std::uint64_t {
    std::memcpy(&word, text.data() + at, sizeof word);
    return word;
  };
  const std::size_t bytes = text.size();
  std::uint64_t h = (std::uint64_t{owner} << 16 ^ bytes) * kMix;
  const auto mix = [&h](std::uint64_t word) noexcept {
    h = (h ^ word) * kMix;
    h ^= h >> 32;
  };
  if (bytes >= 8) {
    for (std::size_t at = 0; at + 8 < bytes; at += 8) mix(load(std::uint64_t{}, at));
    mix(load(std::uint64_t{}, bytes - 8));
  } else if (bytes >= 4) {
    mix(load(std::uint32_t{}, 0) << 32 | load(std::uint32_t{}, bytes - 4));
  } else if (bytes > 0) {
    mix(load(std::uint8_t{}, 0) << 16 | load(std::uint8_t{}, bytes / 2) << 8 |
        load(std::uint8_t{}, bytes - 1));
  }
  return h * kMix;
}

}  // namespace lanner::router
