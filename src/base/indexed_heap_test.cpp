#include "base/indexed_heap.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lanner {
namespace {

struct Item {
  double key = 0;
  int number = 0;
  std::size_t place = ~std::size_t{0};
};

struct Place {
  static std::size_t& of(Item* item) noexcept { return item->place; }
};

using Heap = IndexedHeap<Item, Place>;

TEST(IndexedHeap, GivesTheLeastFirst) {
  std::mt19937 random(3);
  std::vector<Item> items(1000);
  Heap heap;
  for (Item& item : items) {
    item.key = static_cast<double>(random());
    ASSERT_TRUE(heap.push(&item, item.key));
  }
  double last = -1;
  while (!heap.empty()) {
    EXPECT_EQ(heap.least(), heap[0]->key);
    const Item* item = heap.pop();
    EXPECT_GE(item->key, last);
    EXPECT_EQ(item->place, Heap::kNowhere);
    last = item->key;
  }
}

TEST(IndexedHeap, KeepsTheOrderOfEqualKeys) {
  std::vector<Item> items(300);
  Heap heap;
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].number = static_cast<int>(i);
    ASSERT_TRUE(heap.push(&items[i], 5.0));
  }
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(heap.pop()->number, static_cast<int>(i));
}

TEST(IndexedHeap, LetsAnyMemberLeave) {
  std::mt19937 random(11);
  std::vector<Item> items(2000);
  std::vector<Item*> inside;
  Heap heap;
  for (Item& item : items) {
    item.key = static_cast<double>(random() % 100);
    ASSERT_TRUE(heap.push(&item, item.key));
    inside.push_back(&item);
  }
  std::shuffle(inside.begin(), inside.end(), random);
  while (inside.size() > 10) {
    Item* gone = inside.back();
    inside.pop_back();
    heap.remove(gone);
    EXPECT_EQ(gone->place, Heap::kNowhere);
    ASSERT_EQ(heap.size(), inside.size());
    for (std::size_t i = 0; i < heap.size(); i += 97) EXPECT_EQ(heap[i]->place, i);
    const auto least = std::min_element(inside.begin(), inside.end(),
                                        [](Item* a, Item* b) { return a->key < b->key; });
    ASSERT_EQ(heap.least(), (*least)->key);
  }
}

}  // namespace
}  // namespace lanner
