// schema/machine_choice.h: the machine's unions, tagged unions and functions: frames that hold one
// value.
//
// If only one member of a union accepts this kind of value, it is chosen at once. When that member
// fails, the others (which fail immediately) add their errors, so that the list is the same as if
// all members had been tried in order.

#pragma once

#include "schema/machine.h"

namespace lanner::schema {

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::open_choice(const Node& node,
                                                                            Item item) noexcept {
  if (frames_ == kFramesMax) return too_deep(item);
  if (node.kind == Kind::custom) {
    Value value{};
    if (input_.take_own(*this, node, item, &value)) {
      return done(value && !node.rules.empty() ? checked(node, value, item) : value);
    }
  }
  Frame& frame = frame_[frames_];
  frame.node = &node;
  frame.base = values_.size();
  frame.at = frame.count = 0;
  frame.mark = static_cast<std::uint32_t>(errors_.size());
  frame.failed = false;
  input_.hold(item, &frame.in);
  if (node.kind == Kind::custom) {
    ++frames_;
    return begin(*node.children[0], item);
  }
  if (node.kind == Kind::tagged) {
    const int member = find_member(node, item);
    if (member < 0) {
      input_.close(frame.in);
      return done(Value{});
    }
    frame.at = static_cast<std::uint32_t>(member);
    ++frames_;
    return begin(*node.children[static_cast<std::size_t>(member)], item);
  }
  const int member = node.keep_order ? -2 : node.kinds.member[input_.look(item)];
  frame.stage = member >= 0 ? kChosen : kInOrder;
  frame.at = member >= 0 ? static_cast<std::uint32_t>(member) : 0;
  ++frames_;
  ++unions_;
  return begin(*node.children[frame.at], item);
}

template <class Input, class Builder>
int Machine<Input, Builder>::find_member(const Node& node, Item item) noexcept {
  const Tags& tags = *node.tags;
  typename Input::Tag tag = input_.find_tag(*this, item, tags);
  if (tag.position >= 0) return tags.member[static_cast<std::size_t>(tag.position)];
  if (aborted_ || !input_.skip(*this, item)) {
    aborted_ = true;
  } else if (!tag.is_object) {
    (void)fail(Slug::model_attributes_type, item);
  } else if (!tag.found) {
    (void)fail(Slug::union_tag_not_found, item, tags.not_found);
  } else {
    (void)fail(Slug::union_tag_invalid, item, tags.invalid, tag.text);
  }
  return -1;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::pop_choice(Frame& frame) noexcept {
  --frames_;
  if (frame.node->kind == Kind::union_of) --unions_;
  input_.close(frame.in);
  return done(value_);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::accept_member(
    Frame& frame) noexcept {
  const Node& node = *frame.node;
  if (value_) {
    forget_from(frame.mark);
    return pop_choice(frame);
  }
  if (++retries_ > kRetriesMax) return give_up(frame);
  if (frame.stage == kChosen && plan_.profile != Profile::json) {
    // Another member may still accept it by coercion.
    forget_from(frame.mark);
    frame.stage = kInOrder;
    frame.at = 0;
    return again(frame);
  }
  if (frame.stage == kChosen) {
    // The others fail immediately because of the value's kind; their errors are reported, too.
    frame.stage = kOthers;
    frame.count = static_cast<std::uint32_t>(errors_.size());
    frame.chosen = frame.at;
    frame.at = 0;
  } else {
    ++frame.at;
  }
  if (frame.stage == kOthers && frame.at == frame.chosen) {
    // The errors of the earlier members come before those of the chosen one.
    errors_.move_before(frame.mark, frame.count, errors_.size());
    ++frame.at;
  }
  return frame.at < node.children.size() ? again(frame) : finish_union(frame);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::again(Frame& frame) noexcept {
  const Item item = input_.item_of(frame.in);
  input_.back_to(item);
  return begin(*frame.node->children[frame.at], item);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::finish_union(
    Frame& frame) noexcept {
  value_ = Value{};
  const Next next = pop_choice(frame);
  if (errors_.full() && unions_ == 0) return fail_next();
  return next;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::give_up(Frame& frame) noexcept {
  const Item item = input_.item_of(frame.in);
  (void)fail(Slug::recursion_depth_exceeded, item);
  value_ = Value{};
  return pop_choice(frame);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::accept_inner(
    Frame& frame) noexcept {
  if (value_) {
    const Item item = input_.item_of(frame.in);
    value_ = made(builder_.call(*frame.node, value_), item);
    if (value_ && !frame.node->rules.empty()) value_ = checked(*frame.node, value_, item);
  }
  return pop_choice(frame);
}

}  // namespace lanner::schema
