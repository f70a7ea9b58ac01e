#include "http/token.h"

#include <array>
#include <cstring>

namespace lanner::http {

namespace {

constexpr std::size_t kCount = static_cast<std::size_t>(Token::count);
constexpr std::size_t kNameBytesMax = 31;

constexpr std::array<std::string_view, kCount> kNames = {
    "",
#define LANNER_TOKEN(id, name) name,
#include "http/tokens.def"
#undef LANNER_TOKEN
};

// One cache line a name, so that a lookup touches two lines in all.
struct alignas(64) Entry {
  char lower[kNameBytesMax] = {};
  std::uint8_t bytes = 0;
  char case_bits[kNameBytesMax + 1] = {};  // 0x20 under each letter: the bit in which case differs
};

constexpr auto kEntries = [] {
  std::array<Entry, kCount> entries{};
  for (std::size_t i = 0; i < kCount; ++i) {
    entries[i].bytes = static_cast<std::uint8_t>(kNames[i].size());
    for (std::size_t k = 0; k < kNames[i].size(); ++k) {
      const char byte = kNames[i][k];
      entries[i].lower[k] = byte;
      entries[i].case_bits[k] = byte >= 'a' && byte <= 'z' ? 0x20 : 0;
    }
  }
  return entries;
}();

// Compilers make one load of it.
constexpr std::uint32_t four_bytes(const char* at) noexcept {
  std::uint32_t word = 0;
  for (unsigned int i = 0; i < 4; ++i) {
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  return word;
}

constexpr std::uint32_t few_bytes(std::string_view name) noexcept {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i]));
  };
  return byte(0) | byte(name.size() / 2) << 8 | byte(name.size() - 1) << 16;
}

// The first four bytes, the last four and the length tell all our names apart. REQUIRES:
// !name.empty()
constexpr std::uint64_t hash_key(std::string_view name) noexcept {
  constexpr std::uint32_t kLower = 0x20202020;
  const bool few = name.size() < 4;
  const std::uint32_t first = few ? few_bytes(name) : four_bytes(name.data());
  const std::uint32_t last = few ? 0 : four_bytes(name.data() + name.size() - 4);
  return (static_cast<std::uint64_t>(first | kLower) << 32 | (last | kLower)) + name.size();
}

constexpr unsigned int kSlotBits =
    10;  // 13 times the names: a factor without collisions is found quickly
using Slots = std::array<std::uint8_t, 1u << kSlotBits>;

constexpr std::size_t slot_of(std::string_view name, std::uint64_t factor) noexcept {
  return static_cast<std::size_t>(hash_key(name) * factor >> (64 - kSlotBits));
}

// False when two names meet in one slot.
constexpr bool fill_slots(std::uint64_t factor, Slots* slots) noexcept {
  *slots = Slots{};
  for (std::size_t i = 1; i < kCount; ++i) {
    std::uint8_t& slot = (*slots)[slot_of(kNames[i], factor)];
    if (slot != 0) return false;
    slot = static_cast<std::uint8_t>(i);
  }
  return true;
}

struct PerfectHash {
  std::uint64_t factor;
  Slots slots;
};

// Runs in the compiler: tries odd factors until no two names meet.
constexpr PerfectHash kHash = [] {
  PerfectHash hash{0x9E3779B97F4A7C15u, {}};
  while (!fill_slots(hash.factor, &hash.slots)) hash.factor = hash.factor * 0xD1342543DE82EF95u + 2;
  return hash;
}();

template <class Word>
Word difference(const char* name, const Entry& entry, std::size_t at) noexcept {
  Word a;
  Word b;
  Word ignored;
  std::memcpy(&a, name + at, sizeof a);
  std::memcpy(&b, entry.lower + at, sizeof b);
  std::memcpy(&ignored, entry.case_bits + at, sizeof ignored);
  return static_cast<Word>((a ^ b) & static_cast<Word>(~ignored));
}

// REQUIRES: name.size() == entry.bytes. Whole words, the last one overlapping: no loop over bytes.
bool is_same(std::string_view name, const Entry& entry) noexcept {
  const std::size_t size = name.size();
  if (size >= 8) {
    std::uint64_t different = difference<std::uint64_t>(name.data(), entry, size - 8);
    for (std::size_t at = 0; at + 8 < size; at += 8) {
      different |= difference<std::uint64_t>(name.data(), entry, at);
    }
    return different == 0;
  }
  if (size >= 4) {
    return (difference<std::uint32_t>(name.data(), entry, 0) |
            difference<std::uint32_t>(name.data(), entry, size - 4)) == 0;
  }
  for (std::size_t at = 0; at < size; ++at) {
    if (difference<std::uint8_t>(name.data(), entry, at) != 0) return false;
  }
  return true;
}

}  // namespace

Token token_from_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kNameBytesMax) return Token::unknown;
  const std::uint8_t index = kHash.slots[slot_of(name, kHash.factor)];
  const Entry& entry = kEntries[index];  // index 0 has no bytes: never of the size of a name
  if (entry.bytes != name.size() || !is_same(name, entry)) return Token::unknown;
  return static_cast<Token>(index);
}

std::string_view token_name(Token token) noexcept {
  return kNames[static_cast<std::size_t>(token)];
}

}  // namespace lanner::http
