// base/intrusive_list.h: a doubly linked list whose links live in its members: no allocation, O(1)
// removal.

#pragma once

#include <cstddef>

namespace lanner {

// A member of at most one list of a kind: derive from ListNode<Tag>. Not copyable, not movable.
template <class Tag>
class ListNode {
 public:
  ListNode() noexcept = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;

  bool linked() const noexcept { return next_ != nullptr; }
  // REQUIRES: linked()
  void unlink() noexcept {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

 private:
  template <class T, class U>
  friend class IntrusiveList;
  ListNode* next_ = nullptr;
  ListNode* previous_ = nullptr;
};

// T derives from ListNode<Tag>. Does not own its members.
template <class T, class Tag>
class IntrusiveList {
  using Node = ListNode<Tag>;

 public:
  IntrusiveList() noexcept { head_.next_ = head_.previous_ = &head_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const noexcept { return head_.next_ == &head_; }
  // REQUIRES: !item.linked()
  void push_back(T& item) noexcept { insert_before(head_, item); }
  T* front() noexcept { return empty() ? nullptr : static_cast<T*>(head_.next_); }
  T* pop_front() noexcept {
    T* item = front();
    if (item) static_cast<Node*>(item)->unlink();
    return item;
  }
  // Calls f(T&) for each; f may unlink or destroy that one item.
  template <class F>
  void for_each(F&& f) noexcept {
    for (Node* node = head_.next_; node != &head_;) {
      Node* next = node->next_;
      f(*static_cast<T*>(node));
      node = next;
    }
  }
  // Moves all members of `other` to the end of this list.
  void take_all(IntrusiveList& other) noexcept {
    if (other.empty()) return;
    Node* first = other.head_.next_;
    Node* last = other.head_.previous_;
    other.head_.next_ = other.head_.previous_ = &other.head_;
    first->previous_ = head_.previous_;
    head_.previous_->next_ = first;
    last->next_ = &head_;
    head_.previous_ = last;
  }

 private:
  void insert_before(Node& where, Node& node) noexcept {
    node.next_ = &where;
    node.previous_ = where.previous_;
    where.previous_->next_ = &node;
    where.previous_ = &node;
  }
  Node head_;
};

}  // namespace lanner
