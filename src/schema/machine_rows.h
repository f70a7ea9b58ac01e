// schema/machine_rows.h: the machine's arrays, its records read by the input's fast readers, and the
// fields that a record lacks.

#pragma once

#include "schema/machine.h"

namespace lanner::schema {

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::open_row(const Node& node,
                                                                         Item item) noexcept {
  const Record& record = *node.record;
  Value* values = record_room(record);
  if (!values) return fail_next();
  RecordsRead read;
  if constexpr (Input::kReadsRows) {
    read = input_.read_record(*this, record, item, values, &frame_[frames_].in);
  }
  if (read.end == RecordsRead::End::before) return Next::other;
  if (read.end != RecordsRead::End::complete || !record.is_plain()) return push_row(node, read);
  match_.add_records(record, read.next);
  Value value = builder_.record(record, values);
  return value ? done(value) : fail_next();
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::push_row(
    const Node& node, const RecordsRead& read) noexcept {
  const std::size_t fields = node.record->fields.size();
  Frame& frame = frame_[frames_];
  frame.base = values_.size();
  values_.resize(frame.base + read.next);
  if (read.end == RecordsRead::End::failed) return fail_next();
  if (!values_.push_nulls(fields - read.next)) return out_of_memory();
  frame.node = &node;
  frame.stage = kKey;
  frame.at = read.next - 1;
  frame.count = read.next;
  frame.mark = static_cast<std::uint32_t>(errors_.mark());
  frame.failed = false;
  ++frames_;
  ++depth_;
  return read.end == RecordsRead::End::complete ? finish_record(frame) : Next::ready;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::read_row(Frame& frame) noexcept {
  bool complete = false;
  bool ok = true;
  if constexpr (Input::kReadsRows) {
    ok = input_.read_row(*this, *frame.node->record, frame.in, &frame.count, values_.at(frame.base),
                         &complete);
  }
  frame.at = frame.count - 1;
  if (!ok) return fail_next();
  return complete ? finish_record(frame) : Next::ready;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::read_records(
    Frame& frame, const Node& child) noexcept {
  const std::size_t size = values_.size();
  RecordsRead read;
  if constexpr (Input::kReadsRows) {
    read = input_.read_records(*this, *child.record, frame.in, &frame_[frames_].in);
  }
  const auto records = static_cast<std::uint32_t>(values_.size() - size);
  frame.at += records;
  if (records) {
    const auto fields = static_cast<std::uint32_t>(child.record->fields.size());
    match_.add_records(*child.record, records * fields);
  }
  if (read.end == RecordsRead::End::before) return Next::other;
  const Next next = push_row(child, read);
  return next == Next::ready ? resume_record(top()) : next;
}

template <class Input, class Builder>
typename Machine<Input, Builder>::Next Machine<Input, Builder>::resume_list(Frame& frame) noexcept {
  const Node& child = *frame.node->children[0];
  const bool records = Input::kReadsRows && child.kind == Kind::record &&
                       child.record->is_plain() && depth_ < kDepthMax && frames_ < kFramesMax;
  for (;;) {
    if (records) {
      const Next next = read_records(frame, child);
      if (next == Next::aborted || &frame != &top()) return next;
      if (next == Next::done) {
        if (accept_item(frame) != Next::ready) return Next::aborted;
        continue;
      }
    }
    Item item{};
    const Step step = input_.next_item(*this, frame.in, &item);
    if (step != Step::more) return step == Step::end ? finish(frame) : fail_next();
    if (is_leaf(child.kind)) {
      value_ = leaf(child, item);
      if (!value_ && aborted_) return Next::aborted;
    } else {
      Next next = open(child, item);
      // A record of leaves is read here directly, without the dispatcher.
      if (next == Next::ready && top().node == &child && top().stage == kKey &&
          child.kind == Kind::record) {
        next = resume_record(top());
      }
      if (next != Next::done || &frame != &top()) return next;
    }
    if (accept_item(frame) != Next::ready) return Next::aborted;
  }
}

template <class Input, class Builder>
bool Machine<Input, Builder>::fill(Frame& frame) noexcept {
  const Record& record = *frame.node->record;
  const Item item = input_.item_of(frame.in);
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (values_[frame.base + i]) continue;
    const Field& field = record.fields[i];
    frame.at = static_cast<std::uint32_t>(i);
    if (!field.required) {
      if (frame.failed) continue;
      Value value{};
      if (!builder_.default_of(field, &value)) {
        aborted_ = true;
        return false;
      }
      values_[frame.base + i] = value;  // may be none at all: the attribute stays unset
      continue;
    }
    frame.failed = true;
    (void)fail(Slug::missing, item);
    if (aborted_) return false;
  }
  return true;
}

}  // namespace lanner::schema
