#include "base/intrusive_list.h"

#include <string>

#include <gtest/gtest.h>

namespace lanner {
namespace {

struct FirstTag {};
struct SecondTag {};

struct Item : ListNode<FirstTag>, ListNode<SecondTag> {
  explicit Item(char item_name) : name(item_name) {}
  bool in_first() const { return ListNode<FirstTag>::linked(); }
  void leave_first() { ListNode<FirstTag>::unlink(); }
  char name;
};
using List = IntrusiveList<Item, FirstTag>;

std::string names(List& list) {
  std::string all;
  list.for_each([&all](Item& item) { all += item.name; });
  return all;
}

TEST(IntrusiveList, KeepsOrder) {
  List list;
  Item a('a'), b('b'), c('c');
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  EXPECT_EQ(list.pop_front(), nullptr);
  list.push_back(a);
  list.push_back(b);
  list.push_back(c);
  EXPECT_EQ(names(list), "abc");
  EXPECT_EQ(list.pop_front(), &a);
  EXPECT_FALSE(a.in_first());
  EXPECT_EQ(list.front(), &b);
}

TEST(IntrusiveList, UnlinksFromAnyPlace) {
  List list;
  Item a('a'), b('b'), c('c');
  list.push_back(a);
  list.push_back(b);
  list.push_back(c);
  b.leave_first();
  EXPECT_EQ(names(list), "ac");
  c.leave_first();
  a.leave_first();
  EXPECT_TRUE(list.empty());
  list.push_back(b);
  EXPECT_EQ(names(list), "b");
}

TEST(IntrusiveList, MemberCanBeInListsOfTwoKinds) {
  List first;
  IntrusiveList<Item, SecondTag> second;
  Item a('a'), b('b');
  first.push_back(a);
  first.push_back(b);
  second.push_back(b);
  second.push_back(a);
  a.leave_first();
  EXPECT_EQ(names(first), "b");
  EXPECT_EQ(second.pop_front(), &b);
  EXPECT_EQ(second.pop_front(), &a);
}

TEST(IntrusiveList, ForEachAllowsUnlinkingTheItem) {
  List list;
  Item a('a'), b('b'), c('c');
  list.push_back(a);
  list.push_back(b);
  list.push_back(c);
  std::string seen;
  list.for_each([&seen](Item& item) {
    seen += item.name;
    if (item.name != 'b') item.leave_first();
  });
  EXPECT_EQ(seen, "abc");
  EXPECT_EQ(names(list), "b");
}

TEST(IntrusiveList, TakesAllOfAnother) {
  List to, from, none;
  Item a('a'), b('b'), c('c'), d('d');
  to.push_back(a);
  from.push_back(b);
  from.push_back(c);
  to.take_all(from);
  to.take_all(none);
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(names(to), "abc");
  to.push_back(d);
  c.leave_first();
  EXPECT_EQ(names(to), "abd");
  from.take_all(to);
  EXPECT_TRUE(to.empty());
  EXPECT_EQ(names(from), "abd");
}

}  // namespace
}  // namespace lanner
