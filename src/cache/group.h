// cache/group.h: the stored answers of one key, its variants, and the table that finds them by it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/vector.h"
#include "cache/entry.h"

namespace lanner::cache {

struct Group {
  std::uint64_t hash = 0;
  std::string_view key;
  std::string_view vary_names;  // of write_vary_names(), the same for all variants
  Entry* variants = nullptr;    // the newest first
  std::uint32_t count = 0;
  Group* next = nullptr;  // in the table's chain

  // One allocation for it and its texts; nullptr when memory is out.
  [[nodiscard]] static Group* make(std::uint64_t hash, std::string_view key,
                                   std::string_view vary_names) noexcept;
  static void destroy(Group* group) noexcept;
  std::size_t bytes() const noexcept { return sizeof(Group) + key.size() + vary_names.size(); }

  // nullptr: there is no such variant.
  Entry* find(std::string_view variant) const noexcept;
  void add(Entry& entry) noexcept;
  // REQUIRES: it is a variant of this group
  void remove(Entry& entry) noexcept;
};

class GroupTable final {
 public:
  Group* find(std::uint64_t hash, std::string_view key) const noexcept;
  // False when memory is out; then nothing was added.
  [[nodiscard]] bool add(Group& group) noexcept;
  void remove(Group& group) noexcept;
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return chains_.size() * sizeof(Group*); }

  // Calls f(Group&) for each; f may remove that one group.
  template <class F>
  void for_each(F&& f) noexcept {
    for (Group* group : chains_) {
      while (group) {
        Group* const next = group->next;
        f(*group);
        group = next;
      }
    }
  }

 private:
  bool grow() noexcept;
  Group** chain_of(std::uint64_t hash) noexcept { return &chains_[hash & (chains_.size() - 1)]; }

  Vector<Group*> chains_;  // a power of two, or none
  std::size_t size_ = 0;
};

}  // namespace lanner::cache
