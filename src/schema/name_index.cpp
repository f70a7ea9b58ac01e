#include "schema/name_index.h"

#include <algorithm>

namespace lanner::schema {

namespace {

constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;
constexpr std::size_t kMaxNames = 65000;
constexpr std::size_t kPerfectMax = 512;  // more names would need too large a table
constexpr int kSeeds = 64;                // tried for each size of the table

template <class T>
std::uint64_t load(const char* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The first and the last bytes, which overlap in a short name.
void ends(std::string_view name, std::uint64_t* first, std::uint64_t* last) noexcept {
  const char* p = name.data();
  const std::size_t n = name.size();
  if (n >= 8) {
    *first = load<std::uint64_t>(p);
    *last = load<std::uint64_t>(p + n - 8);
  } else if (n >= 4) {
    *first = load<std::uint32_t>(p);
    *last = load<std::uint32_t>(p + n - 4);
  } else {
    *first = n ? load<std::uint8_t>(p) : 0;
    *last = n ? load<std::uint8_t>(p + n / 2) << 8 | load<std::uint8_t>(p + n - 1) : 0;
  }
}

}  // namespace

std::uint64_t NameIndex::hash(std::string_view name) const noexcept {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  ends(name, &first, &last);
  std::uint64_t h = (first ^ name.size()) * (kMix ^ seed_) ^ last;
  if (whole_) {
    for (const char c : name) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001B3ULL;
  }
  h ^= h >> 32;
  return h * (kMix + seed_ * 2);
}

NameIndex::Placed NameIndex::place(const std::string_view* names, std::size_t count) noexcept {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  Placed placed = Placed::perfect;
  for (std::size_t i = 0; i < count; ++i) {
    if (!names[i].data()) continue;
    if (find(names[i]) != kNone) return Placed::twice;
    std::size_t at = hash(names[i]) >> shift_;
    while (slots_[at].position != kNone) {
      placed = Placed::met;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {names[i], static_cast<int>(i)};
  }
  return placed;
}

NameIndex::Built NameIndex::build(const std::string_view* names, std::size_t count) noexcept {
  slots_.shrink(0);
  if (count > kMaxNames) return Built::refused;
  if (count == 0) return Built::done;
  unsigned bits = 1;
  while ((std::size_t{1} << bits) < 2 * count) ++bits;
  // The table may grow to 16 slots a name; the last size looks at every byte.
  for (unsigned more = 0; more <= 4; ++more) {
    whole_ = more == 4;
    if (!slots_.resize(std::size_t{1} << (bits + more))) return Built::no_memory;
    shift_ = 64 - bits - more;
    for (int i = 0; i < kSeeds; ++i) {
      seed_ = (seed_ + kMix) | 1;
      const Placed placed = place(names, count);
      if (placed == Placed::perfect) return Built::done;
      if (placed == Placed::twice) {
        slots_.shrink(0);
        return Built::refused;
      }
      if (count > kPerfectMax) break;
    }
  }
  return Built::done;  // some names meet
}

}  // namespace lanner::schema
