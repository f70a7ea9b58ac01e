// cache/store.h: the stored answers of a worker, within a budget of bytes.
//
// Of the loop's thread. A find() that hits takes no lock and no memory. What does not fit is not
// stored, with the reason; entries that are dropped while they are sent count until they are sent.

#pragma once

#include <cstdint>
#include <string_view>

#include "cache/entry.h"
#include "cache/eviction.h"
#include "cache/group.h"
#include "cache/limits.h"
#include "cache/storability.h"
#include "http/head.h"

namespace lanner::cache {

struct StoreLimits {
  std::uint64_t bytes = 67'108'864;       // of all
  std::uint64_t entry_bytes = 8'388'608;  // of one; never more than an eighth of all
  std::uint32_t variants = kVariantsMax;  // of one key; beyond, the oldest goes
};

struct StoreStatistics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stored = 0;
  std::uint64_t refused = 0;
  std::uint64_t evicted = 0;
  std::uint64_t cleared = 0;  // by tag, path, key or all
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

struct Found {
  EntryRef entry;          // none: a miss
  bool key_known = false;  // of a miss: another variant is stored
};

class Store final {
 public:
  // `seed`: random, so that clients cannot choose keys that collide.
  Store(const StoreLimits& limits, std::uint64_t seed) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();  // REQUIRES: no EntryRef is left

  // `key` of write_key(), not empty. Fresh or not: see find_use().
  Found find(std::string_view key, const http::RequestHead& request) noexcept;
  // Replaces what is stored for the key and the variant; if Vary names other fields than before, all
  // variants. Refusal::none, too_large or memory.
  Refusal add(std::string_view key, std::string_view vary_names, const EntryParts& parts) noexcept;

  // How many entries went. Tag and path look at every entry.
  std::uint64_t clear_key(std::string_view key) noexcept;
  std::uint64_t clear_tag(std::string_view tag) noexcept;
  // Of any host; a prefix of whole text: "/cards" reaches "/cards?q=1", "/cards/7" and "/cardsharp".
  std::uint64_t clear_path(std::string_view prefix) noexcept;
  std::uint64_t clear() noexcept;

  StoreStatistics statistics() const noexcept;

 private:
  template <class Matches>
  std::uint64_t clear_if(Matches matches) noexcept;
  std::uint64_t used() const noexcept;
  bool make_room(std::uint64_t bytes) noexcept;
  Refusal refuse(Refusal why) noexcept;
  void drop(Entry& entry) noexcept;

  StoreLimits limits_;
  std::uint64_t seed_;
  std::uint64_t group_bytes_ = 0;
  std::uint64_t fixed_bytes_ = 0;
  EntryMemory memory_;
  GroupTable groups_;
  Eviction eviction_;
  StoreStatistics statistics_;
};

}  // namespace lanner::cache
