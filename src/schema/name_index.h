// schema/name_index.h: a hash from names to positions, built once with a seed under which no two
// names collide.

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/vector.h"

namespace lanner::schema {

// If a seed without collisions was found, which is usual up to some hundred names, a look-up costs
// one hash and one comparison; otherwise colliding names are stored next to each other. The names
// are not copied: they live as long as the index.
class NameIndex final {
 public:
  static constexpr int kNone = -1;

  enum class Built : std::uint8_t {
    done,
    refused,  // a name occurs twice, or there are too many
    no_memory,
  };
  // `names` with data() == nullptr are left out.
  [[nodiscard]] Built build(const std::string_view* names, std::size_t count) noexcept;
  // The position of `name`, or kNone.
  int find(std::string_view name) const noexcept {
    if (slots_.empty()) return kNone;
    std::size_t at = hash(name) >> shift_;
    for (; slots_[at].position != kNone; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.name.size() == name.size() &&
          std::memcmp(slot.name.data(), name.data(), name.size()) == 0) {
        return slot.position;
      }
    }
    return kNone;
  }

 private:
  struct Slot {
    std::string_view name;
    int position = kNone;  // kNone: the slot is empty; there always is one
  };
  std::uint64_t hash(std::string_view name) const noexcept;
  enum class Placed : std::uint8_t { perfect, met, twice };
  Placed place(const std::string_view* names, std::size_t count) noexcept;

  Vector<Slot> slots_;
  std::uint64_t seed_ = 1;
  unsigned shift_ = 0;
  bool whole_ = false;  // hash all bytes: the ends alone did not tell the names apart
};

}  // namespace lanner::schema
