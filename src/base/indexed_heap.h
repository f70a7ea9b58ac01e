// base/indexed_heap.h: a binary heap whose members know their index, so that any of them can be
// removed in O(log n).
//
// Equal members are removed in the order in which they were added.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace lanner {

// `Item` is what is stored by pointer, not owned. Place: static std::size_t& of(Item*) -> where the
// heap keeps the item's index (kNowhere while it is in no heap).
template <class Item, class Place>
class IndexedHeap final {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  IndexedHeap() noexcept = default;
  IndexedHeap(const IndexedHeap&) = delete;
  IndexedHeap& operator=(const IndexedHeap&) = delete;
  ~IndexedHeap() { std::free(entries_); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // In no particular order, but the first one is the least. REQUIRES: index < size()
  Item* operator[](std::size_t index) const noexcept { return entries_[index].item; }
  // REQUIRES: !empty()
  double least() const noexcept { return entries_[0].key; }

  // False when memory is out; then nothing was added. REQUIRES: Place::of(item) == kNowhere
  [[nodiscard]] bool push(Item* item, double key) noexcept {
    if (size_ == capacity_ && !grow()) return false;
    const Entry entry{key, next_order_++, item};
    rise(size_++, entry);
    return true;
  }
  // REQUIRES: !empty()
  Item* pop() noexcept {
    Item* item = entries_[0].item;
    remove(item);
    return item;
  }
  // REQUIRES: the item is in this heap
  void remove(Item* item) noexcept {
    const std::size_t hole = Place::of(item);
    Place::of(item) = kNowhere;
    const Entry last = entries_[--size_];
    if (hole == size_) return;
    if (hole > 0 && last.before(entries_[parent(hole)])) {
      rise(hole, last);
    } else {
      sink(hole, last);
    }
    if (size_ < capacity_ / 4 && capacity_ > kFirstCapacity) shrink();
  }

 private:
  static constexpr std::size_t kFirstCapacity = 64;

  struct Entry {
    double key;
    std::uint64_t order;
    Item* item;
    bool before(const Entry& other) const noexcept {
      return key < other.key || (key == other.key && order < other.order);
    }
  };

  static std::size_t parent(std::size_t index) noexcept { return (index - 1) / 2; }

  void put(std::size_t index, const Entry& entry) noexcept {
    entries_[index] = entry;
    Place::of(entry.item) = index;
  }
  void rise(std::size_t hole, const Entry& entry) noexcept {
    while (hole > 0 && entry.before(entries_[parent(hole)])) {
      put(hole, entries_[parent(hole)]);
      hole = parent(hole);
    }
    put(hole, entry);
  }
  void sink(std::size_t hole, const Entry& entry) noexcept {
    for (std::size_t child = 2 * hole + 1; child < size_; child = 2 * hole + 1) {
      if (child + 1 < size_ && entries_[child + 1].before(entries_[child])) ++child;
      if (!entries_[child].before(entry)) break;
      put(hole, entries_[child]);
      hole = child;
    }
    put(hole, entry);
  }

  bool grow() noexcept { return resize(capacity_ ? capacity_ * 2 : kFirstCapacity); }
  void shrink() noexcept { (void)resize(capacity_ / 2); }  // failing, it stays as large as it is
  bool resize(std::size_t wanted) noexcept {
    // SAFETY: Entry is trivially copyable.
    void* moved = std::realloc(static_cast<void*>(entries_), wanted * sizeof(Entry));
    if (!moved) return false;
    entries_ = static_cast<Entry*>(moved);
    capacity_ = wanted;
    return true;
  }

  Entry* entries_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace lanner
