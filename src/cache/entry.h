// cache/entry.h: one stored answer: its head and body as they go out, and what decides on its use.
//
// One allocation, never changed but for its freshness. Counted references keep it while an answer
// is sent from it, also when the store has dropped it meanwhile. Of the loop's thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/intrusive_list.h"
#include "cache/freshness.h"
#include "cache/validation.h"

namespace lanner::cache {

class Entry;
struct Group;

// What entries are charged to, dropped ones that are still sent included.
struct EntryMemory {
  std::uint64_t bytes = 0;
};

struct EntryParts {
  int status = 200;
  std::string_view variant;  // of write_variant()
  std::string_view head;     // field lines, "name: value\r\n"
  std::string_view body;
  Validators validators;
  std::string_view tags;  // separated by commas, no blanks
  Freshness freshness;
};

struct QueueTag;
enum class Queue : std::uint8_t { none, small, main };

class Entry final : public ListNode<QueueTag> {
 public:
  static std::size_t bytes_for(const EntryParts& parts) noexcept;
  // With one reference. nullptr when memory is out. `memory` has to outlive it.
  [[nodiscard]] static Entry* make(const EntryParts& parts, EntryMemory& memory) noexcept;

  int status() const noexcept { return status_; }
  std::string_view variant() const noexcept { return variant_; }
  std::string_view head() const noexcept { return head_; }
  std::string_view body() const noexcept { return body_; }
  std::string_view tags() const noexcept { return tags_; }
  const Validators& validators() const noexcept { return validators_; }
  std::size_t bytes() const noexcept { return bytes_; }
  bool has_tag(std::string_view tag) const noexcept;

  void hold() noexcept { ++references_; }
  void release() noexcept {
    if (--references_ == 0) destroy();
  }

  Freshness freshness;

  // The store's and the eviction's.
  Group* group = nullptr;
  Entry* next_variant = nullptr;
  std::uint8_t frequency = 0;
  Queue queue = Queue::none;

 private:
  Entry(const EntryParts& parts, std::size_t bytes, EntryMemory& memory) noexcept;
  ~Entry() = default;
  void destroy() noexcept;

  EntryMemory& memory_;
  std::size_t bytes_;
  std::uint32_t references_ = 1;
  int status_;
  std::string_view variant_;
  std::string_view head_;
  std::string_view body_;
  std::string_view tags_;
  Validators validators_;
};

// A reference to an entry, or none.
class EntryRef final {
 public:
  EntryRef() noexcept = default;
  explicit EntryRef(Entry& entry) noexcept : entry_(&entry) { entry.hold(); }
  EntryRef(EntryRef&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  EntryRef& operator=(EntryRef&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~EntryRef() {
    if (entry_) entry_->release();
  }

  explicit operator bool() const noexcept { return entry_ != nullptr; }
  Entry* operator->() const noexcept { return entry_; }
  Entry& operator*() const noexcept { return *entry_; }

 private:
  Entry* entry_ = nullptr;
};

}  // namespace lanner::cache
