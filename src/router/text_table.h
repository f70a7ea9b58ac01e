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

// A text's length, and its first and last bytes, which overlap: all of it up to kWhole bytes.
struct TextKey {
  static constexpr std::size_t kWhole = 16;

  std::uint64_t front = 0;
  std::uint64_t back = 0;
  std::uint32_t bytes = 0;

  static TextKey of(std::string_view text) noexcept;
  friend bool operator==(const TextKey&, const TextKey&) = default;
};

class TextTable final {
 public:
  // REQUIRES: the key was not added before
  void add(std::uint32_t owner, std::string_view text, std::uint32_t value);
  // After the last add(), before the first find().
  void freeze();

  // kNone: there is no such key. REQUIRES: freeze()
  std::uint32_t find(std::uint32_t owner, std::string_view text) const noexcept {
    const TextKey key = TextKey::of(text);
    for (std::size_t at = hash(owner, key, text) >> shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.value == kNone) return kNone;
      if (slot.owner == owner && slot.key == key &&
          (key.bytes <= TextKey::kWhole ||
           std::memcmp(texts_.data() + slot.at, text.data(), text.size()) == 0))
        return slot.value;
    }
  }

 private:
  struct Slot {
    TextKey key;
    std::uint32_t owner = 0;
    std::uint32_t at = 0;         // in texts_
    std::uint32_t value = kNone;  // the slot is empty; there always is one
  };

  static std::uint64_t hash(std::uint32_t owner, const TextKey& key,
                            std::string_view text) noexcept;

  std::string texts_;
  std::vector<Slot> entries_;  // until freeze()
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned int shift_ = 0;
};

template <class Word>
inline std::uint64_t load_word(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

inline TextKey TextKey::of(std::string_view text) noexcept {
  const char* at = text.data();
  const std::size_t bytes = text.size();
  TextKey key{0, 0, static_cast<std::uint32_t>(bytes)};
  if (bytes >= 8) {
    key.front = load_word<std::uint64_t>(at);
    key.back = load_word<std::uint64_t>(at + bytes - 8);
  } else if (bytes >= 4) {
    key.front = load_word<std::uint32_t>(at);
    key.back = load_word<std::uint32_t>(at + bytes - 4);
  } else if (bytes > 0) {
    key.front = load_word<std::uint8_t>(at) << 8 | load_word<std::uint8_t>(at + bytes / 2);
    key.back = load_word<std::uint8_t>(at + bytes - 1);
  }
  return key;
}

inline std::uint64_t TextTable::hash(std::uint32_t owner, const TextKey& key,
                                     std::string_view text) noexcept {
  constexpr std::uint64_t kMix = 0x9E37'79B9'7F4A'7C15;
  std::uint64_t h = std::uint64_t{owner} << 32 | owner;
  const auto mix = [&h](std::uint64_t word) noexcept {
    h = (h ^ word) * kMix;
    h ^= h >> 32;
  };
  mix(key.front);
  // What key.front and key.back leave out.
  for (std::size_t at = 8; at + 8 < text.size(); at += 8)
    mix(load_word<std::uint64_t>(text.data() + at));
  return (h ^ key.back) * kMix;
}

}  // namespace lanner::router
