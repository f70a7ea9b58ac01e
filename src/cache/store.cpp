#include "cache/store.h"

#include <algorithm>

#include "cache/hash.h"
#include "cache/text_writer.h"
#include "cache/vary.h"

namespace lanner::cache {

namespace {

// The path and query of a key: "GET https://host/path?query".
std::string_view path_of(std::string_view key) noexcept {
  const std::size_t host = key.find("//");
  if (host == key.npos) return {};
  const std::size_t path = key.find('/', host + 2);
  return path == key.npos ? std::string_view() : key.substr(path);
}

}  // namespace

Store::Store(const StoreLimits& limits, std::uint64_t seed) noexcept
    : limits_(limits), seed_(seed) {
  limits_.entry_bytes = std::min(limits_.entry_bytes, limits_.bytes / 8);
  limits_.variants = std::max(limits_.variants, 1U);
  // A hash of 8 bytes for each KiB; without them the cache is only less clever.
  const auto ghosts = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(limits_.bytes / 1024, 64, std::uint64_t{1} << 20));
  if (eviction_.set_size(limits_.bytes, ghosts)) fixed_bytes_ = ghosts * 8;
}

Store::~Store() { clear(); }

std::uint64_t Store::used() const noexcept {
  return memory_.bytes + group_bytes_ + groups_.bytes() + fixed_bytes_;
}

Found Store::find(std::string_view key, const http::RequestHead& request) noexcept {
  Found found;
  const Group* group = groups_.find(hash_text(key, seed_), key);
  Entry* entry = nullptr;
  if (group && group->vary_names.empty()) {
    entry = group->variants;
  } else if (group) {
    char memory[kKeyBytesMax];
    TextWriter variant(memory);
    write_variant(request, group->vary_names, variant);
    if (variant.good()) entry = group->find(variant.text());
  }
  if (entry) {
    Eviction::hit(*entry);
    ++statistics_.hits;
    found.entry = EntryRef(*entry);
  } else {
    ++statistics_.misses;
    found.key_known = group != nullptr;
  }
  return found;
}

Refusal Store::refuse(Refusal why) noexcept {
  ++statistics_.refused;
  return why;
}

Refusal Store::add(std::string_view key, std::string_view vary_names,
                   const EntryParts& parts) noexcept {
  const std::uint64_t hash = hash_text(key, seed_);
  const std::uint64_t group_bytes = sizeof(Group) + key.size() + vary_names.size();
  const std::uint64_t bytes = Entry::bytes_for(parts) + group_bytes;
  // What was stored before does not hold any more, even if its successor is not stored.
  if (Group* const old = groups_.find(hash, key)) {
    Entry* const same = old->find(parts.variant);
    if (old->vary_names != vary_names) {
      clear_key(key);
    } else if (same) {
      drop(*same);
    }
  }
  if (bytes > limits_.entry_bytes) return refuse(Refusal::too_large);
  if (!make_room(bytes)) return refuse(Refusal::memory);

  Entry* const entry = Entry::make(parts, memory_);
  if (!entry) return refuse(Refusal::memory);
  Group* group = groups_.find(hash, key);
  if (!group) {
    group = Group::make(hash, key, vary_names);
    if (!group || !groups_.add(*group)) {
      Group::destroy(group);
      entry->release();
      return refuse(Refusal::memory);
    }
    group_bytes_ += group->bytes();
  }
  group->add(*entry);
  eviction_.add(*entry, hash);
  ++statistics_.entries;
  ++statistics_.stored;
  if (group->count > limits_.variants) {
    Entry* oldest = entry;
    while (oldest->next_variant) oldest = oldest->next_variant;
    ++statistics_.evicted;
    drop(*oldest);
  }
  // The table of keys may have grown, which is not counted before.
  if (used() > limits_.bytes && !make_room(0)) return refuse(Refusal::memory);
  return Refusal::none;
}

bool Store::make_room(std::uint64_t bytes) noexcept {
  while (used() + bytes > limits_.bytes) {
    Entry* const entry = eviction_.choose();
    if (!entry) return false;
    eviction_.remember(*entry, entry->group->hash);
    ++statistics_.evicted;
    drop(*entry);
  }
  return true;
}

void Store::drop(Entry& entry) noexcept {
  Group& group = *entry.group;
  eviction_.remove(entry);
  group.remove(entry);
  --statistics_.entries;
  entry.release();
  if (group.variants) return;
  group_bytes_ -= group.bytes();
  groups_.remove(group);
  Group::destroy(&group);
}

template <class Matches>
std::uint64_t Store::clear_if(Matches matches) noexcept {
  std::uint64_t count = 0;
  groups_.for_each([this, &count, &matches](Group& group) {
    Entry* entry = group.variants;  // the group goes with its last one
    while (entry) {
      Entry* const next = entry->next_variant;
      if (matches(group, *entry)) {
        drop(*entry);
        ++count;
      }
      entry = next;
    }
  });
  statistics_.cleared += count;
  return count;
}

std::uint64_t Store::clear_key(std::string_view key) noexcept {
  Group* const group = groups_.find(hash_text(key, seed_), key);
  if (!group) return 0;
  const std::uint32_t count = group->count;
  for (std::uint32_t left = count; left > 0; --left) drop(*group->variants);
  statistics_.cleared += count;
  return count;
}

std::uint64_t Store::clear_tag(std::string_view tag) noexcept {
  return clear_if([tag](const Group&, const Entry& entry) { return entry.has_tag(tag); });
}

std::uint64_t Store::clear_path(std::string_view prefix) noexcept {
  return clear_if([prefix](const Group& group, const Entry&) {
    return path_of(group.key).starts_with(prefix);
  });
}

std::uint64_t Store::clear() noexcept {
  return clear_if([](const Group&, const Entry&) { return true; });
}

StoreStatistics Store::statistics() const noexcept {
  StoreStatistics now = statistics_;
  now.bytes = used();
  return now;
}

}  // namespace lanner::cache
