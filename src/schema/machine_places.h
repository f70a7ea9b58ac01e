// schema/machine_places.h: the machine's arrays that have a place for each item: fixed tuples, and
// NamedTuples; and the place of an error.

#pragma once

#include "schema/machine.h"

namespace lanner::schema {

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::resume_places(
    Frame& frame) noexcept {
  const Record& record = *frame.node->record;
  for (;;) {
    Item item{};
    const Step step = input_.next_item(*this, frame.in, &item);
    if (step == Step::stopped) return fail_next();
    if (step == Step::end) return finish_record(frame);
    frame.at = frame.count;
    if (frame.at >= record.fields.size()) {
      ++frame.count;
      if (!input_.skip(*this, item)) return fail_next();
      continue;
    }
    const Next next = begin(*record.fields[frame.at].node, item);
    if (next != Next::done || &frame != &top()) return next;
    (void)accept_field(frame);
  }
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::resume_fixed(
    Frame& frame) noexcept {
  const Node& node = *frame.node;
  for (;;) {
    Item item{};
    const Step step = input_.next_item(*this, frame.in, &item);
    if (step == Step::stopped) return fail_next();
    if (step == Step::end) return finish_fixed(frame);
    frame.at = frame.count++;
    if (frame.at >= node.children.size()) {
      if (!input_.skip(*this, item)) return fail_next();
      continue;
    }
    const Next next = begin(*node.children[frame.at], item);
    if (next != Next::done || &frame != &top()) return next;
    if (!value_) {
      frame.failed = true;
    } else if (!values_.push(value_)) {
      return drop_value();
    }
  }
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::finish_fixed(
    Frame& frame) noexcept {
  const Node& node = *frame.node;
  const Item item = input_.item_of(frame.in);
  for (std::size_t i = frame.count; i < node.children.size(); ++i) {
    frame.at = static_cast<std::uint32_t>(i);
    frame.failed = true;
    (void)fail(Slug::missing, item);
    if (aborted_) return Next::aborted;
  }
  if (frame.count > node.children.size() && !too_long(frame, node.too_long)) return Next::aborted;
  return finish(frame);
}

template <class Input, class Builder>
bool Machine<Input, Builder>::too_long(Frame& frame, const Rule* rule) noexcept {
  frame.failed = true;
  frame.stage = kWhole;
  forget_from(frame.mark);
  (void)fail(Slug::too_long, input_.item_of(frame.in), rule, {}, frame.count);
  return !aborted_;
}

template <class Input, class Builder>
void Machine<Input, Builder>::forget_from(std::size_t mark) noexcept {
  errors_.roll_back(mark, [this](void* object) { builder_.release(object); });
}

template <class Input, class Builder>
void Machine<Input, Builder>::add_loc() noexcept {
  for (int i = 0; i < frames_; ++i) {
    const Frame& frame = frame_[i];
    const Node& node = *frame.node;
    switch (node.kind) {
      case Kind::custom:
        break;
      case Kind::union_of:
      case Kind::tagged:
        errors_.add_name(node.labels[frame.at]);
        break;
      case Kind::record:
        if (frame.stage == kKey) errors_.add_name(node.record->fields[frame.at].name);
        if (frame.stage == kItems) errors_.add_number(frame.at);
        if (frame.stage == kValue) input_.key_loc(frame.in, errors_);
        break;
      case Kind::dict:
        if (frame.stage == kWhole) break;
        input_.key_loc(frame.in, errors_);
        if (frame.stage == kKey) errors_.add_name("[key]");
        break;
      default:
        if (frame.stage != kWhole) errors_.add_number(frame.at);
        break;
    }
  }
}

}  // namespace lanner::schema
