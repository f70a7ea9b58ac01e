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
  if (frames_ == kFramesMax) return too_deep(node, item);
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
  frame.mark = static_cast<std::uint32_t>(errors_.mark());
  frame.failed = false;
  input_.hold(item, &frame.in);
  if (node.kind == Kind::custom) {
    ++frames_;
    return begin(*node.children.back(), item);
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
  frame.read = static_cast<std::uint32_t>(read_);
  ++frames_;
  ++unions_;
  if (profile_of(plan_, node) == Profile::compat && !node.keep_order) {
    frame.stage = kSmart;
    frame.outer = match_;
    match_ = {};
    return begin(*node.children[0], item);
  }
  const int member = node.keep_order ? -2 : node.kinds.member[input_.look(item)];
  frame.stage = member >= 0 ? kChosen : kInOrder;
  frame.at = member >= 0 ? static_cast<std::uint32_t>(member) : 0;
  if (skips(node, frame.at, item)) return next_member(frame);
  return begin(*node.children[frame.at], item);
}

// An integer is not read by a float where the union has an int.
template <class Input, class Builder>
bool Machine<Input, Builder>::skips(const Node& node, std::size_t member, Item item) noexcept {
  return node.has_integers && node.children[member]->kind == Kind::floating &&
         profile_of(plan_, node) != Profile::compat && input_.is_integer(*this, item);
}

template <class Input, class Builder>
int Machine<Input, Builder>::find_member(const Node& node, Item item) noexcept {
  const Tags& tags = *node.tags;
  const FoundTag tag = input_.find_tag(*this, item, tags);
  if (tag.position >= 0) return tags.member[static_cast<std::size_t>(tag.position)];
  if (aborted_ || !input_.skip(*this, item)) {
    aborted_ = true;
  } else if (!tag.is_object) {
    (void)fail(Slug::model_attributes_type, item);
  } else if (!tag.found) {
    (void)fail(Slug::union_tag_not_found, item, tags.not_found);
  } else {
    (void)fail(Slug::union_tag_invalid, item, tags.invalid, tag.text.view());
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
  if (frame.stage == kSmart) return accept_smart(frame);
  if (value_) {
    forget_from(frame.mark);
    return pop_choice(frame);
  }
  if (frame.stage == kChosen && plan_.profile != Profile::json) {
    // Another member may still accept it by coercion.
    forget_from(frame.mark);
    frame.stage = kInOrder;
    frame.at = UINT32_MAX;  // before the first
  } else if (frame.stage == kChosen) {
    // The others fail at once, by the look of the value; their errors are wanted, too.
    frame.stage = kOthers;
    frame.count = static_cast<std::uint32_t>(errors_.mark());
    frame.chosen = frame.at;
    frame.at = UINT32_MAX;
  }
  return next_member(frame);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::next_member(Frame& frame) noexcept {
  const std::size_t count = frame.node->children.size();
  const Item item = input_.item_of(frame.in);
  while (++frame.at < count) {
    if (frame.stage == kOthers && frame.at == frame.chosen) {
      // The earlier members have spoken: their errors stand before those of the chosen one.
      errors_.move_before(frame.mark, frame.count, errors_.mark());
    } else if (!skips(*frame.node, frame.at, item)) {
      return again(frame);
    }
  }
  return finish_union(frame);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::accept_smart(
    Frame& frame) noexcept {
  const bool has_best = values_.size() > frame.base;
  if (Input::kIsText && frame.node->children[frame.at]->kind == Kind::string)
    match_.floor(Exactness::strict);
  bool all = ++frame.at == frame.node->children.size();
  if (value_ && (!has_best || match_.better_than(frame.best))) {
    drop_to(frame.base);
    if (!values_.push(value_)) return drop_value();
    frame.best = match_;
    all = all || match_.is_perfect();
  } else if (value_) {
    builder_.drop(value_);
  }
  if (values_.size() > frame.base) forget_from(frame.mark);
  if (!all) {
    match_ = {};
    return again(frame);
  }
  match_ = frame.outer;
  if (values_.size() == frame.base) return finish_union(frame);
  value_ = values_[frame.base];
  values_.resize(frame.base);
  match_.floor(frame.best.exactness);
  if (frame.best.has_fields) match_.add_fields(frame.best.fields);
  return pop_choice(frame);
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::again(Frame& frame) noexcept {
  const Item item = input_.item_of(frame.in);
  if (!may_read_again(frame, item)) return give_up(frame);
  input_.back_to(item);
  return begin(*frame.node->children[frame.at], item);
}

// REQUIRES: a member has read the item.
template <class Input, class Builder>
bool Machine<Input, Builder>::may_read_again(const Frame& frame, Item item) noexcept {
  const std::uint64_t items = static_cast<std::uint32_t>(read_) - frame.read;
  const std::uint64_t whole =
      input_.document_size(input_.item_of(frame_[0].in), read_, read_again_);
  read_again_ += input_.item_size(item, items);
  return read_again_ <= (kReadAgainTimes + plan_.members_max) * whole + kReadAgainFree;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::finish_union(
    Frame& frame) noexcept {
  value_ = Value{};
  const Next next = pop_choice(frame);
  if (errors_.enough() && unions_ == 0) return fail_next();
  return next;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::give_up(Frame& frame) noexcept {
  drop_to(frame.base);
  if (frame.stage == kSmart) match_ = frame.outer;
  const Item item = input_.item_of(frame.in);
  forget_from(frame.mark);
  --frames_;  // the place is the union's own, not a member's
  (void)fail(Slug::union_retries_exceeded, item);
  ++frames_;
  return finish_union(frame);
}

template <class Input, class Builder>
int Machine<Input, Builder>::frames_to_loop(const Node& node, Item item) noexcept {
  const auto opened = [this](const Node* by, Item what, int end) {
    for (int i = 0; i < end; ++i) {
      if (frame_[i].node == by && input_.is_same(input_.item_of(frame_[i].in), what)) return true;
    }
    return false;
  };
  if (!opened(&node, item, frames_)) return -1;
  int first = 0;
  while (first < frames_ && !opened(frame_[first].node, input_.item_of(frame_[first].in), first)) {
    ++first;
  }
  return first;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::too_deep(const Node& node,
                                                                         Item item) noexcept {
  if (!input_.skip(*this, item)) return fail_next();
  const int loop = frames_to_loop(node, item);
  if (loop < 0) return done(fail(Slug::recursion_depth_exceeded, item));
  // Nothing else of it is worth telling.
  for (int i = 0; i < loop; ++i) {
    if (frame_[i].node->kind != Kind::union_of) continue;
    forget_from(frame_[i].mark);
    break;
  }
  const int frames = frames_;
  frames_ = loop;  // the place
  (void)fail(Slug::recursion_loop, item);
  frames_ = frames;
  return fail_next();
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
