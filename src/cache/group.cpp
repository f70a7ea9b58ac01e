#include "cache/group.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace lanner::cache {

Group* Group::make(std::uint64_t hash, std::string_view key, std::string_view vary_names) noexcept {
  void* const memory = std::malloc(sizeof(Group) + key.size() + vary_names.size());
  if (!memory) return nullptr;
  Group* const group = ::new (memory) Group;
  char* const text = static_cast<char*>(memory) + sizeof(Group);
  std::memcpy(text, key.data(), key.size());
  if (!vary_names.empty()) std::memcpy(text + key.size(), vary_names.data(), vary_names.size());
  group->hash = hash;
  group->key = {text, key.size()};
  group->vary_names = {text + key.size(), vary_names.size()};
  return group;
}

void Group::destroy(Group* group) noexcept { std::free(group); }

Entry* Group::find(std::string_view variant) const noexcept {
  Entry* entry = variants;
  while (entry && entry->variant() != variant) entry = entry->next_variant;
  return entry;
}

void Group::add(Entry& entry) noexcept {
  entry.group = this;
  entry.next_variant = variants;
  variants = &entry;
  ++count;
}

void Group::remove(Entry& entry) noexcept {
  Entry** at = &variants;
  while (*at != &entry) at = &(*at)->next_variant;
  *at = entry.next_variant;
  entry.group = nullptr;
  --count;
}

Group* GroupTable::find(std::uint64_t hash, std::string_view key) const noexcept {
  if (chains_.empty()) return nullptr;
  Group* group = chains_[hash & (chains_.size() - 1)];
  while (group && (group->hash != hash || group->key != key)) group = group->next;
  return group;
}

bool GroupTable::add(Group& group) noexcept {
  // Where there is no memory to grow, chains get longer.
  if (size_ >= chains_.size() && !grow() && chains_.empty()) return false;
  Group** const chain = chain_of(group.hash);
  group.next = *chain;
  *chain = &group;
  ++size_;
  return true;
}

void GroupTable::remove(Group& group) noexcept {
  Group** at = chain_of(group.hash);
  while (*at != &group) at = &(*at)->next;
  *at = group.next;
  --size_;
}

bool GroupTable::grow() noexcept {
  Vector<Group*> grown;
  if (!grown.resize(chains_.empty() ? 64 : chains_.size() * 2)) return false;
  const std::size_t mask = grown.size() - 1;
  for_each([&grown, mask](Group& group) {
    Group*& chain = grown[group.hash & mask];
    group.next = chain;
    chain = &group;
  });
  chains_.swap(grown);
  return true;
}

}  // namespace lanner::cache
