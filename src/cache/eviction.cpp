#include "cache/eviction.h"

#include <algorithm>
#include <bit>

namespace lanner::cache {

namespace {
// A hash's place among the ghosts is of its low bits, its mark of the high ones.
std::uint32_t mark_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash >> 32) | 1;
}
}  // namespace

bool Eviction::set_size(std::uint64_t bytes_max, std::size_t ghosts) noexcept {
  small_bytes_max_ = bytes_max / 10;
  ghosts_.shrink(0);
  return ghosts_.resize(std::bit_floor(ghosts));
}

void Eviction::push(Entry& entry, Queue queue) noexcept {
  entry.queue = queue;
  if (queue == Queue::small) {
    small_bytes_ += entry.bytes();
    small_.push_back(entry);
  } else {
    ++main_count_;
    main_.push_back(entry);
  }
}

void Eviction::add(Entry& entry, std::uint64_t hash) noexcept {
  push(entry, take_ghost(hash) ? Queue::main : Queue::small);
}

void Eviction::remove(Entry& entry) noexcept {
  if (entry.queue == Queue::none) return;
  if (entry.queue == Queue::small) {
    small_bytes_ -= entry.bytes();
  } else {
    --main_count_;
  }
  entry.unlink();
  entry.queue = Queue::none;
}

Entry* Eviction::choose() noexcept {
  // Each turn moves an entry from the small queue to the main one or makes one less frequent.
  for (;;) {
    const bool from_small = !small_.empty() && (small_bytes_ >= small_bytes_max_ || main_.empty());
    Entry* const entry = from_small ? small_.front() : main_.front();
    if (!entry || entry->frequency == 0) return entry;
    remove(*entry);
    entry->frequency =
        from_small ? std::uint8_t{0} : static_cast<std::uint8_t>(entry->frequency - 1);
    push(*entry, Queue::main);
  }
}

void Eviction::remember(const Entry& entry, std::uint64_t hash) noexcept {
  if (entry.queue != Queue::small || ghosts_.empty()) return;
  ghosts_[hash & (ghosts_.size() - 1)] = {mark_of(hash), ++ghost_number_};
}

bool Eviction::take_ghost(std::uint64_t hash) noexcept {
  if (ghosts_.empty()) return false;
  Ghost& ghost = ghosts_[hash & (ghosts_.size() - 1)];
  // As many are remembered as the main queue has entries.
  const std::uint32_t age = ghost_number_ - ghost.number;
  if (ghost.mark != mark_of(hash) || age > std::max<std::uint32_t>(main_count_, 16)) return false;
  ghost = {};
  return true;
}

}  // namespace lanner::cache
