// schema/machine_places.h: the machine's arrays of fixed length with a type per item: fixed tuples
// and NamedTuples.

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

}  // namespace lanner::schema
