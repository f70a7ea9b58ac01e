// cache/eviction.h: which entry goes when room is needed: S3-FIFO (Yang et al., SOSP 2023).
//
// New entries come into a small queue, a tenth of the bytes; those that were used there move on to
// the main queue, the others leave, and their hashes are remembered for a while: who comes back in
// that time goes to the main queue at once. A scan passes through the small queue and leaves the
// main one alone. A hit only counts: no list changes.

#pragma once

#include <cstdint>

#include "base/intrusive_list.h"
#include "base/vector.h"
#include "cache/entry.h"

namespace lanner::cache {

class Eviction final {
 public:
  // `ghosts`: how many hashes are remembered at most. False when memory is out: then none are.
  [[nodiscard]] bool set_size(std::uint64_t bytes_max, std::size_t ghosts) noexcept;

  static void hit(Entry& entry) noexcept {
    if (entry.frequency < kFrequencyMax) ++entry.frequency;
  }
  // REQUIRES: it is in no queue
  void add(Entry& entry, std::uint64_t hash) noexcept;
  void remove(Entry& entry) noexcept;
  // The entry that has to go, which the caller removes; nullptr: there are none.
  Entry* choose() noexcept;
  // It leaves unused: its key is remembered. REQUIRES: choose() gave it
  void remember(const Entry& entry, std::uint64_t hash) noexcept;

 private:
  static constexpr std::uint8_t kFrequencyMax = 3;
  struct Ghost {
    std::uint32_t mark = 0;
    std::uint32_t number = 0;
  };

  void push(Entry& entry, Queue queue) noexcept;
  bool take_ghost(std::uint64_t hash) noexcept;

  IntrusiveList<Entry, QueueTag> small_;
  IntrusiveList<Entry, QueueTag> main_;
  std::uint64_t small_bytes_ = 0;
  std::uint64_t small_bytes_max_ = 0;
  std::uint32_t main_count_ = 0;
  std::uint32_t ghost_number_ = 0;
  Vector<Ghost> ghosts_;  // a power of two, or none
};

}  // namespace lanner::cache
